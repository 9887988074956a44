import * as vscode from "vscode";
import { COMMAND, type CommandId } from "../ids.ts";
import type { ValueLens } from "../model/row.ts";
import { askLens, subjectOf } from "./asking.ts";
import { type Command, isRow } from "./command.ts";
import { pickSubject } from "./picking.ts";

/** What each lens calls the value that it is asked about. */
const VALUE: Readonly<Record<ValueLens, string>> = {
  autograd: "tensor",
  nan_origin: "tensor",
  no_gradient: "parameter",
  gradients: "model",
};

export const LENS_COMMANDS = {
  [COMMAND.showAutogradGraph]: asking("autograd", () => vscode.l10n.t("Show the autograd graph of")),
  [COMMAND.showNanOrigin]: asking("nan_origin", () => vscode.l10n.t("Show where the NaN began in")),
  [COMMAND.showWhyNoGradient]: asking("no_gradient", () => vscode.l10n.t("Show why there is no gradient in")),
  [COMMAND.showGradients]: asking("gradients", () => vscode.l10n.t("Show the gradients of")),
} satisfies Readonly<Partial<Record<CommandId, Command>>>;

/** Asks about the value of the row, or about one that the user picks. */
function asking(lens: ValueLens, title: () => string): Command {
  return async (parts, argument) => {
    const subject = isRow(argument) ? subjectOf(argument) : await pickSubject(parts, title(), lens);
    if (subject) await askLens(parts, { lens, subjects: { [VALUE[lens]]: subject } });
  };
}
