import { expect, test } from "vitest";
import type { Inspector } from "../../extension/src/model/inspector.ts";
import { Stop } from "../../extension/src/model/stop.ts";
import { Status } from "../../extension/src/views/status.ts";
import { frame, frameAnswer } from "./fixtures.ts";
import { EventEmitter, type StatusBarItem, window } from "./vscode.ts";

/** The status-bar item while a process of this name is paused. */
function shown(process: string): StatusBarItem {
  const changed = new EventEmitter<void>();
  const stop = new Stop(frame(), frameAnswer([], { process }));
  const status = new Status({ frame: frame(), stop, onDidChange: changed.event } as unknown as Inspector);
  changed.fire();
  const item = window.statusBar.get("tensorInspector.status") as StatusBarItem;
  status.dispose();
  return item;
}

// VS Code makes `$(name)` an icon, and shows `\$(name)` as it is without the backslash.
test.each([
  ["rank 1", "rank 1"],
  ["$(bug)", String.raw`\$(bug)`],
  ["a $(sync~spin) b $(x)", String.raw`a \$(sync~spin) b \$(x)`],
])("the process name %s is no icon in the status bar", (process, text) => {
  const item = shown(process);
  expect(item.text).toBe(`$(symbol-array) ${text}`);
  expect(item.accessibilityInformation?.label).toBe(`Tensor Inspector, ${process}`);
});
