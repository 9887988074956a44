import { MarkdownString } from "vscode";
import { cardText, failureCardText } from "../model/card.ts";
import type { Failure } from "../model/failure.ts";
import { findingCard } from "../model/findingText.ts";
import type { Finding, Node } from "../protocol/generated.ts";

/** What a hover and a row's tooltip show of a value. */
export function cardOf(name: string, node: Node): MarkdownString {
  return html(cardText(name, node));
}

/** What a hover shows of a variable that could not be asked for. */
export function failureCardOf(name: string, row: Node, failure: Failure): MarkdownString {
  return html(failureCardText(name, row, failure));
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
