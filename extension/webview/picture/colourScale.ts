import { quantileSorted } from "d3-array";
import { scaleLinear, scaleLog, scaleSymlog } from "d3-scale";
import { type Colour, DIVERGING, SEQUENTIAL } from "../palettes.ts";

/** How far apart values are for the eye: evenly, by their logarithms, or by those of both signs with zero between. */
export const STRETCHES = ["linear", "log", "symlog"] as const;
export type Stretch = (typeof STRETCHES)[number];

/** How the user wants values to become colours. */
export interface Colouring {
  readonly stretch: Stretch;
  /** The share of values at each end that has the first colour, or the last. */
  readonly clip: number;
}

/** Which colour a value has. */
export interface ColourScale {
  readonly low: number;
  readonly high: number;
  readonly palette: readonly Colour[];
  /** Where a value is, from 0 to 1. */
  readonly at: (value: number) => number;
  /** Round numbers along it. */
  readonly ticks: (amount: number) => number[];
  /** Why it is not as the user wanted it, if it is not. */
  readonly note: "no_log" | undefined;
}

/** Of a symlog scale, the share of the largest magnitude within which it is linear. */
const LINEAR_SHARE = 1e-3;
/** Of more values, so many are looked at for their quantiles. */
const MOST_SORTED = 50_000;

/**
 * The scale of finite values: about zero where they have both signs. Undefined where there are none.
 * A logarithm needs values of one sign; others are shown as with symlog.
 */
export function colourScaleOf(values: readonly Float64Array[], { stretch, clip }: Colouring): ColourScale | undefined {
  const [least, most] = rangeOf(values, clip);
  if (!(least <= most)) return undefined;
  const isSigned = least < 0 && most > 0;
  const furthest = Math.max(-least, most);
  const [low, high] = isSigned ? [-furthest, furthest] : [least, most];
  const hasLog = low > 0 || high < 0;
  const actual = stretch === "log" && !hasLog ? "symlog" : stretch;
  // The distance of the least from the most may be beyond float64.
  const unit = Number.isFinite(high - low) ? 1 : 2;
  const scale = scaled(actual, low / unit, high / unit);
  return {
    low,
    high,
    palette: isSigned ? DIVERGING : SEQUENTIAL,
    at: (value) => {
      if (low === high) return value === low ? 0.5 : Number(value > high);
      const share = scale(Math.min(high, Math.max(low, value)) / unit);
      return Number.isFinite(share) ? share : 0.5;
    },
    ticks: (amount) => scale.ticks(amount).map((tick) => unit * tick),
    note: actual === stretch ? undefined : "no_log",
  };
}

/** The colour of a value. */
export function colourOf({ palette, at }: ColourScale, value: number): Colour {
  return palette[Math.round(at(value) * (palette.length - 1))] ?? [128, 128, 128];
}

function scaled(stretch: Stretch, low: number, high: number) {
  if (stretch === "log") return scaleLog([low, high], [0, 1]);
  if (stretch === "linear") return scaleLinear([low, high], [0, 1]);
  const largest = Math.max(Math.abs(low), Math.abs(high));
  return scaleSymlog([low, high], [0, 1]).constant(largest === 0 ? 1 : largest * LINEAR_SHARE);
}

function rangeOf(values: readonly Float64Array[], clip: number): [number, number] {
  if (clip > 0) {
    const total = values.reduce((sum, some) => sum + some.length, 0);
    const step = Math.max(1, Math.ceil(total / MOST_SORTED));
    const some = values.flatMap((of) => Array.from(of.filter((value, at) => at % step === 0 && !Number.isNaN(value))));
    const sorted = some.toSorted((a, b) => a - b);
    return [quantileSorted(sorted, clip) ?? Infinity, quantileSorted(sorted, 1 - clip) ?? -Infinity];
  }
  let [least, most] = [Infinity, -Infinity];
  for (const of of values) {
    for (const value of of) {
      if (value < least) least = value;
      if (value > most) most = value;
    }
  }
  return [least, most];
}
