/** When the page of a table is told of what, and which row of the tree a row of a table leads to. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { DebugSession } from "vscode";
import { Cancelled } from "../../extension/src/debug/queue.ts";
import type { Session } from "../../extension/src/debug/session.ts";
import { Sessions } from "../../extension/src/debug/sessions.ts";
import { Contents } from "../../extension/src/model/contents.ts";
import { Emitter } from "../../extension/src/model/emitter.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { History } from "../../extension/src/model/history.ts";
import type { Inspector } from "../../extension/src/model/inspector.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import { Questions, type State } from "../../extension/src/model/questions.ts";
import { type Row, type Scene, valueRow } from "../../extension/src/model/row.ts";
import { rowBelow } from "../../extension/src/model/rows.ts";
import { LiveTable } from "../../extension/src/model/tables/liveTable.ts";
import { AnswerTable, FrameTable, HistoryTable, type TableSource } from "../../extension/src/model/tables/sources.ts";
import { Watchpoints } from "../../extension/src/model/watchpoints.ts";
import type { LensAnswer, Node, Page } from "../../extension/src/protocol/generated.ts";
import { parseToTable, type ToTable } from "../../extension/src/protocol/table.ts";
import { frame, frameAnswer, memory, node, session } from "./fixtures.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A page that is in sight, of a table in a program that stops and runs. */
function looking(sourceIn: (inspector: Inspector) => TableSource) {
  const told: ToTable[] = [];
  const changed = new Emitter();
  const state: { contents: Contents | undefined } = { contents: undefined };
  const pages: (Page | Error)[] = [];
  const inspector = {
    onDidChange: changed.event,
    get contents() {
      return state.contents;
    },
    facts: () => {
      const page = pages.shift() ?? new Cancelled();
      return page instanceof Error ? Promise.reject(page) : Promise.resolve(page);
    },
    readAgain: vi.fn<() => Promise<void>>(),
  } as unknown as Inspector;
  const table = new LiveTable(sourceIn(inspector), inspector);
  table.onDidTell((message) => {
    expect(parseToTable(message), JSON.stringify(message)).toEqual(message);
    told.push(message);
  });
  const change = async (): Promise<void> => {
    changed.fire();
    await vi.advanceTimersByTimeAsync(500);
  };
  const stop = async (number: number): Promise<void> => {
    state.contents = new Contents(frame(number), frameAnswer());
    await change();
  };
  const run = async (): Promise<void> => {
    state.contents = undefined;
    await change();
  };
  const tables = () => told.filter((message) => message.type === "table");
  const said = () => told.findLast((message) => message.type === "state");
  table.setVisible(true);
  return { table, inspector, state, pages, stop, run, change, tables, said };
}

const answer = (names: readonly string[], modules = names.length): LensAnswer => ({
  op: "lens",
  snapshot: 7,
  ms: 1,
  done: true,
  progress: 1,
  types: [],
  found: {
    lens: "model",
    modules,
    tensors: 0,
    parameters: 0,
    trainable: 0,
    buffers: 0,
    bytes: 0,
    uninitialized: 0,
    unknown: 0,
    dtypes: [],
    devices: [],
    tied: [],
    rows: names.map((name) => ({
      name,
      type: "Linear",
      parameters: 1,
      trainable: 1,
      buffers: 0,
      bytes: 4,
      dtypes: [],
      devices: [],
      training: true,
      hooks: 0,
      same_as: null,
    })),
  },
});

describe("the table of an answer", () => {
  function asking() {
    const questions = new Questions();
    const question = questions.add(
      { lens: "model", subjects: { model: { name: "net", expression: "net" } } },
      session(),
    );
    const lenses = {
      askAgain: vi.fn<() => Promise<boolean>>(async () => true),
      askWith: vi.fn<(...asked: unknown[]) => Promise<boolean>>(async () => true),
      cancel: vi.fn<() => void>(),
    };
    const page = looking(() => new AnswerTable(question, questions, lenses));
    const answered = async (state: State): Promise<void> => {
      questions.setState(page.state.contents!, question, state);
      await page.change();
    };
    return { ...page, questions, question, lenses, answered };
  }

  test("is told once for each answer, and keeps the last one while there is no other", async () => {
    const { stop, run, answered, change, tables, said } = asking();
    await stop(1);
    await answered({ progress: 0.5 });
    expect([tables().length, said()]).toMatchObject([0, { progress: 0.5 }]);
    await answered(answer(["", "fc"]));
    await change();
    expect(tables().map(({ name, rows }) => [name, rows.length])).toEqual([["layers of net", 2]]);
    expect(said()).not.toHaveProperty("note");
    await run();
    expect(said()?.note).toMatch(/from the last stop/);
    await stop(2);
    expect(said()?.note).toMatch(/from before/);
    await answered(answer([""]));
    expect(tables()).toHaveLength(2);
    expect(said()).not.toHaveProperty("note");
  });

  test("asks for all rows where the answer has only the first, once", async () => {
    const { stop, answered, lenses, question, questions, change } = asking();
    await stop(1);
    await answered(answer(["", "fc"], 300));
    expect(lenses.askWith).toHaveBeenCalledExactlyOnceWith(question, { rows: 10_000 });
    questions.change(question, { rows: 10_000 });
    await change();
    expect(lenses.askWith).toHaveBeenCalledOnce();
  });

  test.each<[string, State, RegExp]>([
    ["a failure", { code: "not_found", message: "there is no 'net' in this frame" }, /no 'net'/],
    ["that it was cancelled", "cancelled", /Cancelled/],
  ])("tells %s", async (_, state, note) => {
    const { stop, answered, said, tables } = asking();
    await stop(1);
    await answered(state);
    expect(said()?.note).toMatch(note);
    expect(tables()).toEqual([]);
  });

  test("says so where the question is removed", async () => {
    const { stop, questions, question, change, said } = asking();
    await stop(1);
    questions.remove(question);
    await change();
    expect(said()?.note).toMatch(/removed/);
  });

  test("asks again, and ends the asking, as the user wants", async () => {
    const { table, lenses, stop } = asking();
    await stop(1);
    table.receive({ type: "again" });
    table.receive({ type: "cancel" });
    expect([lenses.askAgain.mock.calls.length, lenses.cancel.mock.calls.length]).toEqual([1, 1]);
  });

  test("leaves the question as it is where its tab is closed", async () => {
    const { table, lenses, stop } = asking();
    await stop(1);
    table.dispose();
    expect(lenses.cancel).not.toHaveBeenCalled();
  });

  test("is told nothing out of sight, and all once it is seen again", async () => {
    const { table, stop, answered, tables } = asking();
    table.setVisible(false);
    await stop(1);
    await answered(answer([""]));
    expect(tables()).toEqual([]);
    table.setVisible(true);
    expect(tables()).toHaveLength(1);
    table.receive({ type: "ready" });
    expect(tables()).toHaveLength(2);
  });

  test("leads from a row to what it is of, at the stop that is shown", async () => {
    const { table, stop, answered, state } = asking();
    await stop(1);
    await answered(answer(["blocks.0"]));
    expect(table.revealed("blocks.0")).toMatchObject({
      revealed: { names: ["blocks", "0"] },
      contents: state.contents,
    });
    expect(table.revealed("other")).toBeUndefined();
  });
});

describe("the table of the frame", () => {
  const page = (start: number, count: number, total: number): Page => ({
    start,
    total,
    nodes: Array.from({ length: count }, (_, at) => node(`v${start + at}`, { facts: { type: "int" } })),
  });

  test("reads the variables page by page, and is told when all are there", async () => {
    const { pages, stop, tables } = looking((inspector) => new FrameTable(inspector));
    pages.push(page(0, 50, 60), page(50, 10, 60));
    await stop(1);
    expect(tables().map(({ rows }) => rows.length)).toEqual([60]);
  });

  test("says so where not all was read", async () => {
    const { pages, stop, tables, said } = looking((inspector) => new FrameTable(inspector));
    pages.push(page(0, 50, 60), new Cancelled());
    await stop(1);
    expect(tables().map(({ rows }) => rows.length)).toEqual([50]);
    expect(said()?.note).toMatch(/Not all is read/);
  });
});

test("the table of a history has a key for each session, also where one is started anew under its id", () => {
  const sessions = new Sessions((text) => expect.fail(text));
  const started = (id: string): Session => {
    sessions.createDebugAdapterTracker({ id } as DebugSession);
    return sessions.get(id)!;
  };
  const inspector = { readAgain: (): Promise<void> => Promise.resolve() };
  const keyIn = (one: Session, expression = "loss"): string =>
    new HistoryTable(expression, { root: "pin loss", names: [] }, one, new History(), inspector).key;
  const [first, other, restarted] = [started("a"), started("b"), started("a")];
  expect(keyIn(first)).toBe(keyIn(first));
  expect(new Set([keyIn(first), keyIn(other), keyIn(restarted), keyIn(first, "lr")]).size).toBe(4);
});

describe("the row of the tree", () => {
  /** A tree of names, of which nothing is known before it is asked for, two rows at a time. */
  function treeOf(tree: Record<string, string[]>) {
    const contents = new Contents(frame(), frameAnswer());
    const scene: Scene = {
      contents,
      pins: new Pins(memory()),
      questions: new Questions(),
      watchpoints: new Watchpoints(memory()),
      history: new History(),
      expansion: new Expansion(),
      pageSize: 2,
    };
    const ids = new Map<number, string>();
    const made = (name: string): Node => {
      ids.set(ids.size + 1, name);
      const { path: _path, ...one } = node(name, { id: ids.size, kind: "module" });
      return name in tree ? { ...one, children: tree[name]!.length } : one;
    };
    const top = valueRow(
      scene,
      undefined,
      { root: "question 1", names: [] },
      { node: made("top"), snapshot: 7 },
      "top",
    );
    const load = async (row: Row): Promise<void> => {
      const below = tree[ids.get(row.value!.node.id) ?? ""] ?? [];
      const begin = row.next?.start ?? 0;
      const nodes = below.slice(begin, begin + 2).map(made);
      const page = { start: begin, total: below.length, nodes };
      contents.merge({ op: "children", snapshot: 7, ms: 0, node: row.value!.node.id, page, types: [] }, row.value);
    };
    return async (...names: string[]): Promise<string> => (await rowBelow(scene, top, names, load)).name;
  }

  test.each([
    ["is found by the names on the way", ["blocks", "1"], "1"],
    ["is found on a later page", ["fifth"], "fifth"],
    ["is found without what all names begin with", ["model.head.weight"], "head.weight"],
    ["is found below one that stands for several", ["layers", "7"], "7"],
    ["is the last one that is there", ["blocks", "9", "x"], "blocks"],
  ])("%s", async (_, names, expected) => {
    const at = treeOf({
      top: ["blocks", "layers", "head.weight", "weight", "fifth"],
      blocks: ["0", "1"],
      layers: ["0…5", "6…8"],
      "6…8": ["6", "7", "8"],
    });
    expect(await at(...names)).toBe(expected);
  });
});
