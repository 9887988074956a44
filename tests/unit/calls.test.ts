import { afterEach, describe, expect, test, vi } from "vitest";
import { EvaluateQueue, Cancelled } from "../../extension/src/debug/queue.ts";
import type { Frame } from "../../extension/src/debug/frame.ts";
import type { Session } from "../../extension/src/debug/session.ts";
import { Calls } from "../../extension/src/helper/calls.ts";
import { MARK, packed } from "../../extension/src/helper/injection.ts";
import type { Request, Watchpoint } from "../../extension/src/protocol/generated.ts";
import { deferred, frameAnswer, nodeAnswer, tensor } from "./fixtures.ts";

const bundle = { version: "v1", modules: packed("{}"), folders: [], loader: packed(""), timeOuts: packed("") };
const INJECTED = JSON.stringify({ version: "v1", python: "3.11.7", pid: 1 });
const FRAME = JSON.stringify(frameAnswer());
const NEVER = new Promise<string>(() => undefined);

interface Sent {
  readonly what: "inject" | Request;
  readonly frameId: number | undefined;
}

type Reply = (sent: Sent) => string | Promise<string>;

/** A program that answers by `reply`, and whether a frame is free by `probe`; `stop()` is its next stop. */
function program(reply: Reply, probe: (frameId: number | undefined) => Promise<string> = () => NEVER) {
  const sent: Sent[] = [];
  const session = {
    queue: new EvaluateQueue(20),
    evaluate: async (expression: string, frameId: number | undefined, onLeft = (): void => undefined) => {
      onLeft();
      expect(expression).toContain(MARK);
      const [, data] = /\.call\('([^']*)'\)/.exec(expression) ?? [];
      if (/^0\b/.test(expression)) return probe(frameId);
      const what = data === undefined ? "inject" : (JSON.parse(Buffer.from(data, "base64").toString()) as Request);
      sent.push({ what, frameId });
      return reply({ what, frameId });
    },
  };
  let stops = 0;
  const stop = (): Frame => {
    stops += 1;
    return { session, threadId: 1, frameId: 2, stop: stops, over: false } as unknown as Frame;
  };
  const log: string[] = [];
  const preferences = { digits: 3 };
  const watchpoints: Watchpoint[] = [];
  const calls = new Calls({
    bundle: () => bundle,
    log: (text) => log.push(text),
    preferences: () => preferences,
    watchpoints: () => watchpoints,
  });
  return { calls, sent, log, stop, preferences, watchpoints, session: session as unknown as Session };
}

/** What was sent, in order. The injection never names a frame. */
const ops = (sent: readonly Sent[]): string[] =>
  sent.map(({ what, frameId }) => {
    if (what === "inject") return frameId === undefined ? what : "inject on a frame";
    return frameId === undefined ? `${what.op} without a frame` : what.op;
  });

describe("calls", () => {
  afterEach(() => void vi.useRealTimers());

  test("carry what the user prefers at that moment", async () => {
    const { calls, sent, stop, preferences } = program(({ what }) => (what === "inject" ? INJECTED : FRAME));
    await calls.frame(stop(), {});
    preferences.digits = 6;
    await calls.frame(stop(), {});
    const carried = sent.flatMap(({ what }) =>
      what === "inject" || what.op === "interrupt" ? [] : [what.preferences],
    );
    expect(carried).toEqual([{ digits: 3 }, { digits: 6 }]);
  });

  test("inject the helper once, before the first", async () => {
    const { calls, sent, stop } = program(({ what }) => (what === "inject" ? INJECTED : FRAME));
    expect(await calls.frame(stop(), {})).toEqual(frameAnswer());
    await calls.frame(stop(), {});
    expect(ops(sent)).toEqual(["inject", "frame", "frame"]);
    expect(sent[1]).toMatchObject({ what: { op: "frame", version: "v1" }, frameId: 2 });
  });

  test("wait for the helper that is put in ahead of the first stop, and do not put it in again", async () => {
    const injected = deferred<string>();
    const { calls, sent, stop, session } = program(({ what }) => (what === "inject" ? injected.promise : FRAME));
    const prepared = calls.prepare(session);
    expect(ops(sent), "sent at once").toEqual(["inject"]);
    const asked = calls.frame(stop(), {});
    injected.resolve(INJECTED);
    await prepared;
    await asked;
    expect(ops(sent)).toEqual(["inject", "frame"]);
  });

  test.each([
    ["runs but does not answer what names no frame", () => "", ["inject", "inject on a frame", "frame"]],
    ["refuses it", () => Promise.reject(new Error("not yet")), ["inject", "inject", "frame"]],
  ])("put the helper in at the first stop where the debugger, ahead of it, %s", async (_, early, expected) => {
    let before = true;
    const { calls, sent, stop, session } = program(({ what }) => {
      if (what !== "inject") return FRAME;
      return before ? early() : INJECTED;
    });
    await calls.prepare(session);
    before = false;
    await calls.frame(stop(), {});
    expect(ops(sent)).toEqual(expected);
  });

  test.each([
    ["the module is gone", () => Promise.reject(new Error("KeyError: '_tensor_inspector'"))],
    ["it is another version", () => JSON.stringify({ op: "error", error: { code: "stale_helper", message: "" } })],
  ])("inject again when %s", async (_, first) => {
    let asked = 0;
    const { calls, sent, stop } = program(({ what }) => {
      if (what === "inject") return INJECTED;
      asked += 1;
      return asked === 2 ? first() : FRAME;
    });
    await calls.frame(stop(), {});
    await calls.frame(stop(), {});
    expect(ops(sent)).toEqual(["inject", "frame", "frame", "inject", "frame"]);
  });

  test("that wait for an injection which fails inject once again, not each of them", async () => {
    let injections = 0;
    const { calls, sent, stop, session } = program(({ what }) => {
      if (what !== "inject") return FRAME;
      injections += 1;
      return injections === 1 ? Promise.reject(new Error("too early")) : INJECTED;
    });
    const prepared = calls.prepare(session);
    const frame = stop();
    await Promise.all([calls.frame(frame, {}), calls.frame(frame, {}), prepared]);
    expect(ops(sent)).toEqual(["inject", "inject", "frame", "frame"]);
  });

  test("do not inject for ever", async () => {
    const stale = JSON.stringify({ op: "error", error: { code: "stale_helper", message: "" } });
    const { calls, sent, stop } = program(({ what }) => (what === "inject" ? INJECTED : stale));
    await expect(calls.frame(stop(), {})).rejects.toThrow("did not stay");
    expect(ops(sent)).toEqual(["inject", "frame"]);
  });

  test("go without a frame, by its ids, while an evaluate on the frame hangs", async () => {
    const { calls, sent, stop } = program(({ what, frameId }) => {
      if (frameId !== undefined) return NEVER;
      return what === "inject" ? INJECTED : FRAME;
    });
    const paused = stop();
    await calls.frame(paused, {});
    await calls.frame(paused, {});
    expect(ops(sent)).toEqual(["inject", "frame", "frame without a frame", "frame without a frame"]);
    expect(sent[2]?.what).toMatchObject({ at: { thread: 1, frame: 2 } });
  });

  test("try the frame again at the next stop, unless torch.compile is at work", async () => {
    for (const frameless of [false, true]) {
      let hangs = true;
      const answer = JSON.stringify(frameAnswer([], frameless ? { frameless } : {}));
      const { calls, sent, stop } = program(({ what, frameId }) => {
        if (hangs && frameId !== undefined) return NEVER;
        return what === "inject" ? INJECTED : answer;
      });
      await calls.frame(stop(), {});
      hangs = false;
      await calls.frame(stop(), {});
      expect(ops(sent).at(-1)).toBe(frameless ? "frame without a frame" : "frame");
    }
  });

  test.each([
    ["to the injection", true, ["inject"], ["inject", "frame"]],
    ["on either way", false, ["inject", "frame", "frame without a frame"], ["frame"]],
  ])("give up for this stop when nothing replies %s, and start afresh at the next", async (_, all, tried, next) => {
    let hangs = true;
    const { calls, sent, stop } = program(({ what }) => {
      if (hangs && (all || what !== "inject")) return NEVER;
      return what === "inject" ? INJECTED : FRAME;
    });
    const paused = stop();
    for (let turn = 0; turn < 2; turn += 1) {
      await expect(calls.frame(paused, {})).rejects.toMatchObject({ code: "lost" });
      expect(ops(sent)).toEqual(tried);
    }
    hangs = false;
    await calls.frame(stop(), {});
    expect(ops(sent).slice(tried.length)).toEqual(next);
  });

  test("wait for an injection under way no longer than for any reply, and go on when it has come", async () => {
    const injected = deferred<string>();
    const { calls, sent, stop, session } = program(({ what }) => (what === "inject" ? injected.promise : FRAME));
    const prepared = calls.prepare(session);
    const paused = stop();
    await expect(calls.frame(paused, {})).rejects.toMatchObject({ code: "lost" });
    expect(ops(sent), "it is still waited for").toEqual(["inject"]);
    injected.resolve(INJECTED);
    await prepared;
    await calls.frame(paused, {});
    expect(ops(sent)).toEqual(["inject", "frame"]);
  });

  test("wait long for an injection, but not again once one had no reply", async () => {
    vi.useFakeTimers();
    const { calls, stop, session } = program(() => NEVER);
    const ended = vi.fn<() => void>();
    void calls.prepare(session).then(ended);
    await vi.advanceTimersByTimeAsync(99);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toHaveBeenCalledOnce();
    const asked = expect(calls.frame(stop(), {})).rejects.toMatchObject({ code: "lost" });
    await vi.advanceTimersByTimeAsync(20);
    await asked;
    expect(vi.getTimerCount()).toBe(0);
  });

  test("wait for an injection that another stop left under way no longer than for any reply", async () => {
    const { calls, sent, stop } = program(() => NEVER);
    const left = calls.frame(stop(), {}).catch(() => undefined);
    await expect(calls.frame(stop(), {})).rejects.toMatchObject({ code: "lost" });
    expect(ops(sent)).toEqual(["inject"]);
    await left;
  });

  test("run what the user asks to be run on the frame's own thread, also where torch.compile is at work", async () => {
    const answer = JSON.stringify(frameAnswer([], { frameless: true }));
    const { calls, sent, stop } = program(({ what }) => (what === "inject" ? INJECTED : answer));
    const paused = stop();
    await calls.frame(paused, {});
    await calls.evaluate(paused, { expression: "model(x)" });
    await calls.frame(paused, {});
    expect(ops(sent)).toEqual(["inject", "frame", "evaluate", "frame without a frame"]);
  });

  test("that run a property are sent once, on the frame, also where torch.compile is at work", async () => {
    const answer = JSON.stringify(frameAnswer([], { frameless: true }));
    const { calls, sent, stop } = program(({ what }) => {
      if (what === "inject") return INJECTED;
      return what.op === "children" ? NEVER : answer;
    });
    const paused = stop();
    await calls.frame(paused, {});
    const page = { snapshot: 7, node: 3, start: 0, count: 100 };
    await expect(calls.children(paused, page, { runs: true })).rejects.toMatchObject({ code: "lost" });
    expect(ops(sent)).toEqual(["inject", "frame", "children", "interrupt without a frame"]);
    expect(sent.at(-1)).toMatchObject({ what: { op: "interrupt", request: 1 }, frameId: undefined });
    // It may still run there: what else is asked goes around it, and nothing more is run.
    await calls.frame(paused, {});
    expect(ops(sent).at(-1)).toBe("frame without a frame");
    await expect(calls.evaluate(paused, { expression: "model(x)" })).rejects.toThrow("is still busy");
    expect(ops(sent).at(-1)).toBe("frame without a frame");
  });

  test("that run something are sent to a frame again when it answers again", async () => {
    let hangs = true;
    const { calls, sent, stop } = program(
      ({ what, frameId }) => {
        if (what === "inject") return INJECTED;
        if (what.op === "evaluate") return JSON.stringify(nodeAnswer("evaluate", tensor("model(x)")));
        return hangs && frameId !== undefined ? NEVER : FRAME;
      },
      () => (hangs ? NEVER : Promise.resolve("0")),
    );
    const paused = stop();
    await calls.frame(paused, {});
    await expect(calls.evaluate(paused, { expression: "model(x)" })).rejects.toThrow("is still busy");
    hangs = false;
    await calls.evaluate(paused, { expression: "model(x)" });
    expect(ops(sent)).toEqual(["inject", "frame", "frame without a frame", "evaluate"]);
  });

  test("go around an expression that runs for long, and back to the frame when it has ended", async () => {
    const reply = deferred<string>();
    const { calls, sent, stop } = program(({ what }) => {
      if (what === "inject") return INJECTED;
      return what.op === "evaluate" ? reply.promise : FRAME;
    });
    const paused = stop();
    await calls.frame(paused, {});
    const running = calls.evaluate(paused, { expression: "model(x)" });
    await calls.frame(paused, {});
    expect(ops(sent)).toEqual(["inject", "frame", "evaluate", "frame without a frame"]);
    reply.resolve(JSON.stringify(nodeAnswer("evaluate", tensor("model(x)"))));
    await running;
    await calls.frame(paused, {});
    expect(ops(sent).at(-1)).toBe("frame");
  });

  test("end what runs when they are told to", async () => {
    const { calls, sent, stop } = program(({ what }) => {
      if (what === "inject") return INJECTED;
      return what.op === "evaluate" ? NEVER : FRAME;
    });
    const paused = stop();
    await calls.frame(paused, {});
    const unpinned = new AbortController();
    void calls.evaluate(paused, { expression: "model(x)" }, unpinned.signal);
    await new Promise((resolve) => setTimeout(resolve));
    unpinned.abort();
    expect(sent.at(-1)).toMatchObject({ what: { op: "interrupt", request: 1 }, frameId: undefined });
  });

  test("run a lens that runs models as they run an expression, and ask nothing else meanwhile", async () => {
    vi.useFakeTimers();
    const reply = deferred<string>();
    const answer = JSON.stringify(frameAnswer([], { frameless: true }));
    const { calls, sent, stop } = program(({ what }) => {
      if (what === "inject") return INJECTED;
      return what.op === "lens" ? reply.promise : answer;
    });
    const paused = stop();
    await calls.frame(paused, {});
    const cancelled = new AbortController();
    const question = { lens: "findings", values: {}, options: { run: true } };
    const running = calls.lens(paused, question, cancelled.signal);
    const asked = calls.frame(paused, {});
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ops(sent)).toEqual(["inject", "frame", "lens"]);
    cancelled.abort();
    expect(sent.at(-1)).toMatchObject({ what: { op: "interrupt", request: 1 }, frameId: undefined });
    reply.resolve(JSON.stringify({ op: "error", error: { code: "raised", message: "ended" } }));
    await expect(running).rejects.toThrow(Cancelled);
    await asked;
    expect(ops(sent).at(-1)).toBe("frame without a frame");
  });

  test("refuse all at a stop where a lens was cancelled that can't be interrupted, until it has ended", async () => {
    vi.useFakeTimers();
    const reply = deferred<string>();
    const { calls, sent, stop } = program(({ what }) => {
      if (what === "inject") return INJECTED;
      if (what.op === "interrupt") return JSON.stringify({ op: "interrupt", interrupted: true });
      return what.op === "lens" ? reply.promise : FRAME;
    });
    const paused = stop();
    const cancelled = new AbortController();
    const question = { lens: "shapes", values: {}, options: { run: true } };
    const running = calls.lens(paused, question, cancelled.signal).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(0);
    cancelled.abort();
    const waiting = calls.frame(paused, {}).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await running).toBeInstanceOf(Cancelled);
    const refused = "cancelled, but the program's code still runs and can't be interrupted: Refresh once it has ended";
    expect(await waiting).toMatchObject({ code: "busy", message: refused });
    await expect(calls.frame(paused, {})).rejects.toMatchObject({ code: "busy" });
    reply.resolve(JSON.stringify({ op: "error", error: { code: "raised", message: "ended" } }));
    await vi.advanceTimersByTimeAsync(0);
    await calls.frame(paused, {});
    expect(ops(sent).filter((op) => op !== "interrupt without a frame")).toEqual(["inject", "lens", "frame"]);
  });

  test("are told to end again where they had not begun yet", async () => {
    const replies = [false, true];
    const reply = deferred<string>();
    const { calls, sent, stop } = program(({ what }) => {
      if (what === "inject") return INJECTED;
      if (what.op === "evaluate") return reply.promise;
      if (what.op !== "interrupt") return FRAME;
      const interrupted = replies.shift() ?? false;
      if (interrupted) reply.resolve(JSON.stringify(nodeAnswer("evaluate", tensor("model(x)"))));
      return JSON.stringify({ op: "interrupt", interrupted });
    });
    const paused = stop();
    await calls.frame(paused, {});
    const unpinned = new AbortController();
    const running = calls.evaluate(paused, { expression: "model(x)" }, unpinned.signal);
    await new Promise((resolve) => setTimeout(resolve));
    unpinned.abort();
    await running.catch(() => undefined);
    expect(ops(sent).filter((op) => op.startsWith("interrupt"))).toHaveLength(2);
  });

  test.each([
    ["had not begun yet", JSON.stringify({ op: "interrupt", interrupted: false })],
    ["ran in a debugger that runs what names no frame without a reply", ""],
  ])("that were given up are told to end again where they %s, until their stop is over", async (_, reply) => {
    vi.useFakeTimers();
    const { calls, sent, stop } = program(({ what }) => {
      if (what === "inject") return INJECTED;
      return what.op === "interrupt" ? reply : what.op === "children" ? NEVER : FRAME;
    });
    const paused = stop() as Frame & { over: boolean };
    await calls.frame(paused, {});
    const page = { snapshot: 7, node: 3, start: 0, count: 100 };
    const lost = expect(calls.children(paused, page, { runs: true })).rejects.toMatchObject({ code: "lost" });
    await vi.advanceTimersByTimeAsync(20);
    await lost;
    const times = (): number => ops(sent).filter((op) => op.startsWith("interrupt")).length;
    expect(times()).toBe(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(times()).toBe(2);
    paused.over = true;
    await vi.advanceTimersByTimeAsync(1000);
    expect(times()).toBe(2);
  });

  test("that run when their stop is over are told to end", async () => {
    vi.useFakeTimers();
    const { calls, sent, stop, session } = program(({ what }) => {
      if (what === "inject") return INJECTED;
      return what.op === "evaluate" ? NEVER : FRAME;
    });
    const paused = stop() as Frame & { over: boolean };
    await calls.frame(paused, {});
    const running = expect(calls.evaluate(paused, { expression: "model(x)" })).rejects.toThrow(Cancelled);
    await vi.advanceTimersByTimeAsync(0);
    paused.over = true;
    session.queue.sweep();
    await vi.advanceTimersByTimeAsync(20);
    await running;
    expect(ops(sent).at(-1)).toBe("interrupt without a frame");
  });

  test("that wait behind what is set aside are not sent to its busy frame", async () => {
    vi.useFakeTimers();
    const { calls, sent, stop } = program(({ what }) => {
      if (what === "inject") return INJECTED;
      return what.op === "evaluate" ? NEVER : FRAME;
    });
    const paused = stop();
    await calls.frame(paused, {});
    void calls.evaluate(paused, { expression: "model(x)" });
    const second = expect(calls.evaluate(paused, { expression: "model(x)" })).rejects.toThrow("is still busy");
    await vi.advanceTimersByTimeAsync(20);
    await second;
    expect(ops(sent)).toEqual(["inject", "frame", "evaluate"]);
  });

  test("that are told to end before they were sent are not sent", async () => {
    const frameReply = deferred<string>();
    const { calls, sent, stop } = program(({ what }) => (what === "inject" ? INJECTED : frameReply.promise));
    const paused = stop();
    const asked = calls.frame(paused, {});
    const unpinned = new AbortController();
    const running = calls.evaluate(paused, { expression: "model(x)" }, unpinned.signal);
    unpinned.abort();
    frameReply.resolve(FRAME);
    await asked;
    await expect(running).rejects.toThrow(Cancelled);
    expect(ops(sent)).not.toContain("evaluate");
  });

  test.each([
    ["frame", (calls: Calls, at: Frame, signal: AbortSignal) => calls.frame(at, {}, signal)],
    [
      "children",
      (calls: Calls, at: Frame, signal: AbortSignal) =>
        calls.children(at, { snapshot: 7, node: 1, start: 0, count: 9 }, { signal }),
    ],
    ["inspect", (calls: Calls, at: Frame, signal: AbortSignal) => calls.inspect(at, { expression: "x" }, signal)],
    ["lens", (calls: Calls, at: Frame, signal: AbortSignal) => calls.lens(at, { lens: "compare", values: {} }, signal)],
  ])("for %s that are cancelled while they wait are over at once, and never sent", async (_, ask) => {
    const { calls, sent, stop } = program(({ what }) => {
      if (what === "inject") return INJECTED;
      return sent.length > 2 ? NEVER : FRAME;
    });
    const paused = stop();
    await calls.frame(paused, {});
    void calls.frame(paused, {}).catch(() => undefined);
    const cancelled = new AbortController();
    const asked = ask(calls, paused, cancelled.signal);
    const late = ask(calls, paused, cancelled.signal);
    cancelled.abort();
    await expect(asked).rejects.toThrow(Cancelled);
    await expect(late).rejects.toThrow(Cancelled);
    await expect(ask(calls, paused, cancelled.signal)).rejects.toThrow(Cancelled);
    expect(ops(sent)).toEqual(["inject", "frame", "frame"]);
  });

  test("that nobody waits for any more when their turn comes are not sent", async () => {
    const frameReply = deferred<string>();
    const replies = [INJECTED, FRAME, frameReply.promise, JSON.stringify(nodeAnswer("inspect", tensor("y")))];
    const { calls, sent, stop } = program(() => replies.shift() ?? NEVER);
    const paused = stop();
    await calls.frame(paused, {});
    const asked = calls.frame(paused, {});
    const leaving = new AbortController();
    const left = calls.inspect(paused, { expression: "x" }, leaving.signal);
    const stays = calls.inspect(paused, { expression: "y" });
    leaving.abort();
    frameReply.resolve(FRAME);
    await asked;
    await expect(left).rejects.toThrow(Cancelled);
    await stays;
    expect(ops(sent)).toEqual(["inject", "frame", "frame", "inspect"]);
  });

  test("that were sent when nobody waited for them any more are answered all the same", async () => {
    const reply = deferred<string>();
    const { calls, stop } = program(({ what }) => (what === "inject" ? INJECTED : reply.promise));
    const leaving = new AbortController();
    const asked = calls.inspect(stop(), { expression: "x" }, leaving.signal);
    setTimeout(() => {
      leaving.abort();
      reply.resolve(JSON.stringify(nodeAnswer("inspect", tensor("x"))));
    });
    expect(await asked).toMatchObject({ node: { name: "x" } });
  });

  test("that go on with a lens are not sent a second time: the first may have been answered", async () => {
    const { calls, sent, stop } = program(({ what }) => (what === "inject" ? INJECTED : NEVER));
    const asked = calls.lens(stop(), { lens: "compare", values: {}, snapshot: 1, resume: 2 });
    await expect(asked).rejects.toMatchObject({ code: "lost" });
    expect(ops(sent)).toEqual(["inject", "lens"]);
  });

  test("that run nothing are sent again on the other route", async () => {
    const { calls, sent, stop } = program(({ what, frameId }) => {
      if (frameId !== undefined) return NEVER;
      return what === "inject" ? INJECTED : FRAME;
    });
    await calls.children(stop(), { snapshot: 7, node: 3, start: 0, count: 100 });
    expect(ops(sent)).toEqual(["inject", "children", "children without a frame"]);
  });

  test("ask all on the frame where what names none gets no answer", async () => {
    const answer = JSON.stringify(frameAnswer([], { frameless: true }));
    const { calls, sent, stop } = program(({ what, frameId }) => {
      if (frameId === undefined) return "";
      return what === "inject" ? INJECTED : answer;
    });
    for (let turn = 0; turn < 2; turn += 1) await calls.frame(stop(), {});
    expect(ops(sent)).toEqual(["inject", "inject on a frame", "frame", "frame"]);
  });

  test("say why the helper can't be there", async () => {
    const { calls, sent, stop } = program(() => JSON.stringify({ error: "it needs Python 3.9" }));
    await expect(calls.frame(stop(), {})).rejects.toMatchObject({
      code: "unreachable",
      message: "it needs Python 3.9",
    });
    expect(ops(sent)).toEqual(["inject"]);
  });

  test("turn the helper's errors into refusals, and log them", async () => {
    const error = { op: "error", error: { code: "not_found", message: "no y here" } };
    const { calls, log, stop } = program(({ what }) => (what === "inject" ? INJECTED : JSON.stringify(error)));
    await expect(calls.inspect(stop(), { expression: "y" })).rejects.toMatchObject({
      code: "not_found",
      message: "no y here",
    });
    expect(log.at(-1)).toContain("no y here");
  });

  test("say that what replied is no helper", async () => {
    const { calls, stop } = program(() => "<what else>");
    await expect(calls.frame(stop(), {})).rejects.toMatchObject({ code: "unreachable" });
  });

  test("wait no second time at a stop where nothing replies, also where all is asked on the frame", async () => {
    const { calls, sent, stop } = program(({ what, frameId }) => {
      if (what !== "inject") return NEVER;
      return frameId === undefined ? "" : INJECTED;
    });
    const paused = stop();
    for (let turn = 0; turn < 2; turn += 1) {
      await expect(calls.frame(paused, {})).rejects.toMatchObject({ code: "lost" });
      expect(ops(sent)).toEqual(["inject", "inject on a frame", "frame"]);
    }
  });

  test("say what an adapter that refuses says", async () => {
    const { calls, stop } = program(() => Promise.reject(new Error("SyntaxError: old Python")));
    await expect(calls.frame(stop(), {})).rejects.toThrow("SyntaxError: old Python");
  });
});

describe("watchpoints that change", () => {
  const WATCHED = JSON.stringify({ op: "watch", watchpoints: [] });

  test("while the helper is injected, which has them as they were, are told after that", async () => {
    const injected = deferred<string>();
    const { calls, sent, session, watchpoints } = program(({ what }) =>
      what === "inject" ? injected.promise : WATCHED,
    );
    const prepared = calls.prepare(session);
    watchpoints.push({ id: 1, what: "nan", gear: "exact" });
    const watched = calls.watch(session, undefined);
    injected.resolve(INJECTED);
    await Promise.all([prepared, watched]);
    expect(ops(sent)).toEqual(["inject", "watch without a frame"]);
  });

  test("where the helper is not to be injected yet, are told with that", async () => {
    const { calls, sent, session } = program(() => WATCHED);
    await calls.watch(session, undefined);
    expect(sent).toEqual([]);
  });

  test("as the program runs on are told without the frame that they were meant for", async () => {
    const { calls, sent, session, stop } = program(({ what }) => (what === "inject" ? INJECTED : WATCHED));
    await calls.prepare(session);
    await calls.watch(session, Object.assign(stop(), { over: true }));
    expect(ops(sent)).toEqual(["inject", "watch without a frame"]);
  });
});
