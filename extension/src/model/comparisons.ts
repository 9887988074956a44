import type { Frame } from "../debug/activeFrame.ts";
import type { Address, LensAnswer } from "../protocol/generated.ts";
import type { Contents } from "./contents.ts";
import type { Failure } from "./failure.ts";

/** One of two values that are compared. */
export interface Side {
  /** What it is called in the tree. */
  readonly name: string;
  /** By which it is found again at other stops. */
  readonly expression?: string;
  /** Its node, at the stop where it was shown or run. */
  at?: { readonly frame: Frame; readonly value: Address };
}

/** Two values that the user wants to see compared. */
export interface Comparison {
  readonly a: Side;
  readonly b: Side;
}

/** What comparing came to at one stop, or how far it is. */
export type State = LensAnswer | Failure | { readonly progress: number };

/** The comparisons that the user keeps in sight, and what is known of them in frames. */
export class Comparisons {
  readonly #states = new WeakMap<Contents, Map<Comparison, State>>();
  #all: readonly Comparison[] = [];

  get all(): readonly Comparison[] {
    return this.#all;
  }

  /** A new one, or in its place, where two of these names are compared already. */
  add(a: Side, b: Side): Comparison {
    const added = { a, b };
    const isSame = (one: Comparison): boolean => one.a.name === a.name && one.b.name === b.name;
    const before = this.#all.findIndex(isSame);
    this.#all = before < 0 ? [...this.#all, added] : this.#all.with(before, added);
    return added;
  }

  remove(comparison: Comparison): void {
    this.#all = this.#all.filter((one) => one !== comparison);
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
}
