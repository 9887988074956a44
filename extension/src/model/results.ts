import type { Failure, NodeAnswer } from "../protocol/generated.ts";

/** What running an expression came to, or that it still runs. */
export type Result = NodeAnswer | Failure | "running";

/** What expressions that were run in one frame at one stop came to. */
export class Results {
  readonly #all = new Map<string, Result>();
  /** Expressions that would perhaps come to something else now, or will have when they come. */
  readonly #old = new Set<string>();

  get(expression: string): Result | undefined {
    return this.#all.get(expression);
  }

  set(expression: string, result: Result): void {
    // What comes of a run is as old as the run.
    if (result === "running" || this.#all.get(expression) !== "running") this.#old.delete(expression);
    this.#all.set(expression, result);
  }

  isOld(expression: string): boolean {
    return this.#old.has(expression) && this.#all.get(expression) !== "running";
  }

  /** Something was changed, or run, which may change anything but what running it came to, if that was here. */
  age(ran?: string): void {
    for (const expression of this.#all.keys()) if (expression !== ran) this.#old.add(expression);
  }
}
