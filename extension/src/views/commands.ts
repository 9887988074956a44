import * as vscode from "vscode";
import { COMMAND, type CommandId } from "../ids.ts";
import { pinPath } from "../model/row.ts";
import { COMPARE_COMMANDS } from "./compareCommands.ts";
import { pointedAt } from "./hover.ts";
import { type Command, isRow, type Parts, rowOf } from "./command.ts";

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
  [COMMAND.pin]: ({ runs }, row) => {
    const expression = fromRow(row);
    return expression !== undefined && runs.pin(expression);
  },
  [COMMAND.unpin]: async ({ runs, comparing, tree }, argument) => {
    const row = await rowOf(tree, argument);
    if (row?.pin) runs.unpin(row.pin.expression);
    if (row?.comparison) comparing.remove(row.comparison);
  },
  [COMMAND.unpinAll]: ({ runs }) => runs.unpinAll(),
  [COMMAND.evaluateAgain]: async ({ runs, comparing }, row) => {
    if (!isRow(row)) return;
    if (row.pin) await runs.run(row.pin.expression, row.contents);
    if (row.comparison) await comparing.run(row.comparison, row.contents);
  },
  [COMMAND.copySummary]: async ({ tree }, argument) => {
    const row = await rowOf(tree, argument);
    if (row?.can.includes("copySummary") !== true) return;
    await vscode.env.clipboard.writeText(`${row.expression ?? row.name}: ${row.summary}`);
  },
  [COMMAND.copyExpression]: (_, row) => {
    const expression = fromRow(row);
    return expression !== undefined && vscode.env.clipboard.writeText(expression);
  },
  [COMMAND.revealAlarm]: ({ tree }) => tree.showAlarm(),
  [COMMAND.showLog]: ({ log }) => log.show(),
  [COMMAND.addToWatch]: (_, row) => {
    const evaluateName = fromRow(row);
    if (evaluateName === undefined) return undefined;
    return vscode.commands.executeCommand("debug.addToWatchExpressions", { variable: { evaluateName } });
  },
};

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
