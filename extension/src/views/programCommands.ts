import * as vscode from "vscode";
import { Cancelled } from "../debug/queue.ts";
import { COMMAND, type CommandId, VIEW } from "../ids.ts";
import { failureOf } from "../model/failure.ts";
import { PROGRAM_LENSES, type ProgramLens } from "../model/programLenses.ts";
import { PROGRAM, questionPath } from "../model/rowPath.ts";
import { sayNotDone } from "./asking.ts";
import type { Command, Parts } from "./commandArguments.ts";

export const PROGRAM_COMMANDS = {
  [COMMAND.showMemory]: showing("memory"),
  [COMMAND.showEnvironment]: showing("environment"),
  [COMMAND.copyBugReport]: (parts) => copyReport(parts, false),
  [COMMAND.copyBugReportWithValues]: (parts) => copyReport(parts, true),
  [COMMAND.copyMcpConfiguration]: ({ mcp }) => mcp.copyConfiguration(),
  [COMMAND.openSample]: ({ sample }) => sample.open(),
} satisfies Readonly<Partial<Record<CommandId, Command>>> &
  Record<(typeof PROGRAM_LENSES)[ProgramLens]["command"], Command>;

/** Opens a row about the program, which asks its lens, and brings the keyboard to it. */
function showing(lens: ProgramLens): Command {
  return async ({ inspector, questions, expansion, tree }) => {
    const question = questions.ofProgram.find((one) => one.lens === lens);
    if (question === undefined || (await inspector.settled()) === undefined) return sayNotDone(tree);
    questions.resume(question);
    expansion.open(PROGRAM);
    expansion.open(questionPath(question));
    inspector.fireDidChange();
    return tree.showTop(questionPath(question));
  };
}

async function copyReport({ lenses, tree }: Parts, values: boolean): Promise<void> {
  try {
    const text = await vscode.window.withProgress({ location: { viewId: VIEW } }, () => lenses.report(values));
    if (text === undefined) return await sayNotDone(tree);
    await vscode.env.clipboard.writeText(text);
    await tree.say(
      values
        ? vscode.l10n.t("Copied: a bug report with values of the program.")
        : vscode.l10n.t("Copied: a bug report, without values of the program."),
    );
  } catch (error) {
    if (error instanceof Cancelled)
      return await tree.say(vscode.l10n.t("No bug report was made: the program continued."));
    await tree.say(vscode.l10n.t("No bug report was made: {0}", failureOf(error).message));
  }
}
