import * as l10n from "@vscode/l10n";
import type { GradientRow, GradientsFound } from "../../protocol/generated.ts";
import type { TableCell } from "../../protocol/table.ts";
import { numberOf, numberText } from "../measurements.ts";
import type { RowPath } from "../rowPath.ts";
import { type Column, counted, leftOut, named, numbered, said, shared, type Table, tableOf } from "./table.ts";

/** The gradients of a model, the first parameter first, with the norms as bars along depth. */
export function gradientsTable(found: GradientsFound, start: RowPath): Table {
  const norm: Column<GradientRow> = {
    name: l10n.t("gradient"),
    title: l10n.t("Its Euclidean norm; bars are on a logarithmic scale."),
    kind: "log",
    cell: normCell,
  };
  const columns: Column<GradientRow>[] = [
    { name: l10n.t("parameter"), kind: "text", cell: ({ name }) => named(name) },
    norm,
    {
      name: l10n.t("of weight"),
      title: l10n.t("The norm of the gradient as a share of the weight's."),
      kind: "number",
      cell: ({ norm: one, weight_norm: weight }) => shared(one, weight),
    },
    { name: l10n.t("weight"), title: l10n.t("Its norm."), kind: "number", cell: (row) => numbered(row.weight_norm) },
    {
      name: l10n.t("update"),
      title: l10n.t("The norm of what the optimizer's next step would change."),
      kind: "number",
      cell: (row) => numbered(row.update_norm),
    },
    {
      name: l10n.t("update of weight"),
      title: l10n.t("The norm of the update as a share of the weight's."),
      kind: "number",
      cell: (row) => shared(row.update_norm, row.weight_norm),
    },
    { name: l10n.t("NaN"), kind: "number", kept: true, cell: ({ nan }) => counted(nan, "alarm") },
    { name: l10n.t("Inf"), kind: "number", kept: true, cell: ({ inf }) => counted(inf, "alarm") },
    {
      name: l10n.t("depth"),
      title: l10n.t("Which parameter of the model it is."),
      kind: "number",
      cell: ({ depth }) => numbered(depth),
    },
  ];
  const rows = found.rows.toSorted((one, other) => one.depth - other.depth);
  return tableOf(columns, rows, {
    id: ({ name }) => name,
    reveal: ({ name, path }) => ({ start, names: [name, path ?? name] }),
    plot: { column: norm, how: "log" },
    notes: [
      ...(found.norm === null ? [] : [l10n.t("norm of all {0}", numberText(numberOf(found.norm)))]),
      ...(found.rule === null ? [] : [l10n.t("updates by {0}", found.rule)]),
      ...leftOut(rows.length, found.parameters),
    ],
  });
}

/** The norm, or why there is none. */
function normCell({ state, norm }: GradientRow): TableCell | undefined {
  return state === "fine" ? numbered(norm) : WITHOUT_NORM[state]();
}

const WITHOUT_NORM: Record<Exclude<GradientRow["state"], "fine">, () => TableCell | undefined> = {
  nan: () => said(l10n.t("NaN"), "alarm"),
  inf: () => said(l10n.t("Inf"), "alarm"),
  none: () => said(l10n.t("None"), "warning"),
  zero: () => ({ text: l10n.t("all zeros"), value: 0, tone: "warning" }),
  unread: () => said(l10n.t("not read"), "quiet"),
  empty: () => said(l10n.t("without elements"), "quiet"),
  frozen: () => said(l10n.t("frozen"), "quiet"),
};
