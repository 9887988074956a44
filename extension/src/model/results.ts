import type { Failure, NodeAnswer } from "../protocol/generated.ts";

/** What running an expression came to, or that it still runs. */
export type Result = NodeAnswer | Failure | "running";

/** What expressions that were run in one frame at one stop came to. */
export class Results {
  readonly #all = new Map<string, Result>();
  /** Expressions that would perhaps come to something else now. */
  readonly #old = new Set<string>();

  get(expression: string): Result | undefined {
    return this.#all.get(expression);
  }

  set(expression: string, result: Result): void {
    this.#all.set(expression, result);
    this.#old.delete(expression);
  }

  isOld(expression: string): boolean {
    return this.#old.has(expression);
  }

  /** Something was changed, or run, which may change anything. */
  age(): void {
    for (const [expression, result] of this.#all) if (result !== "running") this.#old.add(expression);
  }
}
