import * as vscode from "vscode";
import { movesLines } from "../debug/session.ts";
import type { Sessions } from "../debug/sessions.ts";
import { CONTEXT } from "../ids.ts";
import { type Mention, mentionsIn } from "../model/inline.ts";
import type { Inspector } from "../model/inspector.ts";
import { awaitContents } from "../model/awaitContents.ts";
import type { InlineValue, NodeKind } from "../protocol/generated.ts";
import { signalOf } from "./cancellation.ts";
import { PYTHON } from "./documents.ts";
import type { Settings } from "./settings.ts";

/** Kinds that the Python debugger's own extension shows at line ends too, if the user has it do so. */
const PLAIN: ReadonlySet<NodeKind> = new Set(["number", "string", "none", "mapping", "sequence", "set"]);

/**
 * Fulfilled when we have heard all that VS Code's window had to tell: it asks for values a moment before it says which session
 * has the focus now, and answers in order. What it is asked here changes nothing.
 */
async function caughtUpWithWindow(): Promise<void> {
  await vscode.commands.executeCommand("setContext", CONTEXT.active, true);
}

/**
 * Values at the ends of the lines above the stop, and of a line that raised an exception. All are from the one answer of the
 * stop: with VS Code's own look-up, the debugger would have to make the text of every variable.
 */
export class InlineValues implements vscode.InlineValuesProvider, vscode.Disposable {
  readonly #inspector: Inspector;
  readonly #settings: Settings;
  readonly #sessions: Sessions;
  readonly #subscription: vscode.Disposable;
  #registration: vscode.Disposable | undefined;

  constructor(inspector: Inspector, settings: Settings, sessions: Sessions) {
    this.#inspector = inspector;
    this.#settings = settings;
    this.#sessions = sessions;
    this.#subscription = settings.onDidChange(() => this.#register());
    this.#register();
  }

  /** Where they are switched off, we register no provider: VS Code looks for values by itself only where there is none. */
  #register(): void {
    if (this.#settings.inlineValues) {
      this.#registration ??= vscode.languages.registerInlineValuesProvider(PYTHON, this);
    } else {
      this.#registration?.dispose();
      this.#registration = undefined;
    }
  }

  async provideInlineValues(
    document: vscode.TextDocument,
    _viewPort: vscode.Range,
    { frameId, stoppedLocation }: vscode.InlineValueContext,
    cancelled: vscode.CancellationToken,
  ): Promise<vscode.InlineValue[]> {
    await caughtUpWithWindow();
    const active = vscode.debug.activeDebugSession;
    // All values of all providers wait for us: where there is nothing to be had, that is said at once.
    if (active === undefined || this.#sessions.get(active.id) === undefined) return [];
    // VS Code takes no later correction, and two programs may number their frames alike.
    const isLookedAt = (session: string): boolean => vscode.debug.activeDebugSession?.id === session;
    const contents = await awaitContents(this.#inspector, frameId, isLookedAt, signalOf(cancelled));
    if (contents === undefined || !contents.frame.isIn(document)) return [];
    const { first_line, line, function: name, raised = false } = contents.answer;
    const stopLine = stoppedLocation.start.line;
    const moved = movesLines(active) ? stopLine + 1 - line : 0;
    const firstLine = Math.max(0, first_line - 1 + moved);
    const values = contents.inline;
    const stopped = { firstLine, stopLine, isModule: name === "<module>", raised };
    const mentions = mentionsIn(document.getText(), stopped, new Set(values.keys()));
    return mentions.flatMap((mention) => this.#value(mention, values.get(mention.name)));
  }

  #value({ line, start, end }: Mention, value: InlineValue | undefined): vscode.InlineValue[] {
    if (value === undefined || (PLAIN.has(value.kind) && this.#settings.pythonShowsInlineValues)) return [];
    return [new vscode.InlineValueText(new vscode.Range(line, start, line, end), `${value.name} = ${value.text}`)];
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#registration?.dispose();
  }
}
