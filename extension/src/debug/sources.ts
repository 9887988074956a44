import type { DebugProtocol } from "@vscode/debugprotocol";
import * as vscode from "vscode";
import type { FrameFile, SourceLine } from "../protocol/generated.ts";
import { movesLines, type Session } from "./session.ts";

/** A line, counted from 1, of what VS Code opens. */
export interface UriLine {
  readonly uri: vscode.Uri;
  readonly line: number;
}

/** What VS Code opens for a source of the adapter. */
export function uriOf(source: DebugProtocol.Source, session: Session): vscode.Uri {
  const { path = "" } = source;
  // Jupyter names the cell by its URI.
  const isUri = /^[a-z][a-z-]+:/.test(path);
  return isUri ? vscode.Uri.parse(path) : vscode.debug.asDebugSourceUri(source, session.debugSession);
}

/**
 * Where a line of the program is for VS Code. Its file may be a copy of a cell, or on another machine: what the adapter
 * shows for a frame in that file is its document. A file in which no frame stands goes by its own name.
 */
export async function locate(
  { file, line }: SourceLine,
  files: readonly FrameFile[],
  { session, threadId }: { readonly session: Session; readonly threadId: number },
): Promise<UriLine> {
  const known = files.find((one) => one.file === file);
  // VS Code requests the callers a moment after the stop.
  if (known && session.threads.reportedFrame(known.frame) === undefined) await session.requestStackTrace(threadId);
  const reported = known && session.threads.reportedFrame(known.frame);
  if (known === undefined || reported?.source === undefined) return { uri: vscode.Uri.file(file), line };
  const moved = movesLines(session.debugSession) ? reported.line - known.line : 0;
  return { uri: uriOf(reported.source, session), line: line + moved };
}
