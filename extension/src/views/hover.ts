import * as vscode from "vscode";
import { isSameUri } from "../debug/uris.ts";
import type { Contents } from "../model/contents.ts";
import { findingsAbout } from "../model/findingRows.ts";
import type { Inspector } from "../model/inspector.ts";
import { isStatic, type Span } from "../model/python.ts";
import { stockExpressionAt } from "../model/stockExpression.ts";
import type { Finding, Node, NodeKind } from "../protocol/generated.ts";
import { signalOf } from "./cancellation.ts";
import { cardWithLink, failureCardOf, findingCardOf } from "./cards.ts";
import { expressionAround, PYTHON } from "./documents.ts";
import type { Settings } from "./settings.ts";

/** The kinds that our hover shows; the debugger's own hover shows all others. */
const SUMMARIZED: ReadonlySet<NodeKind> = new Set(["tensor", "array", "module", "mapping", "sequence", "set"]);

/** An expression in the frame that is looked at, which can be read without running anything. */
interface Pointed {
  readonly expression: string;
  readonly range: vscode.Range;
}

/** What our hover shows of a value. */
interface Hovered {
  readonly card: vscode.MarkdownString;
  /** The contents of the frame in which it was found. */
  readonly contents: Contents;
}

/**
 * While paused, the debug hover comes first, and other hovers only where it has no expression. So for what we
 * summarize we say that there is none and show our own hover; for all else we say what VS Code would have taken.
 */
export class Hover implements vscode.EvaluatableExpressionProvider, vscode.HoverProvider, vscode.Disposable {
  readonly #inspector: Inspector;
  readonly #settings: Settings;
  readonly #registrations: vscode.Disposable[];

  constructor(inspector: Inspector, settings: Settings) {
    this.#inspector = inspector;
    this.#settings = settings;
    this.#registrations = [
      vscode.languages.registerEvaluatableExpressionProvider(PYTHON, this),
      vscode.languages.registerHoverProvider(PYTHON, this),
    ];
  }

  async provideEvaluatableExpression(
    document: vscode.TextDocument,
    position: vscode.Position,
    cancelled: vscode.CancellationToken,
  ): Promise<vscode.EvaluatableExpression | undefined> {
    const pointed = this.#pointedAt(document, position);
    const isOurs = pointed && (this.#isOurRow(pointed) ?? (await this.#find(pointed, cancelled)) !== undefined);
    if (isOurs === true) return undefined;
    const line = document.lineAt(position.line).text;
    const span = stockExpressionAt(line, position.character);
    const range = ({ start, end }: Span): vscode.Range => new vscode.Range(position.line, start, position.line, end);
    return span && new vscode.EvaluatableExpression(range(span), line.slice(span.start, span.end));
  }

  async provideHover(
    document: vscode.TextDocument,
    position: vscode.Position,
    cancelled: vscode.CancellationToken,
  ): Promise<vscode.Hover | undefined> {
    const pointed = this.#pointedAt(document, position);
    const found = pointed && (await this.#find(pointed, cancelled));
    if (pointed === undefined || found === undefined || cancelled.isCancellationRequested) return undefined;
    const { contents, card } = found;
    // A finding at this very line is a diagnostic, which the editor's hover shows anyway.
    const isSaid = async ({ source }: Finding): Promise<boolean> => {
      if (source === null || !this.#settings.diagnostics) return false;
      const { uri, line } = await contents.locate(source);
      return line === position.line + 1 && isSameUri(uri, document.uri);
    };
    const all = findingsAbout(contents, pointed.expression);
    const said = await Promise.all(all.map(isSaid));
    const about = all.filter((_, at) => said[at] !== true);
    const cards = about.map(findingCardOf);
    // Findings come first: the card may be longer than the hover is high.
    return new vscode.Hover([...cards, card], pointed.range);
  }

  #pointedAt(document: vscode.TextDocument, position: vscode.Position): Pointed | undefined {
    if (!this.#settings.hover || this.#inspector.frame?.isIn(document) !== true) return undefined;
    const pointed = expressionAround(document, position);
    return pointed !== undefined && isStatic(pointed.expression) ? pointed : undefined;
  }

  /**
   * Whether our hover shows the value, by the variable's row that was read last: at once, since VS Code drops a hover if the
   * mouse has come from an expression for which this was not answered yet. Undefined where there is no row.
   */
  #isOurRow(pointed: Pointed): boolean | undefined {
    const row = this.#inspector.contents?.variable(pointed.expression);
    return row && isOurKind(row, pointed);
  }

  /**
   * The value, if our hover shows it: by the variable's row also one that is of another kind by now, as nobody else shows it
   * then. Asks the program once for each expression and stop.
   */
  async #find(pointed: Pointed, cancelled: vscode.CancellationToken): Promise<Hovered | undefined> {
    const isOurRow = this.#isOurRow(pointed);
    if (isOurRow === false) return undefined;
    const contents = await this.#inspector.settled();
    if (contents === undefined) return undefined;
    const { expression } = pointed;
    const answer = await this.#inspector.inspect({ expression }, signalOf(cancelled), contents);
    if (answer === undefined || contents.frame.over) return undefined;
    if ("node" in answer) {
      const isOurs = isOurRow ?? isOurKind(answer.node, pointed);
      return isOurs ? { card: cardWithLink(expression, answer.node), contents } : undefined;
    }
    if (isOurRow === undefined) return undefined;
    const isTrueStill = answer.code === "lost" && this.#inspector.stale === undefined;
    const row = isTrueStill ? contents.variable(expression) : undefined;
    return { card: failureCardOf(expression, answer.message, row), contents };
  }

  dispose(): void {
    for (const one of this.#registrations) one.dispose();
  }
}

/** For a subscript, the debugger's own hover would show what is in the brackets. */
function isOurKind({ kind }: Node, { expression }: Pointed): boolean {
  return SUMMARIZED.has(kind) || expression.endsWith("]");
}
