import type { Frame } from "../debug/frame.ts";
import { Cancelled } from "../debug/queue.ts";
import type { Session } from "../debug/session.ts";
import type { Calls } from "../helper/calls.ts";
import type { Filter, FrameAnswer, FrameRequest, NodeAnswer } from "../protocol/generated.ts";
import { Changes } from "./changes.ts";
import { Contents } from "./contents.ts";
import type { Expansion } from "./expansion.ts";
import { type Failure, failureOf } from "./failure.ts";
import type { History, Recorded } from "./history.ts";
import type { Pins } from "./pins.ts";
import type { Questions } from "./questions.ts";
import type { Results } from "./results.ts";
import type { Scene } from "./row.ts";
import { framePath, pinPath } from "./rowPath.ts";
import type { Watchpoints } from "./watchpoints.ts";

/** The helper's calls that the model makes for a frame. */
export type FrameCalls = Pick<Calls, "frame" | "children" | "inspect" | "evaluate">;

/** The user's settings, looked up at each reading. */
export interface FrameSettings {
  readonly filter: Filter;
  readonly pageSize: number;
}

/**
 * What reading a frame came to: its contents, or why they can't be had; "left" where the user left it before the
 * request was sent; undefined where the answer is not true any more.
 */
type Outcome = { readonly contents: Contents } | { readonly failure: Failure } | "left" | undefined;

/** The reading of a frame while it is under way. */
interface Reading {
  readonly frame: Frame;
  /** Ends the reading where its request was not sent yet. */
  readonly abort: AbortController;
  outcome: Promise<Outcome>;
}

/**
 * What is known of frames at stops that still last, by one request per stop and frame. An answer that comes when its
 * stop is over, or when the user has changed something since, is dropped.
 */
export class Frames {
  readonly #helper: FrameCalls;
  readonly #parts: Pick<Scene, "pins" | "questions" | "watchpoints" | "history" | "expansion">;
  readonly #settings: FrameSettings;
  readonly #results: Results;
  /** What was read last of each frame that is paused, by the frames' keys. */
  readonly #contents = new Map<string, Contents>();
  /** Those among them that are out of date. */
  readonly #old = new WeakSet<Contents>();
  /** Readings under way, by the frames' keys; where one is replaced here, its answer is dropped. */
  readonly #readings = new Map<string, Reading>();
  readonly #changes = new Changes();
  readonly #types = new WeakMap<Session, Set<string>>();

  constructor(
    helper: FrameCalls,
    pins: Pins,
    questions: Questions,
    watchpoints: Watchpoints,
    expansion: Expansion,
    settings: FrameSettings,
    results: Results,
    history: History,
  ) {
    this.#helper = helper;
    this.#parts = { pins, questions, watchpoints, history, expansion };
    const isKept = (expression: string): boolean => pins.has(expression) || watchpoints.has(expression);
    for (const { onDidChange } of [pins, watchpoints]) onDidChange(() => history.retain(isKept));
    this.#settings = settings;
    this.#results = results;
  }

  /** What the rows of these contents are made of. */
  sceneOf(contents: Contents): Scene {
    return { contents, ...this.#parts, pageSize: this.#settings.pageSize };
  }

  of(frame: Frame): Contents | undefined {
    const known = this.#contents.get(frame.key);
    return known && !this.#old.has(known) ? known : undefined;
  }

  /** What was read last of each frame that is paused, also where it is being read again. */
  get all(): Iterable<Contents> {
    return this.#contents.values();
  }

  /** The outcome of reading a frame, while it is being read. */
  reading(frame: Frame): Promise<Outcome> | undefined {
    return this.#readings.get(frame.key)?.outcome;
  }

  /** The user looks at this frame: requests for others that were not sent yet are dropped. */
  leaveOthers(frame: Frame | undefined): void {
    for (const [key, { abort }] of this.#readings) if (key !== frame?.key) abort.abort();
  }

  read(frame: Frame): Promise<Outcome> {
    const reading: Reading = { frame, abort: new AbortController(), outcome: Promise.resolve(undefined) };
    this.#readings.get(frame.key)?.abort.abort();
    this.#readings.set(frame.key, reading);
    reading.outcome = this.#outcomeOf(reading).finally(() => {
      if (this.#isAwaited(reading)) this.#readings.delete(frame.key);
    });
    return reading.outcome;
  }

  /** Something was run in a session: what is known of it may not be true any more. Readings that are under way go on. */
  markOld(session: Session): void {
    this.#results.markOld(session);
    this.#markContentsOld(session);
  }

  /** Drops what is known of one session or of all, also what is still to come. */
  drop(session?: Session): void {
    this.#markContentsOld(session);
    for (const [key, reading] of this.#readings) {
      if (session !== undefined && reading.frame.session !== session) continue;
      this.#readings.delete(key);
      reading.abort.abort();
    }
  }

  #markContentsOld(session: Session | undefined): void {
    for (const contents of this.#contents.values()) {
      if (session === undefined || contents.frame.session === session) this.#old.add(contents);
    }
  }

  /** Forgets what was known, and run, at stops that are over. */
  sweep(): void {
    this.#results.sweep();
    for (const [key, { frame }] of this.#contents) if (frame.over) this.#contents.delete(key);
  }

  /** Rows will say the same values in other words, which is not to be marked as a change. */
  forgetChanges(): void {
    this.#changes.forget();
  }

  /** A pinned expression that was run in the frame of these contents has these numbers. */
  recordRun({ frame, answer }: Contents, expression: string, { measurement }: NodeAnswer): void {
    if (measurement !== undefined) this.#parts.history.recordOne(expression, measurement, frame, answer);
  }

  /** Names of the classes that can be summarized, as met in a session. */
  types(session: Session): readonly string[] {
    return [...(this.#types.get(session) ?? [])];
  }

  /** An answer has named these classes. */
  addTypes({ session }: Frame, types: readonly string[]): void {
    const known = this.#types.get(session) ?? new Set();
    for (const type of types) known.add(type);
    this.#types.set(session, known);
  }

  async #outcomeOf(reading: Reading): Promise<Outcome> {
    const { frame, abort } = reading;
    const isTrue = (): boolean => this.#isAwaited(reading) && !frame.over;
    try {
      const answer = await this.#helper.frame(frame, this.#requestFor(frame), abort.signal);
      if (!isTrue()) return undefined;
      const before = this.#changes.before(frame, answer, (last) => this.sceneOf(last));
      const earlier = this.#contents.get(frame.key);
      const contents = new Contents(frame, answer, this.#results.of(frame), before, earlier);
      this.#changes.keep(contents);
      this.#contents.set(frame.key, contents);
      this.#parts.history.record(frame, answer, this.#recorded(answer));
      this.addTypes(frame, answer.types);
      this.#parts.watchpoints.learn(answer.watchpoints ?? []);
      return { contents };
    } catch (error) {
      if (!isTrue()) return undefined;
      return error instanceof Cancelled ? "left" : { failure: failureOf(error) };
    }
  }

  /** What is recorded of an answer: its pins, and what is watched besides. */
  #recorded({ pins, watchpoints = [] }: FrameAnswer): Recorded[] {
    const watched = watchpoints.flatMap(({ id, measurement }) => {
      const expression = this.#parts.watchpoints.all.find((one) => one.id === id)?.of;
      const isNew = pins.every((pin) => pin.expression !== expression || pin.measurement === undefined);
      return expression === undefined || measurement === undefined || !isNew ? [] : [{ expression, measurement }];
    });
    return [...pins, ...watched];
  }

  #isAwaited(reading: Reading): boolean {
    return this.#readings.get(reading.frame.key) === reading;
  }

  /** What is asked of a frame: its rows as far as they are open, and the pins that can be read. */
  #requestFor(frame: Frame): Omit<FrameRequest, "op" | "version" | "at" | "preferences" | "limits"> {
    const { pins, questions, expansion, history } = this.#parts;
    const kept = questions.kept?.slice();
    const { filter, pageSize } = this.#settings;
    const count = expansion.count(framePath(frame));
    const pinned = pins.all
      .filter((pin) => pin.static)
      .map(({ expression }) => {
        const path = pinPath(expression);
        const known = history.lastStep(frame.session, expression);
        const pin = { expression, ...(pins.isRecorded(expression) ? { record_after: known } : {}) };
        if (!expansion.isOpen(path)) return pin;
        return { ...pin, count: expansion.count(path) ?? pageSize, rows: expansion.below(path.root) };
      });
    const expanded = expansion.below(framePath(frame).root);
    const optional = { ...(count === undefined ? {} : { count }), ...(kept === undefined ? {} : { kept }) };
    return { filter, page_size: pageSize, ...optional, expanded, pins: pinned };
  }
}
