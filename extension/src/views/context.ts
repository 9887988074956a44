import * as vscode from "vscode";
import type { Sessions } from "../debug/sessions.ts";
import { CONTEXT, type ContextKey } from "../ids.ts";
import type { Dismissed } from "../model/dismissed.ts";
import type { History } from "../model/history.ts";
import type { Inspector } from "../model/inspector.ts";
import type { Pins } from "../model/pins.ts";
import type { Questions } from "../model/questions.ts";
import type { Watchpoints } from "../model/watchpoints.ts";

/** How long VS Code may take after a stop to select a frame. */
const NO_FRAME_MS = 1000;

/** The values that VS Code was last given for context keys, as JSON. */
const told = new Map<ContextKey, string>();

/** Sets a context key. Events are many and most change none, so a value is sent to VS Code's window only where it is another. */
export async function setContext(key: ContextKey, value: boolean | string | readonly string[]): Promise<void> {
  const text = JSON.stringify(value);
  if (told.get(key) === text) return;
  told.set(key, text);
  await vscode.commands.executeCommand("setContext", key, value);
}

/** Keeps the context keys up to date that tell whether Python is debugged. */
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

/** Keeps the context keys up to date that tell whether a frame is looked at, and what its program has. */
export function followFrame(
  inspector: Pick<Inspector, "frame" | "contents" | "trouble" | "types" | "onDidChange">,
  sessions: Pick<Sessions, "onDidStop">,
): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const setNoFrame = (noFrame: boolean): void => {
    clearTimeout(timer);
    void setContext(CONTEXT.noFrame, noFrame);
  };
  const isMissing = (): boolean => inspector.frame === undefined && inspector.trouble === undefined;
  // After Pause, and of a thread that was clicked, VS Code selects no frame: then the view says what to do.
  const awaitFrame = (): void => {
    setNoFrame(false);
    timer = setTimeout(() => setNoFrame(isMissing()), NO_FRAME_MS);
  };
  const follow = (): void => {
    void setContext(CONTEXT.types, inspector.types);
    void setContext(CONTEXT.torch, inspector.contents?.hasTorch ?? false);
    if (inspector.frame === undefined) awaitFrame();
    else setNoFrame(false);
  };
  return vscode.Disposable.from(inspector.onDidChange(follow), sessions.onDidStop(awaitFrame), {
    dispose: () => clearTimeout(timer),
  });
}

/** Keeps the context keys up to date that tell whether there is something that the user keeps: pins, answers, dismissed rules, watchpoints. */
export function followKept(
  pins: Pins,
  questions: Questions,
  dismissed: Dismissed,
  watchpoints: Watchpoints,
  history: Pick<History, "latest">,
  inspector: Pick<Inspector, "frame" | "onDidChange">,
): vscode.Disposable {
  const follow = (): void => {
    void setContext(CONTEXT.pinned, pins.all.length > 0);
    void setContext(CONTEXT.selectedForCompare, questions.isSelectedIn(inspector.frame?.session));
    void setContext(CONTEXT.answered, questions.all.length > 0);
    void setContext(CONTEXT.dismissed, !dismissed.isEmpty);
    void setContext(CONTEXT.recorded, history.latest !== undefined);
    void setContext(CONTEXT.watched, watchpoints.all.length > 0);
    void setContext(CONTEXT.armed, watchpoints.armed.length > 0);
  };
  follow();
  return vscode.Disposable.from(
    ...[pins, questions, dismissed, watchpoints, inspector].map(({ onDidChange }) => onDidChange(follow)),
  );
}
