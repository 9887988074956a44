import * as vscode from "vscode";
import type { Inspector } from "../model/inspector.ts";
import { statusText } from "../model/words.ts";

/** While paused: how long the last answer took, what it left out, which process it is of. A click shows the log. */
export class Status implements vscode.Disposable {
  readonly #inspector: Inspector;
  readonly #item: vscode.StatusBarItem;
  readonly #subscription: { dispose(): unknown };

  constructor(inspector: Inspector) {
    this.#inspector = inspector;
    this.#item = vscode.window.createStatusBarItem("tensorInspector.status", vscode.StatusBarAlignment.Left);
    this.#item.name = "Tensor Inspector";
    this.#item.command = "tensorInspector.showLog";
    this.#subscription = inspector.onDidChange(() => this.#show());
  }

  #show(): void {
    const { frame, stop, trouble } = this.#inspector;
    if (frame === undefined) {
      this.#item.hide();
      return;
    }
    const text = stop === undefined ? vscode.l10n.t("not read") : statusText(stop);
    this.#item.text = `$(${stop === undefined ? "warning" : "symbol-array"}) ${text}`;
    const told = trouble ?? stop?.cut ?? vscode.l10n.t("Tensor Inspector has read this frame.");
    this.#item.tooltip = `${told}\n${vscode.l10n.t("Click for the log.")}`;
    this.#item.show();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#item.dispose();
  }
}
