import * as l10n from "@vscode/l10n";
import type { Measurement } from "../protocol/generated.ts";
import {
  type Difference,
  differencesOf,
  numberOf,
  otherNumber,
  type OtherNumber,
  numberText,
  pairText,
  pointKindOf,
  pointOf,
  type PointKind,
} from "./measurements.ts";
import { joined } from "./words.ts";

/** How many points a sparkline has. */
const MAX_POINTS = 8;
const BARS = "▁▂▃▄▅▆▇█";
const FLAT = "▄";

/** How a value came to be what it is, by the number that stands for it. */
export interface Trail {
  /** `2.31 → 2.28 ▂▃▅▇█ NaN` */
  readonly text: string;
  /** What a screen reader says. */
  readonly speech: string;
  /** Whether it is what one looks for first, and no mean. */
  readonly leads: boolean;
}

/** What stands before a number: what it is of the value, in letters, and aloud. */
const NAMES: Record<PointKind, { readonly letters: string; readonly was: (number: string) => string }> = {
  value: { letters: "", was: (number) => l10n.t("was {0}", number) },
  mean: { letters: "μ", was: (number) => l10n.t("mean was {0}", number) },
  lr: { letters: "lr", was: (number) => l10n.t("learning rate was {0}", number) },
  gradient_norm: { letters: "‖grad‖", was: (number) => l10n.t("gradient norm was {0}", number) },
  norm: { letters: "‖p‖", was: (number) => l10n.t("norm was {0}", number) },
};

/** What stands before a number that is none of these. */
const LETTERS: Partial<Record<OtherNumber["name"], string>> = { nan: "NaN", inf: "Inf", std: "σ" };

/** The trail of measurements that followed each other, the last one of now; undefined of fewer than two different numbers. */
export function trailOf(measurements: readonly Measurement[]): Trail | undefined {
  const now = measurements.at(-1);
  if (now === undefined || pointOf(now) === undefined) return undefined;
  const kind = pointKindOf(now);
  const points = measurements.flatMap((one) => (pointKindOf(one) === kind ? (pointOf(one) ?? []) : []));
  const [before, last] = points.slice(-2);
  if (before === undefined || last === undefined) return undefined;
  if (points.every((one) => Object.is(one, last))) return undefined; // it stayed as it was
  const error = Math.max(...measurements.slice(-2).map(({ mean_error: bound = 0 }) => numberOf(bound)));
  const [was, is] = pairText(before, last, kind === "mean" ? error : 0);
  const { letters, was: aloud } = NAMES[kind];
  const text = joined(" ", letters, `${was} → ${is}`, sparkline(points.slice(-MAX_POINTS)));
  return { text, speech: aloud(was), leads: kind !== "mean" };
}

/** A bar for each number, by its place between the least and the largest of them; what is not finite as a word in its place. */
export function sparkline(numbers: readonly number[]): string {
  const finite = numbers.filter(Number.isFinite);
  const [least, largest] = [Math.min(...finite), Math.max(...finite)];
  const barOf = (number: number): string => {
    if (least === largest) return FLAT;
    // Halved, since the range of two floats may be none.
    const share = (number / 2 - least / 2) / (largest / 2 - least / 2);
    return BARS.charAt(Math.round(share * (BARS.length - 1)));
  };
  const parts: { bars: string; special: number; times: number }[] = [];
  for (const number of numbers) {
    const special = Number.isFinite(number) ? 0 : number;
    let part = parts.at(-1);
    if (part === undefined || !Object.is(part.special, special)) {
      part = { bars: "", special, times: 0 };
      parts.push(part);
    }
    part.times += 1;
    if (special === 0) part.bars += barOf(number);
  }
  return parts
    .map(({ bars, special, times }) => bars || `${numberText(special)}${times > 1 ? ` ×${times}` : ""}`)
    .join(" ");
}

/** `shape [32, 17] → [32, 23]`, in the words of what differs from before. */
export function differenceText({ aspect, before, now }: Difference): string {
  if (aspect === "shape") return l10n.t("shape {0} → {1}", before, now);
  return aspect === "dtype" ? l10n.t("dtype {0} → {1}", before, now) : l10n.t("device {0} → {1}", before, now);
}

/** What is other than before, in words; empty where nothing is. */
export function differencesText(before: Measurement, now: Measurement): string {
  return joined(" · ", ...differencesOf(before, now).map(differenceText));
}

/** What else of the numbers is other than before, as short as can be: of that which its trail shows, nothing. */
export function otherText(before: Measurement, now: Measurement): string {
  const other = otherNumber(before, now);
  const point = pointOf(now);
  if (other === undefined || other.name === pointKindOf(now) || (point !== undefined && !Number.isFinite(point)))
    return "";
  const [was, is] = pairText(other.before, other.now, 0);
  return `${LETTERS[other.name] ?? other.name} ${was} → ${is}`;
}

/** The numbers of one moment in a line. */
export function measurementText(measurement: Measurement): string {
  const { value, mean, mean_error: error = 0, std, min, max, nan = 0, inf = 0, sampled } = measurement;
  if (value !== undefined) return numberText(numberOf(value));
  const text = (number: NonNullable<typeof mean>, bound = 0): string => numberText(numberOf(number), { error: bound });
  const { norm, gradient_norm: gradient, lr } = measurement;
  return joined(
    " · ",
    lr === undefined ? "" : `${NAMES.lr.letters} ${text(lr)}`,
    gradient === undefined ? "" : `${NAMES.gradient_norm.letters} ${text(gradient)}`,
    norm === undefined ? "" : `${NAMES.norm.letters} ${text(norm)}`,
    nan === 0 ? "" : `${numberOf(nan)} NaN`,
    inf === 0 ? "" : `${numberOf(inf)} Inf`,
    mean === undefined
      ? ""
      : joined(" ", `μ ${text(mean, numberOf(error))}`, std === undefined ? "" : `σ ${text(std)}`),
    min === undefined || max === undefined ? "" : `${text(min)}…${text(max)}`,
    sampled === true ? l10n.t("≈ of a sample") : "",
  );
}
