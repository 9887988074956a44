import { MarkdownString } from "vscode";
import { cardText } from "../model/card.ts";
import { findingCard } from "../model/findingText.ts";
import type { Finding, Node } from "../protocol/generated.ts";

/** What a hover and a row's tooltip show of a value. */
export function cardOf(name: string, node: Node): MarkdownString {
  const text = new MarkdownString(cardText(name, node));
  text.supportHtml = true;
  return text;
}

/** What they show of a finding. */
export function findingCardOf(finding: Finding): MarkdownString {
  return new MarkdownString(findingCard(finding));
}
