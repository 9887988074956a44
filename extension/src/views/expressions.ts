import * as vscode from "vscode";
import type { Parts } from "./commandArguments.ts";
import { expressionAround } from "./documents.ts";

/** What VS Code hands to a command in the Variables and Watch menus. */
interface VariableArgument {
  readonly sessionId?: string;
  /** What the variable is part of; none for a watched expression. */
  readonly container?: unknown;
  readonly variable: { readonly name: string; readonly evaluateName?: string };
}

/** What a command is about: a variable of VS Code's own views, what the cursor is on, else what the user types. */
export async function meantExpression(
  parts: Parts,
  argument: unknown,
  prompt = pinPrompt(),
): Promise<string | undefined> {
  if (isVariable(argument)) return expressionOf(parts, argument);
  return expressionInEditor() ?? (await typedExpression(prompt));
}

/** What is typed into a box, which says what becomes of it. */
export function typedExpression(prompt = pinPrompt()): Thenable<string | undefined> {
  return vscode.window.showInputBox({ prompt, placeHolder: 'batch["image"]' }).then(trimmed);
}

function pinPrompt(): string {
  return vscode.l10n.t(
    "An expression of the paused program. A name, attributes and subscripts are read at each stop; anything else is run once.",
  );
}

/** The expression that reaches a variable; where none does, the tree says why. */
async function expressionOf(
  parts: Parts,
  { sessionId, container, variable }: VariableArgument,
): Promise<string | undefined> {
  const { inspector, tree } = parts;
  // A watched expression is its own name; the name of anything else may be `(return) f`, or of a group.
  const expression = trimmed(variable.evaluateName ?? (container === undefined ? variable.name : undefined));
  if (expression === undefined) {
    await tree.say(vscode.l10n.t("No expression reaches “{0}”, so it can't be read.", variable.name));
    return undefined;
  }
  if (sessionId === undefined || inspector.frame === undefined || sessionId === inspector.frame.session.id) {
    return expression;
  }
  await tree.say(
    vscode.l10n.t(
      "“{0}” belongs to another session. Select a frame of that session in the call stack first.",
      variable.name,
    ),
  );
  return undefined;
}

function expressionInEditor(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  const { document, selection } = editor;
  return trimmed(document.getText(selection)) ?? expressionAround(document, selection.active)?.expression;
}

export function isVariable(argument: unknown): argument is VariableArgument {
  return typeof argument === "object" && argument !== null && "variable" in argument;
}

function trimmed(text: string | undefined): string | undefined {
  const result = text?.trim();
  return result === "" ? undefined : result;
}
