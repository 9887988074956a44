import * as l10n from "@vscode/l10n";
import type { Focus, Frame } from "../debug/frame.ts";
import { Cancelled } from "../debug/queue.ts";
import type { Session } from "../debug/session.ts";
import { Refusal } from "../helper/refusal.ts";
import type { Address, NodeAnswer, Page } from "../protocol/generated.ts";
import type { Frames, FrameCalls } from "./frames.ts";
import { type Contents, FRAME_NODE } from "./contents.ts";
import { Emitter } from "./emitter.ts";
import { type Failure, failureOf } from "./failure.ts";
import type { Row, Scene } from "./row.ts";

/** How long a reading may take before it is said that what is shown is from before. */
const LATE_MS = 300;

/** Of a frame with more variables, Find reads the first so many, in pages of so many. */
const MOST_FOUND = 5000;
const FOUND_AT_ONCE = 500;

/** Why what is shown may be out of date: it is being read, which takes long, or code of the program was run. */
export type Stale = "reading" | "run";

/** The paused frame that the user looks at, and its contents: all views read these, and ask through it for more. */
export class Inspector {
  readonly #helper: FrameCalls;
  readonly #frames: Frames;
  readonly #changed = new Emitter();
  #frame: Frame | undefined;
  #contents: Contents | undefined;
  #trouble: string | undefined;
  #stale: Stale | undefined;
  /** Ends what was asked below the rows that are shown, where it was not sent yet. */
  #loading = new AbortController();
  #reading: Promise<void> = Promise.resolve();
  /** The key of the frame that was read again because its snapshot was gone, which is done once. */
  #renewed: string | undefined;

  readonly onDidChange = this.#changed.event;

  constructor(helper: FrameCalls, frames: Frames) {
    this.#helper = helper;
    this.#frames = frames;
  }

  get frame(): Frame | undefined {
    return this.#frame;
  }

  /** The contents that are shown: those of the last stop until the next one has been read. */
  get contents(): Contents | undefined {
    return this.#contents;
  }

  /** What was read last of each frame that is paused. */
  get allContents(): Iterable<Contents> {
    return this.#frames.all;
  }

  /** Why nothing is shown, in a sentence. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  get stale(): Stale | undefined {
    return this.#stale;
  }

  /** Names of the classes that can be summarized, as met in this session. */
  get types(): readonly string[] {
    return this.#frame ? this.#frames.types(this.#frame.session) : [];
  }

  /** What rows are made of, when there is something to show. */
  get scene(): Scene | undefined {
    return this.#contents && this.#frames.sceneOf(this.#contents);
  }

  /** Fulfilled when the frame that is looked at has been read, and is shown. */
  get reading(): Promise<void> {
    return this.#reading;
  }

  isReading(frame: Frame): boolean {
    return this.#frames.reading(frame) !== undefined;
  }

  /** What is shown of the frame that is looked at, once it has been read. */
  async settled(): Promise<Contents | undefined> {
    await this.#reading;
    const contents = this.#contents;
    return contents && !contents.frame.over && this.#looksAt(contents.frame) ? contents : undefined;
  }

  /** The user looks at this frame now, at none while the program runs. */
  focus(focus: Focus): void {
    const frame = focus === "untracked" ? undefined : focus;
    this.#frame = frame;
    this.#frames.sweep();
    this.#frames.leaveOthers(frame);
    const known = frame && this.#frames.of(frame);
    if (frame !== undefined && known === undefined) this.#reading = this.#read(frame);
    else this.#show(known, focus === "untracked" ? missedSentence() : undefined);
  }

  /** Drops what is known, of one session or of all, and reads the frame that is looked at again. */
  async readAgain(session?: Session): Promise<void> {
    this.#frames.drop(session);
    const frame = this.#frame;
    if (frame === undefined || (session !== undefined && frame.session !== session)) return;
    this.#reading = this.#read(frame);
    await this.#reading;
  }

  /** Reads a frame again, after code was run in it that may have changed anything. Undefined where it is not shown any more. */
  async readAfterRun(frame: Frame): Promise<Contents | undefined> {
    if (frame.over) return undefined;
    await this.readAgain(frame.session);
    const contents = await this.settled();
    return contents?.frame.key === frame.key ? contents : undefined;
  }

  /** Reads again where the values could not be had: the helper may have come after all. */
  async helperCame(session: Session): Promise<void> {
    if (this.#trouble !== undefined) await this.readAgain(session);
  }

  /** The settings changed. Where the same values are said in other words now, that is no change of theirs. */
  async settingsChanged(reworded: boolean): Promise<void> {
    if (reworded) this.#frames.forgetChanges();
    await this.readAgain();
  }

  /** Makes the children of a row known. */
  async load(
    { contents, value }: Pick<Row, "contents" | "value">,
    start = 0,
    count = this.#frames.sceneOf(contents).pageSize,
  ): Promise<void> {
    const { frame } = contents;
    const snapshot = value?.snapshot ?? contents.answer.snapshot;
    const node = value?.node.id ?? FRAME_NODE;
    const runs = value?.node.lazy === true;
    try {
      const ask = async (wanted: AbortSignal): Promise<void> => {
        const request = { snapshot, node, start, count };
        const answer = await this.#helper.children(frame, request, { runs, signal: wanted });
        contents.merge(answer, value);
        this.#frames.addTypes(frame, answer.types);
      };
      // What runs is not ended when the frame is read again.
      const signal = runs ? undefined : this.#loading.signal;
      await contents.once(`children ${snapshot} ${node} ${start}`, ask, signal);
    } catch (error) {
      if (error instanceof Cancelled) return;
      const failure = failureOf(error);
      if (failure.code === "gone" && this.#renewed !== frame.key) {
        this.#renewed = frame.key;
        await this.readAgain();
        return;
      }
      if (runs && failure.code === "lost") contents.setFailure(value, { ...failure, message: stillRunning() });
      else contents.setFailure(value, failure);
    }
    if (runs) this.#propertyRan(contents);
  }

  /** Shows the next page below the rows of the last one. */
  async showNextPage(row: Row): Promise<void> {
    const { next, contents } = row;
    if (next === undefined) return;
    await this.load(row, next.start, next.count);
    if (contents.hasPage(row.value, next.start)) {
      this.#frames.sceneOf(contents).expansion.open(row.path, next.start + next.count);
    }
    this.fireDidChange();
  }

  /** Makes the rows of the frame known that it has beyond its first page, for this stop; tells whether there were any. */
  async loadRest(): Promise<boolean> {
    const contents = await this.settled();
    if (contents === undefined || contents.isWhole) return false;
    let last = 0;
    for (let known = contents.rowsKnown; known > last && known < MOST_FOUND; known = contents.rowsKnown) {
      await this.load({ contents }, known, FOUND_AT_ONCE);
      if (contents !== this.#contents || contents.isWhole) break;
      last = known;
    }
    this.fireDidChange();
    return true;
  }

  /**
   * All facts of a node, or of the value that an expression reaches without running anything, or why they can't be had;
   * undefined where nothing is paused, or not any more, or `signal` has aborted. In the frame that is looked at, or in that of the
   * contents that are `meant`.
   */
  async inspect(value: Address, signal?: AbortSignal, meant?: Contents): Promise<NodeAnswer | Failure | undefined> {
    const contents = meant ?? (await this.settled());
    if (contents === undefined) return undefined;
    const {
      frame,
      answer: { snapshot },
    } = contents;
    const ask = async (wanted: AbortSignal): Promise<NodeAnswer | Failure> => {
      try {
        const answer = await this.#helper.inspect(frame, { snapshot, ...value }, wanted);
        this.#frames.addTypes(frame, answer.types);
        return answer;
      } catch (error) {
        if (error instanceof Refusal && error.code !== "lost") return failureOf(error); // asked again, it is the same
        throw error;
      }
    };
    try {
      return await contents.once(`inspect ${JSON.stringify(value)}`, ask, signal);
    } catch (error) {
      return error instanceof Cancelled ? undefined : failureOf(error);
    }
  }

  /**
   * Variables of a frame with their facts, or what is below another node, from `start` on; fewer than `count` where there
   * was no time for more.
   * @throws Refusal where they can't be had, Cancelled where the program went on or nobody waits any more
   */
  async facts(
    { frame, answer }: Contents,
    start: number,
    count: number,
    signal: AbortSignal,
    of = { snapshot: answer.snapshot, node: FRAME_NODE },
  ): Promise<Page> {
    const request = { ...of, start, count, facts: true };
    const { page, types } = await this.#helper.children(frame, request, { signal });
    this.#frames.addTypes(frame, types);
    return page;
  }

  /** Tells the views that what they show has changed. */
  fireDidChange(): void {
    this.#changed.fire();
  }

  async #read(frame: Frame): Promise<void> {
    const late = setTimeout(() => {
      if (this.#contents && this.#looksAt(frame)) this.#setStale("reading");
    }, LATE_MS);
    const outcome = await (this.#frames.reading(frame) ?? this.#frames.read(frame));
    clearTimeout(late);
    if (outcome === undefined || !this.#looksAt(frame)) return;
    if (outcome === "left") await this.#read(frame);
    else if ("failure" in outcome) this.#show(undefined, troubleOf(outcome.failure));
    else this.#show(outcome.contents, undefined);
  }

  #setStale(stale: Stale): void {
    this.#stale = stale;
    this.fireDidChange();
  }

  /** A property was run in the frame of these contents, which may have changed anything. */
  #propertyRan(contents: Contents): void {
    this.#frames.markOld(contents.frame.session);
    if (contents === this.#contents) this.#setStale("run");
  }

  #looksAt(frame: Frame): boolean {
    return this.#frame?.key === frame.key;
  }

  #show(contents: Contents | undefined, trouble: string | undefined): void {
    if (contents !== this.#contents) {
      this.#loading.abort();
      this.#loading = new AbortController();
    }
    this.#contents = contents;
    this.#trouble = trouble;
    this.#stale = undefined;
    this.fireDidChange();
  }
}

/** The sentence in the view when the helper can't be asked; debugging goes on as without it. */
function troubleOf({ code, message }: Failure): string {
  if (code === "lost") {
    return l10n.t("The program did not reply, so its values can't be shown at this stop. The next stop tries again.");
  }
  // The adapter gives a traceback, whose last line says what happened; the log has all of it.
  return l10n.t("The values of this frame can't be shown: {0}", message.trimEnd().split("\n").at(-1) ?? "");
}

function stillRunning(): string {
  return l10n.t("no reply yet: the program's own code may still be running");
}

function missedSentence(): string {
  return l10n.t("This session started before Tensor Inspector did. Restart it to see its values.");
}

/** The sentence in the view where what is shown may be out of date. */
export function staleText(stale: Stale): string {
  return stale === "reading"
    ? l10n.t("Reading the values of this frame. Those shown here are from before.")
    : l10n.t("Code of the program was run. The values shown here are from before; Refresh reads them again.");
}
