import { afterEach, describe, expect, test } from "vitest";
import type * as api from "vscode";
import { VIEW } from "../../extension/src/ids.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { History } from "../../extension/src/model/history.ts";
import type { Inspector, Stale } from "../../extension/src/model/inspector.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import type { Row, Scene } from "../../extension/src/model/row.ts";
import { frameRows } from "../../extension/src/model/rows.ts";
import { Questions } from "../../extension/src/model/questions.ts";
import { Contents } from "../../extension/src/model/contents.ts";
import type { Address, ChildrenAnswer, LensAnswer, Node } from "../../extension/src/protocol/generated.ts";
import { Tree } from "../../extension/src/views/tree.ts";
import { frame, frameAnswer, memory, nodeAnswer, tensor } from "./fixtures.ts";
import { commands, EventEmitter, type TreeView, window } from "./vscode.ts";
import { Watchpoints } from "../../extension/src/model/watchpoints.ts";

const open: { dispose(): void }[] = [];
afterEach(() => open.splice(0).forEach((one) => one.dispose()));

/** A tree on a stage: shows a stop, or why there is none, and says what VS Code was told of it. */
function staged(answer = () => frameAnswer([tensor("x")])): (number: number, trouble?: string) => string[] {
  const changed = new EventEmitter<void>();
  const expansion = new Expansion();
  const pins = new Pins(memory());
  const inspector = { frame: undefined, types: [], onDidChange: changed.event } as object;
  const tree = new Tree(inspector as Inspector, expansion, memory() as unknown as api.Memento);
  open.push(tree);
  const { told } = window.trees.get(VIEW) as TreeView;
  return (number, trouble) => {
    const contents = trouble === undefined ? new Contents(frame(number), answer()) : undefined;
    const scene = contents && {
      contents,
      pins,
      questions: new Questions(),
      watchpoints: new Watchpoints(memory()),
      history: new History(),
      expansion,
      pageSize: 100,
    };
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

  test("of a frame without variables is that there are none", () => {
    const show = staged(() => frameAnswer());
    expect(show(1)).toEqual(["rows", "message Nothing to show in this frame."]);
  });

  test("of a frame with more variables than are listed is how many there are, beside the view's name", () => {
    const answers = [
      frameAnswer([], { rows: { start: 0, total: 200, nodes: [tensor("x")] } }),
      frameAnswer([tensor("x")]),
    ];
    const show = staged(() => answers.shift()!);
    const view = window.trees.get(VIEW) as TreeView;
    const said = [1, 2].map((number) => [show(number), view.description]);
    expect(said).toEqual([
      [["rows"], "1 of 200 variables"],
      [["rows"], ""],
    ]);
  });

  test("of a message is only that it is another one, after the rows", () => {
    const show = staged();
    const told = [show(1, "no reply"), show(2, "no reply"), show(3), show(4)];
    expect(told).toEqual([["rows", "message no reply"], ["rows"], ["rows", "message "], ["rows"]]);
  });
});

/** Whoever opens a row's menu has it in hand: VS Code forgets which row it was when it is told that all have changed. */
describe("while one stop is shown", () => {
  /** A tree of `x` and a question, of which VS Code has asked all rows, and what changes there. */
  async function shown() {
    const changed = new EventEmitter<void>();
    const [expansion, questions] = [new Expansion(), new Questions()];
    const contents = new Contents(frame(1), frameAnswer([tensor("x"), tensor("y")]));
    const asked = questions.add({ lens: "gradients", subjects: { model: { name: "model" } } }, frame(1).session);
    const watchpoints = new Watchpoints(memory());
    const scene = { contents, pins: new Pins(memory()), questions, watchpoints, expansion, pageSize: 100 };
    const inspector = { frame: frame(1), contents, scene, types: [], onDidChange: changed.event } as object;
    const tree = new Tree(inspector as Inspector, expansion, memory() as unknown as api.Memento);
    open.push(tree);
    changed.fire();
    const rows = await tree.getChildren();
    const { told } = window.trees.get(VIEW) as TreeView;
    told.length = 0;
    const say = (stale: Stale | undefined): string[] => {
      Object.assign(inspector, { stale });
      return change();
    };
    const change = (): string[] => {
      changed.fire();
      return told.splice(0);
    };
    return { tree, rows, change, say, contents, questions, asked };
  }

  test("only the row that says something else is drawn again, and stays the same object", async () => {
    const { rows, change, contents, questions, asked } = await shown();
    expect(change()).toEqual([]);
    questions.setState(contents, asked, { progress: 0.5 });
    expect(change()).toEqual(["rows gradients of model"]);
    const row = rows.find(({ name }) => name === "gradients of model") as Row;
    expect(row.description).toBe("reading the gradients… 50%");
    expect(row.can).toContain("cancel");
    expect(change()).toEqual([]);
  });

  test("that it is from before is said above the rows, which are not drawn again", async () => {
    const { say } = await shown();
    expect(say("reading")).toEqual(["message Reading the values of this frame. Those shown here are from before."]);
    expect(say(undefined)).toEqual(["message "]);
  });

  test("what a row does not say any more is gone from it", async () => {
    const { rows, change, contents, questions, asked } = await shown();
    const row = rows.find(({ name }) => name === "gradients of model") as Row;
    questions.setState(contents, asked, { ...lensAnswer(), node: tensor("gradients") });
    change();
    expect(row.value?.node.name).toBe("gradients");
    questions.setState(contents, asked, { code: "gone", message: "no" });
    change();
    expect(row).not.toHaveProperty("value");
  });

  test("a row below which others stand now is drawn again, and not those above it", async () => {
    const { tree, rows, change, contents } = await shown();
    const [x] = rows.filter(({ name }) => name === "x") as [Row];
    contents.merge(childrenAnswer(x, "a"), x.value);
    await tree.getChildren(x);
    expect(change()).toEqual([]);
    contents.merge(childrenAnswer(x, "a", "b"), x.value);
    expect(change()).toEqual(["rows x"]);
    expect((await tree.getChildren(x)).map(({ name }) => name)).toEqual(["a", "b"]);
  });

  test("all are drawn again where others stand on top, and each is the object that it was", async () => {
    const { tree, rows, change, questions, asked } = await shown();
    questions.remove(asked);
    expect(change()).toEqual(["rows"]);
    const [x, y] = rows.filter(({ name }) => name === "x" || name === "y");
    const [first, second] = await tree.getChildren();
    expect([first, second].map((row, at) => row === [x, y][at])).toEqual([true, true]);
  });
});

/** An answer of a lens without its rows. */
function lensAnswer(): LensAnswer {
  return { op: "lens", snapshot: 7, ms: 1, done: true, progress: 1, types: [] };
}

/** Rows of these names below a row. */
function childrenAnswer({ value }: Row, ...names: string[]): ChildrenAnswer {
  const nodes = names.map((name) => tensor(name));
  const page = { start: 0, total: nodes.length, nodes };
  return { op: "children", snapshot: 7, ms: 1, node: value?.node.id ?? 0, page, types: [] };
}

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
      const scene = sceneOf(contents, expansion);
      Object.assign(inspector, { contents, scene });
      changed.fire();
      return frameRows(scene);
    };
    const [x] = show(1, "x", "y");
    await use(tree, view, x as Row);
    show(2);
    show(3, "x", "y");
    return view.revealed.map((row) => (row as Row).name);
  }

  test("is selected again also where it comes after the rest of its stop, as a finding", () => {
    const changed = new EventEmitter<void>();
    const expansion = new Expansion();
    const inspector = { frame: frame(1), types: [], onDidChange: changed.event } as object;
    open.push(new Tree(inspector as Inspector, expansion, memory() as unknown as api.Memento));
    const view = window.trees.get(VIEW) as TreeView;
    const node = { id: 6, name: "it is flat", kind: "finding", type: "", line: "line 7" };
    const page = { start: 0, total: 1, nodes: [node] };
    const found = {
      lens: "findings",
      explained: 0,
      checked: [],
      skipped: [],
      findings: [{ title: "it is flat", tier: "sure" }],
    };
    const answer = { ...lensAnswer(), found, node: { ...node, id: 5, children: 1, page } } as unknown as LensAnswer;
    const show = (number: number): Row[] => {
      const contents = new Contents(frame(number), frameAnswer([tensor("x")]));
      const scene = sceneOf(contents, expansion);
      Object.assign(inspector, { contents, scene });
      changed.fire();
      contents.check.setResult({ answer, mode: "usual", repeatsRun: false });
      changed.fire();
      return frameRows(scene);
    };
    const [finding] = show(1) as [Row];
    view.select(finding);
    expect(view.revealed).toEqual([]);
    show(2);
    expect(view.revealed.map((row) => (row as Row).name)).toEqual(["it is flat"]);
  });

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

  /** The tooltips of the rows of a stop, and what was asked for them. */
  async function tooltips(nodes: Node[], { pinned = [] as string[], isOver = false, isCancelled = false } = {}) {
    const asked: string[] = [];
    const token: api.CancellationToken = { isCancellationRequested: false, onCancellationRequested };
    const contents = new Contents(frame(), frameAnswer(nodes));
    const expansion = new Expansion();
    const inspector = {
      contents: isOver ? undefined : contents,
      onDidChange: new EventEmitter<void>().event,
      inspect: ({ expression, snapshot, node: id }: Address) => {
        const path = expression ?? `node ${id} of ${snapshot}`;
        asked.push(path);
        if (isCancelled) token.isCancellationRequested = true;
        const facts = { type: "torch.Tensor", device: "cuda:0" };
        return Promise.resolve(path === "gone" ? undefined : nodeAnswer("inspect", tensor(path, { facts })));
      },
    } as unknown as Inspector;
    const tree = new Tree(inspector, expansion, memory() as unknown as api.Memento);
    open.push(tree);
    const pins = new Pins(memory({ pins: pinned }));
    const texts: string[] = [];
    for (const row of frameRows({
      contents,
      pins,
      questions: new Questions(),
      watchpoints: new Watchpoints(memory()),
      history: new History(),
      expansion,
      pageSize: 100,
    })) {
      const { tooltip } = await tree.resolveTreeItem({}, row, token);
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

  test("is left open where VS Code cancelled the question: it would keep for good what it is given", async () => {
    const { texts } = await tooltips([tensor("gone"), tensor("x")], { isCancelled: true });
    expect(texts).toEqual(["", ""]);
  });

  test("of a pin without a value is all that its row says", async () => {
    const { texts } = await tooltips([], { pinned: ["model(x)"] });
    expect(texts).toEqual(["model(x)\nnot evaluated yet"]);
  });
});

/** What rows are made of, without pins, questions and watchpoints. */
function sceneOf(contents: Contents, expansion: Expansion): Scene {
  const [pins, questions, watchpoints] = [new Pins(memory()), new Questions(), new Watchpoints(memory())];
  return { contents, pins, questions, watchpoints, history: new History(), expansion, pageSize: 100 };
}
