import * as vscode from "vscode";
import { Cancelled } from "../debug/queue.ts";
import { COMMAND, type CommandId } from "../ids.ts";
import { failureOf } from "../model/failure.ts";
import type { Inspector } from "../model/inspector.ts";
import { countsFindings, countsObservations } from "../model/findingRows.ts";
import type { Row } from "../model/row.ts";
import { pinPath } from "../model/rowPath.ts";
import { childRows, linesBelow } from "../model/rows.ts";
import { joined } from "../model/words.ts";
import { askAgain } from "./asking.ts";
import { COMPARE_COMMANDS } from "./compareCommands.ts";
import { KEEP_COMMANDS } from "./keepCommands.ts";
import { DETAILS_COMMANDS } from "./detailsCommands.ts";
import { meantExpression, typedExpression } from "./expressions.ts";
import { EXPORT_COMMANDS } from "./exportCommands.ts";
import { FINDING_COMMANDS } from "./findingCommands.ts";
import { GRAPH_COMMANDS } from "./graphCommands.ts";
import { HISTORY_COMMANDS } from "./historyCommands.ts";
import { LENS_COMMANDS } from "./lensCommands.ts";
import { PROGRAM_COMMANDS } from "./programCommands.ts";
import { sortLayers } from "./sorting.ts";
import { TABLE_COMMANDS } from "./tableCommands.ts";
import { WATCHPOINT_COMMANDS } from "./watchpointCommands.ts";
import { type Command, isRow, type Parts, rowsOf } from "./commandArguments.ts";

/** All commands by their ids. */
export const COMMANDS: Readonly<Record<CommandId, Command>> = {
  ...COMPARE_COMMANDS,
  ...DETAILS_COMMANDS,
  ...EXPORT_COMMANDS,
  ...KEEP_COMMANDS,
  ...FINDING_COMMANDS,
  ...GRAPH_COMMANDS,
  ...HISTORY_COMMANDS,
  ...LENS_COMMANDS,
  ...PROGRAM_COMMANDS,
  ...TABLE_COMMANDS,
  ...WATCHPOINT_COMMANDS,
  [COMMAND.summarize]: async (parts, argument) => {
    const expression = await meantExpression(parts, argument);
    if (expression !== undefined) await summarize(parts, expression);
  },
  [COMMAND.summarizeExpression]: async (parts) => {
    const expression = await typedExpression();
    if (expression !== undefined) await summarize(parts, expression);
  },
  [COMMAND.refresh]: ({ inspector }) => inspector.readAgain(),
  [COMMAND.showTensorsOnly]: ({ settings }) => settings.setFilter("tensors"),
  [COMMAND.showAll]: ({ settings }) => settings.setFilter("all"),
  [COMMAND.nextPage]: ({ inspector }, row) => isRow(row) && inspector.showNextPage(row),
  [COMMAND.find]: ({ inspector, tree }) => tree.find(() => inspector.loadRest()),
  [COMMAND.pin]: async ({ runs, tree }, argument, selected) => {
    await runs.pin(expressionsOf(await rowsOf(tree, "pin", argument, selected)));
  },
  [COMMAND.remove]: async ({ runs, lenses, watchpoints, tree }, argument, selected) => {
    for (const { pin, question, watchpoint } of await rowsOf(tree, "remove", argument, selected)) {
      if (pin) runs.unpin(pin.expression);
      if (question) lenses.remove(question);
      if (watchpoint) watchpoints.remove(watchpoint.id);
    }
  },
  [COMMAND.sortLayers]: (parts, argument) => sortLayers(parts, argument),
  [COMMAND.removeAllAnswers]: ({ lenses }) => lenses.removeAll(),
  [COMMAND.cancel]: async ({ runs, lenses, findings, tree }, argument, selected) => {
    for (const { pin, question } of await rowsOf(tree, "cancel", argument, selected)) {
      if (pin) runs.cancel(pin.expression);
      else if (question) lenses.cancel(question);
      else findings.cancel(); // the row of a check under way
    }
  },
  [COMMAND.unpinAll]: ({ runs }) => runs.unpinAll(),
  [COMMAND.evaluateAgain]: async (parts, argument, selected) => {
    // One after the other: while one takes long, the next would be refused.
    for (const { pin, question, contents } of await rowsOf(parts.tree, "evaluateAgain", argument, selected)) {
      if (pin) await parts.runs.run(pin.expression, contents);
      if (question) await askAgain(parts, question);
    }
  },
  [COMMAND.copySummary]: async ({ tree, inspector }, argument, selected) => {
    const rows = await rowsOf(tree, "copySummary", argument, selected);
    await copy(await Promise.all(rows.map((row) => textOf(inspector, row))));
  },
  [COMMAND.copyExpression]: async ({ tree }, argument, selected) =>
    copy(expressionsOf(await rowsOf(tree, "copyExpression", argument, selected))),
  [COMMAND.revealAlarm]: ({ tree }) => tree.showAlarm(),
  [COMMAND.showLog]: ({ log }) => log.show(),
  [COMMAND.addToWatch]: async ({ tree }, argument, selected) => {
    for (const evaluateName of expressionsOf(await rowsOf(tree, "copyExpression", argument, selected))) {
      await vscode.commands.executeCommand("debug.addToWatchExpressions", { variable: { evaluateName } });
    }
  },
};

function expressionsOf(rows: readonly Row[]): string[] {
  return rows.flatMap(({ expression }) => expression ?? []);
}

/**
 * A row's line. An answer that is a text of its own is copied as that; other answers, and the rows that count findings or what
 * is worth a look, with what is below, also where that was not opened yet.
 */
async function textOf(inspector: Inspector, row: Row): Promise<string> {
  if (row.text !== undefined) return row.text;
  const line = joined(": ", row.expression ?? row.name, row.summary);
  const isWithRows = row.question !== undefined || countsFindings(row) || countsObservations(row);
  if (!isWithRows || inspector.scene === undefined) return line;
  const scene = { ...inspector.scene, contents: row.contents };
  if (childRows(scene, row) === undefined) await inspector.load(row);
  return [line, ...linesBelow(scene, row)].join("\n");
}

/** A line for each row; where there is none, the clipboard stays as it is. */
async function copy(lines: readonly string[]): Promise<void> {
  if (lines.length > 0) await vscode.env.clipboard.writeText(lines.join("\n"));
}

export function registerCommands(parts: Parts): vscode.Disposable[] {
  return Object.entries(COMMANDS).map(([id, command]) =>
    vscode.commands.registerCommand(id, async (argument: unknown, selected: unknown) => {
      try {
        return await command(parts, argument, selected);
      } catch (error) {
        return sayFailed(parts, id, error);
      }
    }),
  );
}

/** If a command failed, VS Code would pop up a notification: so its reason is said in the view instead. */
async function sayFailed({ tree, log }: Parts, id: string, error: unknown): Promise<void> {
  if (error instanceof Cancelled) return;
  log.error(`${id}: ${error instanceof Error ? (error.stack ?? String(error)) : String(error)}`);
  await tree.say(vscode.l10n.t("Not done: {0}", failureOf(error).message));
}

/** Pins the expression, opens it in the tree and brings the keyboard there. */
async function summarize({ runs, expansion, tree }: Parts, expression: string): Promise<void> {
  expansion.open(pinPath(expression));
  await runs.pin([expression]);
  await tree.showTop(pinPath(expression));
}

/** Refuses what no expression reaches, and what the frame that is looked at does not know of. */
