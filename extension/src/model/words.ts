import * as l10n from "@vscode/l10n";
import type { Node } from "../protocol/generated.ts";
import type { Stop } from "./stop.ts";

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
  return printable(text).replace(/[!-/:-@[-`{-~]/g, String.raw`\$&`);
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

/** Text from the program, harmless in HTML that stands in Markdown: nothing but letters, digits and blanks is left as it is. */
export function escapeHtml(text: string): string {
  return printable(text).replace(/[!-/:-@[-`{-~]/g, (character) => `&#${character.codePointAt(0)};`);
}

/** Without control characters, and those that turn the reading direction. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ");
}

/** Text from the program as a block of code, which nothing in it can close. */
export function codeBlock(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text.replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, " ")}\n${fence}`;
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
