import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type * as api from "vscode";
import type { Frame } from "../../extension/src/debug/activeFrame.ts";
import { VIEW } from "../../extension/src/ids.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import type { Inspector } from "../../extension/src/model/inspector.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import type { Row } from "../../extension/src/model/row.ts";
import { rootRows } from "../../extension/src/model/rows.ts";
import { Questions } from "../../extension/src/model/questions.ts";
import { Contents } from "../../extension/src/model/contents.ts";
import type { Address, Node } from "../../extension/src/protocol/generated.ts";
import { Tree } from "../../extension/src/views/tree.ts";
import { frame, frameAnswer, memory, nodeAnswer, tensor } from "./fixtures.ts";
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
    const contents = trouble === undefined ? new Contents(frame(number), frameAnswer([tensor("x")])) : undefined;
    const scene = contents && { contents, pins, questions: new Questions(), expansion, pageSize: 100 };
    Object.assign(inspector, { frame: frame(number), contents, scene, trouble });
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

test("a sentence that the user is told stays while the same stop is shown", async () => {
  const changed = new EventEmitter<void>();
  const contents = new Contents(frame(1), frameAnswer());
  const inspector = { frame: frame(1), contents, types: [], onDidChange: changed.event } as object;
  const tree = new Tree(inspector as Inspector, new Expansion(), memory() as unknown as api.Memento);
  open.push(tree);
  const view = window.trees.get(VIEW) as TreeView;
  changed.fire();
  await tree.say("Not compared.");
  changed.fire();
  expect(view.message).toBe("Not compared.");
  Object.assign(inspector, { contents: new Contents(frame(2), frameAnswer()) });
  changed.fire();
  expect(view.message).toBe("");
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

describe("a row that vanishes and returns", () => {
  /** Names of the rows that are selected anew when `x` and `y` return, after what the user did with `x`. */
  async function returned(use: (tree: Tree, view: TreeView, x: Row) => unknown): Promise<string[]> {
    const changed = new EventEmitter<void>();
    const expansion = new Expansion();
    const inspector = { frame: frame(1), types: [], onDidChange: changed.event } as object;
    const tree = new Tree(inspector as Inspector, expansion, memory() as unknown as api.Memento);
    open.push(tree);
    const view = window.trees.get(VIEW) as TreeView;
    const show = (number: number, ...names: string[]): Row[] => {
      const contents = new Contents(frame(number), frameAnswer(names.map((name) => tensor(name))));
      const scene = { contents, pins: new Pins(memory()), questions: new Questions(), expansion, pageSize: 100 };
      Object.assign(inspector, { contents, scene });
      changed.fire();
      return rootRows(scene);
    };
    const [x] = show(1, "x", "y");
    await use(tree, view, x as Row);
    show(2);
    show(3, "x", "y");
    return view.revealed.map((row) => (row as Row).name);
  }

  test("is selected again if it was the one", async () => {
    expect(await returned((_, view, x) => view.select(x))).toEqual(["x"]);
  });

  test("is not selected for having had the keyboard when a key was pressed", async () => {
    const press = (tree: Tree, view: TreeView, x: Row): Promise<Row | undefined> => {
      commands.own.set("list.toggleSelection", () => view.select(...(view.selection.length > 0 ? [] : [x])));
      return tree.focused();
    };
    expect(await returned(async (...on) => expect((await press(...on))?.name).toBe("x"))).toEqual([]);
  });
});

describe("a row's tooltip", () => {
  const onCancellationRequested: api.Event<unknown> = () => ({ dispose: () => undefined });
  const patient: api.CancellationToken = { isCancellationRequested: false, onCancellationRequested };

  /** The tooltips of the rows of a stop, and what was asked for them. */
  async function tooltips(nodes: Node[], { pinned = [] as string[], isOver = false } = {}) {
    const asked: string[] = [];
    const contents = new Contents(frame(), frameAnswer(nodes));
    const expansion = new Expansion();
    const inspector = {
      contents: isOver ? undefined : contents,
      onDidChange: new EventEmitter<void>().event,
      inspect: ({ expression, snapshot, node: id }: Address) => {
        const path = expression ?? `node ${id} of ${snapshot}`;
        asked.push(path);
        const facts = { type: "torch.Tensor", device: "cuda:0" };
        return Promise.resolve(path === "gone" ? undefined : nodeAnswer("inspect", tensor(path, { facts })));
      },
    } as unknown as Inspector;
    const tree = new Tree(inspector, expansion, memory() as unknown as api.Memento);
    open.push(tree);
    const pins = new Pins(memory({ pins: pinned }));
    const texts: string[] = [];
    for (const row of rootRows({ contents, pins, questions: new Questions(), expansion, pageSize: 100 })) {
      const { tooltip } = await tree.resolveTreeItem({}, row, patient);
      texts.push(typeof tooltip === "object" ? tooltip.value : (tooltip ?? ""));
    }
    return { asked, texts };
  }

  test("is the card with all the facts, from one question", async () => {
    const { asked, texts } = await tooltips([tensor("x")]);
    expect(texts[0]).toContain("cuda&#58;0");
    expect(asked).toEqual([expect.stringMatching(/^node \d+ of 7$/)]);
  });

  test.each<[string, Node, { isOver?: boolean }]>([
    ["it is a property that was not read", tensor("x", { lazy: true }), {}],
    ["its stop is over", tensor("x"), { isOver: true }],
  ])("tells what is known where %s, and asks nothing", async (_, node, options) => {
    const { asked, texts } = await tooltips([node], options);
    expect(texts[0]).toContain("Tensor");
    expect(asked).toEqual([]);
  });

  test("is the card also where no expression reaches the value", async () => {
    const { asked, texts } = await tooltips([{ id: 3, name: "x", kind: "tensor", type: "Tensor", line: "float32[2]" }]);
    expect(texts[0]).toContain("cuda&#58;0");
    expect(asked).toEqual(["node 3 of 7"]);
  });

  test("asks nothing about what is no value", async () => {
    const group: Node = { id: 3, name: "values", kind: "group", type: "", line: "2 × 3" };
    expect((await tooltips([group])).asked).toEqual([]);
  });

  test("tells what is known where the value can't be had any more", async () => {
    expect((await tooltips([tensor("gone")])).texts[0]).toContain("Tensor");
  });

  test("of a pin without a value is all that its row says", async () => {
    const { texts } = await tooltips([], { pinned: ["model(x)"] });
    expect(texts).toEqual(["model(x)\nnot evaluated yet"]);
  });
});
