import type { Frame } from "../debug/frame.ts";
import type { UriLine } from "../debug/sources.ts";
import type {
  ChildrenAnswer,
  FrameAnswer,
  InlineValue,
  Node,
  Page,
  PinAnswer,
  SourceLine,
} from "../protocol/generated.ts";
import { CheckState } from "./checkState.ts";
import type { Failure } from "./failure.ts";
import { FrameResults } from "./results.ts";
import { SharedRequest } from "./sharedRequest.ts";

/** The frame itself, as a node of its snapshot: further pages of its rows are asked of it. */
export const FRAME_NODE = 0;

/** A value as the helper has answered it: its node, and the snapshot that this is part of. */
export interface SnapshotNode {
  readonly node: Node;
  readonly snapshot: number;
}

/** The lines of rows, by the rows' ids. */
export type Lines = ReadonlyMap<string, string>;

/** What is known about one frame at one stop: the answer that came, and what was asked for since. */
export class Contents {
  readonly frame: Frame;
  readonly answer: FrameAnswer;
  /** Results of what was run in this frame. They are kept when the frame is read again. */
  readonly results: FrameResults;
  /** The lines of this function's rows at its last stop. */
  readonly linesBefore: Lines;
  /** What is wrong with the step. */
  readonly check: CheckState;
  /** The pages that were asked for, by the snapshots and the nodes that they belong to. */
  readonly #pages = new Map<number, Map<number, Page>>();
  readonly #failures = new Map<string, Failure>();
  readonly #shared = new Map<string, SharedRequest<unknown>>();

  /** `earlier` is what the last reading of the same frame knew: its findings are shown until there are new ones. */
  constructor(
    frame: Frame,
    answer: FrameAnswer,
    results = new FrameResults(),
    linesBefore: Lines = new Map(),
    earlier?: Contents,
  ) {
    this.frame = frame;
    this.answer = answer;
    this.results = results;
    this.linesBefore = linesBefore;
    this.check = new CheckState(earlier?.check);
    const snapshot = this.check.result?.answer.snapshot;
    if (earlier === undefined || snapshot === undefined) return;
    this.#pages.set(snapshot, new Map(earlier.#pages.get(snapshot)));
  }

  /** File and function, a method with its class: what is dismissed and selected here is so at other stops too. */
  get place(): string {
    return `${this.frame.file}:${this.answer.function}`;
  }

  get hasTorch(): boolean {
    return "torch" in this.answer.libraries;
  }

  /** Where a line of the program is for VS Code. */
  locate(line: SourceLine): Promise<UriLine> {
    return this.frame.locate(line, this.answer.files ?? []);
  }

  /** Whether a row says something else than before. One that is new, or was not read in full, has not changed. */
  hasChanged(id: string, now: string | undefined): boolean {
    const before = this.linesBefore.get(id);
    return before !== undefined && now !== undefined && before !== now;
  }

  get rootPage(): Page {
    return this.#pages.get(this.answer.snapshot)?.get(FRAME_NODE) ?? this.answer.rows;
  }

  /** How many of the frame's rows are known. */
  get rowsKnown(): number {
    const { start, nodes } = this.rootPage;
    return start + nodes.length;
  }

  /** Whether all of them are. */
  get isWhole(): boolean {
    const { total } = this.rootPage;
    return total !== null && this.rowsKnown >= total;
  }

  /** The children of a node as far as they are known; undefined when none were asked for yet. */
  page({ node, snapshot }: SnapshotNode): Page | undefined {
    return this.#pages.get(snapshot)?.get(node.id) ?? node.page;
  }

  /** Whether the page from `start` on has come. */
  hasPage(value: SnapshotNode | undefined, start: number): boolean {
    const page = value === undefined ? this.rootPage : this.page(value);
    return page !== undefined && page.start + page.nodes.length > start;
  }

  /** Adds a page that came later to those before it. `value` is what it belongs to, none for the frame. */
  merge(answer: ChildrenAnswer, value: SnapshotNode | undefined): void {
    const before = value === undefined ? this.rootPage : this.page(value);
    const { start, nodes } = answer.page;
    const kept = before === undefined ? [] : before.nodes.slice(0, Math.max(0, start - before.start));
    const first = kept.length > 0 && before !== undefined ? before.start : start;
    const pages = this.#pages.get(answer.snapshot) ?? new Map<number, Page>();
    pages.set(answer.node, { ...answer.page, start: first, nodes: [...kept, ...nodes] });
    this.#pages.set(answer.snapshot, pages);
    this.#failures.delete(keyOf(answer.snapshot, answer.node));
  }

  pin(expression: string): PinAnswer | undefined {
    return this.answer.pins.find((pin) => pin.expression === expression);
  }

  /** Whether a pin looks as if it could be read, but only running it can tell its value: `x.T`, a property. */
  mustRun(expression: string): boolean {
    return this.pin(expression)?.error?.code === "not_static";
  }

  /** Why the children of a value, or further ones, could not be had; without a value, the frame's own rows. */
  failure(value: SnapshotNode | undefined): Failure | undefined {
    return this.#failures.get(this.#keyOf(value));
  }

  setFailure(value: SnapshotNode | undefined, failure: Failure): void {
    this.#failures.set(this.#keyOf(value), failure);
  }

  /**
   * Asks once for each key: later callers with the same key share the answer, unless it failed. `signal` aborts where a
   * caller does not wait any more; `ask` is given a signal that aborts when none of them does.
   */
  once<T>(key: string, ask: (wanted: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#shared.get(key) as SharedRequest<T> | undefined;
    if (before?.join(signal) === true) return before.answer;
    const shared = new SharedRequest(ask, signal);
    this.#shared.set(key, shared);
    shared.answer.catch(() => {
      if (this.#shared.get(key) === shared) this.#shared.delete(key);
    });
    return shared.answer;
  }

  #keyOf(value: SnapshotNode | undefined): string {
    return value === undefined ? keyOf(this.answer.snapshot, FRAME_NODE) : keyOf(value.snapshot, value.node.id);
  }

  /** Values in a few words, by the names of the frame's variables, listed or not. */
  get inline(): ReadonlyMap<string, InlineValue> {
    const values = new Map((this.answer.inline ?? []).map((value) => [value.name, value]));
    for (const { name, kind, inline: text } of this.rootPage.nodes) {
      if (text !== undefined) values.set(name, { name, kind, text });
    }
    return values;
  }

  /** The variable of this name, if it is among the frame's rows. */
  variable(name: string): Node | undefined {
    return this.rootPage.nodes.find((node) => node.name === name);
  }
}

function keyOf(snapshot: number, node: number): string {
  return `${snapshot} ${node}`;
}
