/** What several rounds of the same took, in milliseconds. */

export function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;
}

export function fastest(times: readonly number[]): number {
  return Math.min(...times);
}

/** The median, and the least. */
export function spread(times: readonly number[]): string {
  return `${median(times).toFixed(0)} ms (${fastest(times).toFixed(0)})`;
}
