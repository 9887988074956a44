import * as vscode from "vscode";
import type { Subject } from "../model/questions.ts";
import type { Action, Row } from "../model/row.ts";
import { rootRows } from "../model/rows.ts";
import { subjectOf } from "./asking.ts";
import type { Parts } from "./command.ts";

interface Item extends vscode.QuickPickItem {
  readonly subject: Subject;
}

/** A value of the frame that is looked at with which this can be done, or any expression that the user types. */
export async function pickSubject(
  { inspector }: Parts,
  title: string,
  action: Action,
  other?: Subject,
): Promise<Subject | undefined> {
  const { scene } = inspector;
  const rows = scene === undefined ? [] : rootRows(scene).filter(({ can }) => can.includes(action));
  const values = rows.flatMap((row) => itemOf(row)).filter(({ subject }) => subject.name !== other?.name);
  const box = vscode.window.createQuickPick<Item>();
  box.title = title;
  box.placeholder = vscode.l10n.t("A value of this frame, or any expression, which is run once");
  box.matchOnDescription = true;
  box.items = values;
  const typed = (): Item[] => {
    const expression = box.value.trim();
    return expression === "" || values.some(({ subject }) => subject.name === expression)
      ? []
      : [expressionItem(expression)];
  };
  box.onDidChangeValue(() => (box.items = [...values, ...typed()]));
  try {
    return await new Promise((resolve) => {
      box.onDidAccept(() => resolve((box.selectedItems[0] ?? typed()[0])?.subject)); // Enter may come before its row
      box.onDidHide(() => resolve(undefined));
      box.show();
    });
  } finally {
    box.dispose();
  }
}

function itemOf(row: Row): Item[] {
  const subject = subjectOf(row);
  return subject ? [{ label: subject.name, description: row.description, subject }] : [];
}

function expressionItem(expression: string): Item {
  const subject = { name: expression, expression };
  return { label: expression, description: vscode.l10n.t("as an expression"), alwaysShow: true, subject };
}
