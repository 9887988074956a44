import { beforeEach, describe, expect, test, vi } from "vitest";
import { COMMANDS, type Parts } from "../../extension/src/views/commands.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { stage } from "./vscode.ts";

beforeEach(() => stage.focus(undefined));

/** "Summarize Tensor" on this argument while a frame of `session` is looked at: what it pinned, and what it said. */
async function summarized(argument: unknown, session = "session") {
  const [pinned, said] = [[] as string[], [] as string[]];
  const parts = {
    inspector: {
      frame: { session: { id: session } },
      pin: (expression: string) => Promise.resolve(void pinned.push(expression)),
    },
    expansion: new Expansion(),
    tree: {
      showPin: vi.fn<() => Promise<void>>(),
      say: (sentence: string) => Promise.resolve(void said.push(sentence)),
    },
  } as unknown as Parts;
  await COMMANDS["tensorInspector.summarize"]?.(parts, argument);
  return { pinned, said };
}

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
