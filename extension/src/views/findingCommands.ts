import * as vscode from "vscode";
import type { Frame } from "../debug/frame.ts";
import { COMMAND, type CommandId } from "../ids.ts";
import type { CheckMode } from "../model/checks.ts";
import type { Row } from "../model/row.ts";
import { type Command, isRow, type Parts, rowsOf } from "./commandArguments.ts";
import { confirmRun } from "./confirming.ts";
import { lineOf, showLine } from "./documents.ts";

export const FINDING_COMMANDS = {
  [COMMAND.checkStep]: (parts) => check(parts),
  [COMMAND.checkByRunning]: async (parts) => {
    // The user agrees to run the models of this step, not those of one that has come meanwhile.
    const { frame } = parts.inspector;
    if (frame === undefined) await sayNotChecked(parts);
    else if (await mayRunModels()) await check(parts, "running", frame);
  },
  [COMMAND.dismissInFunction]: async ({ dismissed, tree }, argument, selected) => {
    const rows = await rowsOf(tree, ["dismiss", "dismissAll"], argument, selected);
    dismissed.add(rulesOf(rows), rows[0]?.contents.place);
  },
  [COMMAND.dismissInWorkspace]: async ({ dismissed, tree }, argument, selected) => {
    dismissed.add(rulesOf(await rowsOf(tree, "dismiss", argument, selected)));
  },
  [COMMAND.restoreDismissed]: ({ dismissed }) => dismissed.restoreAll(),
  [COMMAND.goToLine]: async ({ tree }, row) => {
    const source = isRow(row) ? row.source : undefined;
    if (!isRow(row) || !source) return;
    const found = await lineOf(source, row.contents);
    if (found) await showLine(found);
    else await tree.say(vscode.l10n.t("The file of this line can't be opened: {0}", source.file));
  },
} satisfies Readonly<Partial<Record<CommandId, Command>>>;

function rulesOf(rows: readonly Row[]): string[] {
  return rows.flatMap(({ findings = [] }) => findings.map(({ rule }) => rule));
}

async function check(parts: Parts, ...how: [mode?: CheckMode, meant?: Frame]): Promise<void> {
  if (!(await parts.findings.check(...how))) await sayNotChecked(parts);
}

async function sayNotChecked({ tree }: Parts): Promise<void> {
  await tree.say(vscode.l10n.t("Not checked: the program continued, or its values can't be read."));
}

function mayRunModels(): Promise<boolean> {
  const runs = vscode.l10n.t(
    "The forward of the models in sight runs a few times, on copies of their parameters, buffers and attributes, without the program's hooks, with the inputs of this step.",
  );
  return confirmRun(vscode.l10n.t("Run the models of this step again?"), runs);
}
