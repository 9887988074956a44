import { l10n } from "vscode";
import { COMMAND, type CommandId } from "../ids.ts";
import type { Row } from "../model/row.ts";
import type { Subject } from "../model/questions.ts";
import { subjectOf } from "./asking.ts";
import { type Command, isRow, type Parts } from "./commandArguments.ts";
import { pickSubject } from "./picking.ts";

export const GRAPH_COMMANDS = {
  /** Draws the autograd graph of a row's tensor, of an answer's, or of one that the user picks. */
  [COMMAND.openAsGraph]: async (parts, argument) => {
    const subject = isRow(argument) ? subjectOfGraph(argument) : await picked(parts);
    if (subject !== undefined) parts.graphPages.open(subject);
  },
} satisfies Readonly<Partial<Record<CommandId, Command>>>;

/** The tensor of a row, or that of which a row tells the graph. */
function subjectOfGraph(row: Row): Subject | undefined {
  return row.question?.lens === "autograd" ? row.question.subjects["tensor"] : subjectOf(row);
}

function picked(parts: Parts): Promise<Subject | undefined> {
  return pickSubject(parts, l10n.t("Open the autograd graph of…"), "autograd");
}
