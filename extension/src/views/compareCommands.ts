import * as vscode from "vscode";
import { COMMAND, type CommandId } from "../ids.ts";
import type { Inquiry, Subject } from "../model/questions.ts";
import { askLens, subjectOf } from "./asking.ts";
import { type Command, isRow, type Parts } from "./commandArguments.ts";
import { pickSubject } from "./picking.ts";

export const COMPARE_COMMANDS = {
  [COMMAND.compareWith]: async (parts, argument) => {
    const [marked] = parts.tree.selection.length === 1 ? parts.tree.selection : [];
    const a =
      subjectOf(argument ?? marked) ??
      (await pickSubject(parts, vscode.l10n.t("Compare: pick the first of two values"), "compare"));
    const b = a && (await pickSubject(parts, vscode.l10n.t("Compare “{0}” with…", a.name), "compare", a));
    if (a && b) await askLens(parts, compare(a, b));
  },
  [COMMAND.selectForCompare]: ({ questions }, argument) => {
    const subject = subjectOf(argument);
    if (subject && isRow(argument)) questions.select(subject, argument.contents.frame.session);
  },
  [COMMAND.compareWithSelected]: async (parts, argument) => {
    const { selected } = parts.questions;
    // The menu may be older than the frame that is looked at now.
    if (selected && isRow(argument) && !parts.questions.isSelectedIn(argument.contents.frame.session)) {
      await parts.tree.say(
        vscode.l10n.t(
          "Not compared: “{0}” was selected in another session, another program. Select it again here.",
          selected.name,
        ),
      );
    } else await compareTwo(parts, [selected, subjectOf(argument)]);
  },
  [COMMAND.compareSelected]: async (parts, _, selected) => {
    // With two rows selected and the menu of a third, VS Code tells of the third alone: then it is refused.
    const rows: readonly unknown[] = Array.isArray(selected) ? selected : parts.tree.selection;
    await compareTwo(parts, rows.map(subjectOf));
  },
} satisfies Readonly<Partial<Record<CommandId, Command>>>;

function compare(a: Subject, b: Subject): Inquiry {
  return { lens: "compare", subjects: { a, b } };
}

async function compareTwo(parts: Parts, subjects: readonly (Subject | undefined)[]): Promise<void> {
  const [a, b] = subjects;
  if (subjects.length === 2 && a && b) await askLens(parts, compare(a, b));
  else await parts.tree.say(vscode.l10n.t("Not compared: select exactly two rows that are values."));
}
