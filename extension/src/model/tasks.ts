import type { Inspector } from "./inspector.ts";

/** Milliseconds between two redrawings of the tree for progress alone: often enough to follow, and little flicker. */
const REDRAWN = 500;

/** Milliseconds that a stop must last before questions are asked automatically: not while the user steps on. */
export const STANDING = 150;

/** Lenses being asked: each can be ended. From time to time the tree is redrawn to show their progress. */
export class Tasks<One extends { readonly abort: AbortController }> {
  readonly #inspector: Pick<Inspector, "changed">;
  readonly #onEnd: (task: One) => void;
  readonly #tasks = new Set<One>();
  #redrawn = 0;

  /** `onEnd` is called for one that ends without an answer. */
  constructor(inspector: Pick<Inspector, "changed">, onEnd: (task: One) => void) {
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
    if (Date.now() - this.#redrawn < REDRAWN) return;
    this.redrawNow();
  }

  redrawNow(): void {
    this.#redrawn = Date.now();
    this.#inspector.changed();
  }
}
