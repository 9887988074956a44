import type { ComplexStats, Facts, Node, Number as Tagged, Stats } from "../protocol/generated.ts";
import { t } from "./l10n.ts";
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
    parts.push(factsTable(facts), ...statistics(facts), ...(facts.notes ?? []).map((note) => escapeMarkdown(note)));
    if (facts.values !== undefined && facts.values !== "") parts.push(codeBlock(facts.values));
  }
  return parts.filter((part) => part !== "").join("\n\n");
}

/** The tooltip of a tree row: what is known without asking. */
export function tooltipText(label: string, description: string, node: Node | undefined): string {
  const parts = [`**${escapeMarkdown(label)}**`, escapeMarkdown(description)];
  if (node !== undefined) {
    const rows: [string, string][] = [];
    if (node.type !== "") rows.push([t("type"), node.facts?.type ?? node.type]);
    if (node.path !== undefined) rows.push([t("expression"), node.path]);
    if (rows.length > 0) parts.push(table(rows));
    if (node.mark !== undefined) parts.push(escapeMarkdown(markSentence(node.mark)));
  }
  return parts.filter((part) => part !== "").join("\n\n");
}

function markSentence({ kind, path }: NonNullable<Node["mark"]>): string {
  return kind === "cycle" ? t("↻ contains itself: it stands above, at {0}", path) : t("≡ the same object as {0}", path);
}

function factsTable(facts: Facts): string {
  const rows: [string, string | undefined][] = [
    [t("type"), facts.type],
    [t("shape"), facts.shape && `[${facts.shape.map(sizeText).join(", ")}]`],
    [t("dtype"), facts.dtype],
    [t("device"), facts.device],
    [t("layout"), facts.layout],
    [t("strides"), facts.strides && `(${facts.strides.map((stride) => formatNumber(stride)).join(", ")})`],
    [t("memory"), facts.bytes === undefined ? undefined : formatBytes(facts.bytes)],
    [t("gradient"), gradientText(facts)],
    [t("view of"), facts.view_of ?? undefined],
    ...(facts.rows ?? []),
  ];
  return table(rows.filter((row): row is [string, string] => row[1] !== undefined && row[1] !== ""));
}

function sizeText(size: Tagged | string | null): string {
  if (size === null) return "?";
  return typeof size === "string" && !size.startsWith("#") ? size : String(parseNumber(size));
}

function gradientText({ requires_grad, is_leaf, grad_fn }: Facts): string | undefined {
  if (requires_grad === undefined) return undefined;
  if (!requires_grad) return t("not required");
  if (grad_fn !== undefined && grad_fn !== null) return `← ${grad_fn}`;
  return is_leaf === true ? t("required · leaf") : t("required");
}

function statistics({ stats, unread }: Facts): string[] {
  if (stats === undefined || stats === null) {
    return unread === undefined ? [] : [escapeMarkdown(t("values not read: {0}", unread))];
  }
  const columns: [string, Stats][] = isComplex(stats)
    ? [
        [t("real"), stats.real],
        [t("imag"), stats.imag],
        [t("abs"), stats.abs],
      ]
    : [["", stats]];
  const names = columns.map(([name]) => name);
  const all = columns.map(([, one]) => one);
  const rows = STATISTICS.map(([name, text]) => [name(), ...all.map(text)]).filter((row) => row.slice(1).some(Boolean));
  const [first] = all;
  return [
    table(rows, ["", ...names]),
    ...(first === undefined || first.exact
      ? []
      : [escapeMarkdown(t("≈ {0} of {1} values read", formatNumber(first.read), formatNumber(first.count)))]),
  ];
}

function isComplex(stats: Stats | ComplexStats): stats is ComplexStats {
  return "real" in stats;
}

/** A row of statistics: its name and its text, empty when there is nothing to say. */
const STATISTICS: readonly (readonly [() => string, (stats: Stats) => string])[] = [
  [
    () => t("range"),
    (stats) => about(stats, stats.min === null || stats.max === null ? "" : rangeText(stats.min, stats.max)),
  ],
  [() => t("mean"), (stats) => about(stats, stats.mean === null ? "" : formatBounded(stats.mean, stats.mean_error))],
  [() => t("std"), (stats) => about(stats, optional(stats.std))],
  [() => t("zeros"), (stats) => about(stats, share(stats.zeros, stats.count))],
  [() => t("NaN"), (stats) => about(stats, share(stats.nan, stats.count))],
  [() => t("+Inf"), (stats) => about(stats, share(stats.pos_inf, stats.count))],
  [() => t("−Inf"), (stats) => about(stats, share(stats.neg_inf, stats.count))],
];

function optional(number: Tagged | null): string {
  return number === null ? "" : formatNumber(number);
}

function rangeText(min: Tagged, max: Tagged): string {
  return `${formatNumber(min)} … ${formatNumber(max)}`;
}

/** `12 (0.4%)`; nothing for none. */
function share(part: Tagged, whole: Tagged): string {
  const [some, all] = [Number(parseNumber(part)), Number(parseNumber(whole))];
  if (some === 0) return "";
  return `${formatNumber(part)} (${formatNumber(Number(((100 * some) / all).toPrecision(2)), 2)}%)`;
}

/** What was not computed from every value says so. */
function about({ exact }: Stats, text: string): string {
  return text === "" || exact || text.startsWith("≈") ? text : `≈${text}`;
}

function table(rows: readonly (readonly string[])[], head: readonly string[] = ["", ""]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(" | ")} |`;
  return [line(head), `|${" --- |".repeat(head.length)}`, ...rows.map(line)].join("\n");
}
