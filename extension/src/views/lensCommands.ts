import * as vscode from "vscode";
import {
  VALUE_LENSES,
  type ValueLens,
  type ValueLensCommand,
  type ValueLensDescription,
} from "../model/valueLenses.ts";
import { askLens, subjectOf } from "./asking.ts";
import { type Command, isRow } from "./commandArguments.ts";
import { pickInputs, pickSubject } from "./picking.ts";

export const LENS_COMMANDS = Object.fromEntries(
  (Object.keys(VALUE_LENSES) as ValueLens[]).map((lens) => [VALUE_LENSES[lens].command, asking(lens)]),
) as Readonly<Record<ValueLensCommand, Command>>;

/** Asks about the value of the row, or about one that the user picks, with what else the lens has to be told. */
function asking(lens: ValueLens): Command {
  const { value, pick, inputs, index }: ValueLensDescription = VALUE_LENSES[lens];
  return async (parts, argument) => {
    const subject = isRow(argument) ? subjectOf(argument) : await pickSubject(parts, pick(), lens);
    if (subject === undefined) return;
    const further = inputs ? await pickInputs(parts, inputs, subject) : [];
    const options = index ? await askIndex(index(subject.name)) : {};
    if (further === undefined || options === undefined) return;
    const named = further.map((input, at) => [`input${at + 1}`, input] as const);
    const subjects = { [value]: subject, ...Object.fromEntries(named) };
    await askLens(parts, { lens, subjects, ...(index ? { options } : {}) });
  };
}

async function askIndex(title: string): Promise<{ readonly index: number } | undefined> {
  const text = await vscode.window.showInputBox({
    title,
    value: "0",
    validateInput: (typed) => (/^\s*-?\d+\s*$/.test(typed) ? undefined : vscode.l10n.t("Type a whole number.")),
  });
  return text === undefined ? undefined : { index: Number(text) };
}
