import type { TableRow } from "../../src/protocol/table.ts";
import { numberIn } from "./order.ts";

/** The least and the largest finite number of a column; of bars, of those that are positive. */
export interface Limits {
  readonly low: number;
  readonly high: number;
}

/** Undefined where no number of the column is such. */
export function limitsOf(rows: readonly TableRow[], column: number, how: "log" | "line" | "bar"): Limits | undefined {
  let [low, high] = [Infinity, -Infinity];
  for (const { cells } of rows) {
    const value = numberIn(cells[column]);
    if (value === undefined || !Number.isFinite(value) || (how !== "line" && value <= 0)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return high < low ? undefined : { low, high };
}

/** Where a number stands between the least and the most. */
export function shareOf(value: number, low: number, high: number, how: "log" | "line" | "bar"): number {
  if (how === "bar") return high === 0 ? 0 : Math.max(0, value / high);
  if (how === "line") return high === low ? 0.5 : (value - low) / (high - low);
  if (value <= 0 || low <= 0) return 0;
  const decades = Math.max(1, Math.log10(high / low)); // what differs by less than a factor of ten looks alike
  return Math.max(0, 1 - Math.log10(high / value) / decades);
}
