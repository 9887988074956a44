/** What a benchmark has to measure, and how much each figure should be at most: `goals.py`, for what runs in VS Code. */

interface Goal {
  readonly figure: string;
  readonly most: number;
  readonly unit: string;
}

/** What one run has measured, of what it has to. */
export class Figures {
  readonly #measured: Map<Goal, number | undefined>;

  constructor(goals: readonly Goal[]) {
    this.#measured = new Map(goals.map((goal) => [goal, undefined]));
  }

  note(goal: Goal, measured: number): void {
    if (!this.#measured.has(goal)) throw new Error(`${goal.figure} is no figure of this run`);
    this.#measured.set(goal, measured);
  }

  /** Each figure with its goal, as `✗ a step    goal ≤ 110 ms, measured 130 ms`. */
  lines(): string[] {
    return [...this.#measured].map(([{ figure, most, unit }, measured]) => {
      const verdict = measured !== undefined && measured <= most ? "✓" : "✗";
      const found = isMissing(measured) ? "not measured" : `measured ${measured.toPrecision(3)}${unit}`;
      return `${verdict} ${figure.padEnd(60)} goal ≤ ${most}${unit}, ${found}`;
    });
  }

  /** The exit status: 1 where a figure is missing. Here are no ratios, and how fast machines are differs. */
  status(): number {
    return [...this.#measured.values()].some(isMissing) ? 1 : 0;
  }
}

function isMissing(measured: number | undefined): measured is undefined {
  return measured === undefined || Number.isNaN(measured);
}
