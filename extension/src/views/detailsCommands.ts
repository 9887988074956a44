import { l10n } from "vscode";
import { COMMAND, type CommandId } from "../ids.ts";
import { subjectMeant } from "./asking.ts";
import type { Command } from "./commandArguments.ts";

export const DETAILS_COMMANDS = {
  /** Opens the details page about a row, an expression, a variable of VS Code's own views, or what the cursor is on. */
  [COMMAND.showDetails]: async (parts, argument) => {
    const subject = await subjectMeant(parts, argument, prompt());
    if (subject === undefined) return;
    parts.details.show(subject);
    await parts.detailsPages.reveal();
  },
  [COMMAND.openDetailsInEditor]: ({ detailsPages }) => detailsPages.openInEditor(),
} satisfies Readonly<Partial<Record<CommandId, Command>>>;

function prompt(): string {
  return l10n.t(
    "A name of the paused program, with attributes and subscripts. It is read at each stop; nothing is run.",
  );
}
