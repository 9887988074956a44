import * as vscode from "vscode";
import { COMMAND, type CommandId } from "../ids.ts";
import { pinPath, type Row } from "../model/row.ts";
import { COMPARE_COMMANDS, compareAgain } from "./compareCommands.ts";
import { pointedAt } from "./hover.ts";
import { type Command, isRow, type Parts, rowsOf } from "./command.ts";

/** What VS Code hands to a command in the Variables and Watch menus. */
interface VariableArgument {
  readonly sessionId?: string;
  /** What the variable is part of; none for a watched expression. */
  readonly container?: unknown;
  readonly variable: { readonly name: string; readonly evaluateName?: string };
}

/** All commands by their ids. */
export const COMMANDS: Readonly<Record<CommandId, Command>> = {
  ...COMPARE_COMMANDS,
  [COMMAND.summarize]: async (parts, argument) => {
    if (isVariable(argument)) return summarizeVariable(parts, argument);
    const expression = fromRow(argument) ?? fromEditor() ?? (await ask());
    if (expression !== undefined) await summarize(parts, expression);
    return undefined;
  },
  [COMMAND.summarizeExpression]: async (parts) => {
    const expression = await ask();
    if (expression !== undefined) await summarize(parts, expression);
  },
  [COMMAND.refresh]: ({ inspector }) => inspector.again(),
  [COMMAND.showTensorsOnly]: ({ settings }) => settings.setFilter("tensors"),
  [COMMAND.showAll]: ({ settings }) => settings.setFilter("all"),
  [COMMAND.nextPage]: ({ inspector }, row) => isRow(row) && inspector.more(row),
  [COMMAND.pin]: async ({ runs, tree }, argument, selected) => {
    for (const expression of expressionsOf(await rowsOf(tree, argument, selected))) await runs.pin(expression);
  },
  [COMMAND.unpin]: removeRows,
  [COMMAND.removeComparison]: removeRows,
  [COMMAND.unpinAll]: ({ runs }) => runs.unpinAll(),
  [COMMAND.evaluateAgain]: async (parts, row) => {
    if (!isRow(row)) return;
    if (row.pin) await parts.runs.run(row.pin.expression, row.contents);
    if (row.comparison) await compareAgain(parts, row.comparison);
  },
  [COMMAND.copySummary]: async ({ tree }, argument, selected) => {
    const rows = (await rowsOf(tree, argument, selected)).filter(({ can }) => can.includes("copySummary"));
    await copy(rows.map(({ expression, name, summary }) => `${expression ?? name}: ${summary}`));
  },
  [COMMAND.copyExpression]: async ({ tree }, argument, selected) =>
    copy(expressionsOf(await rowsOf(tree, argument, selected))),
  [COMMAND.revealAlarm]: ({ tree }) => tree.showAlarm(),
  [COMMAND.showLog]: ({ log }) => log.show(),
  [COMMAND.addToWatch]: async ({ tree }, argument, selected) => {
    for (const evaluateName of expressionsOf(await rowsOf(tree, argument, selected))) {
      await vscode.commands.executeCommand("debug.addToWatchExpressions", { variable: { evaluateName } });
    }
  },
};

/** Takes away the pins and the comparisons among the rows. */
async function removeRows({ runs, comparing, tree }: Parts, argument: unknown, selected?: unknown): Promise<void> {
  for (const { pin, comparison } of await rowsOf(tree, argument, selected)) {
    if (pin) runs.unpin(pin.expression);
    if (comparison) comparing.remove(comparison);
  }
}

function expressionsOf(rows: readonly Row[]): string[] {
  return rows.flatMap(({ expression }) => expression ?? []);
}

/** A line for each row; where there is none, the clipboard stays as it is. */
async function copy(lines: readonly string[]): Promise<void> {
  if (lines.length > 0) await vscode.env.clipboard.writeText(lines.join("\n"));
}

export function registerCommands(parts: Parts): vscode.Disposable[] {
  return Object.entries(COMMANDS).map(([id, run]) =>
    vscode.commands.registerCommand(id, (argument: unknown, selected: unknown) => run(parts, argument, selected)),
  );
}

/** Pins the expression, opens it in the tree and brings the keyboard there. */
async function summarize({ runs, expansion, tree }: Parts, expression: string): Promise<void> {
  expansion.open(pinPath(expression));
  await runs.pin(expression);
  await tree.showTop(pinPath(expression));
}

/** Refuses what no expression reaches, and what the frame that is looked at does not know of. */
async function summarizeVariable(parts: Parts, { sessionId, container, variable }: VariableArgument): Promise<void> {
  const { inspector, tree } = parts;
  // A watched expression is its own name; the name of anything else may be `(return) f`, or of a group.
  const expression = trimmed(variable.evaluateName ?? (container === undefined ? variable.name : undefined));
  if (expression === undefined) {
    await tree.say(vscode.l10n.t("No expression reaches “{0}”, so it can't be pinned.", variable.name));
  } else if (sessionId !== undefined && inspector.frame !== undefined && sessionId !== inspector.frame.session.id) {
    await tree.say(
      vscode.l10n.t(
        "“{0}” belongs to another session. Select a frame of that session in the call stack first.",
        variable.name,
      ),
    );
  } else await summarize(parts, expression);
}

function ask(): Thenable<string | undefined> {
  const prompt = vscode.l10n.t(
    "An expression of the paused program. A name, attributes and subscripts are read at each stop; anything else is run once.",
  );
  return vscode.window.showInputBox({ prompt, placeHolder: 'batch["image"]' }).then(trimmed);
}

function fromEditor(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  const { document, selection } = editor;
  return trimmed(document.getText(selection)) ?? pointedAt(document, selection.active)?.expression;
}

function fromRow(argument: unknown): string | undefined {
  return isRow(argument) ? argument.expression : undefined;
}

function isVariable(argument: unknown): argument is VariableArgument {
  return typeof argument === "object" && argument !== null && "variable" in argument;
}

function trimmed(text: string | undefined): string | undefined {
  const result = text?.trim();
  return result === "" ? undefined : result;
}
