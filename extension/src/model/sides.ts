import * as l10n from "@vscode/l10n";
import { Refusal } from "../helper/refusal.ts";
import type { Address } from "../protocol/generated.ts";
import { type Comparison, isSameAddress, type Side } from "./comparisons.ts";
import type { Contents } from "./contents.ts";
import { isStatic } from "./python.ts";

/** Where the two values of a comparison are found now, or why one of them is not. */
export function addressesOf({ a, b }: Comparison, contents: Contents): { a: Address; b: Address } {
  const found = { a: addressOf(a, contents), b: addressOf(b, contents) };
  for (const [side, other] of [
    [a, found.b],
    [b, found.a],
  ] as const) {
    if (isElsewhere(side, contents) && other.expression !== undefined) {
      throw new Refusal("gone", l10n.t("“{0}” is of another frame: look at that one to compare", side.name));
    }
  }
  if (isSameAddress(found.a, found.b)) {
    throw new Refusal("gone", l10n.t("“{0}” and “{1}” are one value here: nothing to compare", a.name, b.name));
  }
  return found;
}

/** Expressions that have to be run to compare two values for the first time. */
export function toRun({ a, b }: Comparison, contents: Contents): string[] {
  const unread = [a, b].filter((side) => !isHere(side, contents)).flatMap(({ expression }) => expression ?? []);
  return [...new Set(unread.filter((expression) => !isStatic(expression)))];
}

/** Expressions that are run when the user wants it again. */
export function toRunAgain({ a, b }: Comparison, contents: Contents): string[] {
  const reached = [a, b].filter((side) => !isElsewhere(side, contents)).flatMap(({ expression }) => expression ?? []);
  return [...new Set(reached.filter((expression) => !isStatic(expression) || wasRun(expression, contents)))];
}

/** Whether an expression was run in this frame at this stop. */
export function wasRun(expression: string | undefined, contents: Contents): boolean {
  return resultOf(expression, contents) !== undefined;
}

/** What running it in this frame came to; the node while its stop lasts, in any frame; after that the expression. */
function addressOf(side: Side, contents: Contents): Address {
  const { name, expression, at } = side;
  const result = isElsewhere(side, contents) ? undefined : resultOf(expression, contents);
  if (result !== undefined) return result;
  if (at !== undefined && isHere(side, contents)) return at.value;
  if (expression === undefined && at?.frame.over === false) {
    throw new Refusal("gone", l10n.t("“{0}” belongs to another session", name));
  }
  if (expression === undefined) {
    throw new Refusal("gone", l10n.t("“{0}” is gone: no expression reaches it at another stop", name));
  }
  if (isStatic(expression)) return { expression };
  throw notYet();
}

export function notYet(): Refusal {
  return new Refusal("not_static", l10n.t("not compared yet at this stop: one of the two is run only when you ask"));
}

/** Whether the node counts. Where its own frame was read again, the name says what it stands for now. */
function isHere({ expression, at }: Side, { frame, answer }: Contents): boolean {
  if (at === undefined || at.frame.over || at.frame.session !== frame.session) return false;
  const isReadAgain = at.frame.key === frame.key && at.value.snapshot !== answer.snapshot;
  return !(isReadAgain && expression !== undefined && isStatic(expression));
}

function isElsewhere(side: Side, contents: Contents): boolean {
  return isHere(side, contents) && side.at?.frame.key !== contents.frame.key;
}

function resultOf(expression: string | undefined, contents: Contents): Address | undefined {
  const result = expression === undefined ? undefined : contents.result(expression);
  if (result === undefined || result === "running" || !("node" in result)) return undefined;
  return { snapshot: result.snapshot, node: result.node.id };
}
