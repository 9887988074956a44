import * as l10n from "@vscode/l10n";
import type { CompareDifference, CompareFound, DifferenceKind } from "../../protocol/generated.ts";
import { numberOf, numberText } from "../measurements.ts";
import type { RowPath } from "../rowPath.ts";
import { type Column, counted, leftOut, named, numbered, said, shared, type Table, tableOf } from "./table.ts";

/** The differences of two values, the worst first. */
export function compareTable(found: CompareFound, start: RowPath): Table {
  const columns: Column<CompareDifference>[] = [
    { name: l10n.t("where"), kind: "text", cell: ({ path }) => named(path) ?? said(l10n.t("the two"), "quiet") },
    { name: l10n.t("in what"), kind: "text", cell: ({ what }) => said(WHAT[what]()) },
    { name: l10n.t("different"), kind: "number", cell: (row) => counted(row.different) },
    {
      name: l10n.t("share"),
      title: l10n.t("Of the elements that were read."),
      kind: "number",
      cell: ({ different = null, read = null }) =>
        different === null || read === null ? undefined : shared(numberOf(different), numberOf(read)),
    },
    {
      name: l10n.t("largest"),
      title: l10n.t("The largest |a − b|."),
      kind: "log",
      cell: (row) => numbered(row.max_abs),
    },
    {
      name: l10n.t("relative"),
      title: l10n.t("As a share of the larger of the two elements there."),
      kind: "number",
      cell: (row) => numbered(row.relative, { text: (value) => numberText(value) }),
    },
    { name: l10n.t("difference"), kind: "text", cell: ({ text }) => named(text) },
  ];
  return tableOf(columns, found.worst, {
    id: ({ path, what }) => `${path} ${what}`,
    reveal: ({ path }) => ({ start, names: path === "" ? [] : [path] }),
    notes: [
      ...(found.same ? [l10n.t("All is the same.")] : []),
      ...(found.close ? [l10n.t("No more differs than rounding explains.")] : []),
      ...leftOut(found.worst.length, found.differences),
      ...(numberOf(found.not_compared) > 0 ? [l10n.t("{0} not compared", numberOf(found.not_compared))] : []),
      ...(found.complete ? [] : [l10n.t("Elements were left out: reading them takes too long.")]),
    ],
  });
}

const WHAT: Record<DifferenceKind, () => string> = {
  type: () => l10n.t("type"),
  shape: () => l10n.t("shape"),
  dtype: () => l10n.t("dtype"),
  device: () => l10n.t("device"),
  layout: () => l10n.t("layout"),
  requires_grad: () => "requires_grad",
  scale: () => l10n.t("scale"),
  masked: () => l10n.t("masked"),
  values: () => l10n.t("elements"),
  value: () => l10n.t("value"),
  "only in a": () => l10n.t("only in a"),
  "only in b": () => l10n.t("only in b"),
  names: () => l10n.t("names"),
  "not compared": () => l10n.t("not compared"),
  cached: () => l10n.t("stored by one"),
};
