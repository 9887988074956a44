import * as vscode from "vscode";
import type { Pins } from "../model/pins.ts";
import type { Sessions } from "../debug/sessions.ts";

/**
 * Keeps the context keys by which the manifest shows what is for Python: `tensorInspector.active` is set for good, since only
 * a Python file or session activates us, and `tensorInspector.debugging` while the session that is looked at is Python's.
 */
export function followDebugging(sessions: Sessions): vscode.Disposable {
  const follow = (): void =>
    void vscode.commands.executeCommand("setContext", "tensorInspector.debugging", sessions.debugging);
  follow();
  void vscode.commands.executeCommand("setContext", "tensorInspector.active", true);
  return vscode.Disposable.from(
    sessions.onDidInitialize(follow),
    vscode.debug.onDidChangeActiveDebugSession(follow),
    vscode.debug.onDidTerminateDebugSession(follow),
  );
}

/** Keeps `tensorInspector.pinned`: whether there is something to unpin, which may be from an earlier session. */
export function followPins(pins: Pins): { dispose(): void } {
  const follow = (): void =>
    void vscode.commands.executeCommand("setContext", "tensorInspector.pinned", pins.all.length > 0);
  follow();
  return pins.onDidChange(follow);
}
