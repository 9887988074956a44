import * as vscode from "vscode";
import { COLOR, COMMAND, SECTION } from "../ids.ts";
import type { Inspector } from "../model/inspector.ts";
import { findingsOf, nothingFoundText } from "../model/findingRows.ts";
import { firstAlarm } from "../model/rows.ts";
import { partText, statusText, timeText } from "../model/status.ts";
import { escapeIcons, joined } from "../model/words.ts";

const ALARM = {
  background: new vscode.ThemeColor("statusBarItem.errorBackground"),
  foreground: new vscode.ThemeColor(COLOR.statusBarAlarm),
};

/**
 * While paused: what is wrong, how many values hold NaN or Inf, what was left out, which process it is. A click goes to the
 * first of these; where there is none, it shows the log.
 */
export class Status implements vscode.Disposable {
  readonly #inspector: Inspector;
  readonly #item: vscode.StatusBarItem;
  readonly #subscriptions: readonly { dispose(): unknown }[];

  constructor(inspector: Inspector) {
    this.#inspector = inspector;
    this.#item = vscode.window.createStatusBarItem(`${SECTION}.status`, vscode.StatusBarAlignment.Left);
    this.#item.name = "Tensor Inspector";
    const show = (): void => this.#show();
    this.#subscriptions = [inspector.onDidChange(show), vscode.window.onDidChangeActiveColorTheme(show)];
  }

  #show(): void {
    const { frame, trouble, stale } = this.#inspector;
    const scene = stale === "reading" ? undefined : this.#inspector.scene;
    const isReading = scene === undefined && trouble === undefined;
    const contents = scene?.contents;
    if (frame === undefined) {
      this.#item.hide();
      return;
    }
    const unread = isReading ? vscode.l10n.t("reading…") : vscode.l10n.t("not read");
    const text = scene === undefined ? unread : statusText(scene);
    const alarm = scene && firstAlarm(scene);
    const icon = scene ? "symbol-array" : isReading ? "sync" : "warning";
    this.#item.text = `$(${icon}) ${escapeIcons(text)}`.trimEnd();
    this.#colour(alarm?.tone === "alarm");
    this.#item.command = alarm ? COMMAND.revealAlarm : COMMAND.showLog;
    const click = alarm
      ? vscode.l10n.t("Click to go to the first finding, NaN or Inf.")
      : vscode.l10n.t("Click for the log.");
    const found = contents && findingsOf(contents);
    const silent = found?.findings.length === 0 ? nothingFoundText(found) : undefined;
    const part = contents && partText(contents);
    const partly =
      part && vscode.l10n.t("Only {0} are listed and counted. Find Variable in the view reads the others.", part);
    const time = contents && timeText(contents);
    this.#item.tooltip = joined("\n", "Tensor Inspector", trouble, contents?.answer.cut, partly, silent, time, click);
    const spoken = joined(", ", text, trouble) || vscode.l10n.t("nothing to report");
    this.#item.accessibilityInformation = { label: joined(", ", "Tensor Inspector", spoken) };
    this.#item.show();
  }

  /**
   * By the background, but in high contrast, where the theme has none for errors, or the same as the whole bar has while
   * debugging: VS Code takes no foreground beside a background.
   */
  #colour(isAlarm: boolean): void {
    const { HighContrast, HighContrastLight } = vscode.ColorThemeKind;
    const { kind } = vscode.window.activeColorTheme;
    const isPlainBar = vscode.workspace.getConfiguration("debug").get<boolean>("enableStatusBarColor") === false;
    const hasBackground = kind !== HighContrast && (kind !== HighContrastLight || isPlainBar);
    this.#item.backgroundColor = isAlarm && hasBackground ? ALARM.background : undefined;
    this.#item.color = isAlarm && !hasBackground ? ALARM.foreground : undefined;
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
    this.#item.dispose();
  }
}
