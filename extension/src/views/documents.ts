import * as vscode from "vscode";
import type { Contents } from "../model/contents.ts";
import type { SourceLine } from "../protocol/generated.ts";

/** A line of a document, counted from 0. */
export interface DocumentLine {
  readonly document: vscode.TextDocument;
  readonly line: number;
}

/** A line of the program where VS Code shows it; undefined where it can't: code of another machine may be in no file here. */
export async function lineOf(source: SourceLine, contents: Contents): Promise<DocumentLine | undefined> {
  try {
    const { uri, line } = await contents.locate(source);
    return { document: await vscode.workspace.openTextDocument(uri), line: line - 1 };
  } catch {
    return undefined;
  }
}
