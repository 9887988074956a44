import type { Measurement, ScalarSeries } from "../protocol/generated.ts";
import type { HistoryRecord } from "./history.ts";

const NUMBERS = ["value", "mean", "std", "min", "max", "nan", "inf", "norm", "gradient_norm", "lr"] as const;

/**
 * What was recorded of an expression, a series for each of its numbers. Stops and steps are counted apart, so they are
 * series apart; and so is what was read of a sample.
 */
export function historyScalars(records: readonly HistoryRecord[]): ScalarSeries[] {
  const found = new Map<string, Omit<ScalarSeries, "tag">>();
  for (const record of records) {
    for (const name of NUMBERS) {
      const value = record.measurement[name];
      if (value === undefined) continue;
      const tag = tagOf(name, record);
      const series = found.get(tag) ?? { steps: [], times: [], values: [] };
      series.steps.push("stop" in record ? record.stop : record.step);
      series.times.push(record.time.getTime() / 1000);
      series.values.push(value);
      found.set(tag, series);
    }
  }
  return [...found].map(([tag, series]) => ({ tag, ...series }));
}

/** What there is a series of: all that is asked to know which formats hold a value. */
export function withoutPoints(series: readonly ScalarSeries[]): ScalarSeries[] {
  return series.map(({ tag }) => ({ tag, steps: [], times: [], values: [] }));
}

/** At which step a run has what an expression is now: that of the last record; without one, of so many stops the last. */
export function stepOf(records: readonly HistoryRecord[], stops: number): number {
  const last = records.at(-1);
  if (last === undefined) return stops;
  return "stop" in last ? last.stop : last.step;
}

function tagOf(name: keyof Measurement, record: HistoryRecord): string {
  const sampled = record.measurement.sampled === true ? "_sampled" : "";
  return `${name}${sampled}_by_${"stop" in record ? "stop" : "step"}`;
}
