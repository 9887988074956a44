import * as l10n from "@vscode/l10n";
import type { Measurement } from "../../protocol/generated.ts";
import type { HistoryRecord } from "../history.ts";
import { pointKindOf, type PointKind, shapeText } from "../measurements.ts";
import { recordName } from "../nonFinite.ts";
import { childPath, historyPath, type RowPath } from "../rowPath.ts";
import { type Column, counted, named, numbered, said, type Table, tableOf } from "./table.ts";

/** The numbers of an expression at its stops and steps, the oldest first, with the curve of the one that stands for it. */
export function historyTable(records: readonly HistoryRecord[], ofRow: RowPath): Table {
  const of = (name: keyof Measurement & PointKind): Column<HistoryRecord> => ({
    name: NAMES[name](),
    kind: "number",
    cell: ({ measurement }) => numbered(measurement[name]),
  });
  const columns = {
    value: of("value"),
    norm: of("norm"),
    gradient_norm: of("gradient_norm"),
    lr: of("lr"),
    mean: of("mean"),
  };
  const all: Column<HistoryRecord>[] = [
    { name: l10n.t("at"), kind: "text", cell: (record) => said(recordName(record)) },
    ...Object.values(columns),
    { name: l10n.t("std"), kind: "number", cell: ({ measurement: { std } }) => numbered(std) },
    { name: l10n.t("min"), kind: "number", cell: ({ measurement: { min } }) => numbered(min) },
    { name: l10n.t("max"), kind: "number", cell: ({ measurement: { max } }) => numbered(max) },
    { name: l10n.t("NaN"), kind: "number", cell: ({ measurement: { nan } }) => counted(nan, "alarm") },
    { name: l10n.t("Inf"), kind: "number", cell: ({ measurement: { inf } }) => counted(inf, "alarm") },
    {
      name: l10n.t("shape"),
      kind: "text",
      cell: ({ measurement: { shape } }) => named(shape === undefined ? undefined : shapeText(shape)),
    },
    { name: l10n.t("dtype"), kind: "text", cell: ({ measurement: { dtype } }) => named(dtype) },
    { name: l10n.t("device"), kind: "text", cell: ({ measurement: { device } }) => named(device) },
    {
      name: l10n.t("version"),
      title: l10n.t("How often its memory was written to."),
      kind: "number",
      cell: ({ measurement: { version } }) => numbered(version),
    },
    {
      name: l10n.t("line"),
      kind: "number",
      cell: (record) => ("stop" in record ? numbered(record.line) : undefined),
    },
    {
      name: l10n.t("time"),
      kind: "text",
      cell: ({ time }) => said(time.toISOString().slice(11, 23)),
    },
  ];
  const last = records.at(-1);
  const group = historyPath(ofRow);
  return tableOf(all, records, {
    id: recordName,
    reveal: (record) => ({
      start: childPath(group, recordName(record)),
      source: "stop" in record ? { file: record.frame.file, line: record.line } : null,
    }),
    ...(last === undefined ? {} : { plot: { column: columns[pointKindOf(last.measurement)], how: "line" } }),
  });
}

const NAMES: Record<PointKind, () => string> = {
  value: () => l10n.t("value"),
  norm: () => l10n.t("norm"),
  gradient_norm: () => l10n.t("gradient norm"),
  lr: () => l10n.t("learning rate"),
  mean: () => l10n.t("mean"),
};
