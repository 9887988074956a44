import * as vscode from "vscode";
import { COMMAND, type CommandId } from "../ids.ts";
import type { Comparison, Side } from "../model/comparisons.ts";
import { comparisonPath, type Row } from "../model/row.ts";
import { rootRows } from "../model/rows.ts";
import { type Command, isRow, type Parts } from "./command.ts";
import type { Tree } from "./tree.ts";

export const COMPARE_COMMANDS = {
  [COMMAND.compareWith]: async (parts, argument) => {
    const [marked] = parts.tree.selection.length === 1 ? parts.tree.selection : [];
    const a = sideOf(argument ?? marked) ?? (await pick(parts, vscode.l10n.t("Compare: the first of two values")));
    const b = a && (await pick(parts, vscode.l10n.t("Compare “{0}” with", a.name), a));
    if (a && b) await compare(parts, a, b);
  },
  [COMMAND.selectForCompare]: ({ comparisons }, argument) => {
    const side = sideOf(argument);
    if (side && isRow(argument)) comparisons.select(side, argument.contents.frame.session);
  },
  [COMMAND.compareWithSelected]: (parts, argument) => compareTwo(parts, [parts.comparisons.selected, sideOf(argument)]),
  [COMMAND.compareSelected]: async (parts, _, selected) => {
    // Called on a row beside them, it is told of that row alone.
    const rows: readonly unknown[] = Array.isArray(selected) ? selected : parts.tree.selection;
    await compareTwo(parts, rows.map(sideOf));
  },
  [COMMAND.removeAllComparisons]: ({ comparing }) => comparing.removeAll(),
} satisfies Readonly<Partial<Record<CommandId, Command>>>;

/** Asks again, and runs what must be run. */
export async function compareAgain({ comparing, tree }: Parts, comparison: Comparison): Promise<void> {
  if (!(await comparing.run(comparison))) await sayUnread(tree);
}

async function compareTwo(parts: Parts, sides: readonly (Side | undefined)[]): Promise<void> {
  const [a, b] = sides;
  if (sides.length === 2 && a && b) await compare(parts, a, b);
  else await parts.tree.say(vscode.l10n.t("Not compared: only two rows that are values can be."));
}

/** Opens the comparison in the tree and brings the keyboard there. */
async function compare({ comparing, tree }: Parts, a: Side, b: Side): Promise<void> {
  const comparison = await comparing.compare(a, b);
  if (comparison) await tree.showTop(comparisonPath(comparison));
  else await sayUnread(tree);
}

function sayUnread(tree: Tree): Promise<void> {
  return tree.say(vscode.l10n.t("Not compared: the program went on, or its values can't be read."));
}

function sideOf(argument: unknown): Side | undefined {
  if (!isRow(argument) || argument.known === undefined || !argument.can.includes("compare")) return undefined;
  const { name, expression, known, contents } = argument;
  const value = { snapshot: known.snapshot, node: known.node.id };
  const at = { frame: contents.frame, function: contents.answer.function, value };
  return { name: expression ?? name, ...(expression === undefined ? {} : { expression }), at };
}

interface Item extends vscode.QuickPickItem {
  readonly side: Side;
}

/** A value of the frame that is looked at, or any expression that the user types. */
async function pick({ inspector }: Parts, title: string, other?: Side): Promise<Side | undefined> {
  const { source } = inspector;
  const rows = source === undefined ? [] : rootRows(source).filter(({ can }) => can.includes("compare"));
  const values = rows.flatMap((row) => itemOf(row)).filter(({ side }) => side.name !== other?.name);
  const box = vscode.window.createQuickPick<Item>();
  box.title = title;
  box.placeholder = vscode.l10n.t("A value of this frame, or any expression, which is run once");
  box.matchOnDescription = true;
  box.items = values;
  const typed = (): Item[] => {
    const expression = box.value.trim();
    return expression === "" || values.some(({ side }) => side.name === expression) ? [] : [expressionItem(expression)];
  };
  box.onDidChangeValue(() => (box.items = [...values, ...typed()]));
  try {
    return await new Promise((resolve) => {
      box.onDidAccept(() => resolve((box.selectedItems[0] ?? typed()[0])?.side)); // Enter may come before its row
      box.onDidHide(() => resolve(undefined));
      box.show();
    });
  } finally {
    box.dispose();
  }
}

function itemOf(row: Row): Item[] {
  const side = sideOf(row);
  return side ? [{ label: side.name, description: row.description, side }] : [];
}

function expressionItem(expression: string): Item {
  const side = { name: expression, expression };
  return { label: expression, description: vscode.l10n.t("as an expression"), alwaysShow: true, side };
}
