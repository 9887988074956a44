import * as l10n from "@vscode/l10n";
import type { ComplexStats, Facts, Node, Number as Tagged, Page, Stats } from "../protocol/generated.ts";
import { formatBounded, formatBytes, formatNumber, parseNumber } from "./numbers.ts";
import { codeBlock, escapeHtml, escapeMarkdown, namesApart } from "./words.ts";

/** Items of a container at most. */
const ITEMS = 10;
/** Characters of an item's name at most. */
const NAME = 32;
/** Kinds whose children are their items; those of a tensor are what is told here anyway. */
const CONTAINERS: ReadonlySet<Node["kind"]> = new Set(["module", "mapping", "sequence", "set", "object"]);
/** Digits of a standard deviation at most: it may be off by a hundred-thousandth. */
const STD_DIGITS = 5;

/**
 * What a hover and the tooltip of a row show, in Markdown with HTML: the line, the facts as a table, statistics, the first
 * items or values; as much of it as the node has. `digits` are those of the statistics.
 */
export function cardText(name: string, node: Node, digits = 4): string {
  const { facts, mark, page } = node;
  const parts = [`**${escapeMarkdown(name)}** \u2002 ${escapeMarkdown(node.line)}`];
  if (mark !== undefined) parts.push(escapeMarkdown(markSentence(mark)));
  const expression: Fact[] = node.path === undefined || node.path === name ? [] : [[l10n.t("expression"), node.path]];
  if (facts === undefined) parts.push(table([[l10n.t("type"), node.type], ...expression].filter(([, text]) => text)));
  else {
    parts.push(
      factsTable(facts, expression, digits),
      ...[...reading(facts), ...(facts.notes ?? [])].map(escapeMarkdown),
    );
    if (facts.values !== undefined && facts.values !== "") parts.push(codeBlock(facts.values));
  }
  if (page !== undefined && CONTAINERS.has(node.kind)) parts.push(...itemsText(page, node.children ?? page.total));
  return parts.filter((part) => part !== "").join("\n\n");
}

type Fact = [label: string, text: string];

/** The first items, whether there are more (`total` is null where nobody knows how many), and why so few came. */
function itemsText({ nodes, cut = "" }: Page, total: number | null): string[] {
  const shown = nodes.slice(0, ITEMS);
  const names = namesApart(
    shown.map(({ name }) => name),
    NAME,
  );
  const items = table(shown.map(({ name, line, short }, at) => [names[at] ?? name, short ?? line]));
  const left = total === null ? undefined : total - shown.length;
  if (left !== undefined && left <= 0) return [items];
  const more = left === undefined ? l10n.t("and more") : l10n.t("and {0} more", formatNumber(left));
  return [items, escapeMarkdown(more), shown.length < nodes.length ? "" : escapeMarkdown(cut)];
}

function markSentence({ kind, path }: NonNullable<Node["mark"]>): string {
  return kind === "cycle"
    ? l10n.t("↻ contains itself: it stands above, at {0}", path)
    : l10n.t("≡ the same object as {0}", path);
}

/** The facts, and beside them the statistics: side by side they fit into a hover without scrolling. */
function factsTable(facts: Facts, expression: Fact[], digits: number): string {
  const left = [...factRows(facts), ...expression];
  const { stats } = facts;
  if (stats === undefined || stats === null) return table(left);
  if (isComplex(stats)) {
    const parts = [stats.real, stats.imag, stats.abs];
    return `${table(left)}\n\n${table([["", l10n.t("real"), l10n.t("imag"), l10n.t("abs")], ...statisticRows(parts, digits)])}`;
  }
  const right = single(stats) ? [] : statisticRows([stats], digits);
  if (right.length === 0) return table(left);
  const height = Math.max(left.length, right.length);
  return table(Array.from({ length: height }, (_, at) => [...(left[at] ?? ["", ""]), ...(right[at] ?? ["", ""])]));
}

function factRows(facts: Facts): [string, string][] {
  const { shape, strides, layout } = facts;
  const rows: [string, string | undefined][] = [
    [l10n.t("type"), facts.type],
    [l10n.t("shape"), shape && `[${shape.map(sizeText).join(", ")}]`],
    [l10n.t("dtype"), facts.dtype],
    [l10n.t("device"), facts.device],
    [l10n.t("layout"), layout === "strided" ? undefined : layout],
    // Where the layout is the plain one, strides tell nothing that the shape does not.
    [
      l10n.t("strides"),
      strides?.length && facts.notes?.length
        ? `(${strides.map((stride) => formatNumber(stride)).join(", ")})`
        : undefined,
    ],
    [l10n.t("memory"), facts.bytes === undefined ? undefined : formatBytes(facts.bytes)],
    [l10n.t("gradient"), gradientText(facts)],
    [l10n.t("view of"), facts.view_of ?? undefined],
    ...(facts.rows ?? []),
  ];
  return rows.filter((row): row is [string, string] => row[1] !== undefined && row[1] !== "");
}

function sizeText(size: Tagged | string | null): string {
  if (size === null) return "?";
  return typeof size === "string" && !size.startsWith("#") ? size : String(parseNumber(size));
}

function gradientText({ requires_grad, is_leaf, grad_fn }: Facts): string | undefined {
  if (requires_grad === undefined) return undefined;
  if (!requires_grad) return l10n.t("not required");
  if (grad_fn !== undefined && grad_fn !== null) return `← ${grad_fn}`;
  return is_leaf === true ? l10n.t("required · leaf") : l10n.t("required");
}

/** What must be said about how the statistics came about, or why there are none. */
function reading({ stats, unread }: Facts): string[] {
  if (stats === undefined || stats === null)
    return unread === undefined ? [] : [l10n.t("values not read: {0}", unread)];
  const { exact, read, count } = isComplex(stats) ? stats.real : stats;
  return exact ? [] : [l10n.t("≈ from {0} of {1} values", formatNumber(read), formatNumber(count))];
}

function statisticRows(parts: readonly Stats[], digits: number): string[][] {
  return STATISTICS.map(([name, text]) => [name(), ...parts.map((part) => text(part, digits))]).filter((row) =>
    row.slice(1).some(Boolean),
  );
}

/** Of a single value, the value itself says all. */
function single({ count }: Stats): boolean {
  return Number(parseNumber(count)) <= 1;
}

function isComplex(stats: Stats | ComplexStats): stats is ComplexStats {
  return "real" in stats;
}

/** Rows of statistics: name and text, empty when there is nothing to say. What is not from every value is marked. */
const STATISTICS: readonly (readonly [() => string, (stats: Stats, digits: number) => string])[] = [
  [() => l10n.t("range"), rangeText],
  [
    () => l10n.t("mean"),
    ({ exact, mean, mean_error }, digits) =>
      mean === null ? "" : about(exact, formatBounded(mean, mean_error, digits)),
  ],
  [
    () => l10n.t("std"),
    ({ exact, std }, digits) => (std === null ? "" : about(exact, formatNumber(std, Math.min(digits, STD_DIGITS)))),
  ],
  [() => l10n.t("zeros"), (stats) => share(stats.zeros, stats)],
  [() => l10n.t("NaN"), (stats) => share(stats.nan, stats)],
  [() => l10n.t("Inf"), (stats) => share(stats.pos_inf, stats)],
  [() => l10n.t("−Inf"), (stats) => share(stats.neg_inf, stats)],
];

function rangeText({ exact, min, max }: Stats, digits: number): string {
  if (min === null || max === null) return "";
  const range = `${formatNumber(min, digits)} … ${formatNumber(max, digits)}`;
  return exact ? range : l10n.t("seen {0}", range);
}

function about(exact: boolean, text: string): string {
  return exact || text.startsWith("≈") ? text : `≈${text}`;
}

/** `12 (0.4%)`; nothing for none; of a sample, at least so many. */
function share(part: Tagged, { count, exact }: Stats): string {
  const [some, all] = [Number(parseNumber(part)), Number(parseNumber(count))];
  if (some === 0) return "";
  if (!exact) return `≥${formatNumber(part)}`;
  const percent = (100 * some) / all;
  // Rounding must not say that all are what only almost all are.
  return `${formatNumber(part)} (${some < all && percent > 99 ? ">99" : formatNumber(Number(percent.toPrecision(2)))}%)`;
}

/** In HTML, since a table of Markdown has a head, and what stands there is in bold. */
function table(rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]): string =>
    `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}&emsp;</td>`).join("")}</tr>`;
  return `<table>${rows.map(line).join("")}</table>`;
}
