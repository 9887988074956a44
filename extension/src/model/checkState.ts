import type { Finding, LensAnswer } from "../protocol/generated.ts";
import { type CheckResult, newFindingsIn, without } from "./checks.ts";
import type { Failure } from "./failure.ts";

/** What is known of the step by one reading of a frame: `Findings` reports to it, and the views read it. */
export class CheckState {
  #result: CheckResult | undefined;
  #isChecked = false;
  #awaited: Failure | { readonly progress: number } | undefined;

  /** Begins with the result of an earlier reading of the same frame, which is shown until there is a new one. */
  constructor(earlier?: CheckState) {
    this.#result = earlier?.result;
  }

  /** The findings, of this reading or of an earlier one; undefined before any are known. */
  get result(): CheckResult | undefined {
    return this.#result;
  }

  /** Whether this very reading has been checked: until then, `result` is of an earlier one. */
  get isChecked(): boolean {
    return this.#isChecked;
  }

  /** How far a check is that the user asked for and waits for, or why it failed. */
  get awaited(): Failure | { readonly progress: number } | undefined {
    return this.#awaited;
  }

  /** The findings in an answer that the last check of this reading did not have; undefined where there was none. */
  newFindingsIn(answer: LensAnswer): Finding[] | undefined {
    return this.#isChecked ? newFindingsIn(this.#result, answer) : undefined;
  }

  setResult(result: CheckResult): void {
    this.#result = result;
    this.#isChecked = true;
  }

  setProgress(progress: number): void {
    this.#awaited = { progress };
  }

  /** A check that the user asked for has ended, with a failure or without. */
  end(failure?: Failure): void {
    this.#awaited = failure;
  }

  /** Leaves out the findings of rules that the user has dismissed. */
  leaveOut(rules: readonly string[]): void {
    this.#result = this.#result && without(this.#result, rules);
  }

  /** No check of this reading will come: findings of an earlier one may be wrong by now. */
  dropEarlier(): void {
    if (!this.#isChecked) this.#result = undefined;
  }

  /** Findings are not wanted. */
  clear(): void {
    this.#result = undefined;
  }
}
