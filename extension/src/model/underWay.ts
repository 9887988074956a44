import type { Inspector } from "./inspector.ts";

/** Milliseconds between two redrawings of the tree that only tell how far one is: it can be followed, and flickers little. */
const REDRAWN = 500;

/** Lenses under way: each can be ended, and now and then the tree is redrawn to tell how far they are. */
export class UnderWay<Task extends { readonly abort: AbortController }> {
  readonly #inspector: Pick<Inspector, "changed">;
  readonly #onEnd: (task: Task) => void;
  readonly #tasks = new Set<Task>();
  #redrawn = 0;

  /** `onEnd` forgets how far one is that comes to nothing. */
  constructor(inspector: Pick<Inspector, "changed">, onEnd: (task: Task) => void) {
    this.#inspector = inspector;
    this.#onEnd = onEnd;
  }

  begin(task: Task): void {
    this.#tasks.add(task);
  }

  has(task: Task): boolean {
    return this.#tasks.has(task);
  }

  find(isMeant: (task: Task) => boolean): Task | undefined {
    return [...this.#tasks].find(isMeant);
  }

  /** It has come to its end by itself. False where it was ended before. */
  finish(task: Task): boolean {
    return this.#tasks.delete(task);
  }

  end(isUnwanted: (task: Task) => boolean): void {
    for (const task of [...this.#tasks].filter(isUnwanted)) {
      this.#tasks.delete(task);
      this.#onEnd(task);
      task.abort.abort();
    }
  }

  /** One is further now, which is shown before long. */
  redraw(): void {
    if (Date.now() - this.#redrawn < REDRAWN) return;
    this.redrawNow();
  }

  redrawNow(): void {
    this.#redrawn = Date.now();
    this.#inspector.changed();
  }
}
