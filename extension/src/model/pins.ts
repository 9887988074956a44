import { Emitter } from "./emitter.ts";
import type { Memento } from "./memento.ts";
import { isStatic } from "./python.ts";

/** An expression that the user keeps in sight. */
export interface Pin {
  readonly expression: string;
  /** Whether it is read again at each stop; otherwise it is run once, when the user asks. */
  readonly static: boolean;
}

const KEY = "pins";

/** The pinned expressions of this workspace, in the order they were pinned. */
export class Pins {
  readonly #memory: Memento;
  /** The results of running them, by expression and by session. */
  readonly #lines = new Map<string, WeakMap<object, string>>();
  /** Those whose numbers are recorded at each step of an optimizer: until this window is closed. */
  readonly #recorded = new Set<string>();
  readonly #changed = new Emitter();
  #all: readonly Pin[];

  readonly onDidChange = this.#changed.event;

  constructor(memory: Memento) {
    this.#memory = memory;
    const kept = memory.get(KEY);
    this.#all = Array.isArray(kept) ? kept.filter((one) => typeof one === "string").map(pin) : [];
  }

  get all(): readonly Pin[] {
    return this.#all;
  }

  has(expression: string): boolean {
    return this.#all.some((one) => one.expression === expression);
  }

  isRecorded(expression: string): boolean {
    return this.#recorded.has(expression);
  }

  setRecorded(expression: string, recorded: boolean): void {
    if (recorded) this.#recorded.add(expression);
    else this.#recorded.delete(expression);
    this.#changed.fire();
  }

  add(expressions: readonly string[]): Pin[] {
    const added = expressions.filter((expression) => !this.has(expression));
    this.#set([...this.#all, ...added.map(pin)]);
    return this.#all.filter(({ expression }) => expressions.includes(expression));
  }

  remove(expression: string): void {
    this.#lines.delete(expression);
    this.#recorded.delete(expression);
    this.#set(this.#all.filter((one) => one.expression !== expression));
  }

  /** The result of running it in a session, as text: all that is kept beyond its stop. */
  remember(expression: string, session: object, line: string): void {
    const lines = this.#lines.get(expression) ?? new WeakMap<object, string>();
    this.#lines.set(expression, lines.set(session, line));
  }

  lastLine(expression: string, session: object): string | undefined {
    return this.#lines.get(expression)?.get(session);
  }

  #set(all: readonly Pin[]): void {
    this.#all = all;
    void this.#memory.update(
      KEY,
      all.map((one) => one.expression),
    );
    this.#changed.fire();
  }
}

/** The name of a pin; the debugger's own names for an exception or a returned value are replaced by words. */
export function pinName(expression: string): string {
  return expression
    .replace(/^__exception__\[1\]/, "(exception)")
    .replace(/^__pydevd_ret_val_dict\['([^']*)'\]/, "(return) $1");
}

function pin(expression: string): Pin {
  return { expression, static: isStatic(expression) };
}
