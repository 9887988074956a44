import * as l10n from "@vscode/l10n";
import type { LayerCall, LayerTensor, ShapesFound } from "../../protocol/generated.ts";
import type { TableCell } from "../../protocol/table.ts";
import { numberOf, shapeText } from "../measurements.ts";
import type { RowPath } from "../rowPath.ts";
import { type Column, counted, leftOut, named, numbered, said, type Table, tableOf } from "./table.ts";

/** What each layer took and gave, in the order of the calls. */
export function shapesTable(found: ShapesFound, start: RowPath): Table {
  const columns: Column<LayerCall>[] = [
    { name: l10n.t("layer"), kind: "text", cell: ({ name }) => named(name) ?? said(l10n.t("the module"), "quiet") },
    { name: l10n.t("type"), kind: "text", cell: ({ type }) => named(type) },
    { name: l10n.t("call"), kind: "number", cell: ({ call }) => counted(call) },
    { name: l10n.t("input"), kind: "text", cell: ({ inputs }) => named(shapesText(inputs)) },
    { name: l10n.t("output"), kind: "text", cell: ({ outputs }) => named(shapesText(outputs)) },
    {
      name: l10n.t("dtype"),
      title: l10n.t("Of what it gave."),
      kind: "text",
      cell: ({ outputs }) => said([...new Set(outputs.map(({ dtype }) => dtype))].join(", ")),
    },
    { name: l10n.t("min"), title: l10n.t("Of what it gave."), kind: "number", cell: least },
    { name: l10n.t("max"), title: l10n.t("Of what it gave."), kind: "number", cell: most },
    { name: l10n.t("NaN"), kind: "number", kept: true, cell: ({ nan }) => counted(nan, "alarm") },
    { name: l10n.t("Inf"), kind: "number", kept: true, cell: ({ inf }) => counted(inf, "alarm") },
    {
      name: l10n.t("ms"),
      title: l10n.t("How long it ran, in milliseconds."),
      kind: "bar",
      cell: ({ ms }) => numbered(ms),
    },
    { name: l10n.t("parameters"), kind: "number", cell: (row) => counted(row.parameters) },
    { name: l10n.t("state"), kind: "text", cell: stateCell },
  ];
  const names = namesOf(found.rows);
  return tableOf(columns, found.rows, {
    id: ({ name, call }) => `${name} ${call}`,
    depth: ({ depth }) => depth,
    reveal: (row) => ({ start, names: names.get(row) ?? [] }),
    notes: [
      ...(found.error === null ? [] : [`${found.error.type}: ${found.error.explained ?? found.error.message}`]),
      ...leftOut(found.rows.length, found.calls),
    ],
  });
}

/** The names of the rows on the way to each call, below that of the module: each without what its caller's begins with. */
function namesOf(calls: readonly LayerCall[]): ReadonlyMap<LayerCall, readonly string[]> {
  const ways = new Map<LayerCall, readonly string[]>();
  const above: LayerCall[] = [];
  for (const call of calls) {
    const caller = call.depth === 0 ? undefined : above[call.depth - 1];
    above.splice(call.depth, above.length, call);
    if (caller === undefined) continue;
    const start = caller.name === "" ? "" : `${caller.name}.`;
    const key = call.name.startsWith(start) ? call.name.slice(start.length) : call.name;
    ways.set(call, [...(ways.get(caller) ?? []), call.call === 1 ? key : `${key} (call ${call.call})`]);
  }
  return ways;
}

function shapesText(tensors: readonly LayerTensor[]): string {
  return tensors.map(({ name, shape }) => `${name} ${shape === null ? "?" : shapeText(shape)}`.trim()).join(", ");
}

function least({ outputs }: LayerCall): TableCell | undefined {
  const lows = outputs.flatMap(({ low }) => (low === null ? [] : [numberOf(low)]));
  return lows.length === 0 ? undefined : numbered(Math.min(...lows));
}

function most({ outputs }: LayerCall): TableCell | undefined {
  const highs = outputs.flatMap(({ high }) => (high === null ? [] : [numberOf(high)]));
  return highs.length === 0 ? undefined : numbered(Math.max(...highs));
}

function stateCell({ state, begins }: LayerCall): TableCell | undefined {
  if (state === "raised") return said(l10n.t("raised"), "alarm");
  if (begins) return said(l10n.t("NaN or Inf begins here"), "alarm");
  return state === "inside" ? said(l10n.t("raised inside"), "warning") : undefined;
}
