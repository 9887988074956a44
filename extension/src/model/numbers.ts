import type { Number as Tagged } from "../protocol/generated.ts";

/** A number off the wire: what JSON can't carry is tagged, `#9223372036854775807` or `#-inf`. */
export function parseNumber(tagged: Tagged): number | bigint {
  if (typeof tagged === "number") return tagged;
  const text = tagged.slice(1);
  if (text === "inf") return Infinity;
  if (text === "-inf") return -Infinity;
  return text === "nan" ? NaN : BigInt(text);
}

/** For people: whole numbers whole, in groups of three; others to `digits` significant digits. */
export function formatNumber(tagged: Tagged, digits = 4): string {
  const value = parseNumber(tagged);
  if (typeof value === "bigint") return grouped(value.toString());
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Number.isSafeInteger(value)) return grouped(value.toString());
  const size = Math.abs(value);
  if (size >= 10 ** digits && size < 1e6) return grouped(String(Number(value.toPrecision(digits))));
  if (size >= 1e-4 && size < 1e6) return minus(trimmed(value.toPrecision(digits)));
  const [mantissa = "", exponent = ""] = value.toExponential(digits - 1).split("e");
  return `${minus(trimmed(mantissa))}e${minus(exponent.replace("+", ""))}`;
}

/** Of `digits` only those that an error bound leaves sure; nothing but `≈0` if it leaves none. */
export function formatBounded(tagged: Tagged, error: Tagged, digits = 4): string {
  const value = Number(parseNumber(tagged));
  const bound = Math.abs(Number(parseNumber(error)));
  if (!Number.isFinite(value) || bound === 0) return formatNumber(tagged, digits);
  if (bound >= Math.abs(value)) return "≈0";
  // Where the rounding of the last digit is in doubt, one digit more may be sure: 0.0125 is neither 0.012 nor 0.013.
  for (const tried of [digits, digits + 1, ...Array.from({ length: digits - 1 }, (_, less) => digits - 1 - less)]) {
    const text = formatNumber(value - bound, tried);
    if (text === formatNumber(value + bound, tried)) return tried < digits ? `≈${text}` : text;
  }
  return `≈${formatNumber(value, 1)}`;
}

/** 1,536 → `1.5 KB`: bytes for people. */
export function formatBytes(tagged: Tagged): string {
  let size = Number(parseNumber(tagged));
  let unit = 0;
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? size : Number(size.toPrecision(3))} ${UNITS[unit]}`;
}

const UNITS = ["B", "KB", "MB", "GB", "TB", "PB"];

function grouped(digits: string): string {
  return minus(digits.replace(/\B(?=(\d{3})+$)/g, ","));
}

function minus(text: string): string {
  return text.replace("-", "−");
}

/** 1.500 → 1.5, 2.000 → 2.0: the point stays, so that it reads as a measured number. */
function trimmed(text: string): string {
  return text.includes(".") && !text.includes("e") ? text.replace(/(\.\d+?)0+$/, "$1") : text;
}
