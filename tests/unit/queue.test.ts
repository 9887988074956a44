import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EvaluateQueue, Lost, Over } from "../../extension/src/debug/queue.ts";
import { deferred } from "./fixtures.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A job that notes when it is sent, and replies when told to. */
function job(sent: string[], name: string, more: { over?: () => boolean; unlimited?: boolean } = {}) {
  const reply = deferred<string>();
  const send = (): Promise<string> => {
    sent.push(name);
    return reply.promise;
  };
  return { reply, job: { send, over: more.over ?? (() => false), unlimited: more.unlimited ?? false } };
}

describe("the evaluate queue", () => {
  test("sends the next request only when the last has its reply", async () => {
    const [queue, sent] = [new EvaluateQueue(), [] as string[]];
    const [a, b] = [job(sent, "a"), job(sent, "b")];
    const answers = Promise.all([queue.ask(a.job), queue.ask(b.job)]);
    expect(sent).toEqual(["a"]);
    a.reply.resolve("A");
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual(["a", "b"]);
    b.reply.resolve("B");
    expect(await answers).toEqual(["A", "B"]);
  });

  test("goes on after a refusal", async () => {
    const [queue, sent] = [new EvaluateQueue(), [] as string[]];
    const [a, b] = [job(sent, "a"), job(sent, "b")];
    const first = queue.ask(a.job).catch((error: unknown) => String(error));
    const second = queue.ask(b.job);
    a.reply.reject(new Error("NameError: x"));
    b.reply.resolve("B");
    expect([await first, await second]).toEqual(["Error: NameError: x", "B"]);
  });

  test("gives a request up after 2 s, and ignores its late reply", async () => {
    const [queue, sent] = [new EvaluateQueue(), [] as string[]];
    const [a, b] = [job(sent, "a"), job(sent, "b")];
    const first = queue.ask(a.job).catch((error: unknown) => error);
    const second = queue.ask(b.job);
    await vi.advanceTimersByTimeAsync(1999);
    expect(sent).toEqual(["a"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await first).toBeInstanceOf(Lost);
    expect(sent).toEqual(["a", "b"]);
    a.reply.resolve("too late");
    b.reply.resolve("B");
    expect(await second).toBe("B");
  });

  test("waits for what the user asked to run as long as its stop lasts", async () => {
    const [queue, sent, stop] = [new EvaluateQueue(), [] as string[], { over: false }];
    const a = job(sent, "a", { unlimited: true, over: () => stop.over });
    const b = job(sent, "b");
    const first = queue.ask(a.job).catch((error: unknown) => error);
    void queue.ask(b.job);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toEqual(["a"]);
    stop.over = true;
    queue.sweep();
    await vi.advanceTimersByTimeAsync(2000);
    expect(await first).toBeInstanceOf(Over);
    expect(sent).toEqual(["a", "b"]);
  });

  test("drops unsent what was asked for a stop that is over", async () => {
    const [queue, sent, stop] = [new EvaluateQueue(), [] as string[], { over: false }];
    const a = job(sent, "a");
    const stale = [job(sent, "b", { over: () => stop.over }), job(sent, "c", { over: () => stop.over })];
    void queue.ask(a.job);
    const dropped = stale.map((one) => queue.ask(one.job).catch((error: unknown) => error));
    stop.over = true;
    queue.sweep();
    expect(await Promise.all(dropped)).toEqual([new Over(), new Over()]);
    a.reply.resolve("A");
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual(["a"]);
  });

  test("drops a reply that comes after its stop", async () => {
    const [queue, stop] = [new EvaluateQueue(), { over: false }];
    const a = job([], "a", { over: () => stop.over });
    const answer = queue.ask(a.job).catch((error: unknown) => error);
    stop.over = true;
    a.reply.resolve("A");
    expect(await answer).toBeInstanceOf(Over);
  });
});
