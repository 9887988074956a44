import { l10n, MarkdownString } from "vscode";
import { COMMAND } from "../ids.ts";
import { cardText, failureCardText } from "../model/card.ts";
import { findingCard } from "../model/findingText.ts";
import type { Finding, Node } from "../protocol/generated.ts";

/** What a hover and a row's tooltip show of a value. */
export function cardOf(name: string, node: Node): MarkdownString {
  return html(cardText(name, node));
}

/** The same with a link to the details page. */
export function cardWithLink(expression: string, node: Node): MarkdownString {
  const card = cardOf(expression, node);
  // A bracket in it would end the link.
  const argument = encodeURIComponent(JSON.stringify([expression]))
    .replaceAll("(", "%28")
    .replaceAll(")", "%29");
  card.value += `\n\n[${l10n.t("Show Details")}](command:${COMMAND.showDetails}?${argument})`;
  card.isTrusted = { enabledCommands: [COMMAND.showDetails] };
  return card;
}

/** What a hover shows of a value that could not be asked for; `row` where what it says still holds. */
export function failureCardOf(name: string, why: string, row: Node | undefined): MarkdownString {
  return html(failureCardText(name, why, row));
}

/** What they show of a finding. */
export function findingCardOf(finding: Finding): MarkdownString {
  return new MarkdownString(findingCard(finding));
}

function html(text: string): MarkdownString {
  const markdown = new MarkdownString(text);
  markdown.supportHtml = true;
  return markdown;
}
