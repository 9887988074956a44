import * as vscode from "vscode";
import { CONTEXT, SECTION } from "../ids.ts";
import type { FrameSettings } from "../model/frames.ts";
import type { Memento } from "../model/memento.ts";
import type { Filter, Preferences } from "../protocol/generated.ts";
import { setContext } from "./context.ts";

const FILTER = "filter";

/** The helper's names for the values of the setting. `metadata only` is an older spelling, which users may still have. */
const STATISTICS = new Map<unknown, NonNullable<Preferences["statistics"]>>([
  ["exact", "exact"],
  ["metadataOnly", "off"],
  ["metadata only", "off"],
]);
/** The page size where the setting is not a number. */
const PAGE_SIZE = 100;
/** Settings by which the rows of the same values may say something else. */
const REWORDING = ["precision", "statistics", "summaries", "timeBudget"];

/** The user's settings, live, and the tree's filter, which is kept with the workspace. */
export class Settings implements FrameSettings, vscode.Disposable {
  readonly #memory: Memento;
  readonly #changed = new vscode.EventEmitter<boolean>();
  readonly #subscription: vscode.Disposable;

  /** Fired with whether rows may say the same values in other words now, as with another precision. */
  readonly onDidChange = this.#changed.event;

  constructor(memory: Memento) {
    this.#memory = memory;
    this.#subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      const affects = (name: string): boolean => event.affectsConfiguration(`${SECTION}.${name}`);
      if (event.affectsConfiguration(SECTION)) this.#changed.fire(REWORDING.some(affects));
    });
    void setContext(CONTEXT.filter, this.filter);
  }

  get pageSize(): number {
    return Math.max(1, Math.round(numberOf(get("pageSize")) ?? PAGE_SIZE));
  }

  get hover(): boolean {
    return isOn("hover.enabled");
  }

  /** Whether the step is checked at each stop. */
  get findings(): boolean {
    return isOn("findings.enabled");
  }

  /** Whether findings stand at the lines of the user's files. */
  get diagnostics(): boolean {
    return isOn("diagnostics.enabled");
  }

  /** Whether assistants may ask about the paused program. */
  get assistants(): boolean {
    return isOn("assistants.enabled");
  }

  /** Whether they may read what strings, keys and objects of the program hold. */
  get assistantTexts(): boolean {
    return get("assistants.texts") === true;
  }

  /** Whether assistants outside VS Code may ask as well. */
  get mcp(): boolean {
    return get("assistants.mcp") === true;
  }

  get inlineValues(): boolean {
    return isOn("inlineValues.enabled");
  }

  /** Whether the Python debugger's own extension shows plain values at line ends: then they need not be there twice. */
  get pythonShowsInlineValues(): boolean {
    return vscode.workspace.getConfiguration("debugpy").get("showPythonInlineValues", false);
  }

  /** The settings that the helper needs, as the user wrote them: it knows which numbers make sense. */
  get preferences(): Preferences {
    const [digits, budget] = [get("precision"), get("timeBudget")].map(numberOf);
    return {
      statistics: STATISTICS.get(get("statistics")) ?? "auto",
      ...(digits === undefined ? {} : { digits }),
      ...(budget === undefined ? {} : { budget_ms: budget }),
      tensors_first: isOn("tensorsFirst"),
      stock_views: isOn("stockViews.enabled"),
      inline_values: this.inlineValues,
      summaries: textsOf(get("summaries")),
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

/** A setting: the user's, else the default of the manifest. VS Code lets anything be written into settings.json. */
function get(name: string): unknown {
  return vscode.workspace.getConfiguration(SECTION).get(name);
}

function isOn(name: string): boolean {
  return get(name) !== false;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The entries of an object that are texts: settings are typed by hand. */
function textsOf(value: unknown): Record<string, string> {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
