import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Frame } from "../../extension/src/debug/frame.ts";
import { Cancelled } from "../../extension/src/debug/queue.ts";
import { Refusal } from "../../extension/src/helper/refusal.ts";
import { Frames, type FrameCalls } from "../../extension/src/model/frames.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { History } from "../../extension/src/model/history.ts";
import { Inspector } from "../../extension/src/model/inspector.ts";
import { Lenses } from "../../extension/src/model/lenses.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import { type Question, Questions, type Subject } from "../../extension/src/model/questions.ts";
import { Results } from "../../extension/src/model/results.ts";
import type { Row } from "../../extension/src/model/row.ts";
import { PROGRAM } from "../../extension/src/model/rowPath.ts";
import { childRows, frameRows, topRows } from "../../extension/src/model/rows.ts";
import { Runs } from "../../extension/src/model/runs.ts";
import type { LensAnswer, LensRequest } from "../../extension/src/protocol/generated.ts";
import { COMMAND } from "../../extension/src/ids.ts";
import type { Parts } from "../../extension/src/views/commandArguments.ts";
import { COMMANDS } from "../../extension/src/views/commands.ts";
import { deferred, frame, frameAnswer, memory, node, nodeAnswer, tensor } from "./fixtures.ts";
import { Watchpoints } from "../../extension/src/model/watchpoints.ts";

const found: LensAnswer = {
  op: "lens",
  snapshot: 7,
  ms: 1,
  done: true,
  progress: 1,
  types: [],
  node: { id: 50, name: "a ↔ b", kind: "comparison", type: "", line: "1 difference", badges: ["differs"], children: 1 },
};
const [a, b]: Subject[] = [
  { name: "a", expression: "a" },
  { name: "b", expression: "b" },
];
/** What is asked is answered, and a stop has stood for a moment. */
const settled = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(200));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Comparisons in a program that is asked for lenses, and what it was asked. */
async function comparing(
  lens: (question: Partial<LensRequest>) => unknown = () => found,
  evaluate: () => unknown = () => undefined,
) {
  const signals: AbortSignal[] = [];
  const asked: { op: string; question: object }[] = [];
  const framed: object[] = [];
  const helper = {
    frame: (_: unknown, request: object) => {
      framed.push(request);
      return Promise.resolve(frameAnswer([tensor("a"), tensor("b")]));
    },
    lens: async (_: unknown, question: object, signal: AbortSignal) => {
      asked.push({ op: "lens", question });
      return (await lens({ ...question, signal } as Partial<LensRequest>)) as LensAnswer;
    },
    evaluate: async (_: unknown, question: object, signal: AbortSignal) => {
      asked.push({ op: "evaluate", question });
      signals.push(signal);
      return (await evaluate()) ?? nodeAnswer("evaluate", node("x", { id: 33 }));
    },
    inspect: async (of: Frame, { expression }: { expression: string }, signal: AbortSignal) => {
      signals.push(signal);
      if (of.frameId !== 2) throw new Refusal("not_found", `there is no '${expression}' in this frame`);
      if (expression.includes("slow")) await new Promise(() => undefined);
      if (expression.includes(".T")) throw new Refusal("not_static", `${expression} is computed`);
      return nodeAnswer("inspect", node(expression));
    },
  } as unknown as FrameCalls & ConstructorParameters<typeof Lenses>[0];
  const questions = new Questions();
  const pins = new Pins(memory());
  const [settings, results] = [{ filter: "all", pageSize: 100 } as const, new Results()];
  const answers = new Frames(
    helper,
    pins,
    questions,
    new Watchpoints(memory()),
    new Expansion(),
    settings,
    results,
    new History(),
  );
  const inspector = new Inspector(helper, answers);
  const runs = new Runs(helper, pins, settings, results, answers, inspector);
  const lenses = new Lenses(helper, questions, inspector, runs);
  const row = (): Row | undefined =>
    inspector.scene && frameRows(inspector.scene).find(({ question }) => question !== undefined);
  const look = async (stop: number, frameId = 2): Promise<void> => {
    if (at.stop !== stop) at.over = true;
    at = frame(stop, { frameId });
    inspector.focus(at);
    await settled();
  };
  let at = frame(1);
  await look(1);
  const begin = async (a: Subject, b: Subject): Promise<void> => {
    await lenses.ask({ lens: "compare", subjects: { a, b } });
    await settled();
  };
  const shown = (name: string, frameId: number, expression = true): Subject => ({
    name,
    ...(expression ? { expression: name } : {}),
    at: { frame: frame(1, { frameId }), function: `f${frameId}`, address: { snapshot: 7, node: frameId } },
  });
  const ops = (): string[] => asked.map(({ op }) => op);
  return { lenses, begin, questions, asked, framed, look, row, runs, inspector, signals, shown, ops };
}

describe("a copy that is kept", () => {
  test("is named by its number, is wanted while it is asked about, and the frame is read again once it is not", async () => {
    const { begin, questions, asked, framed, lenses, look, row } = await comparing();
    expect(questions.kept).toBeUndefined();
    const number = questions.beginKeeping();
    expect(questions.kept).toEqual([number]);
    await begin({ name: "line 6", kept: number }, { name: "model", expression: "model" });
    questions.endKeeping(number);
    expect(row()?.label).toBe("model since line 6");
    expect(asked.at(-1)).toMatchObject({ question: { values: { a: { kept: number }, b: { expression: "model" } } } });
    await look(2);
    expect(framed.at(-1)).toMatchObject({ kept: [number] });
    const question = row()?.question;
    expect(question).toBeDefined();
    if (question !== undefined) lenses.remove(question);
    await settled();
    expect(framed.at(-1)).toMatchObject({ kept: [] });
  });

  test("of a value of another stop is not made", async () => {
    const { lenses, look } = await comparing();
    const before = frame(1);
    await look(2);
    await expect(lenses.keep({ name: "model", expression: "model" }, before)).rejects.toThrow();
  });
});

describe("comparing two values", () => {
  test("is asked of the lens, and shown on top with what it came to, loud where they differ", async () => {
    const { begin, asked, row } = await comparing();
    await begin(a as Subject, b as Subject);
    expect(asked[0]?.question).toMatchObject({ lens: "compare", values: { a: { expression: "a" } }, snapshot: 7 });
    expect(row()).toMatchObject({
      label: "a ↔ b",
      description: "1 difference",
      tone: "alarm",
      expandable: true,
      can: ["copySummary", "remove"],
    });
    expect(row()?.speech).toContain("comparison of a and b, ");
  });

  test("is asked again at the next stop, after its values are shown, and once only", async () => {
    const { begin, look, ops } = await comparing();
    await begin(a as Subject, b as Subject);
    await look(2);
    await look(2);
    expect(ops()).toEqual(["lens", "lens"]);
  });

  test("is not asked any more once the extension is deactivated", async () => {
    const { begin, inspector, lenses, asked } = await comparing();
    await begin(a as Subject, b as Subject);
    inspector.focus(frame(2));
    await vi.advanceTimersByTimeAsync(100);
    lenses.dispose();
    inspector.fireDidChange();
    await settled();
    expect(asked).toHaveLength(1);
  });

  test("is not asked at stops that the user only steps through", async () => {
    const { begin, inspector, asked } = await comparing();
    await begin(a as Subject, b as Subject);
    for (const stop of [2, 3, 4]) {
      const { frame: last } = inspector;
      inspector.focus(frame(stop));
      (last as { over: boolean }).over = true;
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(asked).toHaveLength(1);
    await settled();
    expect(asked).toHaveLength(2);
  });

  test("goes on slice by slice, and says how far it is", async () => {
    const rest = deferred<LensAnswer>();
    const replies = [{ ...found, done: false, progress: 0.42, resume: 9, node: undefined }, rest.promise];
    const { begin, asked, row } = await comparing(() => replies.shift());
    await begin(a as Subject, b as Subject);
    expect(row()?.description).toBe("comparing… 42%");
    expect(asked[1]?.question).toMatchObject({ lens: "compare", resume: 9, snapshot: 7 });
    rest.resolve(found);
    await settled();
    expect(row()?.description).toBe("1 difference");
  });

  test("ends when it is taken away: no further slice is asked for", async () => {
    const reply = deferred<unknown>();
    const signals: AbortSignal[] = [];
    const { lenses, begin, questions, row } = await comparing((question) => {
      signals.push((question as { signal: AbortSignal }).signal);
      return reply.promise;
    });
    await begin(a as Subject, b as Subject);
    lenses.remove(questions.all[0] as Question);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(row()).toBeUndefined();
  });

  test("ends when it is cancelled, and is asked again only when the user wants it", async () => {
    const reply = deferred<unknown>();
    const { lenses, begin, questions, row, ops, look } = await comparing(() =>
      ops().length > 1 ? found : reply.promise,
    );
    await begin(a as Subject, b as Subject);
    expect(row()?.can).toContain("cancel");
    lenses.cancel(questions.all[0] as Question);
    reply.resolve({ ...found, done: false, progress: 0.5, resume: 9, node: undefined });
    await look(2);
    expect(row()).toMatchObject({ description: "cancelled", can: ["remove", "evaluateAgain"] });
    expect(ops()).toEqual(["lens"]);
    await lenses.askAgain(questions.all[0] as Question);
    expect(row()?.description).toBe("1 difference");
  });

  test("of one value is called by it, whose long name is shortened, and is asked again at the next stop", async () => {
    const { lenses, asked, row, look } = await comparing();
    const name = "self.trainer.model.encoder.loss";
    await lenses.ask({ lens: "autograd", subjects: { tensor: { name, expression: name } } });
    await settled();
    expect(row()).toMatchObject({ label: "autograd of self.…coder.loss", name: `autograd of ${name}` });
    expect(row()?.speech).toContain(`autograd of ${name}, `);
    await look(2);
    expect(asked.map(({ question }) => question)).toMatchObject([
      { lens: "autograd", values: { tensor: { expression: name } } },
      { lens: "autograd", values: { tensor: { expression: name } } },
    ]);
  });

  test("that names a line offers to go there", async () => {
    const origin = { lens: "nan_origin", file: "/train.py", line: 7 };
    const { lenses, row } = await comparing(() => ({ ...found, found: origin }));
    await lenses.ask({ lens: "nan_origin", subjects: { tensor: a as Subject } });
    await settled();
    expect(row()).toMatchObject({ source: { file: "/train.py", line: 7 }, can: expect.arrayContaining(["goToLine"]) });
  });

  test("that can't be had says why in its place, quietly where a name is not here", async () => {
    const { begin, row } = await comparing(() => {
      throw new Refusal("not_found", "there is no 'b' in this frame");
    });
    await begin(a as Subject, b as Subject);
    expect(row()).toMatchObject({ description: "there is no 'b' in this frame", tone: "quiet", expandable: false });
  });

  test("names a value without an expression by its node, and says at the next stop that it is gone", async () => {
    const { begin, asked, look, row } = await comparing();
    const paused = frame(1);
    const item: Subject = { name: "‹key›", at: { frame: paused, function: "f", address: { snapshot: 7, node: 12 } } };
    await begin(item, b as Subject);
    expect(asked[0]?.question).toMatchObject({ values: { a: { snapshot: 7, node: 12 }, b: { expression: "b" } } });
    paused.over = true;
    await look(2);
    expect(row()?.description).toBe("“‹key›” is gone: no expression reaches it at another stop");
    expect(asked).toHaveLength(1);
  });

  test("runs what must be run once, when the user asks, and not at the next stop", async () => {
    const { lenses, begin, asked, ops, look, row, questions } = await comparing();
    await begin(a as Subject, { name: "f(a)", expression: "f(a)" });
    await settled();
    expect(ops(), "the frame is read again, as what ran may have changed it").toEqual(["evaluate", "lens"]);
    expect(asked[1]?.question).toMatchObject({ values: { b: { snapshot: 7, node: 33 } } });
    await look(2);
    expect(row()).toMatchObject({
      description: "not compared yet at this stop: one of the two is run only when you ask",
      can: ["remove", "evaluateAgain"],
    });
    expect(ops()).toHaveLength(2);
    await lenses.askAgain(questions.all[0] as Question);
    expect(ops().slice(2)).toEqual(["evaluate", "lens"]);
  });

  test("runs what only looks as if it could be read, and not the other", async () => {
    const replies = [new Refusal("not_static", "a.T is computed")];
    const { begin, ops } = await comparing(() => {
      const refused = replies.shift();
      if (refused) throw refused;
      return found;
    });
    await begin({ name: "a.T", expression: "a.T" }, b as Subject);
    expect(ops()).toEqual(["lens", "evaluate", "lens"]);
  });

  test("runs what only looks as if it could be read in its own frame, whatever is looked at since", async () => {
    const refused = deferred<LensAnswer>();
    const replies = [refused.promise];
    const { begin, ops, look } = await comparing(() => replies.shift() ?? found);
    await begin({ name: "a.T", expression: "a.T" }, b as Subject);
    await look(1, 3);
    refused.reject(new Refusal("not_static", "a.T is computed"));
    await settled();
    expect(ops()).toContain("evaluate");
  });

  test("that is cancelled is not looked at any more for what must be run", async () => {
    const { lenses, begin, questions, signals } = await comparing(() => {
      throw new Refusal("not_static", "a.slow is computed");
    });
    await begin({ name: "a.slow", expression: "a.slow" }, b as Subject);
    expect(signals[0]?.aborted).toBe(false);
    lenses.cancel(questions.all[0] as Question);
    expect(signals[0]?.aborted).toBe(true);
  });

  test("of several pairs is asked for each", async () => {
    const { begin, ops, questions } = await comparing();
    const c: Subject = { name: "c", expression: "c" };
    await begin(a as Subject, b as Subject);
    await begin(a as Subject, c);
    await begin(b as Subject, c);
    expect(ops()).toEqual(["lens", "lens", "lens"]);
    expect(questions.all).toHaveLength(3);
  });

  test("of two names that are compared already takes the place of that", async () => {
    const { begin, questions } = await comparing();
    await begin(a as Subject, b as Subject);
    await begin(a as Subject, b as Subject);
    expect(questions.all).toHaveLength(1);
  });

  test("of one name in two frames is of both, and its row names them", async () => {
    const { begin, asked, row, look, shown } = await comparing();
    await begin(shown("x", 3), shown("x", 2));
    expect(asked[0]?.question).toMatchObject({ values: { a: { snapshot: 7, node: 3 }, b: { snapshot: 7, node: 2 } } });
    expect(row()?.name).toBe("x in f3 ↔ x in f2");
    await look(1, 3);
    expect(asked[1]?.question).toMatchObject({ values: { a: { node: 3 }, b: { node: 2 } } });
  });

  test("of one name in two frames of one function tells them apart", async () => {
    const { begin, row, shown } = await comparing();
    const [outer, inner] = [shown("x", 3), shown("x", 2)];
    await begin(outer, { ...inner, at: inner.at && { ...inner.at, function: "f3" } });
    expect(row()?.name).toBe("x in f3 ↔ x in f3 (2)");
  });

  test("of a value with itself is refused in words, and asked of nobody", async () => {
    const { begin, asked, row } = await comparing();
    await begin(a as Subject, { ...a } as Subject);
    expect(row()?.description).toBe("“a” and “a” are the same value here: nothing to compare");
    expect(asked).toEqual([]);
  });

  test("that the user asked for is not ended when the frame is read again, nor asked a second time", async () => {
    const reply = deferred<undefined>();
    const { begin, inspector, signals, ops, look, row } = await comparing(undefined, () => reply.promise);
    await begin(a as Subject, { name: "f(a)", expression: "f(a)" });
    await inspector.readAgain();
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
    await begin(a as Subject, { name: "f(a)", expression: "f(a)" });
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
    const { lenses, begin, questions, signals, row } = await comparing(undefined, () => left.shift()?.promise);
    await begin(a as Subject, { name: "f(a)", expression: "f(a)" });
    const again = lenses.askAgain(questions.all[0] as Question);
    await settled();
    expect(row()?.can).toEqual(["cancel", "remove"]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    replies[0]?.reject(new Cancelled());
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
    await begin(a as Subject, b as Subject);
    await begin(a as Subject, b as Subject);
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
    for (const name of ["c", "d", "e"]) await begin(a as Subject, { name, expression: name });
    expect(ops()).toEqual(["lens"]);
    replies[0]?.resolve(found);
    await settled();
    expect(ops()).toEqual(["lens", "lens"]);
  });

  test("of values of one name without an expression is told apart by their nodes", async () => {
    const { begin, questions, shown } = await comparing();
    const items = [12, 13].map((node): Subject => {
      const { at, name } = shown("‹key›", 2, false);
      return { name, at: at && { ...at, address: { snapshot: 7, node } } };
    });
    for (const item of items) await begin(item, b as Subject);
    expect(questions.all).toHaveLength(2);
    expect(new Set(questions.all.map(({ id }) => id)).size).toBe(2);
  });

  test("of what was run says when that is old, and offers to run it again", async () => {
    const { begin, runs, row } = await comparing();
    await begin(a as Subject, { name: "f(a)", expression: "f(a)" });
    expect(row()).toMatchObject({ description: "1 difference", can: expect.arrayContaining(["evaluateAgain"]) });
    await runs.userChanged(frame(1).session);
    await settled();
    expect(row()?.description).toBe("1 difference · from before the last change or run");
  });

  test("waits for another of its session, not for one of another session", async () => {
    let times = 0;
    const { begin, inspector, ops, row } = await comparing(() => {
      times += 1;
      return times === 1 ? new Promise(() => undefined) : found;
    });
    await begin(a as Subject, b as Subject);
    await begin(b as Subject, a as Subject);
    expect(ops()).toEqual(["lens"]);
    inspector.focus(frame(1, { session: "other" }));
    await settled();
    expect(row()?.description).toBe("1 difference");
  });

  test("ends with its session, as does what was selected for it", async () => {
    const { begin, lenses, questions, shown } = await comparing();
    const { session } = frame(1);
    await begin(a as Subject, b as Subject);
    questions.select(shown("x", 2), session);
    lenses.forget(session);
    expect([questions.all, questions.selected]).toEqual([[], undefined]);
  });

  test("that is asked in another session too ends with the one that it began in", async () => {
    const { begin, questions, lenses, inspector } = await comparing();
    await begin(a as Subject, b as Subject);
    const worker = frame(1, { session: "worker" });
    inspector.focus(worker);
    await settled();
    await begin(a as Subject, b as Subject);
    lenses.forget(worker.session);
    expect(questions.all).toHaveLength(1);
    lenses.forget(frame(1).session);
    expect(questions.all).toEqual([]);
  });

  test("keeps no frame of a stop that is over", async () => {
    const { questions } = await comparing();
    const paused = frame(1);
    const at = { frame: paused, function: "f", address: { snapshot: 7, node: 2 } };
    const side: Subject = { name: "x", expression: "x", at };
    questions.select(side, paused.session);
    paused.over = true;
    questions.sweep();
    expect(side.at).toBeUndefined();
    expect(questions.selected).toBe(side);
  });

  describe("that runs code of the program", () => {
    const shapes = {
      lens: "shapes",
      subjects: { module: a as Subject, input1: b as Subject },
      options: { run: true },
    } as const;

    test("is called as the call that is run, and runs in long slices, after which the frame is read again", async () => {
      const { lenses, asked, row, inspector } = await comparing();
      const before = inspector.contents;
      await lenses.ask(shapes);
      await settled();
      expect(asked.map(({ question }) => question)).toEqual([
        {
          lens: "shapes",
          values: { module: { expression: "a" }, input1: { expression: "b" } },
          snapshot: 7,
          options: { run: true },
          limits: { ms: 1500 },
        },
      ]);
      expect(row()).toMatchObject({ label: "a(b)", name: "shapes of a(b)", description: "1 difference" });
      expect(row()?.can).toContain("evaluateAgain");
      expect(inspector.contents).not.toBe(before);
    });

    test("is not asked again at the next stop before the user wants it, and its row says so", async () => {
      const { lenses, ops, row, look, questions } = await comparing();
      await lenses.ask(shapes);
      await settled();
      await look(2);
      expect(row()).toMatchObject({
        description: "not asked yet at this stop: “a(b)” is run only when you ask",
        tone: "quiet",
        can: ["remove", "evaluateAgain"],
      });
      expect(ops()).toEqual(["lens"]);
      await lenses.askAgain(questions.all[0] as Question);
      expect(row()?.description).toBe("1 difference");
    });

    test("keeps its answer where the frame is read again, and says that it is old where something has changed", async () => {
      const { lenses, ops, row, inspector, runs } = await comparing();
      await lenses.ask(shapes);
      await settled();
      await inspector.readAgain();
      await settled();
      expect(row()?.description).toBe("1 difference");
      await runs.userChanged(frame(1).session);
      await settled();
      expect(row()?.description).toBe("1 difference · from before the last change or run");
      expect(ops()).toEqual(["lens"]);
    });

    test("may be given one value twice", async () => {
      const { lenses, ops } = await comparing();
      await lenses.ask({ ...shapes, subjects: { module: a as Subject, input1: b as Subject, input2: b as Subject } });
      await settled();
      expect(ops()).toEqual(["lens"]);
    });

    test("on further inputs is another question", async () => {
      const { lenses, questions } = await comparing();
      await lenses.ask(shapes);
      await lenses.ask({ ...shapes, subjects: { ...shapes.subjects, input2: b as Subject } });
      expect(questions.all).toHaveLength(2);
    });

    test("is not asked in another frame than the one in which the user agreed to it", async () => {
      const { lenses, ops, look } = await comparing();
      await look(2);
      expect(await lenses.ask(shapes, frame(1))).toBeUndefined();
      expect(ops()).toEqual([]);
    });

    test("is interrupted when it is cancelled, and the frame is read again, since it may have changed anything", async () => {
      const signals: AbortSignal[] = [];
      const { lenses, questions, row, inspector } = await comparing((question) => {
        const { signal } = question as { readonly signal: AbortSignal };
        const reply = deferred<LensAnswer>();
        signals.push(signal);
        signal.addEventListener("abort", () => reply.reject(new Cancelled()));
        return reply.promise;
      });
      const before = inspector.contents;
      await lenses.ask(shapes);
      await settled();
      expect(row()).toMatchObject({ description: "running…", can: ["cancel", "remove"] });
      lenses.cancel(questions.all[0] as Question);
      await settled();
      expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
      expect(inspector.contents).not.toBe(before);
      expect(row()?.description).toBe("cancelled");
    });
  });

  test("that is a text of its own has it to be copied", async () => {
    const { lenses, row } = await comparing(() => ({ ...found, text: "Layer  Params" }));
    await lenses.ask({ lens: "model", subjects: { model: a as Subject } });
    await settled();
    expect(row()).toMatchObject({ label: "layers of a", text: "Layer  Params" });
  });

  describe("about the program as a whole", () => {
    const told = (inspector: Inspector): Row[] => {
      const { scene } = inspector;
      const group = scene && topRows(scene).at(-1);
      return scene && group ? (childRows(scene, group) ?? []) : [];
    };

    test("is asked once its group is open, and again at the next stop while that stays open", async () => {
      const { inspector, asked, look } = await comparing();
      expect(inspector.scene && topRows(inspector.scene).at(-1)).toMatchObject({ label: "Program", open: false });
      inspector.fireDidChange();
      await settled();
      expect(asked).toEqual([]);
      inspector.scene?.expansion.open(PROGRAM);
      inspector.fireDidChange();
      await settled();
      const lenses = asked.map(({ question }) => question);
      expect(lenses).toMatchObject([
        { lens: "memory", values: {}, snapshot: 7 },
        { lens: "environment", values: {}, snapshot: 7 },
      ]);
      await look(2);
      expect(asked).toHaveLength(4);
      inspector.scene?.expansion.close(PROGRAM);
      await look(3);
      expect(asked).toHaveLength(4);
    });

    test("is asked only while the view is in sight", async () => {
      const { inspector, lenses, asked } = await comparing();
      inspector.scene?.expansion.open(PROGRAM);
      lenses.setViewVisible(false);
      inspector.fireDidChange();
      await settled();
      expect(asked).toEqual([]);
      lenses.setViewVisible(true);
      await settled();
      expect(asked).toHaveLength(2);
    });

    test("has rows that stay: they can be copied, cancelled and asked again, not removed", async () => {
      const { inspector, lenses, questions } = await comparing();
      inspector.scene?.expansion.open(PROGRAM);
      expect(told(inspector).map(({ label, description }) => [label, description])).toEqual([
        ["memory", "measuring the memory…"],
        ["environment", "reading the settings…"],
      ]);
      expect(told(inspector)[0]?.can).toEqual(["cancel"]);
      inspector.fireDidChange();
      await settled();
      expect(told(inspector).map(({ description, can }) => [description, can])).toEqual([
        ["1 difference", ["copySummary"]],
        ["1 difference", ["copySummary"]],
      ]);
      lenses.remove(questions.ofProgram[0] as Question);
      lenses.removeAll();
      expect(told(inspector)).toHaveLength(2);
    });

    test("is asked again once it was cancelled, by the command that shows it, and in the next session", async () => {
      const { inspector, lenses, questions, ops } = await comparing(() => new Promise(() => undefined));
      const [memory] = questions.ofProgram as [Question];
      const expansion = inspector.scene!.expansion;
      expansion.open(PROGRAM);
      inspector.fireDidChange();
      await settled();
      lenses.cancel(memory);
      expect(told(inspector)[0]?.description).toBe("cancelled");
      const parts = { inspector, questions, expansion, tree: { showTop: () => Promise.resolve() } };
      await COMMANDS[COMMAND.showMemory](parts as unknown as Parts, undefined);
      expect(told(inspector)[0]?.description).toBe("measuring the memory…");
      lenses.cancel(memory);
      lenses.forget(inspector.frame!.session);
      expect(told(inspector)[0]?.description).toBe("measuring the memory…");
      expect(ops()).toEqual(["lens"]);
    });

    test("is reported as text, by the number of the stop, with values only where they are wanted", async () => {
      const { lenses, asked, row } = await comparing(() => ({ ...found, text: "### Versions" }));
      expect([await lenses.report(false), await lenses.report(true)]).toEqual(["### Versions", "### Versions"]);
      expect(asked.map(({ question }) => question)).toEqual(
        [false, true].map((values) => ({ lens: "report", values: {}, snapshot: 7, options: { values, stop: 1 } })),
      );
      expect(row()).toBeUndefined();
    });
  });

  test("put otherwise is asked again in its place", async () => {
    const { lenses, asked, questions, row } = await comparing(() => ({ ...found, found: { lens: "model" } }));
    await lenses.ask({ lens: "model", subjects: { model: a as Subject } });
    await settled();
    expect(row()?.can).toContain("sortLayers");
    expect(await lenses.askWith(questions.all[0] as Question, { sort: "bytes" })).toBe(true);
    expect(asked[1]?.question).toMatchObject({ lens: "model", options: { sort: "bytes" } });
    expect(questions.all).toHaveLength(1);
  });

  test("put otherwise where nothing can be asked stays as it is, with its answer", async () => {
    const { lenses, questions, row, inspector } = await comparing(() => ({ ...found, found: { lens: "model" } }));
    await lenses.ask({ lens: "model", subjects: { model: a as Subject } });
    await settled();
    const [question] = questions.all as [Question];
    const here = inspector.frame!;
    inspector.focus(undefined);
    expect(await lenses.askWith(question, { sort: "bytes" })).toBe(false);
    inspector.focus(here);
    expect(questions.all).toEqual([question]);
    expect(row()?.description).toBe("1 difference");
  });

  test("is one question in whatever order its layers are, which stays where it is asked once more", async () => {
    const { lenses, asked, questions } = await comparing(() => ({ ...found, found: { lens: "model" } }));
    const layers = { lens: "model", subjects: { model: a as Subject } } as const;
    await lenses.ask(layers);
    await settled();
    await lenses.askWith(questions.all[0] as Question, { sort: "bytes" });
    await lenses.ask(layers);
    await settled();
    expect(questions.all).toMatchObject([{ options: { sort: "bytes" } }]);
    expect(asked[2]?.question).toMatchObject({ lens: "model", options: { sort: "bytes" } });
  });

  test("redraws the tree once a second at most to tell how far it is", async () => {
    let left = 20;
    const { begin, inspector } = await comparing(() => {
      left -= 1;
      return left > 0 ? { ...found, done: false, progress: 0.5, resume: left, node: undefined } : found;
    });
    let redrawn = 0;
    inspector.onDidChange(() => (redrawn += 1));
    await begin(a as Subject, b as Subject);
    expect(left).toBe(0);
    expect(redrawn).toBeLessThan(5);
  });
});
