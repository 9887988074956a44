import { describe, expect, test } from "vitest";
import { Over } from "../../extension/src/debug/queue.ts";
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
import { Runs } from "../../extension/src/model/runs.ts";
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
async function comparing(
  lens: (question: Partial<LensRequest>) => unknown = () => found,
  evaluate: () => unknown = () => undefined,
) {
  const signals: AbortSignal[] = [];
  const asked: { op: string; question: object }[] = [];
  const helper = {
    frame: () => Promise.resolve(frameAnswer([tensor("a"), tensor("b")])),
    lens: async (_: unknown, question: object, signal: AbortSignal) => {
      asked.push({ op: "lens", question });
      return (await lens({ ...question, signal } as Partial<LensRequest>)) as LensAnswer;
    },
    evaluate: async (_: unknown, question: object, signal: AbortSignal) => {
      asked.push({ op: "evaluate", question });
      signals.push(signal);
      return (await evaluate()) ?? nodeAnswer("evaluate", node("x", { id: 33 }));
    },
    inspect: async (_: unknown, { expression }: { expression: string }) => {
      if (expression.includes(".T")) throw new Refusal("not_static", `${expression} is computed`);
      return nodeAnswer("inspect", node(expression));
    },
  } as unknown as Helper & ConstructorParameters<typeof Comparing>[0];
  const comparisons = new Comparisons();
  const pins = new Pins(memory());
  const [wishes, results] = [{ filter: "all", pageSize: 100 } as const, new Results()];
  const answers = new Answers(helper, pins, comparisons, new Expansion(), wishes, results);
  const inspector = new Inspector(helper, answers);
  const runs = new Runs(helper, pins, wishes, results, answers, inspector);
  const compare = new Comparing(helper, comparisons, inspector, runs);
  const row = (): Row | undefined =>
    inspector.source && rootRows(inspector.source).find(({ comparison }) => comparison !== undefined);
  const look = async (stop: number, frameId = 2): Promise<void> => {
    if (at.stop !== stop) at.over = true;
    at = frame(stop, { frameId });
    inspector.focus(at);
    await settled();
  };
  let at = frame(1);
  await look(1);
  const begin = async (a: Side, b: Side): Promise<void> => {
    await compare.compare(a, b);
    await settled();
  };
  const shown = (name: string, frameId: number, expression = true): Side => ({
    name,
    ...(expression ? { expression: name } : {}),
    at: { frame: frame(1, { frameId }), function: `f${frameId}`, value: { snapshot: 7, node: frameId } },
  });
  const ops = (): string[] => asked.map(({ op }) => op);
  return { compare, begin, comparisons, asked, look, row, runs, inspector, signals, shown, ops };
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
    const paused = frame(1);
    const item: Side = { name: "‹key›", at: { frame: paused, function: "f", value: { snapshot: 7, node: 12 } } };
    await begin(item, b as Side);
    expect(asked[0]?.question).toMatchObject({ values: { a: { snapshot: 7, node: 12 }, b: { expression: "b" } } });
    paused.over = true;
    await look(2);
    expect(row()?.description).toBe("“‹key›” is gone: no expression reaches it at another stop");
    expect(asked).toHaveLength(1);
  });

  test("runs what must be run once, when the user asks, and not at the next stop", async () => {
    const { compare, begin, asked, ops, look, row, comparisons } = await comparing();
    await begin(a as Side, { name: "f(a)", expression: "f(a)" });
    await settled();
    expect(ops(), "the frame is read again, as what ran may have changed it").toEqual(["evaluate", "lens"]);
    expect(asked[1]?.question).toMatchObject({ values: { b: { snapshot: 7, node: 33 } } });
    await look(2);
    expect(row()).toMatchObject({
      description: "not compared yet at this stop: one of the two is run only when you ask",
      can: ["removeComparison", "evaluateAgain"],
    });
    expect(ops()).toHaveLength(2);
    await compare.run(comparisons.all[0] as Comparison);
    expect(ops().slice(2)).toEqual(["evaluate", "lens"]);
  });

  test("runs what only looks as if it could be read, and not the other", async () => {
    const replies = [new Refusal("not_static", "a.T is computed")];
    const { begin, ops } = await comparing(() => {
      const refused = replies.shift();
      if (refused) throw refused;
      return found;
    });
    await begin({ name: "a.T", expression: "a.T" }, b as Side);
    expect(ops()).toEqual(["lens", "evaluate", "lens"]);
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

  test("of one name in two frames is of both, and its row names them", async () => {
    const { begin, asked, row, look, shown } = await comparing();
    await begin(shown("x", 3), shown("x", 2));
    expect(asked[0]?.question).toMatchObject({ values: { a: { snapshot: 7, node: 3 }, b: { snapshot: 7, node: 2 } } });
    expect(row()?.name).toBe("x in f3 ↔ x in f2");
    await look(1, 3);
    expect(asked[1]?.question).toMatchObject({ values: { a: { node: 3 }, b: { node: 2 } } });
  });

  test("of a value with itself is refused in words, and asked of nobody", async () => {
    const { begin, asked, row } = await comparing();
    await begin(a as Side, { ...a } as Side);
    expect(row()?.description).toBe("“a” and “a” are one value here: nothing to compare");
    expect(asked).toEqual([]);
  });

  test("that the user asked for is not ended when the frame is read again, nor asked a second time", async () => {
    const reply = deferred<undefined>();
    const { begin, inspector, signals, ops, look, row } = await comparing(undefined, () => reply.promise);
    await begin(a as Side, { name: "f(a)", expression: "f(a)" });
    await inspector.again();
    await look(1, 3);
    await look(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    reply.resolve(undefined);
    await settled();
    expect(row()?.description).toBe("1 difference");
    expect(ops()).toEqual(["evaluate", "lens"]);
  });

  test("does not read the frame again whose stop is over", async () => {
    const reply = deferred<undefined>();
    const { begin, inspector, look, ops } = await comparing(undefined, () => reply.promise);
    await begin(a as Side, { name: "f(a)", expression: "f(a)" });
    await look(2);
    const before = inspector.contents;
    reply.resolve(undefined);
    await settled();
    expect(inspector.contents).toBe(before);
    expect(ops().filter((op) => op === "evaluate")).toHaveLength(1);
  });

  test("asked twice ends the first, and shows the second", async () => {
    const replies = [deferred<undefined>(), deferred<undefined>()];
    const left = [...replies];
    const { compare, begin, comparisons, signals, row } = await comparing(undefined, () => left.shift()?.promise);
    await begin(a as Side, { name: "f(a)", expression: "f(a)" });
    const again = compare.run(comparisons.all[0] as Comparison);
    await settled();
    expect(row()?.can).toEqual(["removeComparison"]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    replies[0]?.reject(new Over());
    await settled();
    expect(row()?.description).toBe("comparing…");
    replies[1]?.resolve(undefined);
    await again;
    expect(row()?.description).toBe("1 difference");
  });

  test("that is replaced or taken away ends, without another slice", async () => {
    const reply = deferred<unknown>();
    const replies = [reply.promise];
    const { begin, ops } = await comparing(() => replies.shift() ?? found);
    await begin(a as Side, b as Side);
    await begin(a as Side, b as Side);
    expect(ops()).toEqual(["lens"]);
    reply.resolve({ ...found, done: false, progress: 0.5, resume: 9, node: undefined });
    await settled();
    expect(ops()).toEqual(["lens", "lens"]);
  });

  test("of many pairs is one lens at a time", async () => {
    const replies: ReturnType<typeof deferred<LensAnswer>>[] = [];
    const { begin, ops } = await comparing(() => {
      replies.push(deferred<LensAnswer>());
      return replies.at(-1)?.promise;
    });
    for (const name of ["c", "d", "e"]) await begin(a as Side, { name, expression: name });
    expect(ops()).toEqual(["lens"]);
    replies[0]?.resolve(found);
    await settled();
    expect(ops()).toEqual(["lens", "lens"]);
  });

  test("of values of one name without an expression is told apart by their nodes", async () => {
    const { begin, comparisons, shown } = await comparing();
    const items = [12, 13].map((node): Side => {
      const { at, name } = shown("‹key›", 2, false);
      return { name, at: at && { ...at, value: { snapshot: 7, node } } };
    });
    for (const item of items) await begin(item, b as Side);
    expect(comparisons.all).toHaveLength(2);
    expect(new Set(comparisons.all.map(({ id }) => id)).size).toBe(2);
  });

  test("of what was run says when that is old, and offers to run it again", async () => {
    const { begin, runs, row } = await comparing();
    await begin(a as Side, { name: "f(a)", expression: "f(a)" });
    expect(row()).toMatchObject({ description: "1 difference", can: expect.arrayContaining(["evaluateAgain"]) });
    await runs.userChanged(frame(1).session);
    await settled();
    expect(row()?.description).toBe("1 difference · from before the last change or run");
  });

  test("ends with its session, as does what was selected for it", async () => {
    const { begin, compare, comparisons, shown } = await comparing();
    const { session } = frame(1);
    await begin(a as Side, b as Side);
    comparisons.select(shown("x", 2), session);
    compare.forget(session);
    expect([comparisons.all, comparisons.selected]).toEqual([[], undefined]);
  });

  test("keeps no frame of a stop that is over", async () => {
    const { comparisons } = await comparing();
    const paused = frame(1);
    const at = { frame: paused, function: "f", value: { snapshot: 7, node: 2 } };
    const side: Side = { name: "x", expression: "x", at };
    comparisons.select(side, paused.session);
    paused.over = true;
    comparisons.sweep();
    expect(side.at).toBeUndefined();
    expect(comparisons.selected).toBe(side);
  });

  test("redraws the tree once a second at most to tell how far it is", async () => {
    let left = 20;
    const { begin, inspector } = await comparing(() => {
      left -= 1;
      return left > 0 ? { ...found, done: false, progress: 0.5, resume: left, node: undefined } : found;
    });
    let redrawn = 0;
    inspector.onDidChange(() => (redrawn += 1));
    await begin(a as Side, b as Side);
    expect(left).toBe(0);
    expect(redrawn).toBeLessThan(5);
  });
});
