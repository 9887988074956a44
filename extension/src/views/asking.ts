import * as vscode from "vscode";
import type { Inquiry, Question, Subject } from "../model/questions.ts";
import { questionPath } from "../model/row.ts";
import { isRow, type Parts } from "./command.ts";
import type { Tree } from "./tree.ts";

/** Asks, opens the answer in the tree and brings the keyboard there. */
export async function askLens({ lenses, tree }: Parts, inquiry: Inquiry): Promise<void> {
  const question = await lenses.ask(inquiry);
  if (question) await tree.showTop(questionPath(question));
  else await sayUnasked(tree);
}

/** Asks again, and runs what must be run. */
export async function askAgain({ lenses, tree }: Parts, question: Question): Promise<void> {
  if (!(await lenses.askAgain(question))) await sayUnasked(tree);
}

function sayUnasked(tree: Tree): Promise<void> {
  return tree.say(vscode.l10n.t("Nothing can be asked: the program went on, or its values can't be read."));
}

/** The value of a row that a lens can be asked about. */
export function subjectOf(argument: unknown): Subject | undefined {
  if (!isRow(argument) || argument.known === undefined || !argument.can.includes("compare")) return undefined;
  const { name, expression, known, contents } = argument;
  const value = { snapshot: known.snapshot, node: known.node.id };
  const at = { frame: contents.frame, function: contents.answer.function, value };
  return { name: expression ?? name, ...(expression === undefined ? {} : { expression }), at };
}
