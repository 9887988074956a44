import * as vscode from "vscode";
import type { Finding } from "../protocol/generated.ts";

/** The file of a line of the program, where there is one here: code of a cell, or of another machine, may be in none. */
export async function documentOf(source: Finding["source"]): Promise<vscode.TextDocument | undefined> {
  if (source === null) return undefined;
  try {
    return await vscode.workspace.openTextDocument(vscode.Uri.file(source.file));
  } catch {
    return undefined;
  }
}
