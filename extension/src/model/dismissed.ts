import { Emitter } from "./emitter.ts";
import type { Memento } from "./memento.ts";

/** A rule that the user does not want to hear of: in one function, or, without a place, anywhere in the workspace. */
interface Dismissal {
  readonly rule: string;
  readonly place?: string;
}

const KEY = "dismissedFindings";

/** What the user has dismissed in this workspace. */
export class Dismissed {
  readonly #memory: Memento;
  readonly #changed = new Emitter();
  #all: readonly Dismissal[];

  readonly onDidChange = this.#changed.event;

  constructor(memory: Memento) {
    this.#memory = memory;
    const kept = memory.get(KEY);
    this.#all = Array.isArray(kept) ? kept.filter(isDismissal) : [];
  }

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /** The rules that are not asked in a function. */
  rulesAt(place: string): string[] {
    return this.#all.filter((one) => one.place === undefined || one.place === place).map(({ rule }) => rule);
  }

  add(rules: readonly string[], place?: string): void {
    const isKept = (rule: string): boolean => this.#all.some((one) => one.rule === rule && one.place === place);
    const added = [...new Set(rules)].filter((rule) => !isKept(rule));
    if (added.length === 0) return;
    this.#set([...this.#all, ...added.map((rule) => (place === undefined ? { rule } : { rule, place }))]);
  }

  restoreAll(): void {
    this.#set([]);
  }

  #set(all: readonly Dismissal[]): void {
    this.#all = all;
    void this.#memory.update(KEY, all);
    this.#changed.fire();
  }
}

function isDismissal(one: unknown): one is Dismissal {
  if (typeof one !== "object" || one === null || !("rule" in one) || typeof one.rule !== "string") return false;
  return !("place" in one) || typeof one.place === "string";
}
