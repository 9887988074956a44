import * as vscode from "vscode";
import { COMMAND, DETAILS_VIEW } from "../ids.ts";
import type { Details } from "../model/details.ts";
import { failureOf } from "../model/failure.ts";
import { NOTHING_COMPARED, parseFromPage, type ToPage } from "../protocol/page.ts";
import { subjectOf } from "./asking.ts";
import { pageHtml } from "./pageHtml.ts";
import { savePicture } from "./pictureFiles.ts";
import type { Tree } from "./tree.ts";

/** Has the details page show the row that is selected, where it is not locked. */
export function followSelection(tree: Pick<Tree, "onDidSelect">, details: Pick<Details, "select">): vscode.Disposable {
  return tree.onDidSelect((row) => {
    const subject = subjectOf(row);
    if (subject !== undefined) details.select(subject);
  });
}

/** The details page, in the panel or as a tab of the editor: of two in sight, the tab alone shows the value. */
export class DetailsPages implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly #details: Details;
  readonly #root: vscode.Uri;
  readonly #subscriptions: readonly { dispose(): unknown }[];
  /** Those in which a page is, and whether it is in sight. */
  readonly #shown = new Map<vscode.Webview, boolean>();
  #panel: vscode.WebviewPanel | undefined;
  /** The one that shows the value. */
  #live: vscode.Webview | undefined;

  constructor(details: Details, extension: vscode.Uri) {
    this.#details = details;
    this.#root = vscode.Uri.joinPath(extension, "dist");
    this.#subscriptions = [
      vscode.window.registerWebviewViewProvider(DETAILS_VIEW, this),
      details.onDidTell((message) => this.#post(message)),
    ];
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#fill(view.webview);
    this.#setVisible(view.webview, view.visible);
    view.onDidChangeVisibility(() => this.#setVisible(view.webview, view.visible));
    view.onDidDispose(() => this.#forget(view.webview));
  }

  /** Brings the page into sight: as a tab of the editor where it is one, else in the panel. */
  async reveal(): Promise<void> {
    if (this.#panel === undefined)
      await vscode.commands.executeCommand(`${DETAILS_VIEW}.focus`, { preserveFocus: true });
    else this.#panel.reveal(undefined, true);
  }

  openInEditor(): void {
    if (this.#panel !== undefined) {
      this.#panel.reveal();
      return;
    }
    const title = vscode.l10n.t("Tensor Details");
    const panel = vscode.window.createWebviewPanel(DETAILS_VIEW, title, vscode.ViewColumn.Beside);
    this.#panel = panel;
    this.#fill(panel.webview);
    this.#setVisible(panel.webview, panel.visible);
    panel.onDidChangeViewState(() => this.#setVisible(panel.webview, panel.visible));
    panel.onDidDispose(() => {
      this.#panel = undefined;
      this.#forget(panel.webview);
    });
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
    this.#panel?.dispose();
  }

  #fill(webview: vscode.Webview): void {
    webview.options = { enableScripts: true, localResourceRoots: [this.#root] };
    webview.onDidReceiveMessage((message: unknown) => this.#receive(webview, message));
    webview.html = pageHtml(webview, this.#root, "details", vscode.l10n.t("Tensor Details"));
  }

  #receive(from: vscode.Webview, raw: unknown): void {
    const message = parseFromPage(raw);
    if (message === undefined) return;
    if (from !== this.#live) {
      if (message.type === "ready") this.#sayElsewhere(from);
    } else if (message.type === "copy") void vscode.env.clipboard.writeText(message.text);
    else if (message.type === "save") void this.#save(message.png);
    else if (message.type === "export") void vscode.commands.executeCommand(COMMAND.exportValue, this.#details.subject);
    else this.#details.receive(message);
  }

  async #save(png: ArrayBuffer): Promise<void> {
    try {
      await savePicture(this.#details.subject?.name ?? "picture", png);
    } catch (error) {
      this.#details.say(vscode.l10n.t("The picture is not saved: {0}", failureOf(error).message));
    }
  }

  #setVisible(webview: vscode.Webview, visible: boolean): void {
    this.#shown.set(webview, visible);
    this.#follow();
  }

  #forget(webview: vscode.Webview): void {
    this.#shown.delete(webview);
    this.#follow();
    if (this.#shown.size === 0) this.#details.close();
  }

  /** Each page has zoomed and scrolled by itself, so only one is told of the value, and asks about it. */
  #follow(): void {
    const visible = [...this.#shown].filter(([, isVisible]) => isVisible).map(([webview]) => webview);
    const live = visible.find((webview) => webview === this.#panel?.webview) ?? visible[0];
    const isOther = live !== this.#live;
    this.#live = live;
    this.#details.setVisible(live !== undefined);
    if (!isOther || live === undefined) return;
    for (const webview of visible) if (webview !== live) this.#sayElsewhere(webview);
    this.#details.receive({ type: "ready" });
  }

  #sayElsewhere(webview: vscode.Webview): void {
    const note = vscode.l10n.t("The details are in the tab of the editor.");
    const messages: ToPage[] = [
      { type: "subject", look: {}, locked: false, refresh: "all", compared: NOTHING_COMPARED, note },
      { type: "details", whole: true, details: {} },
    ];
    for (const message of messages) void webview.postMessage(message);
  }

  /** A hidden page loses what it is told; it asks for all once it is shown. */
  #post(message: ToPage): void {
    void this.#live?.postMessage(message);
  }
}
