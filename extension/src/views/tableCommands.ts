import * as vscode from "vscode";
import { COMMAND, type CommandId } from "../ids.ts";
import { countsFindings } from "../model/findingRows.ts";
import type { Row } from "../model/row.ts";
import { allRows } from "../model/rows.ts";
import { AnswerTable, FindingsTable, FrameTable, HistoryTable, type TableSource } from "../model/tables/sources.ts";
import { sayNotDone } from "./asking.ts";
import { type Command, isRow, type Parts } from "./commandArguments.ts";

export const TABLE_COMMANDS = {
  /** Opens the table of a row; from the palette, of one that the user picks. */
  [COMMAND.openAsTable]: async (parts, argument) => {
    const source = isRow(argument) ? sourceOf(parts, argument) : await pickSource(parts);
    if (source !== undefined) parts.tablePages.open(source);
  },
  [COMMAND.openFrameAsTable]: ({ tablePages, inspector }) => tablePages.open(new FrameTable(inspector)),
} satisfies Readonly<Partial<Record<CommandId, Command>>>;

/** Where the table of a row comes from; undefined of one that has none. */
function sourceOf({ inspector, questions, lenses, history }: Parts, row: Row): TableSource | undefined {
  if (!row.can.includes("openAsTable")) return undefined;
  if (row.question !== undefined) return new AnswerTable(row.question, questions, lenses);
  if (countsFindings(row) || row.finding !== undefined) return new FindingsTable(inspector);
  const { recorded, parent, contents } = row;
  if (recorded === undefined || parent === undefined) return undefined;
  return new HistoryTable(recorded, parent.path, contents.frame.session, history, inspector);
}

/** Lets the user pick a table of what is there. */
async function pickSource(parts: Parts): Promise<TableSource | undefined> {
  const { inspector, tree } = parts;
  const { scene } = inspector;
  if (scene === undefined) {
    await sayNotDone(tree);
    return undefined;
  }
  const sources = [...allRows(scene)].flatMap((row) => sourceOf(parts, row) ?? []);
  const items = [new FrameTable(inspector), ...sources].map((source) => ({ label: source.name, source }));
  const title = vscode.l10n.t("Open as a table…");
  return (await vscode.window.showQuickPick(items, { title }))?.source;
}
