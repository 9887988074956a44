import * as vscode from "vscode";
import type { Inquiry, Question, Subject } from "../model/questions.ts";
import { questionPath } from "../model/rowPath.ts";
import { isRow, type Parts } from "./commandArguments.ts";
import { withConsent } from "./confirming.ts";
import { meantExpression } from "./expressions.ts";
import type { Tree } from "./tree.ts";

/** Asks in the frame that is looked at, opens the answer in the tree and brings the keyboard there. */
export async function askLens({ inspector, lenses, tree }: Parts, inquiry: Inquiry): Promise<void> {
  const { frame } = inspector; // the user agrees to run it here, not at a stop that comes meanwhile
  const wanted = frame && (await withConsent(inquiry));
  if (frame && wanted === undefined) return;
  const question = wanted && (await lenses.ask(wanted, frame));
  if (question) await tree.showTop(questionPath(question));
  else await sayNotDone(tree);
}

/** Asks again, and runs what must be run. */
export async function askAgain({ inspector, lenses, tree }: Parts, question: Question): Promise<void> {
  const { frame } = inspector;
  if (frame && !(await withConsent(question))) return;
  if (frame === undefined || !(await lenses.askAgain(question, frame))) await sayNotDone(tree);
}

export function sayNotDone(tree: Tree): Promise<void> {
  return tree.say(vscode.l10n.t("Not done: the program continued, or its values can't be read."));
}

/** The value of a row, as a subject of a lens; undefined where it has none. */
export function subjectOf(argument: unknown): Subject | undefined {
  if (!isRow(argument) || argument.value === undefined || !argument.can.includes("compare")) return undefined;
  const { name, expression, value, contents } = argument;
  const address = { snapshot: value.snapshot, node: value.node.id };
  const at = { frame: contents.frame, function: contents.answer.function, address };
  return { name: expression ?? name, ...(expression === undefined ? {} : { expression }), at };
}

/** What a command about one value means: a row, a variable of VS Code's own views, what the cursor is on, else what is typed. */
export async function subjectMeant(parts: Parts, argument: unknown, prompt: string): Promise<Subject | undefined> {
  if (isRow(argument)) return subjectOf(argument);
  const expression = typeof argument === "string" ? argument : await meantExpression(parts, argument, prompt);
  return expression === undefined ? undefined : { name: expression, expression };
}
