/** The adapter did not reply in time, or its session ended. */
export class Lost extends Error {
  override readonly name = "Lost";
}

/** The stop that the request was for is over; nobody needs the answer. */
export class Over extends Error {
  override readonly name = "Over";
}

export interface Job {
  /** Sends the request; its promise is the reply. */
  readonly send: () => PromiseLike<string>;
  /** Whether the stop that it is for is over. */
  readonly over: () => boolean;
  /** Whether it may take as long as it likes: the user asked for it to run. */
  readonly unlimited?: boolean;
}

interface Waiting extends Job {
  readonly resolve: (reply: string) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * One evaluate at a time. debugpy answers what is pipelined on a frame 0.2 s apart, and a `cancel` bricks it, so a
 * request is either waited for, or given up and its late reply ignored.
 */
export class EvaluateQueue {
  readonly #limit: number;
  readonly #waiting: Waiting[] = [];
  #busy = false;
  /** Starts the time limit of the request under way, if it has none yet. */
  #hurry: (() => void) | undefined;

  constructor(limit = 2000) {
    this.#limit = limit;
  }

  ask(job: Job): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...job, resolve, reject });
      this.#next();
    });
  }

  /** A stop has ended: what is queued for it is dropped unsent, and what is under way gets no more unlimited time. */
  sweep(): void {
    for (const job of this.#waiting.splice(0)) {
      if (job.over()) job.reject(new Over());
      else this.#waiting.push(job);
    }
    this.#hurry?.();
  }

  #next(): void {
    if (this.#busy) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    if (job.over()) {
      job.reject(new Over());
      this.#next();
      return;
    }
    this.#busy = true;
    let timer: NodeJS.Timeout | undefined;
    let done = false;
    const finish = (settle: () => void): void => {
      if (done) return;
      done = true;
      clearTimeout(timer);
      this.#busy = false;
      this.#hurry = undefined;
      if (job.over()) job.reject(new Over());
      else settle();
      this.#next();
    };
    this.#hurry = (): void => {
      timer ??= setTimeout(() => finish(() => job.reject(new Lost("no reply"))), this.#limit);
    };
    if (job.unlimited !== true) this.#hurry();
    job.send().then(
      (reply) => finish(() => job.resolve(reply)),
      (reason: unknown) => finish(() => job.reject(reason)),
    );
  }
}
