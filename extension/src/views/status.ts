import * as vscode from "vscode";
import { COMMAND, SECTION } from "../ids.ts";
import type { Inspector } from "../model/inspector.ts";
import { firstAlarm } from "../model/rows.ts";
import { statusText, timeText } from "../model/status.ts";
import { escapeIcons } from "../model/words.ts";

const ALARM = new vscode.ThemeColor("statusBarItem.errorBackground");

/**
 * While paused: how many values hold NaN or Inf, what was left out, which process it is. A click goes to the first such
 * value; where there is none, it shows the log.
 */
export class Status implements vscode.Disposable {
  readonly #inspector: Inspector;
  readonly #item: vscode.StatusBarItem;
  readonly #subscription: { dispose(): unknown };

  constructor(inspector: Inspector) {
    this.#inspector = inspector;
    this.#item = vscode.window.createStatusBarItem(`${SECTION}.status`, vscode.StatusBarAlignment.Left);
    this.#item.name = "Tensor Inspector";
    this.#subscription = inspector.onDidChange(() => this.#show());
  }

  #show(): void {
    const { frame, source, contents, trouble } = this.#inspector;
    if (frame === undefined) {
      this.#item.hide();
      return;
    }
    const text = source === undefined ? vscode.l10n.t("not read") : statusText(source);
    const loud = source !== undefined && firstAlarm(source) !== undefined;
    this.#item.text = `$(${contents === undefined ? "warning" : "symbol-array"}) ${escapeIcons(text)}`.trimEnd();
    this.#item.backgroundColor = loud ? ALARM : undefined;
    this.#item.command = loud ? COMMAND.revealAlarm : COMMAND.showLog;
    const click = loud ? vscode.l10n.t("Click to go to the first.") : vscode.l10n.t("Click for the log.");
    const told = ["Tensor Inspector", trouble, contents?.cut, contents && timeText(contents), click];
    this.#item.tooltip = told.filter((line) => line !== undefined).join("\n");
    this.#item.accessibilityInformation = { label: `Tensor Inspector, ${text}` };
    this.#item.show();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#item.dispose();
  }
}
