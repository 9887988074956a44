import type * as vscode from "vscode";

/** VS Code's cancellation token as an `AbortSignal`, which the layers below the views use. */
export function signalOf(cancelled: vscode.CancellationToken): AbortSignal {
  const aborting = new AbortController();
  if (cancelled.isCancellationRequested) aborting.abort();
  else cancelled.onCancellationRequested(() => aborting.abort());
  return aborting.signal;
}
