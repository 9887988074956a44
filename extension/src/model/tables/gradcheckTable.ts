import * as l10n from "@vscode/l10n";
import type { GradcheckEntry, GradcheckFound, GradcheckInput } from "../../protocol/generated.ts";
import { numberOf } from "../measurements.ts";
import type { RowPath } from "../rowPath.ts";
import { type Column, counted, leftOut, named, numbered, said, type Table, tableOf } from "./table.ts";

/** An input of the function, or one of its entries whose gradient disagrees. */
type GradcheckRow =
  { readonly what: "input"; readonly of: GradcheckInput } | { readonly what: "entry"; readonly of: GradcheckEntry };

/** The inputs and parameters of a function, each with its entries at which the backward disagrees. */
export function gradcheckTable(found: GradcheckFound, start: RowPath): Table {
  const ofInput = (cell: (of: GradcheckInput) => ReturnType<Column<GradcheckRow>["cell"]>) => (row: GradcheckRow) =>
    row.what === "input" ? cell(row.of) : undefined;
  const ofEntry = (cell: (of: GradcheckEntry) => ReturnType<Column<GradcheckRow>["cell"]>) => (row: GradcheckRow) =>
    row.what === "entry" ? cell(row.of) : undefined;
  const columns: Column<GradcheckRow>[] = [
    { name: l10n.t("input"), kind: "text", cell: (row) => named(nameOf(row)) },
    {
      name: l10n.t("backward"),
      title: l10n.t("What the backward says of an entry."),
      kind: "number",
      cell: ofEntry(({ analytic }) => numbered(analytic, { tone: "alarm" })),
    },
    {
      name: l10n.t("differences"),
      title: l10n.t("What differences of the values say of it."),
      kind: "number",
      cell: ofEntry(({ numeric }) => numbered(numeric)),
    },
    { name: l10n.t("output"), kind: "text", cell: ofEntry((entry) => said(outputText(entry))) },
    { name: l10n.t("entries"), kind: "number", cell: ofInput(({ entries }) => counted(entries)) },
    { name: l10n.t("looked at"), kind: "number", cell: ofInput((one) => counted(one.looked_at)) },
    { name: l10n.t("wrong"), kind: "number", kept: true, cell: ofInput(({ wrong }) => counted(wrong, "alarm")) },
    {
      name: l10n.t("ratio"),
      title: l10n.t("What the backward says as a multiple of what is right."),
      kind: "number",
      cell: ofInput(({ ratio }) => numbered(ratio)),
    },
    {
      name: l10n.t("kinks"),
      title: l10n.t("Entries at which there is no derivative."),
      kind: "number",
      cell: ofInput(({ kinks }) => counted(kinks)),
    },
    { name: l10n.t("unsure"), kind: "number", cell: ofInput(({ unsure }) => counted(unsure)) },
    {
      name: l10n.t("gradient"),
      kind: "text",
      cell: ofInput(({ without }) => said(without ? l10n.t("none at all") : "", "alarm")),
    },
  ];
  const rows = found.inputs.flatMap((of): GradcheckRow[] => [
    { what: "input", of },
    ...found.worst
      .filter(({ input }) => input === of.name)
      .map((entry): GradcheckRow => ({ what: "entry", of: entry })),
  ]);
  return tableOf(columns, rows, {
    id: (row) => `${row.what} ${nameOf(row)}`,
    depth: ({ what }) => (what === "entry" ? 1 : 0),
    reveal: (row) => ({ start, names: [nameOf(row)] }),
    notes: [
      ...(found.error === null ? [] : [found.error]),
      ...(found.not_asked.length === 0 ? [] : [l10n.t("not looked at: {0}", found.not_asked.join(", "))]),
      ...leftOut(found.worst.length, found.wrong),
    ],
  });
}

function nameOf(row: GradcheckRow): string {
  if (row.what === "input") return row.of.name;
  const { input, index, part } = row.of;
  const place = index.length === 0 ? "" : `[${index.map(numberOf).join(", ")}]`;
  return `${input}${place}${part === null ? "" : `.${part}`}`; // as its row in the tree is called
}

/** Which element of the result was differentiated. */
function outputText({ output, output_index: index }: GradcheckEntry): string {
  if (output === null) return "";
  return index === null || index === undefined ? `${numberOf(output)}` : `${numberOf(output)}[${index.join(", ")}]`;
}
