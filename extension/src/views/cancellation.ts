import type * as vscode from "vscode";

/** VS Code's token as what all layers below the views know. */
export function signalOf(cancelled: vscode.CancellationToken): AbortSignal {
  const aborting = new AbortController();
  if (cancelled.isCancellationRequested) aborting.abort();
  else cancelled.onCancellationRequested(() => aborting.abort());
  return aborting.signal;
}
