import * as vscode from "vscode";
import { argumentsOf, callsOf } from "../model/python.ts";
import type { Subject } from "../model/questions.ts";
import type { Action, Row } from "../model/row.ts";
import { frameRows } from "../model/rows.ts";
import { escapeIcons } from "../model/words.ts";
import { subjectOf } from "./asking.ts";
import type { Parts } from "./commandArguments.ts";

interface Item extends vscode.QuickPickItem {
  readonly subjects: readonly Subject[];
}

/** What a quick pick offers. */
interface Offer {
  /** The title, where these values have been picked already. */
  readonly title: (picked: readonly Subject[]) => string;
  readonly placeholder: string;
  /** Values of the frame. */
  readonly values: readonly Item[];
  /** How many are picked before Enter or a click is the last word. */
  readonly least?: number;
  /** The expressions in what the user types. */
  readonly parse: (text: string) => readonly string[];
}

/** Lets the user pick a value of the frame that offers this action, or type any expression. */
export async function pickSubject(
  parts: Parts,
  title: string,
  action: Action,
  other?: Subject,
): Promise<Subject | undefined> {
  const placeholder = vscode.l10n.t("Pick a value of this frame, or type an expression, which is run once");
  const values = itemsOf(rowsFor(parts, action), other);
  const picked = await choose({ title: () => title, placeholder, values, parse: (text) => [text] });
  return picked?.[0];
}

/**
 * Lets the user pick one value or more, or type expressions: `x, mask`. They are inputs in that order. The calls that stand
 * in the source come first; where these give several inputs, one that is picked asks for the next.
 */
export function pickInputs(
  parts: Parts,
  title: (called: string) => string,
  of: Subject,
): Promise<readonly Subject[] | undefined> {
  const placeholder = vscode.l10n.t("Pick a value of this frame, or type expressions, which are run once: x, mask");
  const rows = rowsFor(parts, "compare").toSorted((one, another) => unlikelihood(one) - unlikelihood(another));
  const add = { iconPath: new vscode.ThemeIcon("add"), tooltip: vscode.l10n.t("Add this and pick another") };
  const calls = callsInSource(parts, of);
  const values = [
    ...calls.map((expressions) => callItem(expressions)),
    ...itemsOf(rows, of).map((item) => ({ ...item, buttons: [add] })),
  ];
  const least = Math.min(...calls.map(({ length }) => length));
  const called = (picked: readonly Subject[]): string =>
    picked.length === 0 ? of.name : `${of.name}(${picked.map(({ name }) => name).join(", ")}, …)`;
  const titled = (picked: readonly Subject[]): string => title(called(picked));
  const needed = Number.isFinite(least) ? { least } : {};
  return choose({ title: titled, placeholder, values, parse: argumentsOf, ...needed });
}

/** The inputs that calls of a value are given in the source of the frame, those nearest to the stop first. */
function callsInSource({ inspector: { frame, scene } }: Parts, of: Subject): string[][] {
  const text = vscode.workspace.textDocuments.find((one) => frame?.isIn(one))?.getText();
  if (text === undefined) return [];
  const above = text.split("\n").slice(0, Math.max(0, (scene?.contents.answer.line ?? 1) - 1));
  return callsOf(text, of.name, above.join("\n").length);
}

function callItem(expressions: readonly string[]): Item {
  return {
    label: escapeIcons(expressions.join(", ")),
    description: vscode.l10n.t("as the source calls it"),
    subjects: expressions.map((expression) => ({ name: expression, expression })),
  };
}

async function choose({
  title,
  placeholder,
  values,
  least = 1,
  parse,
}: Offer): Promise<readonly Subject[] | undefined> {
  const box = vscode.window.createQuickPick<Item>();
  const picked: Subject[] = [];
  box.title = title(picked);
  box.placeholder = placeholder;
  box.matchOnDescription = true;
  box.items = values;
  const typed = (): Item[] => {
    const text = box.value.trim();
    return text === "" || values.some(({ subjects: [value] }) => value?.name === text)
      ? []
      : [expressionItem(text, parse(text))];
  };
  box.onDidChangeValue(() => (box.items = [...values, ...typed()]));
  const add = ({ subjects }: Item): void => {
    picked.push(...subjects);
    box.title = title(picked);
    box.value = "";
    box.items = values;
  };
  box.onDidTriggerItemButton(({ item }) => add(item));
  try {
    return await new Promise((resolve) => {
      box.onDidAccept(() => {
        const last = box.selectedItems[0] ?? typed()[0]; // Enter may come picked its row
        // What the user types is all that is meant, however many the source gives.
        const isMore = last !== undefined && values.includes(last) && picked.length + last.subjects.length < least;
        if (isMore) add(last);
        else resolve(last && [...picked, ...last.subjects]);
      });
      box.onDidHide(() => resolve(undefined));
      box.show();
    });
  } finally {
    box.dispose();
  }
}

function rowsFor({ inspector: { scene } }: Parts, action: Action): Row[] {
  return scene === undefined ? [] : frameRows(scene).filter(({ can }) => can.includes(action));
}

/** The order in which values are offered as inputs: a model is usually called with tensors and arrays. */
function unlikelihood({ value }: Row): number {
  const kind = value?.node.kind;
  if (kind === "tensor" || kind === "array") return 0;
  return kind === "mapping" || kind === "sequence" ? 1 : 2;
}

function itemsOf(rows: readonly Row[], other: Subject | undefined): Item[] {
  const items = rows.flatMap((row) => {
    const subject = subjectOf(row);
    return subject && subject.name !== other?.name ? [{ subject, description: row.description }] : [];
  });
  const named = new Map(items.toReversed().map((item) => [item.subject.name, item])); // a pin is also a variable
  return items
    .filter((item) => named.get(item.subject.name) === item)
    .map(({ subject, description }) => ({
      label: escapeIcons(subject.name),
      description: escapeIcons(description),
      subjects: [subject],
    }));
}

function expressionItem(text: string, expressions: readonly string[]): Item {
  const description =
    expressions.length > 1
      ? vscode.l10n.t("as {0} expressions", expressions.length)
      : vscode.l10n.t("as an expression");
  const subjects = expressions.map((expression) => ({ name: expression, expression }));
  return { label: escapeIcons(text), description, alwaysShow: true, subjects };
}
