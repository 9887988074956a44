import type { Measurement, Number as WireNumber } from "../protocol/generated.ts";

/** Of what a value's numbers are compared in, from one stop to the next. */
export type Aspect = "shape" | "dtype" | "device";

/** What a value is now, and was before. */
export interface Difference {
  readonly aspect: Aspect;
  readonly before: string;
  readonly now: string;
}

/** A number that is another than before. */
export interface OtherNumber {
  readonly name: (typeof NUMBERS)[number];
  readonly before: number;
  readonly now: number;
}

/** The numbers that are compared, those first that stand for a value, or are loud. */
const NUMBERS = ["value", "lr", "gradient_norm", "norm", "mean", "nan", "inf", "std", "min", "max"] as const;
/** Those of several elements: what is small beside their spread is no difference. */
const OF_ELEMENTS: ReadonlySet<(typeof NUMBERS)[number]> = new Set(["mean", "std"]);
const ASPECTS: readonly Aspect[] = ["shape", "dtype", "device"];
/** Numbers that differ by no more than this share of the larger one, or of the elements' spread, count as the same. */
const TOLERANCE = 1e-5;
/** How many digits of a number are shown, at most: more only where two numbers would read the same. */
const DIGITS = 4;
const ALL_DIGITS = 8;
/** From here on a number is shown with an exponent, and so is one below the other. */
const LARGE = 1e7;
const SMALL = 1e-4;

/** A number as it came: tagged where JSON has none such. */
export function numberOf(value: WireNumber): number {
  if (typeof value === "number") return value;
  if (value === "#nan") return Number.NaN;
  if (value.endsWith("inf")) return value === "#inf" ? Infinity : -Infinity;
  return Number(value.slice(1));
}

/** What the one number that stands for a value is of it. */
export type PointKind = "value" | "lr" | "gradient_norm" | "norm" | "mean";

const POINTS: readonly PointKind[] = ["value", "lr", "gradient_norm", "norm"];

/** What stands for a value: its own number, a norm, else its mean. */
export function pointKindOf(measurement: Measurement): PointKind {
  return POINTS.find((kind) => measurement[kind] !== undefined) ?? "mean";
}

/** That number; of elements none of which is finite, NaN or an infinity. */
export function pointOf(measurement: Measurement): number | undefined {
  const { nan = 0, inf = 0 } = measurement;
  const kind = pointKindOf(measurement);
  const number = measurement[kind];
  // The mean is over the finite elements: only where there are none does something else stand for the value.
  if (number === undefined && kind === "mean" && nan !== 0) return Number.NaN;
  if (number === undefined && kind === "mean" && inf !== 0) return Infinity;
  return number === undefined ? undefined : numberOf(number);
}

/** `[32, 17]` */
export function shapeText(shape: NonNullable<Measurement["shape"]>): string {
  return `[${shape.map((size) => String(size ?? "?").replace("#", "")).join(", ")}]`;
}

/** What of shape, dtype and device is other than before. What is not known of one of the two is not compared. */
export function differencesOf(before: Measurement, now: Measurement): Difference[] {
  return ASPECTS.flatMap((aspect) => {
    const [was, is] = [textOf(before, aspect), textOf(now, aspect)];
    return was === undefined || is === undefined || was === is ? [] : [{ aspect, before: was, now: is }];
  });
}

/** Whether the numbers are others than before, beyond a tolerance and what they may be wrong by. */
export function isOther(before: Measurement, now: Measurement): boolean {
  return otherNumber(before, now) !== undefined;
}

/** The first of the numbers that is another than before, beyond a tolerance and what it may be wrong by. */
export function otherNumber(before: Measurement, now: Measurement): OtherNumber | undefined {
  if (before.sampled === true || now.sampled === true) return undefined; // a sample may be of other elements
  const error = numberOf(before.mean_error ?? 0) + numberOf(now.mean_error ?? 0);
  const size = Math.max(spreadOf(before), spreadOf(now));
  for (const name of NUMBERS) {
    const [one, other] = [before[name], now[name]];
    if (one === undefined || other === undefined) continue;
    const [was, is] = [numberOf(one), numberOf(other)];
    const bound = OF_ELEMENTS.has(name) ? TOLERANCE * size : TOLERANCE * Math.max(Math.abs(was), Math.abs(is));
    if (!isAlike(was, is, name === "mean" ? error + bound : bound)) return { name, before: was, now: is };
  }
  return undefined;
}

/** A number in a few digits, with a real minus: as many as are known to be right, given a bound of its error. */
export function numberText(value: number, { error = 0, digits = DIGITS } = {}): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : "−Inf";
  const size = Math.abs(value);
  const right = error > 0 ? Math.floor(Math.log10(size)) + Math.floor(-Math.log10(error)) + 1 : digits;
  if (right < 1) return "≈0";
  const shown = Math.min(digits, right);
  return signed(
    Number.isInteger(value) && error === 0 && size < LARGE ? String(value) : inDigits(value, shown, error > 0),
  );
}

/** Two numbers in so many digits that they are told apart, where they differ beyond their errors. */
export function pairText(before: number, now: number, error: number): readonly [string, string] {
  for (let digits = DIGITS; ; digits += 1) {
    const texts = [numberText(before, { error, digits }), numberText(now, { error, digits })] as const;
    if (texts[0] !== texts[1] || before === now || digits === ALL_DIGITS) return texts;
  }
}

function textOf(measurement: Measurement, aspect: Aspect): string | undefined {
  if (aspect !== "shape") return measurement[aspect];
  return measurement.shape && shapeText(measurement.shape);
}

function isAlike(a: number, b: number, bound: number): boolean {
  if (Object.is(a, b)) return true;
  return Number.isFinite(a) && Number.isFinite(b) && Math.abs(a - b) <= bound;
}

/** How large the elements are, without those that stand out, as a mask of −1e9 does. */
function spreadOf({ mean = 0, std = 0 }: Measurement): number {
  return Math.max(...[mean, std].map((one) => Math.abs(numberOf(one))).filter(Number.isFinite));
}

/** Digits of the whole part that are not known to be right are zeros. */
function inDigits(value: number, digits: number, isBounded: boolean): string {
  const size = Math.abs(value);
  const isPlain = value === 0 || (size >= SMALL && size < LARGE);
  const whole = size >= 1 ? Math.floor(Math.log10(size)) + 1 : 0;
  if (isPlain && whole >= digits) return (isBounded ? Number(value.toPrecision(digits)) : value).toFixed(0);
  const text = isPlain ? value.toPrecision(digits) : value.toExponential(digits - 1);
  return text
    .replace(/(\.\d*?)0+(?=$|e)/, "$1")
    .replace(/\.(?=$|e)/, "")
    .replace("e+", "e");
}

function signed(text: string): string {
  return text.replace(/^-/, "−");
}
