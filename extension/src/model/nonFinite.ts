import * as l10n from "@vscode/l10n";
import type { FunctionName, Measurement } from "../protocol/generated.ts";
import type { HistoryRecord, StepPoint } from "./history.ts";
import { numberOf, numberText } from "./measurements.ts";
import { isStatic } from "./python.ts";
import type { ConditionalWatched } from "./watchpoints.ts";

/** Where NaN or Inf is met first in a history. */
export interface FirstNonFinite {
  readonly record: HistoryRecord;
  /** `first NaN at step 37` */
  readonly text: string;
  /** What stops the program there the next time; undefined where the value can't be watched. */
  readonly breaksNext: ConditionalWatched | undefined;
}

/** The first record that has NaN or Inf; `usual` is the function of those that name none. */
export function firstNonFinite(
  expression: string,
  records: readonly HistoryRecord[],
  usual?: FunctionName,
): FirstNonFinite | undefined {
  const isMet = (one: HistoryRecord): boolean => nonFiniteText(one.measurement) !== undefined && isOf(one, usual);
  const at = records.findIndex(isMet);
  const record = records[at];
  const met = record && nonFiniteText(record.measurement);
  if (record === undefined || met === undefined) return undefined;
  const { function: place = usual } = record;
  const canBeWatched = place !== undefined && isStatic(expression) && isWatchable(record.measurement);
  // Steps are counted from where recording began, a watchpoint's from where it is set, which is no later the next time.
  const good = records.slice(0, at).findLast((one): one is StepPoint => "step" in one);
  const after = "step" in record ? record.step - 1 : (good?.step ?? 0);
  return {
    record,
    text: l10n.t("first {0} at {1}", met, recordName(record)),
    breaksNext: canBeWatched
      ? { what: "nonfinite", gear: "light", of: expression, function: place, after_step: after }
      : undefined,
  };
}

/** Elsewhere the expression is another value; where no function is meant, all count. */
function isOf({ function: place }: HistoryRecord, meant: FunctionName | undefined): boolean {
  if (meant === undefined || place === undefined) return true;
  return place.name === meant.name && place.file === meant.file;
}

/** `stop 3`, `step 37` */
export function recordName(record: HistoryRecord): string {
  return "stop" in record ? l10n.t("stop {0}", record.stop) : l10n.t("step {0}", record.step);
}

/** `NaN`, `Inf`; undefined where all is finite. */
function nonFiniteText({ nan = 0, inf = 0, value, norm, gradient_norm: gradient }: Measurement): string | undefined {
  const numbers = [value, norm, gradient].flatMap((one) => (one === undefined ? [] : [numberOf(one)]));
  if (nan !== 0 || numbers.some(Number.isNaN)) return numberText(Number.NaN);
  return inf !== 0 || numbers.some((one) => !Number.isFinite(one)) ? numberText(Infinity) : undefined;
}

/** A tensor has a device; a number has no shape, as a module whose norms are known. */
function isWatchable({ shape, device }: Measurement): boolean {
  return device !== undefined || shape === undefined;
}
