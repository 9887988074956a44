import type { Frame } from "../debug/frame.ts";
import type { Session } from "../debug/session.ts";
import type { NodeAnswer } from "../protocol/generated.ts";
import type { Failure } from "./failure.ts";

/** The result of running an expression, or that it still runs. */
type Result = NodeAnswer | Failure | "running";

/** Results of the expressions that were run in one frame at one stop. */
export class FrameResults {
  readonly #all = new Map<string, Result>();
  /** Expressions whose results may be out of date: `f(x)`, where the user has set x since it was begun. */
  readonly #old = new Set<string>();
  #changes = 0;

  get(expression: string): Result | undefined {
    return this.#all.get(expression);
  }

  set(expression: string, result: Result): void {
    // A result that became old while it ran stays old: x was set while `f(x)` ran.
    if (result === "running" || this.#all.get(expression) !== "running") this.#old.delete(expression);
    this.#all.set(expression, result);
  }

  forget(expression: string): void {
    this.#all.delete(expression);
  }

  /** Whether something was changed or run since the expression was run. */
  isOld(expression: string): boolean {
    return this.#old.has(expression) && this.#all.get(expression) !== "running";
  }

  /** How often something was changed or run at this stop. */
  get changes(): number {
    return this.#changes;
  }

  /** Something was changed or run. Of all results, those of the expressions that ran just now are not old. */
  markOld(ran: readonly string[] = []): void {
    this.#changes += 1;
    for (const expression of this.#all.keys()) if (!ran.includes(expression)) this.#old.add(expression);
  }
}

/** Results in the frames of present stops. They are kept when a frame is read again. */
export class Results {
  readonly #frames = new Map<string, { readonly frame: Frame; readonly results: FrameResults }>();

  of(frame: Frame): FrameResults {
    const found = this.#frames.get(frame.key) ?? { frame, results: new FrameResults() };
    this.#frames.set(frame.key, found);
    return found.results;
  }

  /** Something was changed in a session, or run in a frame of it. */
  markOld(session: Session, ran?: { readonly frame: Frame; readonly expressions: readonly string[] }): void {
    for (const { frame, results } of this.#frames.values()) {
      if (frame.session === session) results.markOld(frame.key === ran?.frame.key ? ran.expressions : []);
    }
  }

  /** Forgets what was run at stops that are over. */
  sweep(): void {
    for (const [key, { frame }] of this.#frames) if (frame.over) this.#frames.delete(key);
  }
}
