import * as vscode from "vscode";
import type { Contents } from "../model/contents.ts";
import { expressionAt } from "../model/python.ts";
import type { SourceLine } from "../protocol/generated.ts";

/** Files of Python, and cells of notebooks. */
export const PYTHON: vscode.DocumentSelector = { language: "python" };

/** A line of a document, counted from 0. */
export interface DocumentLine {
  readonly document: vscode.TextDocument;
  readonly line: number;
}

/** Where VS Code shows a line of the program; undefined where no file here has it, as with code of another machine. */
export async function lineOf(source: SourceLine, contents: Contents): Promise<DocumentLine | undefined> {
  try {
    const { uri, line } = await contents.locate(source);
    return { document: await vscode.workspace.openTextDocument(uri), line: line - 1 };
  } catch {
    return undefined;
  }
}

/** Puts the cursor on a line, in the column of editors that is meant, else where VS Code thinks best. */
export async function showLine({ document, line }: DocumentLine, column?: vscode.ViewColumn): Promise<void> {
  const start = new vscode.Position(line, 0);
  const where = column === undefined ? {} : { viewColumn: column };
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(start, start), ...where });
}

/** The Python expression at a position of a document. */
export function expressionAround(
  document: vscode.TextDocument,
  position: vscode.Position,
): { readonly expression: string; readonly range: vscode.Range } | undefined {
  const span = expressionAt(document.getText(), document.offsetAt(position));
  if (span === undefined) return undefined;
  const range = new vscode.Range(document.positionAt(span.start), document.positionAt(span.end));
  return { expression: document.getText(range), range };
}
