import * as vscode from "vscode";
import { namedIn, type Place } from "../model/inline.ts";
import type { Inspector } from "../model/inspector.ts";
import type { Stop } from "../model/stop.ts";
import type { NodeKind } from "../protocol/generated.ts";
import type { Settings } from "./settings.ts";

const PYTHON: vscode.DocumentSelector = { language: "python" };

/** What is shown as the debugger writes it: numbers, strings and the built-in containers. */
const PLAIN: ReadonlySet<NodeKind> = new Set(["number", "string", "none", "mapping", "sequence", "set"]);

/**
 * Values at the ends of the lines above the stop. Tensors, arrays and modules come from the one answer of the stop;
 * plain values are looked up by VS Code among the variables that it has anyway.
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
    const stop = await this.#inspector.reached(frameId, cancelled);
    if (stop === undefined || stop.frame.uri?.toString() !== document.uri.toString()) return [];
    const lines = document.getText().split(/\r?\n/);
    const first = Math.max(0, stop.answer.first_line - 1);
    const known = new Set(stop.rootPage.nodes.map(({ name }) => name));
    return namedIn(lines, first, stoppedLocation.start.line, known).flatMap((place) => this.#value(stop, place) ?? []);
  }

  #value(stop: Stop, { line, start, end, name }: Place): vscode.InlineValue | undefined {
    const node = stop.row(name);
    if (node === undefined) return undefined;
    const range = new vscode.Range(line, start, line, end);
    if (node.inline !== undefined) return new vscode.InlineValueText(range, `${name} = ${node.inline}`);
    const shown = PLAIN.has(node.kind) && !this.#settings.pythonShowsInlineValues;
    return shown ? new vscode.InlineValueVariableLookup(range, name, true) : undefined;
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
