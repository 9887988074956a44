/** The context keys by which the manifest shows what is for Python. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { DebugAdapterTracker, DebugSession } from "vscode";
import type { Frame } from "../../extension/src/debug/frame.ts";
import { Contents } from "../../extension/src/model/contents.ts";
import { Dismissed } from "../../extension/src/model/dismissed.ts";
import { Questions } from "../../extension/src/model/questions.ts";
import { History } from "../../extension/src/model/history.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import type { Inspector } from "../../extension/src/model/inspector.ts";
import { Sessions } from "../../extension/src/debug/sessions.ts";
import type { Stopped } from "../../extension/src/debug/tracker.ts";
import { followDebugging, followFrame, followKept } from "../../extension/src/views/context.ts";
import { frame, frameAnswer, memory, session } from "./fixtures.ts";
import { commands, debug, EventEmitter, stage } from "./vscode.ts";
import { Watchpoints } from "../../extension/src/model/watchpoints.ts";

const python = { id: "1", type: "debugpy" } as DebugSession;
const node = { id: "2", type: "node" } as DebugSession;
const debugging = (): unknown => commands.contexts.get("tensorInspector.debugging");
let sessions: Sessions;

beforeEach(() => {
  debug.activeDebugSession = undefined;
  sessions = new Sessions(() => {});
  followDebugging(sessions);
});

test("tells that we are active, and that nothing is debugged", () => {
  expect(commands.contexts.get("tensorInspector.active")).toBe(true);
  expect(debugging()).toBe(false);
});

/** VS Code starts a session: it is looked at later. */
/** Follows what the user keeps, which is nothing but what is given. */
function follow(given: { pins?: Pins; questions?: Questions; inspector: Inspector }): void {
  const { pins = new Pins(memory()), questions = new Questions(), inspector } = given;
  followKept(pins, questions, new Dismissed(memory()), new Watchpoints(memory()), new History(), inspector);
}

function begin(session: DebugSession): DebugAdapterTracker {
  const tracker = sessions.createDebugAdapterTracker(session);
  tracker.onDidSendMessage?.({ type: "event", event: "initialized" });
  return tracker;
}

test("is set as soon as a Python session begins, before it is looked at, until it has ended", () => {
  const tracker = begin(python);
  expect(debugging()).toBe(true);
  stage.activate(python);
  expect(debugging()).toBe(true);
  stage.activate(undefined);
  tracker.onExit?.(0, undefined);
  stage.sessionTerminated.fire(python);
  expect(debugging()).toBe(false);
});

test("tells of the session that is looked at, where there are several", () => {
  begin(python);
  stage.activate(node);
  expect(debugging()).toBe(false);
  stage.activate(python);
  expect(debugging()).toBe(true);
});

test.each(["debugpy", "python", "Python Kernel Debug Adapter", "Python Interactive Window Debug Adapter"])(
  "%s is Python",
  (type) => {
    stage.activate({ id: "3", type });
    expect(debugging()).toBe(true);
  },
);

test("tells whether something is pinned, before any stop and as it changes", () => {
  const isPinned = (): unknown => commands.contexts.get("tensorInspector.pinned");
  const pins = new Pins(memory({ pins: ["kept"] }));
  follow({ pins, inspector: lookingAt(undefined).inspector });
  expect(isPinned()).toBe(true);
  pins.remove("kept");
  expect(isPinned()).toBe(false);
  pins.add(["x"]);
  expect(isPinned()).toBe(true);
});

test("tells of comparisons, and of a value that was selected for one, until their session ends", () => {
  const told = (): unknown[] =>
    ["answered", "selectedForCompare"].map((key) => commands.contexts.get(`tensorInspector.${key}`));
  const questions = new Questions();
  follow({ questions, inspector: lookingAt(frame()).inspector });
  expect(told()).toEqual([false, false]);
  const [a, b] = ["a", "b"].map((name) => ({ name, expression: name }));
  questions.select(a!, session());
  questions.add({ lens: "compare", subjects: { a: a!, b: b! } }, session());
  expect(told()).toEqual([true, true]);
  questions.forget(session());
  expect(told()).toEqual([false, false]);
});

test("offers to compare with a value that was selected only in the program that has it", () => {
  const questions = new Questions();
  const { inspector, look } = lookingAt(frame());
  follow({ questions, inspector });
  questions.select({ name: "loss", expression: "loss" }, session());
  const offered = [frame(), frame(1, { session: "another" }), undefined, frame()].map((at) => {
    look(at);
    return commands.contexts.get("tensorInspector.selectedForCompare");
  });
  expect(offered).toEqual([true, false, false, true]);
});

/** What is looked at, a frame or nothing. */
function lookingAt(at: Frame | undefined) {
  const changed = new EventEmitter<void>();
  const inspector = { frame: at, onDidChange: changed.event } as unknown as Inspector;
  const look = (other: Frame | undefined): void => {
    Object.assign(inspector, { frame: other });
    changed.fire();
  };
  return { inspector, look };
}

/** What is looked at, and what tells of it. */
function looking() {
  const [changed, stopped] = [new EventEmitter<void>(), new EventEmitter<Stopped>()];
  const inspector = { frame: undefined, types: [] as string[], onDidChange: changed.event } as unknown as Inspector;
  const following = followFrame(inspector, { onDidStop: stopped.event });
  const show = (known: Partial<Inspector>): void => {
    Object.assign(inspector, known);
    changed.fire();
  };
  const look = (at: Frame | undefined, trouble?: string): void => show({ frame: at, trouble });
  return { following, show, look, stop: () => stopped.fire({} as Stopped) };
}

test.each([
  [{ torch: "2.13.0" }, true],
  [{ numpy: "2.4" }, false],
])("what is for torch is offered where it is loaded: %j", (libraries, offered) => {
  const contents = new Contents(frame(), frameAnswer([], { libraries }));
  looking().show({ frame: frame(), contents });
  expect(commands.contexts.get("tensorInspector.torch")).toBe(offered);
});

test("tells VS Code only what has changed, since events are many", () => {
  const tell = vi.spyOn(commands, "executeCommand");
  const { show } = looking();
  for (const types of [["Tensor"], ["Tensor"], ["Tensor", "list"]]) show({ frame: frame(), types });
  const sent = tell.mock.calls.filter(([, key]) => key === "tensorInspector.types").map(([, , types]) => types);
  tell.mockRestore();
  expect(sent).toEqual([["Tensor"], ["Tensor", "list"]]);
});

describe("that no frame is looked at", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const isSaid = (): unknown => commands.contexts.get("tensorInspector.noFrame");

  test("is said after a stop for which none is announced, as after Pause, until one is", async () => {
    const { stop, look } = looking();
    stop();
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

  test("is not said where no frame can be had, and the view says why", async () => {
    const { look } = looking();
    look(undefined, "This session started before Tensor Inspector did.");
    await vi.advanceTimersByTimeAsync(2000);
    expect(isSaid()).toBe(false);
  });

  test("is not said where a frame comes soon", async () => {
    const { stop, look } = looking();
    stop();
    look(frame(1));
    await vi.advanceTimersByTimeAsync(2000);
    expect(isSaid()).toBe(false);
  });

  test("is not said any more once the extension is deactivated", async () => {
    const { following, stop } = looking();
    stop();
    following.dispose();
    await vi.advanceTimersByTimeAsync(2000);
    expect(isSaid()).toBe(false);
  });
});
