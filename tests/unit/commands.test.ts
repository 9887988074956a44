import { beforeEach, describe, expect, test, vi } from "vitest";
import { COMMAND, type CommandId } from "../../extension/src/ids.ts";
import type { Parts } from "../../extension/src/views/command.ts";
import { COMMANDS } from "../../extension/src/views/commands.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { env, stage } from "./vscode.ts";

beforeEach(() => stage.focus(undefined));

/** "Summarize Tensor" on this argument while a frame of `session` is looked at: what it pinned, and what it said. */
async function summarized(argument: unknown, session = "session") {
  const [pinned, said] = [[] as string[], [] as string[]];
  const parts = {
    inspector: { frame: { session: { id: session } } },
    runs: { pin: (expression: string) => Promise.resolve(void pinned.push(expression)) },
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
  return { path: {}, contents: {}, can: ["copySummary"], ...row };
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

describe("by a key", () => {
  beforeEach(() => env.clipboard.writeText(""));

  test("Copy Summary copies the whole name and line of the row that the keyboard is on", async () => {
    await pressed(COMMAND.copySummary, { label: "lo…ng", name: "long", summary: "int64[2]" });
    expect(env.clipboard.text).toBe("long: int64[2]");
  });

  test("Copy Summary copies nothing of a row without a value", async () => {
    await pressed(COMMAND.copySummary, { name: "next 100", summary: "", can: ["nextPage"] });
    expect(env.clipboard.text).toBe("");
  });

  test("Copy Summary and Unpin act on all marked rows, where the keyboard is on one of them", async () => {
    const rows = ["x", "y"].map((id) => ({ id, name: id, summary: "1", pin: { expression: id } }));
    expect(await pressed(COMMAND.unpin, rows[0] ?? {}, ...rows)).toEqual(["x", "y"]);
    await pressed(COMMAND.copySummary, rows[1] ?? {}, ...rows);
    expect(env.clipboard.text).toBe("x: 1\ny: 1");
    expect(await pressed(COMMAND.unpin, { id: "z", pin: { expression: "z" } }, ...rows)).toEqual(["z"]);
  });

  test("a menu's commands act on all marked rows", async () => {
    const [x, y] = ["x", "y"].map((id) => rowLike({ id, expression: id }));
    const pinned: string[] = [];
    const runs = { pin: (expression: string) => Promise.resolve(void pinned.push(expression)) };
    const parts = { runs } as unknown as Parts;
    await COMMANDS[COMMAND.pin](parts, x, [x, y]);
    await COMMANDS[COMMAND.copyExpression](parts, y, [x, y]);
    expect([pinned, env.clipboard.text]).toEqual([["x", "y"], "x\ny"]);
  });

  test.each([
    ["a pin", { pin: { expression: "x.T" } }, ["x.T"]],
    ["no pin", {}, []],
  ])("Unpin, on %s, unpins it", async (_, row, expected) => {
    expect(await pressed(COMMAND.unpin, row)).toEqual(expected);
  });
});

const container = { name: "Locals", variablesReference: 4 };

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
    expect(said).toEqual(["No expression reaches “(return) f”, so it can't be pinned."]);
  });

  test("refuses a value of another session than the one that is looked at, and says so", async () => {
    const argument = { sessionId: "rank 1", container, variable: { name: "x", evaluateName: "x" } };
    const { pinned, said } = await summarized(argument, "rank 0");
    expect(pinned).toEqual([]);
    expect(said).toEqual(["“x” belongs to another session. Select a frame of that session in the call stack first."]);
  });
});
