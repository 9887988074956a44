import * as vscode from "vscode";
import { GRAPH_VIEW } from "../ids.ts";
import type { Details } from "../model/details.ts";
import { failureOf } from "../model/failure.ts";
import { LiveGraph } from "../model/graph/liveGraph.ts";
import type { Inspector } from "../model/inspector.ts";
import type { Lenses } from "../model/lenses.ts";
import type { Subject } from "../model/questions.ts";
import type { SourceLine } from "../protocol/generated.ts";
import { parseFromGraph } from "../protocol/graph.ts";
import type { DetailsPages } from "./detailsPages.ts";
import { lineOf, showLine } from "./documents.ts";
import { pageHtml } from "./pageHtml.ts";
import { savePicture } from "./pictureFiles.ts";
import type { Tree } from "./tree.ts";

/** What graphs are read by, and what a click on a node moves. */
interface GraphParts {
  readonly inspector: Inspector;
  readonly lenses: Pick<Lenses, "graph">;
  readonly tree: Tree;
  readonly details: Pick<Details, "show">;
  readonly detailsPages: Pick<DetailsPages, "reveal">;
}

/** Drawn graphs, each in a tab of the editor. */
export class GraphPages implements vscode.Disposable {
  readonly #parts: GraphParts;
  readonly #root: vscode.Uri;
  /** By the expressions of their tensors, or where there is none, by the names. */
  readonly #panels = new Map<string, vscode.WebviewPanel>();

  constructor(parts: GraphParts, extension: vscode.Uri) {
    this.#parts = parts;
    this.#root = vscode.Uri.joinPath(extension, "dist");
  }

  /** Opens the graph of a tensor, or brings its tab into sight. */
  open(subject: Subject): void {
    const key = subject.expression === undefined ? `a row named ${subject.name}` : `= ${subject.expression}`;
    const known = this.#panels.get(key);
    if (known !== undefined && subject.expression !== undefined) {
      known.reveal();
      return;
    }
    known?.dispose(); // another value of this name
    const title = vscode.l10n.t("Autograd Graph: {0}", subject.name);
    const [other] = this.#panels.values();
    const column = other?.viewColumn ?? vscode.ViewColumn.Beside;
    const panel = vscode.window.createWebviewPanel(GRAPH_VIEW, title, column);
    this.#panels.set(key, panel);
    const graph = new LiveGraph(subject, this.#parts.inspector, this.#parts.lenses);
    const told = graph.onDidTell((message) => void panel.webview.postMessage(message));
    panel.webview.options = { enableScripts: true, localResourceRoots: [this.#root] };
    panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(graph, message));
    panel.webview.html = pageHtml(panel.webview, this.#root, "graph", title);
    panel.onDidChangeViewState(() => graph.setVisible(panel.visible));
    panel.onDidDispose(() => {
      if (this.#panels.get(key) === panel) this.#panels.delete(key);
      told.dispose();
      graph.dispose();
    });
    graph.setVisible(panel.visible);
  }

  dispose(): void {
    for (const panel of this.#panels.values()) panel.dispose();
  }

  #receive(graph: LiveGraph, raw: unknown): void {
    const message = parseFromGraph(raw);
    if (message?.type === "copy") void vscode.env.clipboard.writeText(message.text);
    else if (message?.type === "save") void this.#save(graph, message.png);
    else if (message?.type === "reveal") void this.#reveal(graph, message.node);
    else if (message?.type === "details") void this.#showDetails(graph, message.node);
    else if (message?.type === "line") void this.#goTo(graph, message.source);
    else if (message !== undefined) graph.receive(message);
  }

  /** Selects the value of a node in the tree; what no row is of is left alone. */
  async #reveal(graph: LiveGraph, node: number): Promise<void> {
    const expression = graph.pathOf(node);
    if (expression === undefined) return;
    if (graph.shown?.contents !== this.#parts.inspector.contents) this.#sayGone(graph);
    else await this.#parts.tree.showExpression(expression);
  }

  async #showDetails(graph: LiveGraph, node: number): Promise<void> {
    const expression = graph.pathOf(node);
    if (expression === undefined) return;
    this.#parts.details.show({ name: expression, expression });
    await this.#parts.detailsPages.reveal();
  }

  async #goTo(graph: LiveGraph, source: SourceLine): Promise<void> {
    const { contents } = graph.shown ?? {};
    const line = contents && (await lineOf(source, contents));
    if (line === undefined) this.#sayGone(graph);
    else await showLine(line, vscode.ViewColumn.One);
  }

  #sayGone(graph: LiveGraph): void {
    graph.say(vscode.l10n.t("Not there any more: the program went on, or this was removed."));
  }

  async #save(graph: LiveGraph, png: ArrayBuffer): Promise<void> {
    try {
      await savePicture(graph.name, png);
    } catch (error) {
      graph.say(vscode.l10n.t("The picture is not saved: {0}", failureOf(error).message));
    }
  }
}
