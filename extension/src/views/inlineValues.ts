import * as vscode from "vscode";
import { namedIn, type Place } from "../model/inline.ts";
import type { Inspector } from "../model/inspector.ts";
import type { Stop } from "../model/stop.ts";
import type { NodeKind } from "../protocol/generated.ts";
import type { Settings } from "./settings.ts";

const PYTHON: vscode.DocumentSelector = { language: "python" };

/** What the Python debugger's own extension shows at line ends too, if it is asked to. */
const PLAIN: ReadonlySet<NodeKind> = new Set(["number", "string", "none", "mapping", "sequence", "set"]);

/**
 * Values at the ends of the lines above the stop, all from the one answer of the stop: a look-up by VS Code would ask
 * the debugger for the text of every variable.
 */
export class InlineValues implements vscode.InlineValuesProvider, vscode.Disposable {
  readonly #inspector: Inspector;
  readonly #settings: Settings;
  readonly #registration: vscode.Disposable;

  constructor(inspector: Inspector, settings: Settings) {
    this.#inspector = inspector;
    this.#settings = settings;
    this.#registration = vscode.languages.registerInlineValuesProvider(PYTHON, this);
  }

  async provideInlineValues(
    document: vscode.TextDocument,
    _viewPort: vscode.Range,
    { frameId, stoppedLocation }: vscode.InlineValueContext,
    cancelled: vscode.CancellationToken,
  ): Promise<vscode.InlineValue[]> {
    if (!this.#settings.inlineValues) return [];
    // VS Code asks a moment before it says that the frame is looked at, and takes no later correction.
    const isLookedAt = (session: string): boolean => vscode.debug.activeDebugSession?.id === session;
    const stop = await this.#inspector.reached(frameId, isLookedAt, cancelled);
    if (stop === undefined || stop.frame.uri?.toString() !== document.uri.toString()) return [];
    const lines = document.getText().split(/\r?\n/);
    const first = Math.max(0, stop.answer.first_line - 1);
    const known = new Set(stop.rootPage.nodes.map(({ name }) => name));
    const isModule = stop.answer.function === "<module>";
    return namedIn(lines, first, stoppedLocation.start.line, known, isModule).flatMap(
      (place) => this.#value(stop, place) ?? [],
    );
  }

  #value(stop: Stop, { line, start, end, name }: Place): vscode.InlineValue | undefined {
    const node = stop.row(name);
    if (node?.inline === undefined || (PLAIN.has(node.kind) && this.#settings.pythonShowsInlineValues))
      return undefined;
    return new vscode.InlineValueText(new vscode.Range(line, start, line, end), `${name} = ${node.inline}`);
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
