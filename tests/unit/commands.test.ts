import { beforeEach, describe, expect, test, vi } from "vitest";
import { COMMAND, type CommandId, VIEW } from "../../extension/src/ids.ts";
import type { Parts } from "../../extension/src/views/commandArguments.ts";
import { COMMANDS, registerCommands } from "../../extension/src/views/commands.ts";
import { Cancelled } from "../../extension/src/debug/queue.ts";
import { Contents } from "../../extension/src/model/contents.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { type Inquiry, Questions } from "../../extension/src/model/questions.ts";
import type { Row } from "../../extension/src/model/row.ts";
import { frame, frameAnswer, node, tensor } from "./fixtures.ts";
import { commands, env, stage, window, workspace } from "./vscode.ts";

beforeEach(() => stage.focus(undefined));

/** "Summarize Tensor" on this argument while a frame of `session` is looked at: what it pinned, and what it said. */
async function summarized(argument: unknown, session = "session") {
  const [pinned, said] = [[] as string[], [] as string[]];
  const parts = {
    inspector: { frame: { session: { id: session } } },
    runs: { pin: (expressions: readonly string[]) => Promise.resolve(void pinned.push(...expressions)) },
    expansion: new Expansion(),
    tree: {
      showTop: vi.fn<() => Promise<void>>(),
      say: (sentence: string) => Promise.resolve(void said.push(sentence)),
    },
  } as unknown as Parts;
  await COMMANDS[COMMAND.summarize](parts, argument);
  return { pinned, said };
}

function rowLike(row: object): object {
  return { path: {}, contents: {}, can: ["copySummary", "copyExpression", "pin", "remove", "evaluateAgain"], ...row };
}

/** A command by a key: it is not told of a row, the tree knows on which the keyboard is. */
async function pressed(command: CommandId, row: object, ...marked: object[]): Promise<string[]> {
  const unpinned: string[] = [];
  const parts = {
    runs: { unpin: (expression: string) => unpinned.push(expression) },
    tree: { focused: () => Promise.resolve(rowLike(row)), selection: marked.map(rowLike) },
  } as unknown as Parts;
  await COMMANDS[command](parts, undefined);
  return unpinned;
}

describe("Break There Next Time", () => {
  const loss = { what: "nonfinite", gear: "light", of: "loss", after_step: 36 };

  test.each([
    [{ breaksNext: loss }, loss],
    [{}, { what: "nonfinite", gear: "exact" }],
  ])("on a row with %j watches for %j", async (row, wanted) => {
    const watch = vi.fn<(watched: unknown) => void>();
    const parts = { watchpoints: { watch } } as unknown as Parts;
    await COMMANDS[COMMAND.breakNextTime](parts, rowLike({ ...row, can: ["breakNextTime"] }));
    expect(watch.mock.calls).toEqual([[wanted]]);
  });
});

describe("by a key", () => {
  beforeEach(() => env.clipboard.writeText(""));

  test("Copy Summary copies the whole name and line of the row that the keyboard is on", async () => {
    await pressed(COMMAND.copySummary, { label: "lo…ng", name: "long", summary: "int64[2]" });
    expect(env.clipboard.text).toBe("long: int64[2]");
  });

  test("Copy Summary copies the text that an answer has of its own", async () => {
    await pressed(COMMAND.copySummary, { name: "layers of model", summary: "3 layers", question: {}, text: "a table" });
    expect(env.clipboard.text).toBe("a table");
  });

  test("Copy Summary copies an answer with the rows below it, which are read if need be", async () => {
    const below = [node(".weight", { line: "1 value", children: 2 }), node(".bias", { line: "equal" })];
    const contents = new Contents(frame(), frameAnswer());
    const value = { node: node("answer", { id: 50, children: 2 }), snapshot: 7 };
    const scene = { contents, expansion: new Expansion(), pageSize: 100 };
    const load = vi.fn<(row: Row) => Promise<void>>(() => {
      const page = { start: 0, total: 2, nodes: below };
      contents.merge({ op: "children", snapshot: 7, ms: 1, node: 50, page, types: [] }, value);
      return Promise.resolve();
    });
    const row = rowLike({
      name: "a ↔ b",
      summary: "2 differences",
      contents,
      value,
      question: {},
      path: { root: "q", names: [] },
    });
    await COMMANDS[COMMAND.copySummary]({ inspector: { scene, load } } as unknown as Parts, row);
    await COMMANDS[COMMAND.copySummary]({ inspector: { scene, load } } as unknown as Parts, row);
    expect(env.clipboard.text).toBe("a ↔ b: 2 differences\n  .weight: 1 value\n  .bias: equal");
    expect(load).toHaveBeenCalledOnce();
  });

  test("Copy Summary copies nothing of a row without a value", async () => {
    await pressed(COMMAND.copySummary, { name: "next 100", summary: "", can: [] });
    expect(env.clipboard.text).toBe("");
  });

  test("Copy Summary and Remove act on all marked rows, where the keyboard is on one of them", async () => {
    const rows = ["x", "y"].map((id) => ({ id, name: id, summary: "1", pin: { expression: id } }));
    expect(await pressed(COMMAND.remove, rows[0] ?? {}, ...rows)).toEqual(["x", "y"]);
    await pressed(COMMAND.copySummary, rows[1] ?? {}, ...rows);
    expect(env.clipboard.text).toBe("x: 1\ny: 1");
    expect(await pressed(COMMAND.remove, { id: "z", pin: { expression: "z" } }, ...rows)).toEqual(["z"]);
  });

  test("a menu's commands act on all marked rows", async () => {
    const [x, y] = ["x", "y"].map((id) => rowLike({ id, expression: id }));
    const pinned: string[] = [];
    const runs = { pin: (expressions: readonly string[]) => Promise.resolve(void pinned.push(...expressions)) };
    const parts = { runs } as unknown as Parts;
    await COMMANDS[COMMAND.pin](parts, x, [x, y]);
    await COMMANDS[COMMAND.copyExpression](parts, y, [x, y]);
    expect([pinned, env.clipboard.text]).toEqual([["x", "y"], "x\ny"]);
  });

  test("Evaluate Again runs all that are marked, one after the other", async () => {
    const ran: string[] = [];
    const run = async (expression: string): Promise<void> => {
      await Promise.resolve();
      ran.push(expression);
    };
    const rows = ["f(x)", "g(x)"].map((expression) => rowLike({ id: expression, pin: { expression } }));
    await COMMANDS[COMMAND.evaluateAgain]({ runs: { run } } as unknown as Parts, rows[0], rows);
    expect(ran).toEqual(["f(x)", "g(x)"]);
  });

  test("Evaluate Again runs of the rows that are marked only those that offer it: what can be read is not run", async () => {
    const ran: string[] = [];
    const asked: unknown[] = [];
    const rows = [
      rowLike({ id: "f", pin: { expression: "f(x)" } }),
      rowLike({ id: "counts", pin: { expression: 'counts["new"]', static: true }, can: ["copySummary"] }),
      rowLike({ id: "loss", question: { lens: "autograd", subjects: {} }, can: ["copySummary"] }),
    ];
    const parts = {
      runs: { run: (expression: string) => Promise.resolve(void ran.push(expression)) },
      lenses: { askAgain: (question: unknown) => Promise.resolve(asked.push(question) > 0) },
      inspector: { frame: frame() },
    } as unknown as Parts;
    await COMMANDS[COMMAND.evaluateAgain](parts, rows[0], rows);
    expect([ran, asked]).toEqual([["f(x)"], []]);
  });

  test("Cancel ends of the rows that are marked only what they offer to end", async () => {
    const ended: string[] = [];
    const parts = {
      runs: { cancel: (expression: string) => ended.push(expression) },
      lenses: { cancel: ({ lens }: { lens: string }) => ended.push(lens) },
      findings: { cancel: () => ended.push("check") },
    } as unknown as Parts;
    const rows = [
      rowLike({ id: "f", pin: { expression: "f(x)" }, can: ["cancel"] }),
      rowLike({ id: "answered", question: { lens: "autograd" } }),
      rowLike({ id: "value" }),
    ];
    await COMMANDS[COMMAND.cancel](parts, rows[0], rows);
    expect(ended).toEqual(["f(x)"]);
    await COMMANDS[COMMAND.cancel](parts, rowLike({ id: "checking", can: ["cancel"] }));
    expect(ended).toEqual(["f(x)", "check"]);
  });

  test.each([
    ["a pin", { pin: { expression: "x.T" } }, ["x.T"]],
    ["no pin", {}, []],
  ])("Remove, on %s, unpins it", async (_, row, expected) => {
    expect(await pressed(COMMAND.remove, row)).toEqual(expected);
  });
});

describe("a lens", () => {
  test("is asked about the value of the row, by the lens's own name for it, and its answer is shown", async () => {
    const asked: Inquiry[] = [];
    const showTop = vi.fn<(path: object) => Promise<void>>();
    const lenses = {
      ask: (inquiry: Inquiry) => {
        asked.push(inquiry);
        return Promise.resolve({ ...inquiry, id: 3 });
      },
    };
    const contents = new Contents(frame(), frameAnswer());
    const value = { node: node("loss", { id: 12 }), snapshot: 7 };
    const row = rowLike({ name: "loss", expression: "loss", value, contents, can: ["compare", "autograd"] });
    const inspector = { frame: contents.frame };
    await COMMANDS[COMMAND.showAutogradGraph]({ inspector, lenses, tree: { showTop } } as unknown as Parts, row);
    const tensor = { name: "loss", expression: "loss", at: { address: { snapshot: 7, node: 12 } } };
    expect(asked).toMatchObject([{ lens: "autograd", subjects: { tensor } }]);
    expect(showTop).toHaveBeenCalledWith({ root: "question 3", names: [] });
  });

  test("of a value that was selected in another program is refused with the whole reason", async () => {
    const [said, questions] = [[] as string[], new Questions()];
    const tree = { say: (sentence: string) => Promise.resolve(void said.push(sentence)) };
    const contents = new Contents(frame(1, { session: "rank 1" }), frameAnswer());
    questions.select({ name: "loss", expression: "loss" }, frame(1, { session: "rank 0" }).session);
    const row = rowLike({ name: "loss", value: { node: node("loss"), snapshot: 7 }, contents, can: ["compare"] });
    await COMMANDS[COMMAND.compareWithSelected]({ questions, tree } as unknown as Parts, row);
    expect(said).toEqual([
      "Not compared: “loss” was selected in another session, another program. Select it again here.",
    ]);
  });

  test("that can't be asked is said to be so", async () => {
    const said: string[] = [];
    const tree = { say: (sentence: string) => Promise.resolve(void said.push(sentence)) };
    const value = { node: node("loss"), snapshot: 7 };
    const contents = new Contents(frame(), frameAnswer());
    const row = rowLike({ name: "loss", value, contents, can: ["compare"] });
    const lenses = { ask: () => Promise.resolve(undefined) };
    const inspector = { frame: contents.frame };
    await COMMANDS[COMMAND.showAutogradGraph]({ inspector, lenses, tree } as unknown as Parts, row);
    expect(said).toEqual(["Not done: the program continued, or its values can't be read."]);
  });
});

describe("a lens that runs code of the program", () => {
  const contents = new Contents(frame(), frameAnswer());
  const rows = ["model", "x", "mask"].map((name, id) => tensor(name, { id, lenses: ["shapes", "item"] }));

  beforeEach(() => {
    window.warnings.length = 0;
    window.answer = "Run";
  });

  /** What is asked when the command is called on the row of the model. */
  async function askedBy(command: CommandId): Promise<Inquiry[]> {
    const asked: Inquiry[] = [];
    const lenses = {
      ask: (inquiry: Inquiry) => {
        asked.push(inquiry);
        return Promise.resolve({ ...inquiry, id: 3 });
      },
    };
    const of = new Contents(contents.frame, frameAnswer(rows));
    const scene = {
      contents: of,
      pins: { all: [] },
      questions: new Questions(),
      expansion: new Expansion(),
      pageSize: 100,
    };
    const inspector = { frame: of.frame, scene };
    const tree = { showTop: () => Promise.resolve() };
    const value = { node: rows[0], snapshot: 7 };
    const row = rowLike({ name: "model", expression: "model", value, contents: of, can: ["compare", "shapes"] });
    await COMMANDS[command]({ lenses, inspector, tree } as unknown as Parts, row);
    return asked;
  }

  test("asks for its inputs, in the order in which they are picked, and whether it may", async () => {
    window.picking = [
      (box) => {
        expect(box.items.map(({ label }) => label)).toEqual(["x", "mask"]);
        box.add("mask");
        expect(box.title).toBe("Show the shapes in “model(mask, …)” on…");
        box.type("x");
        box.accept();
      },
    ];
    const [inquiry] = await askedBy(COMMAND.showShapes);
    expect(window.warnings).toEqual(["Run model(mask, x) once?"]);
    expect(inquiry).toMatchObject({
      lens: "shapes",
      subjects: { module: { name: "model" }, input1: { name: "mask" }, input2: { name: "x" } },
      options: { run: true },
    });
  });

  test("offers the call in the source first, and asks for the next where that gives more than one", async () => {
    const shown: string[][] = [];
    workspace.textDocuments.push({ getText: () => "loss = f(model(x, mask.float()))" });
    vi.spyOn(contents.frame, "isIn").mockReturnValue(true);
    window.picking = [
      (box) => {
        shown.push(box.items.map(({ label }) => label));
        box.selectedItems = box.items.slice(0, 1);
        box.accept();
      },
      (box) => {
        box.selectedItems = box.items.slice(1, 2);
        box.accept();
        shown.push([box.title]);
        box.selectedItems = box.items.slice(2, 3);
        box.accept();
      },
    ];
    const asked = [await askedBy(COMMAND.showShapes), await askedBy(COMMAND.showShapes)].flat();
    workspace.textDocuments.pop();
    vi.restoreAllMocks();
    expect(shown).toEqual([["x, mask.float()", "x", "mask"], ["Show the shapes in “model(x, …)” on…"]]);
    expect(asked.map(({ subjects }) => subjects["input2"]?.name)).toEqual(["mask.float()", "mask"]);
  });

  test("offers what the program holds as it is written: VS Code would make icons of it", async () => {
    const said: (string | undefined)[] = [];
    rows.push(node("text", { kind: "string", type: "str", line: "'$(bug)'" }));
    window.picking = [
      (box) => {
        said.push(...box.items.flatMap(({ label, description }) => [label, description]));
        box.type("f('$(eye)')");
        said.push(box.items.at(-1)?.label);
        box.hide();
      },
    ];
    await askedBy(COMMAND.showShapes);
    rows.pop();
    expect(said.filter((text) => text?.includes("$("))).toEqual([String.raw`'\$(bug)'`, String.raw`f('\$(eye)')`]);
  });

  test("takes expressions as they are typed, one after each comma", async () => {
    window.picking = [
      (box) => {
        box.type("x[:, (0, 1)], f(1, 2)");
        box.accept();
      },
    ];
    const [inquiry] = await askedBy(COMMAND.showShapes);
    expect(inquiry?.subjects).toMatchObject({
      input1: { name: "x[:, (0, 1)]", expression: "x[:, (0, 1)]" },
      input2: { name: "f(1, 2)", expression: "f(1, 2)" },
    });
  });

  test("is not asked where the user does not want that, nor where no input is picked", async () => {
    window.answer = undefined;
    window.picking = [(box) => box.hide(), (box) => (box.type("x"), box.accept())];
    expect([await askedBy(COMMAND.showShapes), await askedBy(COMMAND.showShapes)]).toEqual([[], []]);
    expect(window.warnings).toHaveLength(1);
  });

  test("asks which item of a dataset it is to load", async () => {
    window.typed = " 3 ";
    const [inquiry] = await askedBy(COMMAND.loadItem);
    expect(window.warnings).toEqual(["Load model[3]?"]);
    expect(inquiry).toMatchObject({ lens: "item", options: { index: 3, run: true } });
  });

  test("is run again by Evaluate Again only where the user agrees once more", async () => {
    const ran: unknown[] = [];
    const question = { lens: "shapes", subjects: { module: { name: "model" } }, options: { run: true } };
    const lenses = { askAgain: (one: unknown) => Promise.resolve(ran.push(one) > 0) };
    const parts = { lenses, inspector: { frame: frame() } } as unknown as Parts;
    await COMMANDS[COMMAND.evaluateAgain](parts, rowLike({ question }));
    window.answer = undefined;
    await COMMANDS[COMMAND.evaluateAgain](parts, rowLike({ question }));
    expect([ran, window.warnings.length]).toEqual([[question], 2]);
  });
});

describe("a bug report", () => {
  test.each([
    [COMMAND.copyBugReport, "Copied: a bug report, without values of the program."],
    [COMMAND.copyBugReportWithValues, "Copied: a bug report with values of the program."],
  ])("by %s is copied, and it is said whether it holds values", async (command, sentence) => {
    const said: string[] = [];
    const tree = { say: (text: string) => Promise.resolve(void said.push(text)) };
    const lenses = { report: (values: boolean) => Promise.resolve(`values: ${values}`) };
    await COMMANDS[command]({ lenses, tree } as unknown as Parts, undefined);
    expect(said).toEqual([sentence]);
    expect(env.clipboard.text).toBe(`values: ${command === COMMAND.copyBugReportWithValues}`);
  });

  test("that can't be made leaves the clipboard as it is, and says why", async () => {
    env.clipboard.text = "mine";
    const said: string[] = [];
    const tree = { say: (text: string) => Promise.resolve(void said.push(text)) };
    const lenses = { report: () => Promise.reject(new Error("no reply")) };
    await COMMANDS[COMMAND.copyBugReport]({ lenses, tree } as unknown as Parts, undefined);
    expect([said, env.clipboard.text]).toEqual([["No bug report was made: no reply"], "mine"]);
  });

  test("that ends because the program went on says so, and the view tells that it is being made", async () => {
    const said: string[] = [];
    const tree = { say: (text: string) => Promise.resolve(void said.push(text)) };
    const shown = vi.spyOn(window, "withProgress");
    const lenses = { report: () => Promise.reject(new Cancelled()) };
    await COMMANDS[COMMAND.copyBugReport]({ lenses, tree } as unknown as Parts, undefined);
    expect(said).toEqual(["No bug report was made: the program continued."]);
    expect(shown).toHaveBeenCalledExactlyOnceWith({ location: { viewId: VIEW } }, expect.any(Function));
  });
});

const container = { name: "Locals", variablesReference: 4 };

describe("a command that fails", () => {
  /** What is logged and said when "Refresh" fails in this way. */
  async function failing(error: Error): Promise<{ logged: string[]; said: string[] }> {
    const [logged, said] = [[] as string[], [] as string[]];
    const parts = {
      inspector: { readAgain: () => Promise.reject(error) },
      log: { error: (text: string) => logged.push(text) },
      tree: { say: (sentence: string) => Promise.resolve(said.push(sentence)) },
    } as unknown as Parts;
    const registered = registerCommands(parts);
    await commands.registered.get(COMMAND.refresh)?.();
    for (const one of registered) one.dispose();
    return { logged, said };
  }

  test("says so in the view and in the log: VS Code would let a notification pop up", async () => {
    const { logged, said } = await failing(new Error("no space left"));
    expect(said).toEqual(["Not done: no space left"]);
    expect(logged).toEqual([expect.stringMatching(/^tensorInspector\.refresh: Error: no space left/)]);
  });

  test("because nobody waits for it any more says nothing", async () => {
    expect(await failing(new Cancelled())).toEqual({ logged: [], said: [] });
  });
});

describe("Summarize Tensor in Variables and Watch", () => {
  test.each([
    ["a variable", { sessionId: "session", container, variable: { name: "w", evaluateName: "net.w" } }, "net.w"],
    ["a variable of a session that is not said", { container, variable: { name: "w", evaluateName: "w" } }, "w"],
    ["a watched expression", { sessionId: "session", variable: { name: "a + b" } }, "a + b"],
  ])("pins the expression of %s", async (_, argument, expression) => {
    expect(await summarized(argument)).toEqual({ pinned: [expression], said: [] });
  });

  test("refuses what no expression reaches, and says so", async () => {
    const { pinned, said } = await summarized({ sessionId: "session", container, variable: { name: "(return) f" } });
    expect(pinned).toEqual([]);
    expect(said).toEqual(["No expression reaches “(return) f”, so it can't be read."]);
  });

  test("refuses a value of another session than the one that is looked at, and says so", async () => {
    const argument = { sessionId: "rank 1", container, variable: { name: "x", evaluateName: "x" } };
    const { pinned, said } = await summarized(argument, "rank 0");
    expect(pinned).toEqual([]);
    expect(said).toEqual(["“x” belongs to another session. Select a frame of that session in the call stack first."]);
  });
});
