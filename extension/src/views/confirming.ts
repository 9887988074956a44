import * as vscode from "vscode";
import { aboutOf } from "../model/lensWords.ts";
import type { Inquiry } from "../model/questions.ts";
import { isValueLens, VALUE_LENSES, type ValueLensDescription } from "../model/valueLenses.ts";

/** The user is told what will run, and what can't be taken back. */
export async function isAllowed(question: string, detail: string): Promise<boolean> {
  const run = vscode.l10n.t("Run");
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, run)) === run;
}

/** The inquiry as it may be made: undefined where it runs code of the program, and the user does not want that. */
export async function allowed(inquiry: Inquiry): Promise<Inquiry | undefined> {
  if (!isValueLens(inquiry.lens)) return inquiry;
  const { runs }: ValueLensDescription = VALUE_LENSES[inquiry.lens];
  if (runs === undefined) return inquiry;
  const isAgreed = await isAllowed(runs.question(aboutOf(inquiry)), runs.detail());
  return isAgreed ? { ...inquiry, options: { ...inquiry.options, run: true } } : undefined;
}
