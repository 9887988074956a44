import * as l10n from "@vscode/l10n";
import type { Finding, Tier } from "../protocol/generated.ts";
import { escapeMarkdown, joined } from "./words.ts";

/**
 * The page of a rule: what it finds, why that matters, an example, one thing to try, and when the rule is silent. Of what is worth a
 * look it says how rare it is; of an exception no more than why, and what to try.
 */
export function rulePage(rule: string): string {
  return `https://github.com/tensor-inspector/tensor-inspector/blob/main/docs/rules/${rule}.md`;
}

/** The title; it says where the finding is only likely. */
export function titleOf({ title, tier }: Finding): string {
  return hedged(title, tier);
}

/** The short form of the title, for a row, where there is little room: what does not agree first, where that is known. */
export function factOf({ fact, differs, tier }: Finding): string {
  return hedged(differs ?? fact, tier);
}

/** What the title says beside the short form. */
export function moreOf({ title, more, differs }: Finding): string {
  return differs === undefined ? more : title;
}

function hedged(text: string, tier: Tier): string {
  return tier === "likely" ? l10n.t("may be: {0}", text) : text;
}

/** What a diagnostic says: the title, why it matters, one thing to try. */
export function findingText(finding: Finding): string {
  return [titleOf(finding), finding.why, l10n.t("Try: {0}", finding.suggestion)].join("\n");
}

/** A finding in Markdown, for the tooltip of its row and the hover of a value that it names. */
export function findingCard(finding: Finding): string {
  const { evidence, why, suggestion, consequences, rule } = finding;
  const seen = evidence.map(({ expression, fact }) => `- ${escapeMarkdown(joined(": ", expression, fact))}`);
  return joined(
    "\n\n",
    `**${escapeMarkdown(titleOf(finding))}**`,
    seen.join("\n"),
    escapeMarkdown(why),
    escapeMarkdown(l10n.t("Try: {0}", suggestion)),
    consequences.length === 0 ? "" : escapeMarkdown(l10n.t("What follows: {0}", consequences.map(titleOf).join("; "))),
    `[${escapeMarkdown(rule)}](${rulePage(rule)})`,
  );
}
