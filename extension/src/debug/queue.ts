/** Thrown where the adapter did not reply in time, or its session ended. */
export class NoReply extends Error {
  override readonly name = "NoReply";
}

/** Thrown where nobody needs the answer any more: it was cancelled, or the stop that it was for is over. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

/** A request for the queue to send. It has a time limit unless it has `onAside` or `onStuck`: then the user asked for it to run. */
export interface Job {
  /** Sends the request, and calls `onLeft` once it has left for the adapter; its promise is the reply. */
  readonly send: (onLeft: () => void) => PromiseLike<string>;
  /** Whether the stop that it is for is over. */
  readonly over: () => boolean;
  /** Aborted when nobody waits any more: a request that was not sent by then is dropped. */
  readonly signal?: AbortSignal | undefined;
  /** How many times the usual limit it may take: 1 by default. */
  readonly patience?: number;
  /** It asks for little, so that how long its reply takes tells how much time the machine has for the program. */
  readonly isShort?: boolean;
  /** Called when it has taken the usual limit without a reply: from then on others are sent beside it. */
  readonly onAside?: () => void;
  /**
   * Set for a request during which nothing else may be read: others wait for it without a limit, until it is cancelled or
   * its stop is over. From then on it has the usual limit; `onStuck` is called where it has no reply within that either,
   * before another request is sent.
   */
  readonly onStuck?: () => void;
}

/**
 * How many times the usual limit a request may take to leave: a window that is busy, as with painting a stop, holds it back.
 * That is no delay of the program, and a second one would be held back too, and then be answered beside the first.
 */
const LEAVE_FACTOR = 5;

/** On a machine that has little time for the program, a reply may take so many times as long as a recent short one took. */
const SLOW_FACTOR = 5;
/** Milliseconds, and no more, for which a reply is waited for on such a machine. */
const LONGEST_LIMIT = 10_000;
/** How much of the slowest recent reply counts after another one. */
const REMEMBERED = 0.5;

interface Waiting extends Job {
  readonly resolve: (reply: string) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Sends one evaluate at a time: debugpy answers several on a frame 0.2 s apart, and nothing at all after a `cancel`. A
 * request is given up when its time is over, and its late reply ignored. One that the user asked to be run has no limit:
 * after a while others are sent beside it, or, if nothing may be read meanwhile, wait for it.
 */
export class EvaluateQueue {
  readonly #usual: number;
  /** Milliseconds that the slowest of the recent replies took. */
  #slowest = 0;
  readonly #waiting: Waiting[] = [];
  /** Requests that were sent and not answered yet. */
  readonly #sent = new Set<SentJob>();
  /** The one among them that others wait for. */
  #current: SentJob | undefined;

  constructor(limit = 2000) {
    this.#usual = limit;
  }

  /** Milliseconds after which the reply to a request that has left is not waited for any more. */
  get limit(): number {
    return Math.max(this.#usual, Math.min(LONGEST_LIMIT, SLOW_FACTOR * this.#slowest));
  }

  ask(job: Job): Promise<string> {
    const { signal } = job;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const waiting = { ...job, resolve, reject };
    const drop = (): void => this.#drop(waiting);
    this.#waiting.push(waiting);
    if (signal?.aborted === true) drop();
    else signal?.addEventListener("abort", drop);
    this.#sendNext();
    // A signal may outlive its request: all slices of a lens have one.
    return promise.finally(() => signal?.removeEventListener("abort", drop));
  }

  /** A stop has ended: what waits for it is dropped unsent, and what was sent for it gets no more unlimited time. */
  sweep(): void {
    for (const job of this.#waiting.splice(0)) {
      if (job.over()) job.reject(new Cancelled());
      else this.#waiting.push(job);
    }
    for (const sent of this.#sent) if (sent.job.over()) sent.limitTime();
  }

  /** Nobody waits for it any more: it is not sent, or, if it was, gets the usual limit. */
  #drop(job: Waiting): void {
    const at = this.#waiting.indexOf(job);
    if (at < 0) {
      if (job.onStuck !== undefined) [...this.#sent].find((sent) => sent.job === job)?.limitTime();
      return;
    }
    this.#waiting.splice(at, 1);
    job.reject(new Cancelled());
  }

  #sendNext(): void {
    if (this.#current !== undefined) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    if (job.over()) {
      job.reject(new Cancelled());
      this.#sendNext();
      return;
    }
    const sent = new SentJob(job, this.#usual, this.limit, {
      onRelease: () => this.#release(sent),
      onReply: (taken) => (this.#slowest = Math.max(taken, REMEMBERED * this.#slowest)),
    });
    this.#current = sent;
    this.#sent.add(sent);
    sent.send();
  }

  /** Others need not wait for it any more. */
  #release(sent: SentJob): void {
    if (sent.done) this.#sent.delete(sent);
    if (this.#current !== sent) return;
    this.#current = undefined;
    this.#sendNext();
  }
}

/** What a request tells the queue. */
interface Told {
  /** It is done, or is set aside. */
  readonly onRelease: () => void;
  /** Its reply came, so many milliseconds after it had left. */
  readonly onReply: (taken: number) => void;
}

/** A request from when it is sent until it is answered or given up. */
class SentJob {
  readonly job: Waiting;
  readonly #usual: number;
  /** The usual limit, or a longer one on a slow machine. */
  readonly #limit: number;
  readonly #told: Told;
  #done = false;
  #hasLeft = false;
  #left = 0;
  /** Runs while its time is limited. */
  #timeout: NodeJS.Timeout | undefined;
  #aside: NodeJS.Timeout | undefined;

  constructor(job: Waiting, usual: number, limit: number, told: Told) {
    this.job = job;
    this.#usual = usual;
    this.#limit = limit;
    this.#told = told;
  }

  get done(): boolean {
    return this.#done;
  }

  send(): void {
    const { job } = this;
    if (job.onAside) this.#aside = setTimeout(() => this.#setAside(), this.#usual);
    else if (job.onStuck === undefined) this.limitTime();
    job
      .send(() => this.#leave())
      .then(
        (reply) => {
          // One that came too late tells most of all that the limit was too short.
          if (this.#hasLeft && job.isShort === true) this.#told.onReply(Date.now() - this.#left);
          this.#finish(() => job.resolve(reply));
        },
        (reason: unknown) => this.#finish(() => job.reject(reason)),
      );
  }

  /** Gives it a time limit, unless it has one. */
  limitTime(): void {
    const { patience = 1 } = this.job;
    const factor = this.#hasLeft ? patience : Math.max(patience, LEAVE_FACTOR);
    this.#timeout ??= setTimeout(() => this.#giveUp(), Math.max(this.#usual * factor, this.#limit));
  }

  /** It has left for the adapter: from now on it may take the usual limit. */
  #leave(): void {
    this.#hasLeft = true;
    this.#left = Date.now();
    if (this.#done || this.#timeout === undefined) return;
    clearTimeout(this.#timeout);
    this.#timeout = undefined;
    this.limitTime();
  }

  #setAside(): void {
    this.job.onAside?.();
    this.#told.onRelease();
  }

  #giveUp(): void {
    this.job.onStuck?.();
    this.#finish(() => this.job.reject(new NoReply("no reply")));
  }

  #finish(settle: () => void): void {
    if (this.#done) return;
    this.#done = true;
    clearTimeout(this.#timeout);
    clearTimeout(this.#aside);
    if (this.job.over()) this.job.reject(new Cancelled());
    else settle();
    this.#told.onRelease();
  }
}
