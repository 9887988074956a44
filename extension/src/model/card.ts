import * as l10n from "@vscode/l10n";
import type { Facts, Node, Page, StatTexts } from "../protocol/generated.ts";
import { codeBlock, countText, escapeHtml, escapeMarkdown, joined, namesApart } from "./words.ts";

/** How many items of a container are shown. */
const MAX_ITEMS = 10;
/** How many characters of an item's name are shown. */
const MAX_NAME_LENGTH = 32;
/** Kinds whose children are their items; those of a tensor are what is told here anyway. */
const CONTAINERS: ReadonlySet<Node["kind"]> = new Set(["module", "mapping", "sequence", "set", "object"]);

/**
 * What a hover and the tooltip of a row show, in Markdown with HTML: the line, the facts as a table, statistics, the first
 * items or values; as much of it as the node has. Numbers are the helper's words.
 */
export function cardText(name: string, node: Node): string {
  const { facts, mark, page } = node;
  const parts = [titleOf(name, node.line)];
  if (mark !== undefined) parts.push(escapeMarkdown(markSentence(mark)));
  const expression: Fact[] = node.path === undefined || node.path === name ? [] : [[l10n.t("expression"), node.path]];
  if (facts === undefined) parts.push(table([[l10n.t("type"), node.type], ...expression].filter(([, text]) => text)));
  else {
    parts.push(
      factsTable(facts, expression),
      ...[...statisticsNotes(facts), ...(facts.notes ?? []), ...legendOf(facts)].map(escapeMarkdown),
    );
    if (facts.values !== undefined && facts.values !== "") parts.push(codeBlock(facts.values));
  }
  if (page !== undefined && CONTAINERS.has(node.kind)) parts.push(...itemsText(page, node.children ?? page.total));
  return joined("\n\n", ...parts);
}

/** What a hover shows of a value that could not be asked for: why, and what its row says, where that still holds. */
export function failureCardText(name: string, why: string, row: Node | undefined): string {
  return row === undefined ? titleOf(name, why) : joined("\n\n", cardText(name, row), escapeMarkdown(why));
}

/** What the picture shows; the first line of its legend, the shape, stands above already. */
function legendOf({ thumbnail }: Facts): string[] {
  return thumbnail === undefined ? [] : [thumbnail.legend.split("\n").slice(1).join(" · ")];
}

/** The picture, as the last cell of the first row of a table of so many rows. */
function pictureCell({ thumbnail }: Facts, height: number): string {
  if (thumbnail === undefined) return "";
  const { png, legend } = thumbnail;
  return `<td rowspan="${height}"><img alt="${escapeHtml(legend)}" src="data:image/png;base64,${png}"></td>`;
}

function titleOf(name: string, line: string): string {
  return `**${escapeMarkdown(name)}** \u2002 ${escapeMarkdown(line)}`;
}

type Fact = [label: string, text: string];

/** The parts of complex numbers, each with statistics of its own. */
export function partNames(): string[] {
  return [l10n.t("real"), l10n.t("imag"), l10n.t("abs")];
}

/** The first items, whether there are more (`total` is null where nobody knows how many), and why so few came. */
function itemsText({ nodes, cut = "" }: Page, total: number | null): string[] {
  const shown = nodes.slice(0, MAX_ITEMS);
  const names = namesApart(
    shown.map(({ name }) => name),
    MAX_NAME_LENGTH,
  );
  const items = table(shown.map(({ name, line, short }, at) => [names[at] ?? name, short ?? line]));
  const left = total === null ? undefined : total - shown.length;
  if (left !== undefined && left <= 0) return [items];
  const more = left === undefined ? l10n.t("and more") : l10n.t("and {0} more", countText(left));
  return [items, escapeMarkdown(more), shown.length < nodes.length ? "" : escapeMarkdown(cut)];
}

function markSentence({ kind, path }: NonNullable<Node["mark"]>): string {
  return kind === "cycle"
    ? l10n.t("↻ contains itself: it stands above, at {0}", path)
    : l10n.t("≡ the same object as {0}", path);
}

/** The facts, and beside them the statistics: side by side they fit into a hover without scrolling. */
function factsTable(facts: Facts, expression: Fact[]): string {
  const left = [...factRows(facts), ...expression];
  const isExact = facts.texts?.read === undefined;
  const right = statisticRows(facts.texts?.statistics ?? [], isExact);
  if (right.length === 0) return table(left, pictureCell(facts, left.length));
  if (right.some((row) => row.length > 2)) {
    return `${table(left, pictureCell(facts, left.length))}\n\n${table([["", ...partNames()], ...right])}`;
  }
  const height = Math.max(left.length, right.length);
  const rows = Array.from({ length: height }, (_, at) => [...(left[at] ?? ["", ""]), ...(right[at] ?? ["", ""])]);
  return table(rows, pictureCell(facts, height));
}

/** The facts that have something to say, each with a name. */
export function factRows(facts: Facts): [string, string][] {
  const { layout, texts = {} } = facts;
  const rows: [string, string | undefined][] = [
    [l10n.t("type"), facts.type],
    [l10n.t("shape"), texts.shape],
    [l10n.t("dtype"), facts.dtype],
    [l10n.t("device"), facts.device],
    [l10n.t("layout"), layout === "strided" ? undefined : layout],
    [l10n.t("strides"), texts.strides],
    [l10n.t("memory"), texts.bytes ?? texts.held],
    [l10n.t("gradient"), gradientText(facts)],
    [l10n.t("view of"), facts.view_of ?? undefined],
    ...(facts.rows ?? []),
  ];
  return rows.filter((row): row is [string, string] => row[1] !== undefined && row[1] !== "");
}

/** What is said of whether a gradient is wanted; undefined of what has none. */
export function gradientText({ requires_grad, is_leaf, grad_fn }: Facts): string | undefined {
  if (requires_grad === undefined) return undefined;
  if (!requires_grad) return l10n.t("not required");
  if (grad_fn !== undefined && grad_fn !== null) return `← ${grad_fn}`;
  return is_leaf === true ? l10n.t("required · leaf") : l10n.t("required");
}

/** What must be said about how the statistics came about, or why there are none. */
export function statisticsNotes({ stats, unread, texts = {} }: Facts): string[] {
  if (stats === null && unread !== undefined) return [l10n.t("values not read: {0}", unread)];
  const { read, count } = texts;
  return read === undefined || count === undefined ? [] : [l10n.t("≈ from {0} of {1} values", read, count)];
}

/** Rows of statistics that have something to say: name and text, or a text for each part of complex numbers. */
export function statisticRows(parts: readonly StatTexts[], isExact: boolean): string[][] {
  const seen = (range: string): string => (isExact || range === "" ? range : l10n.t("seen {0}", range));
  const named: [string, keyof StatTexts][] = [
    [l10n.t("range"), "range"],
    [l10n.t("mean"), "mean"],
    [l10n.t("std"), "std"],
    [l10n.t("zeros"), "zeros"],
    [l10n.t("NaN"), "nan"],
    [l10n.t("Inf"), "pos_inf"],
    [l10n.t("−Inf"), "neg_inf"],
  ];
  const textOf = (part: StatTexts, which: keyof StatTexts): string =>
    which === "range" ? seen(part.range ?? "") : (part[which] ?? "");
  const rows = named.map(([name, which]) => [name, ...parts.map((part) => textOf(part, which))]);
  return rows.filter((row) => row.slice(1).some(Boolean));
}

/** A table in HTML: one in Markdown has a head, which is bold. The first row ends with a cell that stands beside all. */
function table(rows: readonly (readonly string[])[], beside = ""): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[], at: number): string =>
    `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}&emsp;</td>`).join("")}${at === 0 ? beside : ""}</tr>`;
  return `<table>${rows.map(line).join("")}</table>`;
}
