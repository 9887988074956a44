import * as vscode from "vscode";
import { TABLE_VIEW } from "../ids.ts";
import type { Details } from "../model/details.ts";
import type { Inspector } from "../model/inspector.ts";
import { LiveTable } from "../model/tables/liveTable.ts";
import type { TableSource } from "../model/tables/sources.ts";
import { parseFromTable } from "../protocol/table.ts";
import { subjectOf } from "./asking.ts";
import type { DetailsPages } from "./detailsPages.ts";
import { lineOf, showLine } from "./documents.ts";
import { pageHtml } from "./pageHtml.ts";
import type { Tree } from "./tree.ts";

/** What a click on a row of a table moves. */
interface Moved {
  readonly inspector: Inspector;
  readonly tree: Tree;
  readonly details: Pick<Details, "show">;
  readonly detailsPages: Pick<DetailsPages, "reveal">;
}

/** Tables, each in a tab of the editor. */
export class TablePages implements vscode.Disposable {
  readonly #moved: Moved;
  readonly #root: vscode.Uri;
  /** By the keys of their sources. */
  readonly #panels = new Map<string, vscode.WebviewPanel>();

  constructor(moved: Moved, extension: vscode.Uri) {
    this.#moved = moved;
    this.#root = vscode.Uri.joinPath(extension, "dist");
  }

  /** Opens a table, or brings its tab into sight. */
  open(source: TableSource): void {
    const known = this.#panels.get(source.key);
    if (known !== undefined) {
      known.reveal();
      return;
    }
    const title = vscode.l10n.t("Table: {0}", source.name);
    const [other] = this.#panels.values();
    const column = other?.viewColumn ?? vscode.ViewColumn.Beside;
    const panel = vscode.window.createWebviewPanel(TABLE_VIEW, title, column);
    this.#panels.set(source.key, panel);
    const table = new LiveTable(source, this.#moved.inspector);
    const told = table.onDidTell((message) => void panel.webview.postMessage(message));
    panel.webview.options = { enableScripts: true, localResourceRoots: [this.#root] };
    panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(table, message));
    panel.webview.html = pageHtml(panel.webview, this.#root, "table", title);
    panel.onDidChangeViewState(() => table.setVisible(panel.visible));
    panel.onDidDispose(() => {
      this.#panels.delete(source.key);
      told.dispose();
      table.dispose();
    });
    table.setVisible(panel.visible);
  }

  dispose(): void {
    for (const panel of this.#panels.values()) panel.dispose();
  }

  #receive(table: LiveTable, raw: unknown): void {
    const message = parseFromTable(raw);
    if (message?.type === "copy") void vscode.env.clipboard.writeText(message.text);
    else if (message?.type === "reveal") void this.#reveal(table, message.row);
    else if (message !== undefined) table.receive(message);
  }

  /** Goes to the line that a row is about, selects its row in the tree, and shows the details of that one's value. */
  async #reveal(table: LiveTable, row: string): Promise<void> {
    const { revealed, contents } = table.revealed(row) ?? {};
    if (revealed === undefined || contents === undefined) return;
    const { inspector, tree, details, detailsPages } = this.#moved;
    const { source, start, names = [] } = revealed;
    if (source) {
      const line = await lineOf(source, contents);
      if (line !== undefined) await showLine(line, vscode.ViewColumn.One);
    }
    const shown = contents === inspector.contents ? await tree.showBelow(start, names) : undefined;
    if (shown === undefined) {
      if (!source) table.say(vscode.l10n.t("Not there any more: the program went on, or this was removed."));
      return;
    }
    const subject = subjectOf(shown);
    if (subject === undefined) return;
    details.show(subject);
    await detailsPages.reveal();
  }
}
