import * as l10n from "@vscode/l10n";
import type { ComplexStats, Facts, Node, Number as Tagged, Stats } from "../protocol/generated.ts";
import type { Stop } from "./stop.ts";
import { formatBounded, formatBytes, formatNumber, parseNumber } from "./numbers.ts";

/** Kinds that our hover speaks for; the stock hover shows all others. */
export const SUMMARIZED: ReadonlySet<Node["kind"]> = new Set([
  "tensor",
  "array",
  "module",
  "mapping",
  "sequence",
  "set",
]);

/** Text from the program, harmless in Markdown: every character that could mean something is escaped. */
export function escapeMarkdown(text: string): string {
  return (
    text
      // Control characters, and those that turn the reading direction.
      .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ")
      .replace(/[!-/:-@[-`{-~]/g, String.raw`\$&`)
  );
}

/** Shortened in the middle: long names of one family are told apart by their ends. */
export function middle(text: string, limit: number): string {
  const characters = Array.from(text);
  if (characters.length <= limit) return text;
  const head = Math.floor(limit / 3);
  return [...characters.slice(0, head), "…", ...characters.slice(head + 1 - limit)].join("");
}

/** Text from the program where VS Code makes `$(name)` an icon. */
export function escapeIcons(text: string): string {
  return text.replaceAll("$(", String.raw`\$(`);
}

/** Text from the program as a block of code, which nothing in it can close. */
export function codeBlock(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text.replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, " ")}\n${fence}`;
}

/** The hover over an expression: its line, its facts as a table, statistics, first values. */
export function hoverText(expression: string, node: Node): string {
  const parts = [`**${escapeMarkdown(expression)}** \u2002 ${escapeMarkdown(node.line)}`];
  if (node.mark !== undefined) parts.push(escapeMarkdown(markSentence(node.mark)));
  const { facts } = node;
  if (facts !== undefined) {
    parts.push(factsTable(facts), ...[...reading(facts), ...(facts.notes ?? [])].map(escapeMarkdown));
    if (facts.values !== undefined && facts.values !== "") parts.push(codeBlock(facts.values));
  }
  return parts.filter((part) => part !== "").join("\n\n");
}

/** The tooltip of a tree row: what is known without asking. */
export function tooltipText(label: string, description: string, node: Node | undefined): string {
  const parts = [`**${escapeMarkdown(label)}**`, escapeMarkdown(description)];
  if (node !== undefined) {
    const rows: [string, string][] = [];
    if (node.type !== "") rows.push([l10n.t("type"), node.facts?.type ?? node.type]);
    if (node.path !== undefined) rows.push([l10n.t("expression"), node.path]);
    if (rows.length > 0) parts.push(table(rows));
    if (node.mark !== undefined) parts.push(escapeMarkdown(markSentence(node.mark)));
  }
  return parts.filter((part) => part !== "").join("\n\n");
}

/** The status bar while paused: `3 values with NaN · rank 1`, nothing where there is nothing to say. */
export function statusText(stop: Stop): string {
  const parts = [
    alarmText(stop.count("nan"), stop.count("inf")),
    stop.count("sampled") > 0 ? l10n.t("sampled") : "",
    stop.cut === undefined ? "" : l10n.t("not all"),
    stop.answer.process ?? "",
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

function alarmText(nan: number, inf: number): string {
  if (nan > 0 && inf > 0) return l10n.t("{0}, {1} with Inf", alarmText(nan, 0), inf);
  if (nan > 0) return nan === 1 ? l10n.t("1 value with NaN") : l10n.t("{0} values with NaN", nan);
  if (inf > 0) return inf === 1 ? l10n.t("1 value with Inf") : l10n.t("{0} values with Inf", inf);
  return "";
}

/** `Read in 12 ms.` */
export function timeText({ answer: { ms } }: Stop): string {
  return l10n.t("Read in {0} ms.", ms < 10 ? ms.toFixed(1) : ms.toFixed(0));
}

function markSentence({ kind, path }: NonNullable<Node["mark"]>): string {
  return kind === "cycle"
    ? l10n.t("↻ contains itself: it stands above, at {0}", path)
    : l10n.t("≡ the same object as {0}", path);
}

/** The facts, and beside them the statistics: side by side they fit into a hover without scrolling. */
function factsTable(facts: Facts): string {
  const left = factRows(facts);
  const { stats } = facts;
  if (stats === undefined || stats === null) return table(left);
  if (isComplex(stats)) {
    const parts = [stats.real, stats.imag, stats.abs];
    return `${table(left)}\n\n${table([["", l10n.t("real"), l10n.t("imag"), l10n.t("abs")], ...statisticRows(parts)])}`;
  }
  const right = single(stats) ? [] : statisticRows([stats]);
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

function statisticRows(parts: readonly Stats[]): string[][] {
  return STATISTICS.map(([name, text]) => [name(), ...parts.map(text)]).filter((row) => row.slice(1).some(Boolean));
}

/** Of a single value, the value itself says all. */
function single({ count }: Stats): boolean {
  return Number(parseNumber(count)) <= 1;
}

function isComplex(stats: Stats | ComplexStats): stats is ComplexStats {
  return "real" in stats;
}

/** Rows of statistics: name and text, empty when there is nothing to say. What is not from every value is marked. */
const STATISTICS: readonly (readonly [() => string, (stats: Stats) => string])[] = [
  [() => l10n.t("range"), rangeText],
  [
    () => l10n.t("mean"),
    ({ exact, mean, mean_error }) => (mean === null ? "" : about(exact, formatBounded(mean, mean_error))),
  ],
  [() => l10n.t("std"), ({ exact, std }) => (std === null ? "" : about(exact, formatNumber(std)))],
  [() => l10n.t("zeros"), (stats) => share(stats.zeros, stats)],
  [() => l10n.t("NaN"), (stats) => share(stats.nan, stats)],
  [() => l10n.t("Inf"), (stats) => share(stats.pos_inf, stats)],
  [() => l10n.t("−Inf"), (stats) => share(stats.neg_inf, stats)],
];

function rangeText({ exact, min, max }: Stats): string {
  if (min === null || max === null) return "";
  const range = `${formatNumber(min)} … ${formatNumber(max)}`;
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

/** Markdown has no table without a head; an empty one leaves a gap, so the first row stands there. */
function table([head, ...rows]: readonly (readonly string[])[]): string {
  if (head === undefined) return "";
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join("&emsp; | ")} |`;
  return [line(head), `|${" --- |".repeat(head.length)}`, ...rows.map(line)].join("\n");
}
