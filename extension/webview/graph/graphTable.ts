/** The nodes of a graph as a table, for who can't see the picture. */
import * as l10n from "@vscode/l10n";
import type { TableCell, TableColumn, WholeTable } from "../../src/protocol/table.ts";
import type { MarkKind } from "./marks.ts";
import type { GraphNodes } from "./nodes.ts";
import { leafName, markWord, nodeWords, operationName, shapeText } from "./words.ts";

export function graphTable(
  name: string,
  nodes: GraphNodes,
  marks: ReadonlyMap<number, readonly MarkKind[]>,
): WholeTable {
  const columns: TableColumn[] = [
    { name: l10n.t("node"), kind: "text" },
    { name: l10n.t("operation"), title: l10n.t("The class of the node."), kind: "text" },
    { name: l10n.t("shape"), kind: "text" },
    { name: l10n.t("dtype"), kind: "text" },
    { name: l10n.t("takes"), kind: "text" },
    { name: l10n.t("state"), kind: "text" },
  ];
  const rows = Array.from(nodes.order, (node) => {
    const leaf = nodes.leaves.get(node);
    const marked = marks.get(node) ?? [];
    const title =
      leaf === undefined ? (nodes.names.get(node) ?? operationName(nodes.op(node))) : (leaf.name ?? leafName(leaf));
    const taken = [...nodes.inputs.of(node)].map((one) => nodeWords(nodes, one)).join("; ");
    const state: TableCell =
      marked.length === 0
        ? { text: "" }
        : { text: marked.map(markWord).join(", "), tone: marked[0] === "freed" ? "quiet" : "alarm" };
    const texts = [title, nodes.op(node).type, shapeText(nodes, node), nodes.result(node)?.dtype ?? "", taken];
    return { id: String(node), cells: [...texts.map((text): TableCell => ({ text, foreign: true })), state] };
  });
  return { type: "table", name, columns, rows, notes: [] };
}
