/** A number in a few digits, with a real minus; whole digits are never rounded away unless an exponent says so. */
export function numberText(value: number, digits = 4): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : "−Inf";
  const size = Math.abs(value);
  const isWhole = Number.isSafeInteger(value);
  const isPlain = isWhole || (size >= 1e-4 && size < 1e7);
  const before = size < 1 ? 0 : Math.floor(Math.log10(size)) + 1;
  const text = isPlain
    ? String(isWhole ? value : Number(value.toPrecision(Math.max(digits, before))))
    : value
        .toExponential(digits - 1)
        .replace(/\.?0+e/, "e")
        .replace("e+", "e");
  return text.replaceAll("-", "−");
}

/** Two numbers in as many digits as tell them apart. */
export function toldApart(low: number, high: number): readonly [string, string] {
  for (const digits of [4, 8, 17]) {
    const texts = [numberText(low, digits), numberText(high, digits)] as const;
    if (texts[0] !== texts[1]) return texts;
  }
  return [numberText(low), numberText(high)];
}

/** How many of something, in groups of three. */
export function countText(count: number): string {
  return count.toLocaleString("en");
}

/** `12%`, and never 0 % or 100 % of what is some, but not all. */
export function shareText(share: number): string {
  if (share > 0 && share < 0.001) return "<0.1%";
  if (share < 1 && share > 0.999) return ">99.9%";
  return `${numberText(100 * share, 3)}%`;
}
