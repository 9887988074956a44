import * as vscode from "vscode";
import { SECTION } from "../ids.ts";
import type { CheckResult } from "../model/checks.ts";
import { findingsOf } from "../model/findingRows.ts";
import { findingText, rulePage } from "../model/findingText.ts";
import type { Inspector } from "../model/inspector.ts";
import type { Finding, Severity } from "../protocol/generated.ts";
import { type DocumentLine, lineOf } from "./documents.ts";

const SEVERITIES: Record<Severity, vscode.DiagnosticSeverity> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  hint: vscode.DiagnosticSeverity.Information,
};

/** A comment at the end of a line, which is not underlined. Nothing with quotes after the `#`: it may stand in a string. */
const COMMENT = /\s+#[^'"]*$/;

/** While paused, findings stand at the user's lines in the editor and in the Problems view; likely ones are hints, which VS Code doesn't list there. */
export class Diagnostics implements vscode.Disposable {
  readonly #inspector: Inspector;
  readonly #settings: { readonly diagnostics: boolean };
  readonly #collection = vscode.languages.createDiagnosticCollection(SECTION);
  readonly #subscription: { dispose(): unknown };
  /** The findings that are shown, or will be once their documents are open. */
  #shown: CheckResult | undefined;
  /** A new object for each call of `#show` that has something to do: an earlier one that still opens files sees it, and ends. */
  #turn = {};

  constructor(inspector: Inspector, settings: { readonly diagnostics: boolean }) {
    this.#inspector = inspector;
    this.#settings = settings;
    this.#subscription = inspector.onDidChange(() => void this.#show());
  }

  async #show(): Promise<void> {
    const { contents, frame, stale } = this.#inspector;
    const isCurrent = contents !== undefined && frame !== undefined && !contents.frame.over && stale !== "reading";
    const findings = isCurrent && this.#settings.diagnostics ? contents.check.result : undefined;
    if (findings === this.#shown) return;
    this.#shown = findings;
    const turn = (this.#turn = {});
    if (!isCurrent || findings === undefined) {
      this.#collection.clear();
      return;
    }
    const placed = new Map<vscode.TextDocument, vscode.Diagnostic[]>();
    for (const finding of findingsOf(contents)?.findings ?? []) {
      const found = finding.source && (await lineOf(finding.source, contents));
      const diagnostic = found && diagnosticOf(found, finding);
      if (diagnostic) placed.set(found.document, [...(placed.get(found.document) ?? []), diagnostic]);
    }
    if (turn !== this.#turn) return;
    this.#collection.clear();
    for (const [{ uri }, diagnostics] of placed) this.#collection.set(uri, diagnostics);
  }

  dispose(): void {
    this.#turn = {};
    this.#subscription.dispose();
    this.#collection.dispose();
  }
}

function diagnosticOf({ document, line }: DocumentLine, finding: Finding): vscode.Diagnostic | undefined {
  if (line < 0 || line >= document.lineCount) return undefined;
  const { text, firstNonWhitespaceCharacterIndex: start } = document.lineAt(line);
  const range = new vscode.Range(line, start, line, text.replace(COMMENT, "").length);
  const severity = finding.tier === "sure" ? SEVERITIES[finding.severity] : vscode.DiagnosticSeverity.Hint;
  const diagnostic = new vscode.Diagnostic(range, findingText(finding), severity);
  diagnostic.source = "Tensor Inspector";
  diagnostic.code = { value: finding.rule, target: vscode.Uri.parse(rulePage(finding.rule)) };
  return diagnostic;
}
