import * as l10n from "@vscode/l10n";
import type { BatchFound, BatchPart } from "../../protocol/generated.ts";
import { numberOf, numberText, shapeText } from "../measurements.ts";
import type { RowPath } from "../rowPath.ts";
import { type Column, counted, named, numbered, said, type Table, tableOf } from "./table.ts";

/** So many labels of a part are named in its row. */
const MOST_LABELS = 12;

/** What is in a batch, part by part; of a table, column by column. */
export function batchTable(found: BatchFound, start: RowPath): Table {
  const columns: Column<BatchPart>[] = [
    { name: l10n.t("part"), kind: "text", cell: ({ path }) => named(path) ?? said(l10n.t("value"), "quiet") },
    { name: l10n.t("type"), kind: "text", cell: ({ type }) => named(type) },
    {
      name: l10n.t("values"),
      title: l10n.t("How many there are of it: one in each sample of a list."),
      kind: "number",
      cell: ({ values }) => (numberOf(values) === 1 ? undefined : counted(values)),
    },
    { name: l10n.t("shape"), kind: "text", cell: ({ shape }) => said(shape === null ? "" : shapeText(shape)) },
    { name: l10n.t("dtype"), kind: "text", cell: ({ dtype }) => named(dtype) },
    { name: l10n.t("device"), kind: "text", cell: ({ device }) => named(device) },
    { name: l10n.t("min"), kind: "number", cell: (part) => approximate(part, part.min) },
    { name: l10n.t("max"), kind: "number", cell: (part) => approximate(part, part.max) },
    { name: l10n.t("mean"), kind: "number", cell: (part) => approximate(part, part.mean) },
    { name: l10n.t("NaN"), kind: "number", kept: true, cell: ({ nan }) => counted(nan, "alarm") },
    { name: l10n.t("Inf"), kind: "number", kept: true, cell: ({ inf }) => counted(inf, "alarm") },
    {
      name: l10n.t("missing"),
      title: l10n.t("Nulls of a column."),
      kind: "number",
      cell: ({ missing }) => counted(missing, "warning"),
    },
    { name: l10n.t("different"), kind: "number", cell: ({ distinct }) => counted(distinct) },
    {
      name: l10n.t("labels"),
      title: l10n.t("How often each value occurs."),
      kind: "text",
      cell: ({ labels }) => named(labelsText(labels)),
    },
    {
      name: l10n.t("imbalance"),
      title: l10n.t("How many times as often as the rarest label the most frequent one occurs."),
      kind: "number",
      cell: ({ imbalance }) => numbered(imbalance),
    },
    {
      name: l10n.t("duplicates"),
      title: l10n.t("Samples that are equal to an earlier one."),
      kind: "number",
      cell: ({ duplicates }) => counted(duplicates, "warning"),
    },
    {
      name: l10n.t("constant"),
      title: l10n.t("Columns that hold one value."),
      kind: "text",
      cell: ({ constant_columns: constant }) => said(constant.join(", "), "warning"),
    },
    { name: l10n.t("not read"), kind: "text", cell: ({ unread }) => named(unread, "quiet") },
  ];
  return tableOf(columns, found.parts, {
    id: ({ path }) => path,
    reveal: ({ path }) => ({ start, names: [path === "" ? "value" : path] }),
    notes: [
      ...found.problems.map(({ text }) => text),
      ...found.settings.map(([name, text]) => `${name}: ${text}`),
      ...(found.complete ? [] : [l10n.t("There is more, or deeper, than is listed.")]),
    ],
  });
}

/** A number, with ≈ where not all was read. */
function approximate({ exact }: BatchPart, number: BatchPart["mean"]) {
  return numbered(number, { text: (value) => `${exact ? "" : "≈"}${numberText(value)}` });
}

function labelsText(labels: BatchPart["labels"]): string {
  if (labels === null) return "";
  const shown = labels.slice(0, MOST_LABELS).map(({ label, count }) => `${String(label)} ×${numberOf(count)}`);
  return [...shown, ...(labels.length > MOST_LABELS ? ["…"] : [])].join(", ");
}
