import type { Gear, WatchedAs, WatchedFor } from "../protocol/generated.ts";

/** All that can be watched for. */
export const CONDITIONS = [
  "nonfinite",
  "nan",
  "inf",
  "above",
  "none",
  "norm",
  "rises",
  "zero",
  "changed",
  "unchanged",
  "metadata",
] as const satisfies readonly WatchedFor[];

/** For what the whole program can be watched, by each gear. */
export const OF_PROGRAM: Readonly<Record<Gear, readonly WatchedFor[]>> = {
  exact: ["nonfinite", "nan", "inf", "above"],
  light: ["nonfinite", "norm", "none", "rises"],
};

const LASTING: readonly WatchedFor[] = ["changed", "unchanged", "metadata"];

/** For what one value can be watched. */
export const OF_VALUES: Readonly<Record<WatchedAs, readonly WatchedFor[]>> = {
  module: ["nonfinite", "nan", "above", "none", "zero", "norm", ...LASTING],
  optimizer: ["nonfinite", "none", "zero", "norm", "above", "changed", "unchanged"],
  parameter: ["nonfinite", "nan", "none", "zero", "norm", "above", ...LASTING],
  tensor: ["nonfinite", "nan", "inf", "zero", "above", "rises", ...LASTING],
  number: ["nonfinite", "above", "rises", "changed", "unchanged"],
};

/** The conditions with a bound, and what it usually is. */
export const BOUNDS: Partial<Record<WatchedFor, number>> = { above: 1e4, norm: 100, rises: 10 };
