import * as vscode from "vscode";
import { COMMAND, CONTEXT } from "../ids.ts";
import type { Side } from "../model/comparisons.ts";
import { comparisonPath, type Row } from "../model/row.ts";
import { rootRows } from "../model/rows.ts";
import { type Command, isRow, type Parts } from "./command.ts";
import { setContext } from "./context.ts";

export const COMPARE_COMMANDS = {
  [COMMAND.compareWith]: async (parts, argument) => {
    const a = sideOf(argument) ?? (await pick(parts, vscode.l10n.t("Compare: the first of two values")));
    const b = a && (await pick(parts, vscode.l10n.t("Compare “{0}” with", a.name), a));
    if (a && b) await compare(parts, a, b);
  },
  [COMMAND.selectForCompare]: async ({ comparing }, argument) => {
    comparing.selected = sideOf(argument);
    await setContext(CONTEXT.selectedForCompare, comparing.selected !== undefined);
  },
  [COMMAND.compareWithSelected]: async (parts, argument) => {
    const [a, b] = [parts.comparing.selected, sideOf(argument)];
    if (a && b) await compare(parts, a, b);
  },
  [COMMAND.compareSelected]: async (parts, _, selected) => {
    // Called on a row beside them, it is told of that row alone.
    const [a, b] = (Array.isArray(selected) ? selected : parts.tree.selection).map(sideOf);
    if (a && b) await compare(parts, a, b);
  },
  [COMMAND.removeComparison]: ({ comparing }, row) => isRow(row) && row.comparison && comparing.remove(row.comparison),
} satisfies Readonly<Record<string, Command>>;

/** Opens the comparison in the tree and brings the keyboard there. */
async function compare({ comparing, expansion, tree }: Parts, a: Side, b: Side): Promise<void> {
  const path = comparisonPath({ a, b });
  expansion.open(path);
  await comparing.compare(a, b);
  await tree.showTop(path);
}

function sideOf(argument: unknown): Side | undefined {
  if (!isRow(argument) || argument.known === undefined) return undefined;
  const { name, expression, known, contents } = argument;
  const at = { frame: contents.frame, value: { snapshot: known.snapshot, node: known.node.id } };
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
