import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type * as api from "vscode";
import type { Frame } from "../../extension/src/debug/activeFrame.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import type { Inspector } from "../../extension/src/model/inspector.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import { Stop } from "../../extension/src/model/stop.ts";
import { Tree, VIEW } from "../../extension/src/views/tree.ts";
import { frame, frameAnswer, memory, tensor } from "./fixtures.ts";
import { commands, EventEmitter, type TreeView, window } from "./vscode.ts";

const open: { dispose(): void }[] = [];
afterEach(() => open.splice(0).forEach((one) => one.dispose()));

/** A tree on a stage: shows a stop, or why there is none, and says what VS Code was told of it. */
function staged(): (number: number, trouble?: string) => string[] {
  const changed = new EventEmitter<void>();
  const expansion = new Expansion();
  const pins = new Pins(memory());
  const inspector = { frame: undefined, types: [], onDidChange: changed.event } as object;
  const tree = new Tree(inspector as Inspector, expansion, memory() as unknown as api.Memento);
  open.push(tree);
  const { told } = window.trees.get(VIEW) as TreeView;
  return (number, trouble) => {
    const stop = trouble === undefined ? new Stop(frame(number), frameAnswer([tensor("x")])) : undefined;
    const source = stop && { stop, pins, expansion, pageSize: 100 };
    Object.assign(inspector, { frame: frame(number), stop, source, trouble });
    changed.fire();
    return told.splice(0);
  };
}

/** VS Code passes rows and messages on at once only if neither changed in the 0.2 s before: else it waits so long. */
describe("what is told to VS Code", () => {
  test("at a stop is once that the rows have changed, and nothing else", () => {
    const show = staged();
    expect([show(1), show(2)]).toEqual([["rows"], ["rows"]]);
  });

  test("of a message is only that it is another one, after the rows", () => {
    const show = staged();
    const told = [show(1, "no reply"), show(2, "no reply"), show(3), show(4)];
    expect(told).toEqual([["rows", "message no reply"], ["rows"], ["rows", "message "], ["rows"]]);
  });
});

describe("that no frame is looked at", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const isSaid = (): unknown => commands.contexts.get("tensorInspector.noFrame");
  /** A tree, and what ends or begins that a frame is looked at. */
  function looking(): { tree: Tree; look: (at: Frame | undefined) => void } {
    const changed = new EventEmitter<void>();
    const inspector = { frame: undefined, types: [], onDidChange: changed.event } as object;
    const tree = new Tree(inspector as Inspector, new Expansion(), memory() as unknown as api.Memento);
    open.push(tree);
    const look = (at: Frame | undefined): void => {
      Object.assign(inspector, { frame: at });
      changed.fire();
    };
    return { tree, look };
  }

  test("is said after a stop for which none is announced, as after Pause, until one is", async () => {
    const { tree, look } = looking();
    tree.awaitFrame();
    expect(isSaid()).toBe(false);
    await vi.advanceTimersByTimeAsync(2000);
    expect(isSaid()).toBe(true);
    look(frame(1));
    expect(isSaid()).toBe(false);
  });

  test("is said when the user goes from a frame to a thread without one", async () => {
    const { look } = looking();
    look(frame(1));
    look(undefined);
    await vi.advanceTimersByTimeAsync(2000);
    expect(isSaid()).toBe(true);
  });

  test("is not said where a frame comes soon", async () => {
    const { tree, look } = looking();
    tree.awaitFrame();
    look(frame(1));
    await vi.advanceTimersByTimeAsync(2000);
    expect(isSaid()).toBe(false);
  });
});
