import * as vscode from "vscode";
import type { Sessions } from "../debug/sessions.ts";
import { CONTEXT, type ContextKey } from "../ids.ts";
import type { Dismissed } from "../model/dismissed.ts";
import type { Pins } from "../model/pins.ts";
import type { Questions } from "../model/questions.ts";

export function setContext(key: ContextKey, value: unknown): Thenable<void> {
  return vscode.commands.executeCommand("setContext", key, value);
}

/** Keeps the context keys up to date that tell the manifest whether Python is debugged. */
export function followDebugging(sessions: Sessions): vscode.Disposable {
  const follow = (): void => void setContext(CONTEXT.debugging, sessions.debugging);
  follow();
  void setContext(CONTEXT.active, true);
  return vscode.Disposable.from(
    sessions.onDidInitialize(follow),
    vscode.debug.onDidChangeActiveDebugSession(follow),
    vscode.debug.onDidTerminateDebugSession(follow),
  );
}

/** Keeps the context keys up to date that tell it whether there are pins, answers or dismissed rules. */
export function followGathered(pins: Pins, questions: Questions, dismissed: Dismissed): vscode.Disposable {
  const follow = (): void => {
    void setContext(CONTEXT.pinned, pins.all.length > 0);
    void setContext(CONTEXT.selectedForCompare, questions.selected !== undefined);
    void setContext(CONTEXT.answered, questions.all.length > 0);
    void setContext(CONTEXT.dismissed, !dismissed.isEmpty);
  };
  follow();
  return vscode.Disposable.from(...[pins, questions, dismissed].map(({ onDidChange }) => onDidChange(follow)));
}
