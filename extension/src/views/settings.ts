import * as vscode from "vscode";
import { CONTEXT, SECTION } from "../ids.ts";
import type { Wishes } from "../model/answers.ts";
import type { Memory } from "../model/pins.ts";
import type { Filter, Preferences } from "../protocol/generated.ts";
import { setContext } from "./context.ts";

const FILTER = "filter";

/** Two words in version 0.1. */
const METADATA_ONLY = new Set(["metadataOnly", "metadata only"]);
const DIGITS = 4;
const PAGE = 100;
/** Milliseconds that it may take at least where the user wants exact statistics. A reply that takes 2 s is given up. */
const EXACT = 960;
/** Settings by which the rows of the same values may say something else. */
const REWORDING = ["precision", "statistics", "summaries", "timeBudget"];

/** The user's settings, live, and the tree's filter, which is kept with the workspace. */
export class Settings implements Wishes, vscode.Disposable {
  readonly #memory: Memory;
  readonly #changed = new vscode.EventEmitter<boolean>();
  readonly #subscription: vscode.Disposable;

  /** Tells whether the same values are said in other words now. */
  readonly onDidChange = this.#changed.event;

  constructor(memory: Memory) {
    this.#memory = memory;
    this.#subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      const affects = (name: string): boolean => event.affectsConfiguration(`${SECTION}.${name}`);
      if (event.affectsConfiguration(SECTION)) this.#changed.fire(REWORDING.some(affects));
    });
    void setContext(CONTEXT.filter, this.filter);
  }

  get pageSize(): number {
    return Math.max(1, Math.round(numberOr(get("pageSize", PAGE), PAGE)));
  }

  get hover(): boolean {
    return get("hover.enabled", true);
  }

  get inlineValues(): boolean {
    return get("inlineValues.enabled", true);
  }

  /** Whether the Python debugger's own extension shows plain values at line ends: then they need not be there twice. */
  get pythonShowsInlineValues(): boolean {
    return vscode.workspace.getConfiguration("debugpy").get("showPythonInlineValues", false);
  }

  /** Significant digits of values. */
  get digits(): number {
    return Math.min(17, Math.max(2, Math.round(numberOr(get("precision", DIGITS), DIGITS))));
  }

  /** What the helper is to know of the user's wishes. */
  get preferences(): Preferences {
    const statistics = get<string>("statistics", "auto");
    const budget = numberOr(get<unknown>("timeBudget", undefined), undefined);
    const budgetMs = statistics === "exact" ? Math.max(budget ?? 0, EXACT) : budget;
    return {
      statistics: METADATA_ONLY.has(statistics) ? "off" : "auto",
      digits: this.digits,
      ...(budgetMs === undefined ? {} : { budget_ms: Math.max(1, budgetMs) }),
      tensors_first: get("tensorsFirst", true),
      stock_views: get("stockViews.enabled", true),
      inline_values: this.inlineValues,
      summaries: textsOf(get<unknown>("summaries", {})),
    };
  }

  get filter(): Filter {
    return this.#memory.get(FILTER) === "tensors" ? "tensors" : "all";
  }

  async setFilter(filter: Filter): Promise<void> {
    await this.#memory.update(FILTER, filter);
    await setContext(CONTEXT.filter, filter);
    this.#changed.fire(false);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}

function get<T>(name: string, otherwise: T): T {
  return vscode.workspace.getConfiguration(SECTION).get(name, otherwise);
}

/** VS Code lets anything be written into settings.json. */
function numberOr<T>(value: unknown, otherwise: T): number | T {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}

/** Settings are typed by hand: what is no text is left out. */
function textsOf(value: unknown): Record<string, string> {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
