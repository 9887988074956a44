import * as l10n from "@vscode/l10n";
import type { Measurement } from "../protocol/generated.ts";
import type { Point } from "./history.ts";
import { differencesOf, isOther } from "./measurements.ts";
import type { Pin } from "./pins.ts";
import { bareRow, type Row, type Scene } from "./row.ts";
import { childPath, historyPath, isHistory } from "./rowPath.ts";
import { differencesText, differenceText, measurementText, type Trail, trailOf } from "./trail.ts";
import { countText, joined } from "./words.ts";

/** The row of a pin with what was recorded of it: how its number came to be, and what is other than at the last stop. */
export function withHistory(scene: Scene, row: Row, { expression }: Pin, now: Measurement | undefined): Row {
  const points = pointsOf(scene, expression);
  const expandable = row.expandable || points.length > 1;
  const open = expandable && scene.expansion.isOpen(row.path);
  const known: Row = points.length === 0 ? row : { ...row, expandable, open, can: [...row.can, "exportHistory"] };
  const before = earlier(scene, points);
  const last = before.at(-1);
  if (now === undefined || last === undefined) return known;
  const trail = trailOf([...before, now]);
  const differences = differencesOf(last, now);
  const words = differences.map(differenceText);
  const was = differences.map(({ aspect, before: what }) => l10n.t("{0} was {1}", aspect, what));
  return {
    ...known,
    description: joined(" · ", ...words, ...around(row.description, trail)),
    summary: joined(" · ", row.summary, ...words, trail?.text),
    speech: joined(", ", row.speech, ...was, trail?.speech),
  };
}

/** The group of what was recorded of a pin, where there are two stops at least. */
export function historyRow(scene: Scene, parent: Row): Row[] {
  const { pin } = parent;
  const points = pin === undefined ? [] : pointsOf(scene, pin.expression);
  if (pin === undefined || points.length < 2) return [];
  const path = historyPath(pin.expression);
  const description = l10n.t("{0} stops", countText(points.length));
  return [
    {
      ...bareRow(scene, parent, path, l10n.t("History")),
      icon: "graph-line",
      tone: "quiet",
      description,
      summary: description,
      expandable: true,
      open: scene.expansion.isOpen(path),
      speech: joined(", ", l10n.t("History"), description),
      can: ["copySummary", "exportHistory"],
      pin,
    },
  ];
}

/** A row for each stop, the newest first; undefined of a row that is no such group. */
export function historyRows(scene: Scene, parent: Row): Row[] | undefined {
  const { pin, path } = parent;
  if (pin === undefined || !isHistory(path)) return undefined;
  const points = pointsOf(scene, pin.expression);
  const shown = points.slice(-scene.pageSize);
  const rows = shown.map((point, at) => stopRow(scene, parent, point, shown[at - 1] ?? points.at(-scene.pageSize - 1)));
  const left = points.length - shown.length;
  return [...rows.toReversed(), ...(left > 0 ? [olderRow(scene, parent, left)] : [])];
}

function stopRow(scene: Scene, parent: Row, point: Point, before: Point | undefined): Row {
  const { stop, line, frame, measurement } = point;
  const label = l10n.t("stop {0}", stop);
  const file = /[^/\\]*$/.exec(frame.file)?.[0] ?? "";
  const other = before?.function === point.function ? before.measurement : undefined;
  const changed = other !== undefined && (isOther(other, measurement) || differencesOf(other, measurement).length > 0);
  const words =
    other === undefined ? "" : joined(" · ", differencesText(other, measurement), writtenText(other, measurement));
  const description = joined(" · ", `${file}:${line}`, measurementText(measurement), words);
  return {
    ...bareRow(scene, parent, childPath(parent.path, String(stop)), label),
    icon: "circle-small",
    description,
    summary: description,
    changed,
    speech: joined(", ", label, changed ? l10n.t("changed") : "", description),
    can: ["copySummary"],
  };
}

/** What tells that the tensor was written to since, or is another one. */
function writtenText({ version: before }: Measurement, { version: now }: Measurement): string {
  return before === undefined || now === undefined || before === now ? "" : l10n.t("version {0} → {1}", before, now);
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
  return trail?.isOfNumbers === true ? [trail.text, line] : [line, trail?.text];
}

/** What was recorded up to the stop that is shown. */
function pointsOf({ history, contents }: Scene, expression: string): readonly Point[] {
  const { session, stop } = contents.frame;
  return history.points(session, expression).filter(({ frame }) => frame.stop <= stop);
}

/** The numbers of earlier stops in the same function: elsewhere the expression may be of another value. */
function earlier({ contents }: Scene, points: readonly Point[]): Measurement[] {
  const { frame, answer } = contents;
  return points
    .filter((point) => point.frame.stop < frame.stop && isAt(point, frame.file, answer.function))
    .map(({ measurement }) => measurement);
}

function isAt(point: Point, file: string, name: string): boolean {
  return point.frame.file === file && point.function === name;
}
