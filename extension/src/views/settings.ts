import * as vscode from "vscode";
import type { Wishes } from "../model/inspector.ts";
import type { Memory } from "../model/pins.ts";
import type { Filter } from "../protocol/generated.ts";

const SECTION = "tensorInspector";
const FILTER = "filter";

/** The user's settings, live, and the tree's filter, which is kept with the workspace. */
export class Settings implements Wishes, vscode.Disposable {
  readonly #memory: Memory;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;

  readonly onDidChange = this.#changed.event;

  constructor(memory: Memory) {
    this.#memory = memory;
    this.#subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(SECTION)) this.#changed.fire();
    });
    void vscode.commands.executeCommand("setContext", `${SECTION}.filter`, this.filter);
  }

  get pageSize(): number {
    return Math.max(1, vscode.workspace.getConfiguration(SECTION).get("pageSize", 100));
  }

  get hover(): boolean {
    return vscode.workspace.getConfiguration(SECTION).get("hover.enabled", true);
  }

  get filter(): Filter {
    return this.#memory.get(FILTER) === "tensors" ? "tensors" : "all";
  }

  async setFilter(filter: Filter): Promise<void> {
    await this.#memory.update(FILTER, filter);
    await vscode.commands.executeCommand("setContext", `${SECTION}.filter`, filter);
    this.#changed.fire();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}
