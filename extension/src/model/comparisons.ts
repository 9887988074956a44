import type { Frame } from "../debug/activeFrame.ts";
import type { Session } from "../debug/sessions.ts";
import type { Address, LensAnswer } from "../protocol/generated.ts";
import type { Contents } from "./contents.ts";
import { Emitter } from "./emitter.ts";
import type { Failure } from "./failure.ts";

/** One of two values that are compared. */
export interface Side {
  /** What it is called in the tree. */
  readonly name: string;
  /** By which it is found again at other stops. */
  readonly expression?: string;
  /** Where it was shown, while that stop lasts. */
  at?: Shown | undefined;
}

/** A value where the tree showed it. */
export interface Shown {
  readonly frame: Frame;
  readonly function: string;
  readonly value: Address;
}

/** Two values that the user wants to see compared. */
export interface Comparison {
  readonly id: number;
  /** The session that was looked at: the comparison ends with it. */
  readonly session: Session;
  readonly a: Side;
  readonly b: Side;
}

/** What comparing came to at one stop, or how far it is. */
export type State = LensAnswer | Failure | { readonly progress: number };

/** The comparisons that the user keeps in sight, and what is known of them in frames. */
export class Comparisons {
  readonly #states = new WeakMap<Contents, Map<Comparison, State>>();
  readonly #changed = new Emitter();
  #all: readonly Comparison[] = [];
  #last = 0;
  #selected: { readonly side: Side; readonly session: Session } | undefined;

  readonly onDidChange = this.#changed.event;

  get all(): readonly Comparison[] {
    return this.#all;
  }

  /** A value that waits for another to be compared with, as VS Code does it with files. */
  get selected(): Side | undefined {
    return this.#selected?.side;
  }

  select(side: Side, session: Session): void {
    this.#selected = { side, session };
    this.#changed.fire();
  }

  /** A new one, or in its place, where these two are compared already. */
  add(a: Side, b: Side, session: Session): Comparison {
    const before = this.#all.find((one) => isSame(one.a, a) && isSame(one.b, b));
    this.#last += 1;
    const added = { id: before?.id ?? this.#last, session, a, b };
    this.#set(before ? this.#all.map((one) => (one === before ? added : one)) : [...this.#all, added]);
    return added;
  }

  remove(comparison: Comparison): void {
    this.#set(this.#all.filter((one) => one !== comparison));
  }

  removeAll(): void {
    this.#set([]);
  }

  /** A session has ended. */
  forget(session: Session): void {
    if (this.#selected?.session === session) this.#selected = undefined;
    this.#set(this.#all.filter((one) => one.session !== session));
  }

  /** Forgets where values were shown at stops that are over. */
  sweep(): void {
    const sides = this.#all.flatMap(({ a, b }) => [a, b]);
    for (const side of [...sides, ...(this.selected ? [this.selected] : [])]) {
      if (side.at?.frame.over === true) side.at = undefined;
    }
    if (this.selected && this.selected.at === undefined && this.selected.expression === undefined) {
      this.#selected = undefined;
      this.#changed.fire();
    }
  }

  state(contents: Contents, comparison: Comparison): State | undefined {
    return this.#states.get(contents)?.get(comparison);
  }

  /** It was given up, and may be asked again. */
  giveUp(contents: Contents, comparison: Comparison): void {
    const state = this.state(contents, comparison);
    if (state !== undefined && !("code" in state) && !("node" in state)) this.#states.get(contents)?.delete(comparison);
  }

  setState(contents: Contents, comparison: Comparison, state: State): void {
    const states = this.#states.get(contents) ?? new Map<Comparison, State>();
    this.#states.set(contents, states.set(comparison, state));
  }

  #set(all: readonly Comparison[]): void {
    this.#all = all;
    this.#changed.fire();
  }
}

/** Whether both mean one value: by one expression, where no two frames stand against it, else by one node. */
function isSame(one: Side, other: Side): boolean {
  if (one.name !== other.name || one.expression !== other.expression) return false;
  const [here, there] = [one.at, other.at];
  if (here === undefined || there === undefined) return one.expression !== undefined;
  if (here.frame.key !== there.frame.key) return false;
  return one.expression !== undefined || isSameAddress(here.value, there.value);
}

export function isSameAddress(one: Address, other: Address): boolean {
  return one.expression === other.expression && one.snapshot === other.snapshot && one.node === other.node;
}
