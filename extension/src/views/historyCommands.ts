import * as vscode from "vscode";
import { COMMAND, type CommandId } from "../ids.ts";
import type { Session } from "../debug/session.ts";
import { historyCsv } from "../model/historyCsv.ts";
import { type Command, isRow, type Parts, rowsOf } from "./commandArguments.ts";

export const HISTORY_COMMANDS = {
  /** Of the rows whose menu was used; else of all in the session that is looked at, or was last. */
  [COMMAND.exportHistory]: async (parts, argument, selected) => {
    const { history, tree } = parts;
    const rows = isRow(argument) ? await rowsOf(tree, "exportHistory", argument, selected) : [];
    const session = rows[0]?.contents.frame.session ?? lookedAt(parts);
    if (session === undefined) return;
    const chosen = rows.length > 0 ? rows.flatMap(({ recorded }) => recorded ?? []) : history.expressions(session);
    const csv = historyCsv(
      [...new Set(chosen)].map((expression) => [expression, history.records(session, expression)]),
    );
    const uri = await vscode.window.showSaveDialog({
      title: vscode.l10n.t("Export History"),
      filters: { CSV: ["csv"] },
      ...defaultUri(),
    });
    if (uri) await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(csv));
  },
  [COMMAND.record]: (parts, argument, selected) => setRecorded(parts, true, argument, selected),
  [COMMAND.stopRecording]: (parts, argument, selected) => setRecorded(parts, false, argument, selected),
} satisfies Readonly<Partial<Record<CommandId, Command>>>;

async function setRecorded({ tree, runs }: Parts, on: boolean, argument: unknown, selected: unknown): Promise<void> {
  const rows = await rowsOf(tree, on ? "record" : "stopRecording", argument, selected);
  const expressions = rows.flatMap(({ pin }) => pin?.expression ?? []);
  if (expressions.length > 0) await runs.setRecorded(expressions, on);
}

function lookedAt({ inspector, history }: Parts): Session | undefined {
  const session = inspector.frame?.session;
  return session && history.expressions(session).length > 0 ? session : history.latest;
}

function defaultUri(): Pick<vscode.SaveDialogOptions, "defaultUri"> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  return folder ? { defaultUri: vscode.Uri.joinPath(folder.uri, "history.csv") } : {};
}
