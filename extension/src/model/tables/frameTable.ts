import * as l10n from "@vscode/l10n";
import type { Facts, Node, Stats } from "../../protocol/generated.ts";
import type { TableCell } from "../../protocol/table.ts";
import { gradientText } from "../card.ts";
import type { Contents } from "../contents.ts";
import { numberOf, shapeText } from "../measurements.ts";
import { comparedText } from "../row.ts";
import { childPath, framePath, idOf } from "../rowPath.ts";
import { type Column, counted, named, numbered, said, sized, type Table, tableOf } from "./table.ts";

/** The variables of a frame; the nodes have their facts. */
export function frameTable(nodes: readonly Node[], contents: Contents): Table {
  const root = framePath(contents.frame);
  const pathOf = (node: Node) => childPath(root, node.name);
  const hasChanged = (node: Node): boolean => contents.hasChanged(idOf(pathOf(node)), comparedText(pathOf(node), node));
  const ofStats = (cell: (stats: Stats) => TableCell | undefined) => {
    return ({ facts }: Node): TableCell | undefined => {
      const stats = statsOf(facts);
      return stats === undefined ? undefined : cell(stats);
    };
  };
  const columns: Column<Node>[] = [
    { name: l10n.t("name"), kind: "text", cell: ({ name }) => named(name) },
    { name: l10n.t("type"), kind: "text", cell: ({ type }) => named(type) },
    { name: l10n.t("shape"), kind: "text", cell: ({ facts }) => shapeCell(facts) },
    { name: l10n.t("dtype"), kind: "text", cell: ({ facts }) => named(facts?.dtype) },
    { name: l10n.t("device"), kind: "text", cell: ({ facts }) => named(facts?.device) },
    { name: l10n.t("min"), kind: "number", cell: ofStats(({ min }) => numbered(min)) },
    { name: l10n.t("max"), kind: "number", cell: ofStats(({ max }) => numbered(max)) },
    { name: l10n.t("mean"), kind: "number", cell: ofStats(({ mean }) => numbered(mean)) },
    { name: l10n.t("std"), kind: "number", cell: ofStats(({ std }) => numbered(std)) },
    { name: l10n.t("NaN"), kind: "number", kept: true, cell: ofStats(({ nan }) => counted(nan, "alarm")) },
    {
      name: l10n.t("Inf"),
      kind: "number",
      kept: true,
      cell: ofStats((stats) => counted(numberOf(stats.pos_inf) + numberOf(stats.neg_inf), "alarm")),
    },
    { name: l10n.t("gradient"), kind: "text", cell: ({ facts }) => said((facts && gradientText(facts)) ?? "") },
    {
      name: l10n.t("changed"),
      title: l10n.t("Its value says something else than at the last stop in this function."),
      kind: "text",
      cell: (node) => (hasChanged(node) ? said(l10n.t("changed"), "warning") : undefined),
    },
    {
      name: l10n.t("bytes"),
      title: l10n.t("Of a container, of the tensors and arrays in it."),
      kind: "bar",
      cell: ({ facts }) => sized(facts?.bytes ?? facts?.held?.bytes),
    },
    { name: l10n.t("value"), kind: "text", cell: (node) => named(node.line) },
  ];
  return tableOf(
    columns,
    nodes.filter(({ kind }) => kind !== "group"),
    {
      id: ({ name }) => name,
      reveal: (node) => ({ start: pathOf(node) }),
    },
  );
}

/** Of complex numbers, those of their magnitudes. */
function statsOf(facts: Facts | undefined): Stats | undefined {
  const stats = facts?.stats;
  if (stats === undefined || stats === null) return undefined;
  return "abs" in stats ? stats.abs : stats;
}

function shapeCell(facts: Facts | undefined): TableCell | undefined {
  return facts?.shape === undefined ? undefined : named(shapeText(facts.shape));
}
