import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Frame } from "../../extension/src/debug/frame.ts";
import { Cancelled } from "../../extension/src/debug/queue.ts";
import { Refusal } from "../../extension/src/helper/refusal.ts";
import { Frames, type FrameCalls } from "../../extension/src/model/frames.ts";
import type { Contents } from "../../extension/src/model/contents.ts";
import { History } from "../../extension/src/model/history.ts";
import { Questions } from "../../extension/src/model/questions.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { Inspector } from "../../extension/src/model/inspector.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import { Results } from "../../extension/src/model/results.ts";
import type { Row } from "../../extension/src/model/row.ts";
import { childRows, frameRows } from "../../extension/src/model/rows.ts";
import { Runs } from "../../extension/src/model/runs.ts";
import { awaitContents } from "../../extension/src/model/awaitContents.ts";
import type { FrameAnswer, Node, NodeAnswer } from "../../extension/src/protocol/generated.ts";
import { deferred, frame, frameAnswer, memory, node, nodeAnswer, type Paused, session, tensor } from "./fixtures.ts";
import { Watchpoints } from "../../extension/src/model/watchpoints.ts";

type Question = { readonly op: string } & Record<string, unknown>;

/** An inspector whose helper notes every question and answers by `answers`. */
function inspected(
  answers: Partial<Record<keyof FrameCalls, (question: Question) => unknown>> = {},
  pinned: string[] = [],
) {
  const asked: Question[] = [];
  const frames: Frame[] = [];
  const reply = (op: keyof FrameCalls) => async (of: Frame, question: object, how?: object) => {
    frames.push(of);
    const full = { op, ...question, ...(how === undefined ? {} : { how }) };
    asked.push(full);
    return (await answers[op]?.(full)) ?? frameAnswer([tensor("x")]);
  };
  const helper = {
    frame: reply("frame"),
    children: reply("children"),
    inspect: reply("inspect"),
    evaluate: reply("evaluate"),
  } as unknown as FrameCalls;
  const [pins, expansion] = [new Pins(memory({ pins: pinned })), new Expansion()];
  const [settings, results] = [{ filter: "all", pageSize: 100 } as const, new Results()];
  const questions = new Questions();
  const answered = new Frames(
    helper,
    pins,
    questions,
    new Watchpoints(memory()),
    expansion,
    settings,
    results,
    new History(),
  );
  const inspector = new Inspector(helper, answered);
  const runs = new Runs(helper, pins, settings, results, answered, inspector);
  return { inspector, runs, asked, frames, pins, expansion, ops: () => asked.map(({ op }) => op) };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

function contentsOf(inspector: Inspector): Contents {
  return inspector.contents as Contents;
}

function labels(inspector: Inspector): string[] {
  return inspector.scene ? frameRows(inspector.scene).map(({ label }) => label) : [];
}

function firstRow(inspector: Inspector): Row {
  return frameRows(inspector.scene as NonNullable<typeof inspector.scene>)[0] as Row;
}

describe("one question per stop and frame", () => {
  test("is asked when a frame is looked at, and not again when it is looked at again", async () => {
    const { inspector, ops } = inspected();
    const [caller, callee] = [frame(1, { frameId: 3 }), frame(1)];
    for (const one of [callee, caller, callee, caller]) {
      inspector.focus(one);
      await settled();
    }
    expect(ops()).toEqual(["frame", "frame"]);
    inspector.focus(frame(3));
    await settled();
    expect(ops()).toHaveLength(3);
  });

  test("asks for what is recorded after the last step that is known, until that is not wanted any more", async () => {
    const recording = { steps: [1, 2], columns: { value: [3, 2] }, function: { name: "f", file: "/f.py" } };
    const answer = frameAnswer([], { pins: [{ expression: "x", recording }] });
    const { inspector, runs, asked } = inspected({ frame: () => answer }, ["x"]);
    inspector.focus(frame(1));
    await settled();
    await runs.setRecorded(["x"], true);
    await runs.setRecorded(["x"], false);
    await runs.setRecorded(["x"], true);
    runs.unpin("x");
    await settled();
    expect(asked.map(({ pins }) => pins)).toEqual([
      [{ expression: "x" }],
      [{ expression: "x", record_after: 2 }],
      [{ expression: "x" }],
      [{ expression: "x", record_after: 2 }],
      [],
    ]);
  });

  test("carries what is expanded and the static pins", async () => {
    const { inspector, asked, expansion } = inspected({}, ["x.grad", "model(x)", "y"]);
    expansion.open({ root: "frame /train.py:train", names: ["batch"] });
    expansion.open({ root: "frame /train.py:train", names: ["batch", "__proto__"] }, 200);
    expansion.open({ root: "pin x.grad", names: [] });
    inspector.focus(frame(1));
    await settled();
    expect(JSON.parse(JSON.stringify(asked[0]))).toEqual({
      op: "frame",
      filter: "all",
      page_size: 100,
      expanded: { batch: { rows: JSON.parse('{"__proto__": {"count": 200}}') as unknown } },
      pins: [{ expression: "x.grad", count: 100, rows: {} }, { expression: "y" }],
      how: {},
    });
  });

  test("is cancelled when it is asked anew, as are those for the rows below that are not shown any more", async () => {
    const never = new Promise<never>(() => undefined);
    const { inspector, asked } = inspected({ children: () => never });
    inspector.focus(frame(1));
    await settled();
    void inspector.load(firstRow(inspector));
    await settled();
    const how = asked.at(-1)?.["how"] as { signal: AbortSignal } | undefined;
    expect(how?.signal.aborted).toBe(false);
    const again = [inspector.readAgain(), inspector.readAgain()];
    await Promise.all(again);
    const frames = asked.filter(({ op }) => op === "frame").map(({ how }) => (how as AbortSignal).aborted);
    expect(frames).toEqual([false, true, false]);
    expect(how?.signal.aborted).toBe(true);
  });

  test("shows nothing while the program runs", async () => {
    const { inspector } = inspected();
    inspector.focus(frame(1));
    await settled();
    expect(labels(inspector)).toEqual(["x"]);
    inspector.focus(undefined);
    expect(inspector.scene).toBeUndefined();
  });
});

describe("answers that nobody waits for any more are dropped", () => {
  test("when the frame was left", async () => {
    const [first, second] = [deferred<FrameAnswer>(), deferred<FrameAnswer>()];
    const replies = [first, second];
    const { inspector } = inspected({ frame: () => replies.shift()?.promise });
    inspector.focus(frame(1));
    inspector.focus(frame(1, { frameId: 3 }));
    second.resolve(frameAnswer([tensor("new")]));
    await settled();
    first.resolve(frameAnswer([tensor("old")]));
    await settled();
    expect(labels(inspector)).toEqual(["new"]);
  });

  test.each([
    ["a frame that is known", true],
    ["none", false],
  ])("when the frame was left for %s, but kept for when it is looked at again", async (_, back) => {
    const late = deferred<FrameAnswer>();
    const replies = [frameAnswer([tensor("a")]), late.promise];
    const { inspector, ops } = inspected({ frame: () => replies.shift() });
    inspector.focus(frame(1));
    await settled();
    inspector.focus(frame(1, { frameId: 3 }));
    inspector.focus(back ? frame(1) : undefined);
    late.resolve(frameAnswer([tensor("b")]));
    await settled();
    expect(labels(inspector)).toEqual(back ? ["a"] : []);
    inspector.focus(frame(1, { frameId: 3 }));
    await settled();
    expect(labels(inspector)).toEqual(["b"]);
    expect(ops()).toEqual(["frame", "frame"]);
  });

  test("and a frame that was left before it was asked for is not, but when it is looked at again", async () => {
    const { inspector, asked, ops } = inspected({
      frame: ({ how }) => {
        if (ops().length !== 1) return undefined;
        const reply = deferred<FrameAnswer>();
        (how as AbortSignal).addEventListener("abort", () => reply.reject(new Cancelled()));
        return reply.promise;
      },
    });
    inspector.focus(frame(1));
    inspector.focus(frame(1, { frameId: 3 }));
    expect((asked[0]?.["how"] as AbortSignal | undefined)?.aborted).toBe(true);
    inspector.focus(frame(1));
    await settled();
    expect(labels(inspector)).toEqual(["x"]);
    expect(ops()).toEqual(["frame", "frame", "frame"]);
  });

  test("and a failure for a frame that was left is said nowhere", async () => {
    const late = deferred<FrameAnswer>();
    const { inspector } = inspected({ frame: () => late.promise });
    inspector.focus(frame(1));
    inspector.focus(undefined);
    late.reject(new Refusal("internal", "it broke"));
    await settled();
    expect(inspector.trouble).toBeUndefined();
  });

  test("when the user has changed something since", async () => {
    const [first, second] = [deferred<FrameAnswer>(), deferred<FrameAnswer>()];
    const replies = [first.promise, second.promise];
    const { inspector } = inspected({ frame: () => replies.shift() });
    inspector.focus(frame(1));
    const again = inspector.readAgain();
    second.resolve(frameAnswer([tensor("new")]));
    first.resolve(frameAnswer([tensor("old")]));
    await again;
    await settled();
    expect(labels(inspector)).toEqual(["new"]);
  });

  test("when the stop is over", async () => {
    const reply = deferred<FrameAnswer>();
    const { inspector } = inspected({ frame: () => reply.promise });
    const paused = frame(1);
    inspector.focus(paused);
    paused.over = true;
    reply.resolve(frameAnswer([tensor("old")]));
    await settled();
    expect(labels(inspector)).toEqual([]);
  });

  test("while the rows of the last stop stay until the next answer is there", async () => {
    const reply = deferred<FrameAnswer>();
    const replies = [frameAnswer([tensor("one")]), reply.promise];
    const { inspector } = inspected({ frame: () => replies.shift() });
    inspector.focus(frame(1));
    await settled();
    inspector.focus(frame(3));
    expect(labels(inspector)).toEqual(["one"]);
    reply.resolve(frameAnswer([tensor("two")]));
    await settled();
    expect(labels(inspector)).toEqual(["two"]);
  });
});

describe("what is shown says that it is from before", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("where the frame that is looked at now takes long to read, until it is read", async () => {
    const reply = deferred<FrameAnswer>();
    const replies = [frameAnswer([tensor("one")]), reply.promise];
    const { inspector } = inspected({ frame: () => replies.shift() });
    inspector.focus(frame(1));
    await vi.advanceTimersByTimeAsync(1000);
    expect(inspector.stale).toBeUndefined();
    inspector.focus(frame(1, { frameId: 3 }));
    await vi.advanceTimersByTimeAsync(300);
    expect([labels(inspector), inspector.stale]).toEqual([["one"], "reading"]);
    reply.resolve(frameAnswer([tensor("two")]));
    await vi.advanceTimersByTimeAsync(0);
    expect([labels(inspector), inspector.stale]).toEqual([["two"], undefined]);
  });

  test("when a property of it was run, and other frames of the session are read anew", async () => {
    const property = node("loss", { kind: "property", lazy: true, children: null });
    const { inspector, ops } = inspected({ frame: () => frameAnswer([property]) });
    inspector.focus(frame(1, { frameId: 3 }));
    await vi.advanceTimersByTimeAsync(0);
    inspector.focus(frame(1));
    await vi.advanceTimersByTimeAsync(0);
    await inspector.load(firstRow(inspector));
    expect(inspector.stale).toBe("run");
    inspector.focus(frame(1, { frameId: 3 }));
    await vi.advanceTimersByTimeAsync(0);
    expect([inspector.stale, ops()]).toEqual([undefined, ["frame", "frame", "children", "frame"]]);
  });

  test("when a property was run, by the pins that were run before", async () => {
    const property = node("loss", { kind: "property", lazy: true, children: null });
    const { inspector, runs } = inspected({
      frame: () => frameAnswer([property]),
      evaluate: () => nodeAnswer("evaluate", tensor("f(x)")),
    });
    inspector.focus(frame(1));
    await vi.advanceTimersByTimeAsync(0);
    await runs.pin(["f(x)"]);
    await vi.advanceTimersByTimeAsync(0);
    const rows = (): Row[] => frameRows(inspector.scene as NonNullable<typeof inspector.scene>);
    expect(rows()[0]?.summary).not.toContain("from before");
    await inspector.load(rows()[1] as Row);
    expect(rows()[0]?.summary).toContain("from before the last change or run");
  });
});

describe("what the user changes", () => {
  test("drops all that was known of every frame of this stop", async () => {
    const { inspector, ops } = inspected();
    inspector.focus(frame(1, { frameId: 3 }));
    await settled();
    inspector.focus(frame(1));
    await settled();
    await inspector.readAgain();
    inspector.focus(frame(1, { frameId: 3 }));
    await settled();
    expect(ops()).toHaveLength(4);
  });

  test("has a frame of another session read again when it is looked at, if it was changed there", async () => {
    const { inspector, ops } = inspected();
    const [here, there] = [frame(1), frame(2, { session: "other" })];
    for (const one of [there, here]) {
      inspector.focus(one);
      await settled();
    }
    await inspector.readAgain(there.session);
    expect(ops()).toHaveLength(2); // nobody looks at it
    inspector.focus(there);
    await settled();
    expect(ops()).toHaveLength(3);
    inspector.focus(here);
    await settled();
    expect(ops()).toHaveLength(3);
  });

  test("drops an answer under way too, though nothing is looked at meanwhile", async () => {
    const late = deferred<FrameAnswer>();
    const { inspector, ops } = inspected({ frame: () => (ops().length === 1 ? late.promise : undefined) });
    inspector.focus(frame(1));
    inspector.focus(undefined);
    await inspector.readAgain();
    late.resolve(frameAnswer([tensor("old")]));
    await settled();
    inspector.focus(frame(1));
    await settled();
    expect(labels(inspector)).toEqual(["x"]);
  });
});

describe("trouble", () => {
  test("says why the helper can't be there", async () => {
    const fail = (): never => {
      throw new Refusal("unreachable", "it needs Python 3.9");
    };
    const { inspector } = inspected({ frame: fail });
    inspector.focus(frame(1));
    await settled();
    expect(inspector.trouble).toBe("The values of this frame can't be shown: it needs Python 3.9");
  });

  test("is said in a sentence, and forgotten at the next stop", async () => {
    const replies: (() => FrameAnswer)[] = [
      () => {
        throw new Refusal("lost", "no reply");
      },
      () => frameAnswer([tensor("x")]),
    ];
    const { inspector } = inspected({ frame: () => replies.shift()?.() });
    inspector.focus(frame(1));
    await settled();
    expect(inspector.trouble).toContain("The next stop tries again.");
    inspector.focus(frame(3));
    await settled();
    expect(inspector.trouble).toBeUndefined();
    expect(labels(inspector)).toEqual(["x"]);
  });

  test("is over when the helper comes late; where there is none, nothing is asked again", async () => {
    let lost = true;
    const { inspector, ops } = inspected({
      frame: () => {
        if (lost) throw new Refusal("lost", "no reply");
        return undefined;
      },
    });
    const paused = frame(1);
    inspector.focus(paused);
    await settled();
    lost = false;
    for (let turn = 0; turn < 2; turn += 1) {
      await inspector.helperCame(paused.session);
      expect([inspector.trouble, labels(inspector), ops()]).toEqual([undefined, ["x"], ["frame", "frame"]]);
    }
  });
});

describe("children", () => {
  const page = { start: 0, total: 1, nodes: [node("[0]")] };
  const children = ({ node: id }: Question) => ({
    op: "children",
    snapshot: 7,
    ms: 1,
    node: id,
    page,
    types: ["Late"],
  });

  test("are asked for once, however many want them", async () => {
    const { inspector, ops } = inspected({ children });
    inspector.focus(frame(1));
    await settled();
    const row = firstRow(inspector);
    await Promise.all([inspector.load(row), inspector.load(row)]);
    expect(ops()).toEqual(["frame", "children"]);
    expect(childRows(inspector.scene as never, row)?.map(({ label }) => label)).toEqual(["[0]"]);
    expect(inspector.types).toEqual(["Late"]);
  });

  test("that can't be had say why", async () => {
    const fail = (): never => {
      throw new Refusal("raised", "ValueError: no");
    };
    const { inspector } = inspected({ children: fail });
    inspector.focus(frame(1));
    await settled();
    const row = firstRow(inspector);
    await inspector.load(row);
    expect(childRows(inspector.scene as never, row)?.map(({ label }) => label)).toEqual(["ValueError: no"]);
  });

  test("of a snapshot that is gone have the frame asked again, once", async () => {
    const fail = (): never => {
      throw new Refusal("gone", "gone");
    };
    const { inspector, ops } = inspected({ children: fail });
    inspector.focus(frame(1));
    await settled();
    await inspector.load(firstRow(inspector));
    expect(ops()).toEqual(["frame", "children", "frame"]);
    await inspector.load(firstRow(inspector));
    expect(ops()).toEqual(["frame", "children", "frame", "children"]);
  });

  test("of a property are marked as running code, and a late one says so in its row", async () => {
    const fail = (): never => {
      throw new Refusal("lost", "no reply");
    };
    const property = node("loss", { kind: "property", lazy: true, children: null });
    const { inspector, asked } = inspected({ frame: () => frameAnswer([property]), children: fail });
    inspector.focus(frame(1));
    await settled();
    const row = firstRow(inspector);
    await inspector.load(row);
    expect(asked.at(-1)).toMatchObject({ op: "children", node: property.id, how: { runs: true } });
    expect(childRows(inspector.scene as never, row)?.map(({ label }) => label)).toEqual([
      "no reply yet: the program's own code may still be running",
    ]);
    await inspector.load({ ...row, value: { node: tensor("x"), snapshot: 7 } });
    expect(asked.at(-1)).toMatchObject({ op: "children", how: { runs: false } });
  });

  test.each(["of a value", "of the frame"])(
    "on a next page %s that can't be had say why in its row, which asks again when clicked",
    async (whose) => {
      const nodes = Array.from({ length: 100 }, (_, index) => node(`[${index}]`));
      const first = { start: 0, total: 101, nodes };
      const replies = [new Refusal("internal", "it broke"), { start: 100, total: 101, nodes: [node("[100]")] }];
      const { inspector, asked, expansion, ops } = inspected({
        frame: () =>
          whose === "of a value"
            ? frameAnswer([tensor("x", { page: first })])
            : { ...frameAnswer(), rows: { ...first } },
        children: (question) => {
          const reply = replies.shift();
          if (reply instanceof Refusal) throw reply;
          return { ...children(question), page: reply };
        },
      });
      inspector.focus(frame(1));
      await settled();
      const rows = (): readonly Row[] => {
        const from = inspector.scene as NonNullable<typeof inspector.scene>;
        return whose === "of a value" ? (childRows(from, firstRow(inspector)) ?? []) : frameRows(from);
      };
      const more = rows().at(-1) as Row;
      await inspector.showNextPage(more);
      expect(rows()).toHaveLength(101);
      expect(rows().at(-1)).toMatchObject({ label: "1 more", description: "it broke", tone: "alarm" });
      expect(rows().at(-1)?.speech).toContain("it broke");
      expect(expansion.count(more.path)).toBeUndefined();
      await inspector.showNextPage(rows().at(-1) as Row);
      expect(ops()).toEqual(["frame", "children", "children"]);
      expect(asked.at(-1)).toMatchObject({ start: 100, count: 1 });
      expect(rows()).toHaveLength(101);
      expect(rows().at(-1)).toMatchObject({ label: "[100]", description: "1" });
    },
  );

  test("that Find looks through are all of the frame's, at this stop only", async () => {
    const nodes = (from: number, to: number): Node[] =>
      Array.from({ length: to - from }, (_, index) => node(`v${from + index}`));
    const { inspector, asked } = inspected({
      frame: () => frameAnswer([], { rows: { start: 0, total: 750, nodes: nodes(0, 100) } }),
      children: (question) => {
        const { start, count } = question as unknown as { start: number; count: number };
        const page = { start, total: 750, nodes: nodes(start, Math.min(750, start + count)) };
        return { ...children(question), node: 0, page };
      },
    });
    inspector.focus(frame(1));
    expect(await inspector.loadRest()).toBe(true);
    expect(inspector.contents?.isWhole).toBe(true);
    expect(asked.slice(1).map(({ op, start }) => [op, start])).toEqual([
      ["children", 100],
      ["children", 600],
    ]);
    expect(await inspector.loadRest()).toBe(false);
    inspector.focus(frame(3));
    await settled();
    expect(asked).toHaveLength(4);
    expect(asked.at(-1)).not.toHaveProperty("count");
  });

  test("that Find could not have are not asked for again and again", async () => {
    const { inspector, ops } = inspected({
      frame: () => frameAnswer([], { rows: { start: 0, total: 750, nodes: [node("v")] } }),
      children: () => {
        throw new Refusal("unreachable", "it broke");
      },
    });
    inspector.focus(frame(1));
    await inspector.loadRest();
    expect(ops()).toEqual(["frame", "children"]);
    expect(frameRows(inspector.scene as never).at(-1)?.description).toBe("it broke");
  });

  test("on a next page are remembered for the next stop", async () => {
    const first = { start: 0, total: 250, nodes: Array.from({ length: 100 }, (_, index) => node(`[${index}]`)) };
    const second = {
      start: 100,
      total: 250,
      nodes: Array.from({ length: 100 }, (_, index) => node(`[${index + 100}]`)),
    };
    let isOver = false;
    const { inspector, asked, expansion } = inspected({
      frame: () => frameAnswer([tensor("x", { page: first })]),
      children: (question) => {
        if (isOver) throw new Cancelled();
        return { ...children(question), page: second };
      },
    });
    inspector.focus(frame(1));
    await settled();
    const more = childRows(inspector.scene as never, firstRow(inspector))?.at(-1) as Row;
    isOver = true;
    await inspector.showNextPage(more);
    expect(expansion.count(more.path), "it was given up before it came").toBeUndefined();
    isOver = false;
    await inspector.showNextPage(more);
    expect(asked[1]).toMatchObject({ op: "children", start: 100, count: 100 });
    inspector.focus(frame(3));
    await settled();
    expect(asked.at(-1)).toMatchObject({ expanded: { x: { count: 200 } } });
  });
});

describe("inspecting", () => {
  test("is of use as long as one of those who asked still waits", async () => {
    const reply = deferred<NodeAnswer>();
    const seen: boolean[] = [];
    const { inspector, asked } = inspected({ inspect: () => reply.promise });
    inspector.focus(frame(1));
    await settled();
    const [left, stays] = [new AbortController(), new AbortController()];
    const answers = [left, stays].map(({ signal }) => inspector.inspect({ expression: "x" }, signal));
    await settled();
    const wanted = asked.at(-1)?.["how"] as AbortSignal;
    for (const one of [left, stays]) {
      one.abort();
      seen.push(wanted.aborted);
    }
    expect(seen).toEqual([false, true]);
    reply.reject(new Cancelled());
    expect(await Promise.all(answers)).toEqual([undefined, undefined]);
  });

  test("is asked anew by one who comes after all others have left", async () => {
    const replies = [deferred<NodeAnswer>(), deferred<NodeAnswer>()];
    const waiting = [...replies];
    const { inspector, ops } = inspected({ inspect: () => waiting.shift()?.promise });
    inspector.focus(frame(1));
    await settled();
    const leaving = new AbortController();
    const left = inspector.inspect({ expression: "x" }, leaving.signal);
    await settled();
    leaving.abort();
    const stays = inspector.inspect({ expression: "x" });
    replies[0]?.reject(new Cancelled());
    replies[1]?.resolve(nodeAnswer("inspect", tensor("x")));
    expect(await left).toBeUndefined();
    expect(await stays).toMatchObject({ node: { name: "x" } });
    expect(ops()).toEqual(["frame", "inspect", "inspect"]);
  });

  test("names the value by its expression, or by its node", async () => {
    const { inspector, asked } = inspected({ inspect: () => nodeAnswer("inspect", tensor("x")) });
    inspector.focus(frame(1));
    await inspector.inspect({ expression: "x" });
    await inspector.inspect({ snapshot: 6, node: 12 });
    expect(asked.slice(1)).toMatchObject([
      { expression: "x", snapshot: 7 },
      { node: 12, snapshot: 6 },
    ]);
  });

  test("asks once for each expression and stop", async () => {
    const { inspector, ops } = inspected({ inspect: () => nodeAnswer("inspect", tensor("x")) });
    inspector.focus(frame(1));
    const answers = await Promise.all([
      inspector.inspect({ expression: "x" }),
      inspector.inspect({ expression: "x" }),
      inspector.inspect({ expression: "y" }),
    ]);
    for (const answer of answers) expect(answer).toMatchObject({ node: { kind: "tensor" } });
    expect(ops()).toEqual(["frame", "inspect", "inspect"]);
  });

  test("goes on when a frame is left and looked at again", async () => {
    const { inspector } = inspected({ inspect: () => nodeAnswer("inspect", tensor("x")) });
    for (const frameId of [2, 3, 2]) {
      inspector.focus(frame(1, { frameId }));
      await settled();
    }
    expect(await inspector.inspect({ expression: "x" })).toMatchObject({ node: { kind: "tensor" } });
  });

  test("what can't be had says why", async () => {
    const { inspector } = inspected({
      inspect: () => {
        throw new Refusal("not_found", "no z");
      },
    });
    inspector.focus(frame(1));
    expect(await inspector.inspect({ expression: "z" })).toEqual({ code: "not_found", message: "no z" });
  });

  test("asks again for what got no reply", async () => {
    const { inspector, ops } = inspected({
      inspect: () => {
        if (ops().length > 2) return nodeAnswer("inspect", tensor("x"));
        throw new Refusal("lost", "the program did not reply");
      },
    });
    inspector.focus(frame(1));
    await settled();
    expect(await inspector.inspect({ expression: "x" })).toMatchObject({ code: "lost" });
    expect(await inspector.inspect({ expression: "x" })).toMatchObject({ node: { name: "x" } });
  });

  test("waits for no answer of a stop that is over", async () => {
    const { inspector, ops } = inspected();
    const paused: Paused & ReturnType<typeof frame> = frame(1);
    inspector.focus(paused);
    await settled();
    paused.over = true;
    expect(await inspector.inspect({ expression: "x" })).toBeUndefined();
    expect(ops()).toEqual(["frame"]);
  });
});

describe("pins", () => {
  test("that are static are read with the frame", async () => {
    const { inspector, runs, asked } = inspected();
    inspector.focus(frame(1));
    await settled();
    await runs.pin(["x.grad"]);
    expect(asked.map(({ op, pins }) => [op, pins])).toEqual([
      ["frame", []],
      ["frame", [{ expression: "x.grad" }]],
    ]);
  });

  test("that must be run are run once, when asked, and the frame is read anew", async () => {
    const { inspector, runs, pins, ops } = inspected({ evaluate: () => nodeAnswer("evaluate", tensor("model(x)")) });
    inspector.focus(frame(1));
    await settled();
    await runs.pin(["model(x)"]);
    await settled();
    expect(ops()).toEqual(["frame", "evaluate", "frame"]);
    expect(firstRow(inspector)).toMatchObject({ label: "model(x)", description: "float32[2, 3] · 0…1" });
    expect(pins.lastLine("model(x)", session())).toBe("float32[2, 3] · 0…1");

    inspector.focus(frame(3));
    await settled();
    expect(ops()).toHaveLength(4);
    expect(firstRow(inspector).description).toBe("float32[2, 3] · 0…1 · from an earlier stop");
    await runs.run("model(x)", contentsOf(inspector));
    expect(ops().slice(4)).toEqual(["evaluate", "frame"]);
  });

  test("that only look static are run once, when asked, and are text at later stops", async () => {
    const pinned = [{ expression: "x.T", error: { code: "not_static", message: "'T' is computed by code" } }];
    const { inspector, runs, ops } = inspected({
      frame: ({ pins }) => ({ ...frameAnswer(), pins: (pins as unknown[]).length > 0 ? pinned : [] }),
      evaluate: () => nodeAnswer("evaluate", tensor("x.T")),
    });
    inspector.focus(frame(1));
    await settled();
    await runs.pin(["x.T"]);
    await settled();
    expect(ops()).toEqual(["frame", "frame", "evaluate", "frame"]);
    expect(firstRow(inspector)).toMatchObject({ label: "x.T", description: "float32[2, 3] · 0…1" });

    inspector.focus(frame(3));
    await settled();
    expect(ops()).toHaveLength(5);
    expect(firstRow(inspector)).toMatchObject({
      description: "float32[2, 3] · 0…1 · from an earlier stop",
      tone: "quiet",
      can: ["copyExpression", "remove", "evaluateAgain"],
    });
  });

  test("that still ran when their stop ended keep what they came to before", async () => {
    const replies: (() => NodeAnswer)[] = [
      () => nodeAnswer("evaluate", tensor("f(x)")),
      () => {
        throw new Cancelled();
      },
    ];
    const { inspector, runs, pins } = inspected({ evaluate: () => replies.shift()?.() });
    inspector.focus(frame(1));
    await runs.pin(["f(x)"]);
    await settled();
    await runs.run("f(x)", contentsOf(inspector));
    expect(pins.lastLine("f(x)", session())).toBe("float32[2, 3] · 0…1");
  });

  test("keep what they came to while other frames are looked at, and all is asked again", async () => {
    const answer = nodeAnswer("evaluate", tensor("model(x)"));
    const { inspector, runs } = inspected({ evaluate: () => answer }, ["model(x)"]);
    const [here, there] = [frame(1), frame(1, { frameId: 3 })];
    inspector.focus(here);
    await settled();
    await runs.run("model(x)", contentsOf(inspector));
    inspector.focus(there);
    await settled();
    await inspector.readAgain();
    inspector.focus(here);
    await settled();
    expect(inspector.contents?.results.get("model(x)")).toEqual(answer);
  });

  test("say what they came to before the user changed something, or another was run, is old", async () => {
    const { inspector, runs } = inspected({
      evaluate: ({ expression }) => nodeAnswer("evaluate", tensor(expression as string)),
    });
    const old = (): (boolean | undefined)[] => ["f(x)", "g(x)"].map((one) => inspector.contents?.results.isOld(one));
    const [here, there] = [frame(1), frame(1, { session: "other" })];
    inspector.focus(here);
    await runs.pin(["f(x)"]);
    await settled();
    await runs.userChanged(there.session);
    await inspector.readAgain();
    expect(old()).toEqual([false, false]);
    await runs.userChanged(here.session);
    expect(old()).toEqual([true, false]);
    await runs.run("f(x)", contentsOf(inspector));
    expect(old()).toEqual([false, false]);
    await runs.run("g(x)", contentsOf(inspector));
    expect(old()).toEqual([true, false]);
  });

  test("that were running when the user changed something are old when they come", async () => {
    const reply = deferred<NodeAnswer>();
    const { inspector, runs } = inspected({ evaluate: () => reply.promise }, ["f(x)"]);
    const paused = frame(1);
    inspector.focus(paused);
    await settled();
    const run = runs.run("f(x)", contentsOf(inspector));
    await runs.userChanged(paused.session);
    expect(inspector.contents?.results.isOld("f(x)")).toBe(false);
    reply.resolve(nodeAnswer("evaluate", tensor("f(x)")));
    await run;
    expect(inspector.contents?.results.isOld("f(x)")).toBe(true);
  });

  test("whose stop ended before they came to anything say so", async () => {
    const reply = deferred<NodeAnswer>();
    const { inspector, runs } = inspected({ evaluate: () => reply.promise }, ["f(x)"]);
    const paused = frame(1);
    inspector.focus(paused);
    await settled();
    const run = runs.run("f(x)", contentsOf(inspector));
    inspector.focus(frame(3));
    await settled();
    const refreshed = vi.fn<() => void>();
    inspector.onDidChange(refreshed);
    paused.over = true;
    reply.reject(new Cancelled());
    await run;
    expect(firstRow(inspector).description).toBe("no result: the program continued · from an earlier stop");
    expect(refreshed).toHaveBeenCalled();
  });

  test("that run are rows at once, however long they take", async () => {
    const { inspector, runs } = inspected({ evaluate: () => new Promise(() => undefined) });
    inspector.focus(frame(1));
    await runs.pin(["model(x)"]);
    expect(firstRow(inspector)).toMatchObject({ label: "model(x)", description: "running…" });
  });

  test("run in the session of the row that was clicked, whatever is looked at since", async () => {
    const answer = nodeAnswer("evaluate", tensor("rank()"));
    const { inspector, runs, ops, frames, pins } = inspected({ evaluate: () => answer }, ["rank()"]);
    inspector.focus(frame(1, { session: "rank 0" }));
    await settled();
    const { contents } = firstRow(inspector);
    inspector.focus(frame(2, { session: "rank 1" }));
    await runs.run("rank()", contents);
    expect(ops()).toEqual(["frame", "frame", "evaluate"]);
    expect(frames.map((of) => of.session.id)).toEqual(["rank 0", "rank 1", "rank 0"]);
    await settled();
    expect(firstRow(inspector).description).toBe("not evaluated yet");
    expect(pins.lastLine("rank()", session("rank 0"))).toBe("float32[2, 3] · 0…1");
  });

  test("that are unpinned before they could run do not run", async () => {
    const { inspector, runs, ops } = inspected();
    inspector.focus(frame(1));
    const pinned = runs.pin(["model(x)"]);
    runs.unpin("model(x)");
    await pinned;
    await settled();
    expect(ops()).toEqual(["frame"]);
  });

  test("that are pinned together are read at once", async () => {
    const { inspector, runs, ops } = inspected();
    inspector.focus(frame(1));
    await settled();
    await runs.pin(["a", "b", "c"]);
    expect(ops()).toEqual(["frame", "frame"]);
  });

  test("that still run are ended when they are unpinned", async () => {
    const { inspector, runs, asked } = inspected({ evaluate: () => new Promise(() => undefined) }, ["model(x)"]);
    inspector.focus(frame(1));
    await settled();
    void runs.run("model(x)", contentsOf(inspector));
    await settled();
    const stopped = asked.at(-1)?.["how"] as AbortSignal;
    expect(stopped.aborted).toBe(false);
    runs.unpin("model(x)");
    expect(stopped.aborted).toBe(true);
  });

  test("that run are cancelled, not run a second time, and can be run anew then", async () => {
    const replies = [deferred<NodeAnswer>(), deferred<NodeAnswer>()];
    const left = [...replies];
    const { inspector, runs, asked, ops } = inspected({ evaluate: () => left.shift()?.promise }, ["f(x)"]);
    inspector.focus(frame(1));
    await settled();
    const running = runs.run("f(x)", contentsOf(inspector));
    await runs.run("f(x)", contentsOf(inspector));
    expect(firstRow(inspector).can).toEqual(["copyExpression", "remove", "cancel"]);
    runs.cancel("f(x)");
    const ended = asked.at(-1)?.["how"] as AbortSignal;
    expect(ended.aborted).toBe(true);
    replies[0]?.reject(new Cancelled());
    await running;
    expect(firstRow(inspector)).toMatchObject({
      description: "not evaluated yet",
      can: expect.arrayContaining(["evaluateAgain"]),
    });
    expect(ops(), "what was run until then may have changed anything").toEqual(["frame", "evaluate", "frame"]);
    void runs.run("f(x)", contentsOf(inspector));
    expect(ops().at(-1)).toBe("evaluate");
  });

  test.each([
    ["raised", "SyntaxError: invalid syntax"],
    ["lost", "not run: the program is still busy with an earlier request"],
  ] as const)("that can't be run (%s) say why in their row", async (code, message) => {
    const fail = (): NodeAnswer => {
      throw new Refusal(code, message);
    };
    const { inspector, runs } = inspected({ evaluate: fail });
    inspector.focus(frame(1));
    await settled();
    await runs.pin(["1 +"]);
    await settled();
    expect(firstRow(inspector)).toMatchObject({ label: "1 +", description: message, tone: "alarm" });
    expect(inspector.contents?.results.get("1 +")).toEqual({ code, message });
  });

  test("are kept with the workspace", () => {
    const kept = memory();
    const pins = new Pins(kept);
    pins.add(["a.b"]);
    pins.add(["f(x)"]);
    pins.add(["a.b"]);
    pins.remove("f(x)");
    expect(new Pins(kept).all).toEqual([{ expression: "a.b", static: true }]);
    expect(new Pins(memory({ pins: "spoiled" })).all).toEqual([]);
  });
});

describe("what is known of a frame as soon as it is", () => {
  const never = new AbortController().signal;
  const always = (): boolean => true;

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("is awaited while the frame is asked for, also while it is asked for again", async () => {
    const answers = [deferred<FrameAnswer>(), deferred<FrameAnswer>()];
    const waiting = [...answers];
    const { inspector } = inspected({ frame: () => waiting.shift()?.promise });
    const first = awaitContents(inspector, 2, always, never);
    inspector.focus(frame());
    answers[0]?.resolve(frameAnswer([tensor("old")]));
    expect((await first)?.rootPage.nodes[0]?.name).toBe("old");
    void inspector.readAgain();
    const second = awaitContents(inspector, 2, always, never);
    answers[1]?.resolve(frameAnswer([tensor("new")]));
    expect((await second)?.rootPage.nodes[0]?.name).toBe("new");
  });

  test("is not awaited by who has left already", async () => {
    const { inspector } = inspected();
    expect(await awaitContents(inspector, 2, always, AbortSignal.abort())).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each<[string, number, number, boolean]>([
    ["that is asked for is waited for", 2, 9, true],
    ["that is asked for is not waited for without end", 2, 11, false],
    ["that is not looked at is soon given up", 3, 3, false],
  ])("and %s", async (_, frameId, seconds, isFound) => {
    const late = deferred<FrameAnswer>();
    const { inspector } = inspected({ frame: () => late.promise });
    inspector.focus(frame());
    const found = vi.fn<(contents: Contents | undefined) => void>();
    void awaitContents(inspector, frameId, always, never).then(found);
    await vi.advanceTimersByTimeAsync(1000 * seconds);
    expect(found).toHaveBeenCalledTimes(isFound ? 0 : 1);
    late.resolve(frameAnswer([tensor("x")]));
    await vi.runAllTimersAsync();
    expect(found.mock.calls.map(([contents]) => contents?.rootPage.nodes[0]?.name)).toEqual([
      isFound ? "x" : undefined,
    ]);
  });

  test("is nothing, without waiting, when it could not be had", async () => {
    const refused = deferred<FrameAnswer>();
    const { inspector } = inspected({ frame: () => refused.promise });
    inspector.focus(frame());
    const awaited = awaitContents(inspector, 2, always, never);
    refused.reject(new Refusal("unreachable", "there is no eval here"));
    expect(await awaited).toBeUndefined();
    expect(await awaitContents(inspector, 2, always, never)).toBeUndefined();
  });

  test("is nothing of a frame of that id in another session", async () => {
    const { inspector } = inspected();
    inspector.focus(frame());
    const awaited = awaitContents(inspector, 2, (session) => session === "other", never);
    await vi.runAllTimersAsync();
    expect(await awaited).toBeUndefined();
  });
});
