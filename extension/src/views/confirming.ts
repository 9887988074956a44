import * as vscode from "vscode";
import { aboutOf } from "../model/lensWords.ts";
import type { Inquiry } from "../model/questions.ts";
import { isValueLens, VALUE_LENSES, type ValueLensDescription } from "../model/valueLenses.ts";

/** Tells the user what will run, and what of it can't be undone; whether they agree. */
export async function confirmRun(question: string, what: string): Promise<boolean> {
  const run = vscode.l10n.t("Run");
  const undone = vscode.l10n.t(
    "Random numbers, modes and gradients are restored afterwards. What the code changes elsewhere is not: files, output, global variables, attributes of classes, other processes.",
  );
  const detail = `${what} ${undone}`;
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, run)) === run;
}

/** Tells the user that a file is pickled, and what it does not hold; whether they agree. */
export async function confirmPickling(name: string, notes: readonly string[]): Promise<boolean> {
  const run = vscode.l10n.t("Run");
  const detail = vscode.l10n.t(
    "torch.save pickles it in the program: code of its classes runs, and what that changes is not undone. To load such a file can run code as well.",
  );
  const question = vscode.l10n.t("Run torch.save on {0}?", name);
  return (
    (await vscode.window.showWarningMessage(question, { modal: true, detail: withNotes(detail, notes) }, run)) === run
  );
}

/** Tells the user that a library is imported, and what a run does not hold; whether they agree. */
export async function confirmImporting(notes: readonly string[]): Promise<boolean> {
  const run = vscode.l10n.t("Run");
  const detail = vscode.l10n.t(
    "The program’s own tensorboard makes the run: it is imported there, which runs its code, and stays imported.",
  );
  const question = vscode.l10n.t("Import tensorboard in the program?");
  return (
    (await vscode.window.showWarningMessage(question, { modal: true, detail: withNotes(detail, notes) }, run)) === run
  );
}

/** A list of formats has no room for all of a long note. */
function withNotes(detail: string, notes: readonly string[]): string {
  return [detail, ...notes.map((note) => `• ${note}`)].join("\n");
}

/** The inquiry, once the user has agreed to what it runs, if it runs anything; undefined where they have not. */
export async function withConsent(inquiry: Inquiry): Promise<Inquiry | undefined> {
  if (!isValueLens(inquiry.lens)) return inquiry;
  const { runs }: ValueLensDescription = VALUE_LENSES[inquiry.lens];
  if (runs === undefined) return inquiry;
  const isAgreed = await confirmRun(runs.question(aboutOf(inquiry)), runs.detail());
  return isAgreed ? { ...inquiry, options: { ...inquiry.options, run: true } } : undefined;
}
