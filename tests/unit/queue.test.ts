import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EvaluateQueue, type Job, NoReply, Cancelled } from "../../extension/src/debug/queue.ts";
import { deferred } from "./fixtures.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A job that notes when it is sent, leaves at once, and replies when told to. */
function job(sent: string[], name: string, more: Partial<Job> = {}) {
  const reply = deferred<string>();
  const send: Job["send"] = (onLeft) => {
    sent.push(name);
    onLeft();
    return reply.promise;
  };
  return { reply, job: { send, over: () => false, ...more } };
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

  test("leaves nothing behind at a signal that outlasts its requests, answered, refused or dropped", async () => {
    const [queue, sent, { signal }] = [new EvaluateQueue(), [] as string[], new AbortController()];
    const [a, b, c] = [
      job(sent, "a", { signal }),
      job(sent, "b", { signal }),
      job(sent, "c", { signal, over: () => true }),
    ];
    const ended = Promise.allSettled([a, b, c].map(({ job: one }) => queue.ask(one)));
    expect(getEventListeners(signal, "abort")).toHaveLength(3);
    a.reply.resolve("A");
    b.reply.reject(new Error("NameError: x"));
    await ended;
    expect(getEventListeners(signal, "abort")).toEqual([]);
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

  test("waits longer where replies to short requests were slow, and as usual again once they are not", async () => {
    const [queue, sent] = [new EvaluateQueue(), [] as string[]];
    const ask = async (taken: number, more: Partial<Job> = { isShort: true }): Promise<string> => {
      const one = job(sent, String(taken), more);
      const reply = queue.ask(one.job).catch(() => "given up");
      await vi.advanceTimersByTimeAsync(taken);
      one.reply.resolve("reply");
      await vi.advanceTimersByTimeAsync(0);
      return reply;
    };
    expect(await ask(1900, {})).toBe("reply");
    expect(queue.limit, "a long one says nothing").toBe(2000);
    expect(await ask(2500), "a machine that has suddenly no time").toBe("given up");
    expect(queue.limit, "the late reply counts").toBe(10_000);
    expect(await ask(2500)).toBe("reply");
    for (let at = 0; at < 4; at += 1) expect(await ask(0)).toBe("reply");
    expect(queue.limit).toBe(2000);
  });

  test("sets code of the program aside after the usual time, however slow the machine is", async () => {
    const [queue, sent] = [new EvaluateQueue(), [] as string[]];
    const slow = job(sent, "slow", { isShort: true });
    const first = queue.ask(slow.job);
    await vi.advanceTimersByTimeAsync(1500);
    slow.reply.resolve("slow");
    await first;
    const onAside = vi.fn();
    const runs = job(sent, "runs", { onAside });
    void queue.ask(runs.job);
    await vi.advanceTimersByTimeAsync(2000);
    expect(onAside).toHaveBeenCalledOnce();
  });

  test("gives a request up after 2 s, and ignores its late reply", async () => {
    const [queue, sent] = [new EvaluateQueue(), [] as string[]];
    const [a, b] = [job(sent, "a"), job(sent, "b")];
    const first = queue.ask(a.job).catch((error: unknown) => error);
    const second = queue.ask(b.job);
    await vi.advanceTimersByTimeAsync(1999);
    expect(sent).toEqual(["a"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await first).toBeInstanceOf(NoReply);
    expect(sent).toEqual(["a", "b"]);
    a.reply.resolve("too late");
    b.reply.resolve("B");
    expect(await second).toBe("B");
  });

  test("waits anew once a request has left: a window that is busy had held it back, not the program", async () => {
    const queue = new EvaluateQueue();
    const reply = deferred<string>();
    let onLeft = (): void => undefined;
    const send: Job["send"] = (left) => ((onLeft = left), reply.promise);
    const answer = queue.ask({ send, over: () => false });
    await vi.advanceTimersByTimeAsync(9500);
    onLeft();
    await vi.advanceTimersByTimeAsync(1999);
    reply.resolve("A");
    expect(await answer).toBe("A");
  });

  test("gives up a request that has left 2 s after that", async () => {
    const queue = new EvaluateQueue();
    const send: Job["send"] = (onLeft) => (setTimeout(onLeft, 1500), new Promise(() => undefined));
    const lost = vi.fn<() => void>();
    queue.ask({ send, over: () => false }).catch(lost);
    await vi.advanceTimersByTimeAsync(3499);
    expect(lost).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(lost).toHaveBeenCalledWith(expect.any(NoReply));
  });

  test("gives up a request that has not left in 10 s", async () => {
    const lost = vi.fn<() => void>();
    new EvaluateQueue().ask({ send: () => new Promise(() => undefined), over: () => false }).catch(lost);
    await vi.advanceTimersByTimeAsync(9999);
    expect(lost).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(lost).toHaveBeenCalledWith(expect.any(NoReply));
  });

  test("waits longer for what is known to take longer", async () => {
    const queue = new EvaluateQueue();
    const a = job([], "a", { patience: 5 });
    const answer = queue.ask(a.job);
    await vi.advanceTimersByTimeAsync(9999);
    a.reply.resolve("A");
    expect(await answer).toBe("A");
    const lost = queue.ask(job([], "b", { patience: 5 }).job).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await lost).toBeInstanceOf(NoReply);
  });

  test("waits for what the user asked to run as long as its stop lasts, and after 2 s sets it aside for others", async () => {
    const [queue, sent, stop] = [new EvaluateQueue(), [] as string[], { over: false }];
    const onAside = vi.fn<() => void>();
    const a = job(sent, "a", { onAside, over: () => stop.over });
    const [b, c] = [job(sent, "b"), job(sent, "c")];
    const first = queue.ask(a.job).catch((error: unknown) => error);
    const others = Promise.all([queue.ask(b.job), queue.ask(c.job)]);
    await vi.advanceTimersByTimeAsync(1999);
    expect(sent).toEqual(["a"]);
    expect(onAside).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(onAside).toHaveBeenCalledOnce();
    expect(sent).toEqual(["a", "b"]);
    b.reply.resolve("B");
    await vi.advanceTimersByTimeAsync(0);
    c.reply.resolve("C");
    expect(await others).toEqual(["B", "C"]);
    await vi.advanceTimersByTimeAsync(60_000);
    stop.over = true;
    queue.sweep();
    await vi.advanceTimersByTimeAsync(2000);
    expect(await first).toBeInstanceOf(Cancelled);
  });

  test("gives what runs for one stop its time when another stop ends", async () => {
    const [queue, stop] = [new EvaluateQueue(), { over: false }];
    const a = job([], "a", { onAside: () => undefined, over: () => stop.over });
    const answer = queue.ask(a.job);
    queue.sweep();
    await vi.advanceTimersByTimeAsync(60_000);
    a.reply.resolve("A");
    expect(await answer).toBe("A");
  });

  test("lets others wait for what must be alone until it is cancelled, and 2 s longer", async () => {
    const [queue, sent, cancelling] = [new EvaluateQueue(), [] as string[], new AbortController()];
    const onStuck = vi.fn<() => void>(() => void sent.push("stuck"));
    const { signal } = cancelling;
    const a = job(sent, "a", { onStuck, signal, over: () => signal.aborted });
    const first = queue.ask(a.job).catch((error: unknown) => error);
    void queue.ask(job(sent, "b").job);
    await vi.advanceTimersByTimeAsync(60_000);
    cancelling.abort();
    await vi.advanceTimersByTimeAsync(1999);
    expect(sent).toEqual(["a"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await first).toBeInstanceOf(Cancelled);
    expect(sent, "that it does not end is said before another is sent").toEqual(["a", "stuck", "b"]);
  });

  test("does not set aside what replies soon", async () => {
    const [queue, onAside] = [new EvaluateQueue(), vi.fn<() => void>()];
    const a = job([], "a", { onAside });
    const answer = queue.ask(a.job);
    a.reply.resolve("A");
    expect(await answer).toBe("A");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(onAside).not.toHaveBeenCalled();
  });

  test("drops unsent what was asked for a stop that is over", async () => {
    const [queue, sent, stop] = [new EvaluateQueue(), [] as string[], { over: false }];
    const a = job(sent, "a");
    const stale = [job(sent, "b", { over: () => stop.over }), job(sent, "c", { over: () => stop.over })];
    void queue.ask(a.job);
    const dropped = stale.map((one) => queue.ask(one.job).catch((error: unknown) => error));
    stop.over = true;
    queue.sweep();
    expect(await Promise.all(dropped)).toEqual([new Cancelled(), new Cancelled()]);
    a.reply.resolve("A");
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual(["a"]);
  });

  test("drops what is cancelled while it waits, at once and alone", async () => {
    const [queue, sent, cancelled] = [new EvaluateQueue(), [] as string[], new AbortController()];
    const { signal } = cancelled;
    const [a, b, c] = [job(sent, "a", { signal }), job(sent, "b", { signal }), job(sent, "c")];
    const answers = [a, b, c].map(({ job: one }) => queue.ask(one));
    cancelled.abort();
    await expect(answers[1]).rejects.toThrow(Cancelled);
    await expect(queue.ask(job(sent, "d", { signal }).job)).rejects.toThrow(Cancelled);
    a.reply.resolve("A");
    c.reply.resolve("C");
    expect([await answers[0], await answers[2]], "what was sent is waited for").toEqual(["A", "C"]);
    expect(sent).toEqual(["a", "c"]);
  });

  test("drops a reply that comes after its stop", async () => {
    const [queue, stop] = [new EvaluateQueue(), { over: false }];
    const a = job([], "a", { over: () => stop.over });
    const answer = queue.ask(a.job).catch((error: unknown) => error);
    stop.over = true;
    a.reply.resolve("A");
    expect(await answer).toBeInstanceOf(Cancelled);
  });
});
