/** Thrown where the adapter did not reply in time, or its session ended. */
export class NoReply extends Error {
  override readonly name = "NoReply";
}

/** Thrown where nobody needs the answer any more: it was cancelled, or the stop that it was for is over. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

export interface Job {
  /** Sends the request, and calls `onLeft` when it is on its way to the adapter; its promise is the reply. */
  readonly send: (onLeft: () => void) => PromiseLike<string>;
  /** Whether the stop that it is for is over. */
  readonly over: () => boolean;
  /** Aborted when nobody waits any more: a request that was not sent by then is dropped. */
  readonly signal?: AbortSignal | undefined;
  /** How many times the usual limit it may take: 1 by default. */
  readonly patience?: number;
  /**
   * Whether it may take as long as it likes: the user asked for it to run. Others need not wait for it after a while,
   * which is said by calling this.
   */
  readonly onAside?: () => void;
  /**
   * The same, but others wait for it: what they would read is not as it was while it runs. Once nobody waits for it, or its
   * stop is over, it has the usual limit, and where it does not reply within that, this is called before another is sent.
   */
  readonly onStuck?: () => void;
}

/**
 * How many times the usual limit a request may take to leave: a window that is busy, as with painting a stop, holds it back.
 * That is no delay of the program, and a second one would be held back too, and then be answered beside the first.
 */
const LEAVING = 5;

interface Waiting extends Job {
  readonly resolve: (reply: string) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * One evaluate at a time. debugpy answers what is pipelined on a frame 0.2 s apart, and nothing at all after a `cancel`, so a
 * request is either waited for, or given up and its late reply ignored, or set aside if it may take its time, unless
 * it must be alone.
 */
export class EvaluateQueue {
  /** Milliseconds after which the reply to a request that has left is not waited for any more. */
  readonly limit: number;
  readonly #waiting: Waiting[] = [];
  #busy = false;
  /** Requests under way, with what starts their time limit if they have none yet. */
  readonly #underWay = new Map<Job, () => void>();

  constructor(limit = 2000) {
    this.limit = limit;
  }

  ask(job: Job): Promise<string> {
    const { signal } = job;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const waiting = { ...job, resolve, reject };
    const drop = (): void => this.#drop(waiting);
    this.#waiting.push(waiting);
    if (signal?.aborted === true) drop();
    else signal?.addEventListener("abort", drop);
    this.#next();
    // One signal is that of all slices of a lens.
    return promise.finally(() => signal?.removeEventListener("abort", drop));
  }

  /** A stop has ended: what is queued for it is dropped unsent, and what is under way for it gets no more unlimited time. */
  sweep(): void {
    for (const job of this.#waiting.splice(0)) {
      if (job.over()) job.reject(new Cancelled());
      else this.#waiting.push(job);
    }
    for (const [job, limitTime] of this.#underWay) if (job.over()) limitTime();
  }

  /** If it still waits, it is not sent; if others wait for it, they do so no longer than usual. */
  #drop(job: Waiting): void {
    const at = this.#waiting.indexOf(job);
    if (at < 0) {
      if (job.onStuck !== undefined) this.#underWay.get(job)?.();
      return;
    }
    this.#waiting.splice(at, 1);
    job.reject(new Cancelled());
  }

  #next(): void {
    if (this.#busy) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    if (job.over()) {
      job.reject(new Cancelled());
      this.#next();
      return;
    }
    this.#busy = true;
    let limit: NodeJS.Timeout | undefined;
    let busy = true;
    let done = false;
    const release = (): void => {
      if (!busy) return;
      busy = this.#busy = false;
      this.#next();
    };
    const finish = (settle: () => void): void => {
      if (done) return;
      done = true;
      clearTimeout(limit);
      clearTimeout(aside);
      this.#underWay.delete(job);
      if (job.over()) job.reject(new Cancelled());
      else settle();
      release();
    };
    const { onAside, onStuck, patience = 1 } = job;
    let most = this.limit * Math.max(patience, LEAVING);
    const lose = (): void => {
      onStuck?.();
      finish(() => job.reject(new NoReply("no reply")));
    };
    const limitTime = (): void => {
      limit ??= setTimeout(lose, most);
    };
    const onLeft = (): void => {
      most = this.limit * patience;
      if (done || limit === undefined) return;
      clearTimeout(limit);
      limit = setTimeout(lose, most);
    };
    const setAside = (): void => {
      onAside?.();
      release();
    };
    const aside = onAside && setTimeout(setAside, this.limit);
    if (onAside === undefined && onStuck === undefined) limitTime();
    this.#underWay.set(job, limitTime);
    job.send(onLeft).then(
      (reply) => finish(() => job.resolve(reply)),
      (reason: unknown) => finish(() => job.reject(reason)),
    );
  }
}
