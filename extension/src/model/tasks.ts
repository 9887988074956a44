import type { Inspector } from "./inspector.ts";

/** Between two redrawings of the tree for progress alone: often enough to follow, and little flicker. */
const REDRAW_INTERVAL_MS = 500;

/** How long a stop must last before questions are asked automatically: not while the user steps on. */
export const ASK_DELAY_MS = 150;

/** Lenses that are being asked, for questions or for findings: each can be ended, and the tree shows their progress. */
export class Tasks<One extends { readonly abort: AbortController }> {
  readonly #inspector: Pick<Inspector, "fireDidChange">;
  readonly #onEnd: (task: One) => void;
  readonly #tasks = new Set<One>();
  #redrawn = 0;

  /** `onEnd` is called for one that ends without an answer. */
  constructor(inspector: Pick<Inspector, "fireDidChange">, onEnd: (task: One) => void) {
    this.#inspector = inspector;
    this.#onEnd = onEnd;
  }

  begin(task: One): void {
    this.#tasks.add(task);
  }

  has(task: One): boolean {
    return this.#tasks.has(task);
  }

  find(isMeant: (task: One) => boolean): One | undefined {
    return [...this.#tasks].find(isMeant);
  }

  /** The task is done. Returns false where it was ended before. */
  finish(task: One): boolean {
    return this.#tasks.delete(task);
  }

  end(isUnwanted: (task: One) => boolean): void {
    for (const task of [...this.#tasks].filter(isUnwanted)) {
      this.#tasks.delete(task);
      this.#onEnd(task);
      task.abort.abort();
    }
  }

  /** A task has made progress, which is shown soon. */
  redraw(): void {
    if (Date.now() - this.#redrawn < REDRAW_INTERVAL_MS) return;
    this.redrawNow();
  }

  redrawNow(): void {
    this.#redrawn = Date.now();
    this.#inspector.fireDidChange();
  }
}
