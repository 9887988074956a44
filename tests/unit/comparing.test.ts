import { describe, expect, test } from "vitest";
import { Refusal } from "../../extension/src/helper/refusal.ts";
import { Answers, type Helper } from "../../extension/src/model/answers.ts";
import { Comparing } from "../../extension/src/model/comparing.ts";
import { type Comparison, Comparisons, type Side } from "../../extension/src/model/comparisons.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { Inspector } from "../../extension/src/model/inspector.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import { Results } from "../../extension/src/model/results.ts";
import type { Row } from "../../extension/src/model/row.ts";
import { rootRows } from "../../extension/src/model/rows.ts";
import type { LensAnswer, LensRequest } from "../../extension/src/protocol/generated.ts";
import { deferred, frame, frameAnswer, memory, node, nodeAnswer, tensor } from "./fixtures.ts";

const found: LensAnswer = {
  op: "lens",
  snapshot: 7,
  ms: 1,
  done: true,
  progress: 1,
  types: [],
  node: { id: 50, name: "a ↔ b", kind: "comparison", type: "", line: "1 difference", badges: ["differs"], children: 1 },
};
const [a, b]: Side[] = [
  { name: "a", expression: "a" },
  { name: "b", expression: "b" },
];
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Comparisons in a program that is asked for lenses, and what it was asked. */
async function comparing(lens: (question: Partial<LensRequest>) => unknown = () => found) {
  const asked: { op: string; question: object }[] = [];
  const helper = {
    frame: () => Promise.resolve(frameAnswer([tensor("a"), tensor("b")])),
    lens: async (_: unknown, question: object, signal: AbortSignal) => {
      asked.push({ op: "lens", question });
      return (await lens({ ...question, signal } as Partial<LensRequest>)) as LensAnswer;
    },
    evaluate: async (_: unknown, question: object) => {
      asked.push({ op: "evaluate", question });
      return nodeAnswer("evaluate", node("x", { id: 33 }));
    },
  } as unknown as Helper & ConstructorParameters<typeof Comparing>[0];
  const comparisons = new Comparisons();
  const parts = [new Pins(memory()), comparisons, new Expansion()] as const;
  const answers = new Answers(helper, ...parts, { filter: "all", pageSize: 100 }, new Results());
  const inspector = new Inspector(helper, answers);
  const compare = new Comparing(helper, comparisons, inspector, { userChanged: () => inspector.again() });
  const row = (): Row | undefined =>
    inspector.source && rootRows(inspector.source).find(({ comparison }) => comparison !== undefined);
  const look = async (stop: number): Promise<void> => {
    inspector.focus(frame(stop));
    await settled();
  };
  await look(1);
  const begin = async (a: Side, b: Side): Promise<void> => {
    await compare.compare(a, b);
    await settled();
  };
  return { compare, begin, comparisons, asked, look, row, ops: () => asked.map(({ op }) => op) };
}

describe("comparing two values", () => {
  test("is asked of the lens, and shown on top with what it came to, loud where they differ", async () => {
    const { begin, asked, row } = await comparing();
    await begin(a as Side, b as Side);
    expect(asked[0]?.question).toMatchObject({ lens: "compare", values: { a: { expression: "a" } }, snapshot: 7 });
    expect(row()).toMatchObject({
      label: "a ↔ b",
      description: "1 difference",
      tone: "alarm",
      expandable: true,
      can: ["copySummary", "removeComparison"],
    });
    expect(row()?.speech).toContain("comparison of a and b, ");
  });

  test("is asked again at the next stop, after its values are shown, and once only", async () => {
    const { begin, look, ops } = await comparing();
    await begin(a as Side, b as Side);
    await look(2);
    await look(2);
    expect(ops()).toEqual(["lens", "lens"]);
  });

  test("goes on slice by slice, and says how far it is", async () => {
    const rest = deferred<LensAnswer>();
    const replies = [{ ...found, done: false, progress: 0.42, resume: 9, node: undefined }, rest.promise];
    const { begin, asked, row } = await comparing(() => replies.shift());
    await begin(a as Side, b as Side);
    expect(row()?.description).toBe("comparing… 42%");
    expect(asked[1]?.question).toMatchObject({ lens: "compare", resume: 9, snapshot: 7 });
    rest.resolve(found);
    await settled();
    expect(row()?.description).toBe("1 difference");
  });

  test("ends when it is taken away: no further slice is asked for", async () => {
    const reply = deferred<unknown>();
    const signals: AbortSignal[] = [];
    const { compare, begin, comparisons, row } = await comparing((question) => {
      signals.push((question as { signal: AbortSignal }).signal);
      return reply.promise;
    });
    await begin(a as Side, b as Side);
    compare.remove(comparisons.all[0] as Comparison);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(row()).toBeUndefined();
  });

  test("that can't be had says why in its place, quietly where a name is not here", async () => {
    const { begin, row } = await comparing(() => {
      throw new Refusal("not_found", "there is no 'b' in this frame");
    });
    await begin(a as Side, b as Side);
    expect(row()).toMatchObject({ description: "there is no 'b' in this frame", tone: "quiet", expandable: false });
  });

  test("names a value without an expression by its node, and says at the next stop that it is gone", async () => {
    const { begin, asked, look, row } = await comparing();
    const item: Side = { name: "‹key›", at: { frame: frame(1), value: { snapshot: 7, node: 12 } } };
    await begin(item, b as Side);
    expect(asked[0]?.question).toMatchObject({ values: { a: { snapshot: 7, node: 12 }, b: { expression: "b" } } });
    await look(2);
    expect(row()?.description).toBe("“‹key›” is gone: no expression reaches it at another stop");
    expect(asked).toHaveLength(1);
  });

  test("runs what must be run once, when the user asks, and not at the next stop", async () => {
    const { compare, begin, asked, ops, look, row, comparisons } = await comparing();
    await begin(a as Side, { name: "f(a)", expression: "f(a)" });
    await settled();
    expect(ops(), "the frame is read again, as what ran may have changed it").toEqual(["evaluate", "lens", "lens"]);
    expect(asked[1]?.question).toMatchObject({ values: { b: { snapshot: 7, node: 33 } } });
    await look(2);
    expect(row()).toMatchObject({
      description: "not compared yet at this stop: one of the two is run only when you ask",
      can: ["removeComparison", "evaluateAgain"],
    });
    expect(ops()).toHaveLength(3);
    await compare.run(comparisons.all[0] as Comparison, row()?.contents as Row["contents"]);
    expect(ops().slice(3, 5)).toEqual(["evaluate", "lens"]);
  });

  test("runs what only looks as if it could be read", async () => {
    const replies = [new Refusal("not_static", "a.T is computed")];
    const { begin, ops } = await comparing(() => {
      const refused = replies.shift();
      if (refused) throw refused;
      return found;
    });
    await begin({ name: "a.T", expression: "a.T" }, b as Side);
    expect(ops().slice(0, 4)).toEqual(["lens", "evaluate", "evaluate", "lens"]);
  });

  test("of several pairs is asked for each", async () => {
    const { begin, ops, comparisons } = await comparing();
    const c: Side = { name: "c", expression: "c" };
    await begin(a as Side, b as Side);
    await begin(a as Side, c);
    await begin(b as Side, c);
    expect(ops()).toEqual(["lens", "lens", "lens"]);
    expect(comparisons.all).toHaveLength(3);
  });

  test("of two names that are compared already takes the place of that", async () => {
    const { begin, comparisons } = await comparing();
    await begin(a as Side, b as Side);
    await begin(a as Side, b as Side);
    expect(comparisons.all).toHaveLength(1);
  });
});
