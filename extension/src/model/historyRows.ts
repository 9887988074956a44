import * as l10n from "@vscode/l10n";
import type { Measurement } from "../protocol/generated.ts";
import { type HistoryRecord, type Point, stopOf } from "./history.ts";
import { differencesOf, isOther, numberOf } from "./measurements.ts";
import { type FirstNonFinite, firstNonFinite, recordName } from "./nonFinite.ts";
import type { Pin } from "./pins.ts";
import { bareRow, type Row, type Scene } from "./row.ts";
import { childPath, historyPath, isHistory } from "./rowPath.ts";
import { differencesText, differenceText, measurementText, otherText, type Trail, trailOf } from "./trail.ts";
import { countText, joined } from "./words.ts";

/** A row with what was recorded of an expression: how its number came to be, and what is other than at the last stop. */
export function withHistory(scene: Scene, row: Row, expression: string, now: Measurement | undefined): Row {
  const records = recordsOf(scene, expression);
  const expandable = row.expandable || records.length > 1;
  const open = expandable && scene.expansion.isOpen(row.path);
  const before = now && earlier(scene, records);
  const last = before?.at(-1);
  const differences = now && last ? differencesOf(last, now) : [];
  const words = differences.map(differenceText);
  const was = differences.map(({ aspect, before: what }) => l10n.t("{0} was {1}", aspect, what));
  const isChanged = last !== undefined && now !== undefined && (differences.length > 0 || isOther(last, now));
  const [other, written] = isChanged ? [otherText(last, now), rewrittenText(last, now)] : [];
  const trail = ofSteps(scene, expression, records) ?? (now && before && trailOf([...before, now]));
  return {
    ...row,
    recorded: expression,
    expandable,
    open,
    changed: row.changed || isChanged,
    description: joined(" · ", ...words, ...around(row.description, trail), other, written),
    summary: joined(" · ", row.summary, ...words, trail?.text, other, written),
    speech: joined(
      ", ",
      row.speech,
      isChanged && !row.changed ? l10n.t("changed") : "",
      ...was,
      trail?.speech,
      other,
      written,
    ),
    can: records.length === 0 ? row.can : withExport(row),
  };
}

/** What was recorded is exported, with the value as a run too, also where the value alone is none that is. */
function withExport({ can, value }: Row): Row["can"] {
  const isOffered = value !== undefined && !can.includes("export");
  return [...can, ...(isOffered ? (["export"] as const) : []), "exportHistory"];
}

/** The row of a pin that says whether its numbers are recorded at each step, and offers that, or to end it. */
export function withRecording({ pins, contents }: Scene, row: Row, { expression, static: isStatic }: Pin): Row {
  if (!pins.isRecorded(expression)) {
    const isOffered = isStatic && !contents.mustRun(expression) && contents.hasTorch;
    return isOffered ? { ...row, can: [...row.can, "record"] } : row;
  }
  const problem = contents.pin(expression)?.recording?.problem;
  const said = problem ?? l10n.t("records each step");
  return {
    ...row,
    tone: row.tone ?? (problem === undefined ? undefined : "warning"),
    description: joined(" · ", row.description, said),
    summary: joined(" · ", row.summary, said),
    speech: joined(", ", row.speech, said),
    can: [...row.can, "stopRecording"],
  };
}

/** The group of what was recorded of a row's expression, where there are two stops or steps at least. */
export function historyRow(scene: Scene, parent: Row): Row[] {
  const { recorded } = parent;
  const records = recorded === undefined ? [] : recordsOf(scene, recorded);
  if (recorded === undefined || records.length < 2) return [];
  const path = historyPath(parent.path);
  const stops = records.filter(isPoint).length;
  const first = firstNonFinite(recorded, records, parent.watchpoint?.function);
  const description = joined(" · ", stopsText(stops), stepsText(records.length - stops), first?.text);
  const row: Row = {
    ...bareRow(scene, parent, path, l10n.t("History")),
    icon: "graph-line",
    tone: "quiet",
    description,
    summary: description,
    expandable: true,
    open: scene.expansion.isOpen(path),
    speech: joined(", ", l10n.t("History"), description),
    can: ["copySummary", "exportHistory", "openAsTable"],
    recorded,
  };
  return [withOffer(row, first)];
}

/** A row for each stop and step, the newest first; undefined of a row that is no such group. */
export function historyRows(scene: Scene, parent: Row): Row[] | undefined {
  const { recorded, path } = parent;
  if (recorded === undefined || !isHistory(path)) return undefined;
  const records = recordsOf(scene, recorded);
  const left = Math.max(0, records.length - scene.pageSize);
  const first = firstNonFinite(recorded, records, parent.parent?.watchpoint?.function);
  const rows = records.slice(left).map((record, at) => {
    const row = recordRow(scene, parent, record, records[left + at - 1]);
    return record === first?.record ? withOffer(row, first) : row;
  });
  return [...rows.toReversed(), ...(left > 0 ? [olderRow(scene, parent, left)] : [])];
}

/** The row of a history that shows NaN or Inf, with the offer to stop the program there in its next run. */
function withOffer(row: Row, first: FirstNonFinite | undefined): Row {
  const breaksNext = first?.breaksNext;
  return breaksNext === undefined ? row : { ...row, breaksNext, can: [...row.can, "breakNextTime"] };
}

function recordRow(scene: Scene, parent: Row, record: HistoryRecord, before: HistoryRecord | undefined): Row {
  const { measurement } = record;
  const label = recordName(record);
  const other = before !== undefined && isOfSameValue(before, record) ? before.measurement : undefined;
  const changed = other !== undefined && (isOther(other, measurement) || differencesOf(other, measurement).length > 0);
  const words = other && joined(" · ", differencesText(other, measurement), writtenText(other, measurement));
  const place = isPoint(record) ? `${/[^/\\]*$/.exec(record.frame.file)?.[0] ?? ""}:${record.line}` : "";
  const description = joined(" · ", place, measurementText(measurement), words);
  return {
    ...bareRow(scene, parent, childPath(parent.path, label), label),
    icon: isPoint(record) ? "circle-small-filled" : "circle-small",
    description,
    summary: description,
    changed,
    speech: joined(", ", label, changed ? l10n.t("changed") : "", description),
    can: ["copySummary"],
  };
}

/** Elsewhere than in one function the expression may be of another value. A step is of the function that was chosen. */
function isOfSameValue(before: HistoryRecord, now: HistoryRecord): boolean {
  return !isPoint(before) || !isPoint(now) || before.function.name === now.function.name;
}

/** What tells that the tensor was written to since, or is another one. */
function writtenText({ version: before }: Measurement, { version: now }: Measurement): string {
  return before === undefined || now === undefined || before === now ? "" : l10n.t("version {0} → {1}", before, now);
}

/** As `writtenText`, where the tensor may be the one that it was: the version of another begins anew. */
function rewrittenText(before: Measurement, now: Measurement): string {
  const isLater = numberOf(before.version ?? 0) < numberOf(now.version ?? 0);
  return isLater && isOther(before, now) ? writtenText(before, now) : "";
}

function olderRow(scene: Scene, parent: Row, count: number): Row {
  const label = l10n.t("{0} older", countText(count));
  const description = l10n.t("Export History… writes them all");
  return {
    ...bareRow(scene, parent, parent.path, label, "older"),
    icon: "ellipsis",
    tone: "quiet",
    description,
    speech: joined(", ", label, description),
  };
}

/** The line of a value and its trail: that of a number comes first, it is what one looks for. */
function around(line: string, trail: Trail | undefined): readonly (string | undefined)[] {
  return trail?.leads === true ? [trail.text, line] : [line, trail?.text];
}

/** The trail of the steps, while they are recorded. */
function ofSteps({ pins }: Scene, expression: string, records: readonly HistoryRecord[]): Trail | undefined {
  if (!pins.isRecorded(expression)) return undefined;
  return trailOf(records.filter((record) => !isPoint(record)).map(({ measurement }) => measurement));
}

/** What was recorded up to the stop that is shown. */
function recordsOf({ history, contents }: Scene, expression: string): readonly HistoryRecord[] {
  const { session, stop } = contents.frame;
  return history.records(session, expression).filter((record) => stopOf(record) <= stop);
}

/** The numbers of earlier stops in the same function: elsewhere the expression may be of another value. */
function earlier({ contents }: Scene, records: readonly HistoryRecord[]): Measurement[] {
  const { frame, answer } = contents;
  return records
    .filter(isPoint)
    .filter((point) => point.frame.stop < frame.stop && isAt(point, frame.file, answer.function))
    .map(({ measurement }) => measurement);
}

function isPoint(record: HistoryRecord): record is Point {
  return "stop" in record;
}

function isAt(point: Point, file: string, name: string): boolean {
  return point.frame.file === file && point.function.name === name;
}

function stopsText(count: number): string {
  if (count === 0) return "";
  return count === 1 ? l10n.t("1 stop") : l10n.t("{0} stops", countText(count));
}

function stepsText(count: number): string {
  if (count === 0) return "";
  return count === 1 ? l10n.t("1 step") : l10n.t("{0} steps", countText(count));
}
