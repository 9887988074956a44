import * as l10n from "@vscode/l10n";
import type { Focus, Frame } from "../debug/activeFrame.ts";
import { Over } from "../debug/queue.ts";
import type { Session } from "../debug/sessions.ts";
import { type Calls, Refusal } from "../helper/calls.ts";
import type { Filter, NodeAnswer } from "../protocol/generated.ts";
import { Changes } from "./changes.ts";
import { Emitter } from "./emitter.ts";
import type { Expansion } from "./expansion.ts";
import type { Pins } from "./pins.ts";
import { Results } from "./results.ts";
import { framePath, pinPath, type Row, type Source } from "./rows.ts";
import { FRAME_NODE, Stop, type Waiting } from "./stop.ts";

/** What the user wants to see, read anew for each question. */
export interface Wishes {
  readonly filter: Filter;
  readonly pageSize: number;
}

/** VS Code's token, as much of it as is needed here. */
export interface Cancelled extends Waiting {
  readonly onCancellationRequested: (listener: () => void) => { dispose(): unknown };
}

/** Milliseconds to wait until a frame is asked for, and then for its answer: a busy machine's first takes long. */
const REACHED = 2500;
const ANSWERED = 7500;

/** What the helper can be asked. */
export type Helper = Pick<Calls, "frame" | "children" | "inspect" | "evaluate">;

/** A frame that is asked for just now. */
interface Question {
  readonly frame: Frame;
  done: Promise<void>;
}

/** What was run in a frame, by expression. */
interface Ran {
  readonly frame: Frame;
  readonly results: Results;
}

/**
 * Asks one question per stop and frame, and keeps what is known: all views show what stands here.
 * An answer that comes when its stop is over, or when the user has changed something since, is dropped.
 */
export class Inspector {
  readonly #helper: Helper;
  readonly #pins: Pins;
  readonly #expansion: Expansion;
  readonly #wishes: Wishes;
  readonly #changed = new Emitter();
  /** Frames already asked at stops that still last, by their keys. */
  readonly #known = new Map<string, Stop>();
  /** Questions under way, by their frames' keys; one that is replaced here is not true any more. */
  readonly #asked = new Map<string, Question>();
  /** What was run in frames at stops that still last, by their keys. */
  readonly #ran = new Map<string, Ran>();
  /** What ends the pins that run, with their expressions. */
  readonly #running = new Map<AbortController, string>();
  readonly #changes = new Changes();
  readonly #types = new WeakMap<Session, Set<string>>();
  #frame: Frame | undefined;
  #stop: Stop | undefined;
  #trouble: string | undefined;
  #asking: Promise<void> = Promise.resolve();
  /** The frame that was asked again because its snapshot was gone: not twice. */
  #renewed: string | undefined;

  readonly onDidChange = this.#changed.event;

  constructor(helper: Helper, pins: Pins, expansion: Expansion, wishes: Wishes) {
    this.#helper = helper;
    this.#pins = pins;
    this.#expansion = expansion;
    this.#wishes = wishes;
  }

  get frame(): Frame | undefined {
    return this.#frame;
  }

  /** What is shown; the last stop's until the next one's answer is there. */
  get stop(): Stop | undefined {
    return this.#stop;
  }

  /** Why nothing is shown, in a sentence. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Names of the classes that can be summarized, as met in this session. */
  get types(): readonly string[] {
    return [...((this.#frame && this.#types.get(this.#frame.session)) ?? [])];
  }

  /** What rows are made of, when there is something to show. */
  get source(): Source | undefined {
    return this.#stop && { ...this.#parts, stop: this.#stop };
  }

  get #parts(): Omit<Source, "stop"> {
    return { pins: this.#pins, expansion: this.#expansion, pageSize: this.#wishes.pageSize };
  }

  /** The user looks at this frame now, at none while the program runs. */
  focus(focus: Focus): void {
    const frame = focus === "untracked" ? undefined : focus;
    this.#frame = frame;
    for (const kept of [this.#known, this.#ran]) {
      for (const [key, { frame: of }] of kept) if (of.over) kept.delete(key);
    }
    const known = frame && this.#known.get(frame.key);
    if (frame !== undefined && known === undefined) this.#asking = this.#asked.get(frame.key)?.done ?? this.#ask(frame);
    else this.#show(known, focus === "untracked" ? missedSentence() : undefined);
  }

  /**
   * What is known of a frame of the present stop, as soon as it is; undefined if it can't be had, or is not looked at
   * soon. Frames of two programs may have one id: `isLookedAt` tells whether a session is the one that is meant.
   */
  reached(frameId: number, isLookedAt: (session: string) => boolean, cancelled: Cancelled): Promise<Stop | undefined> {
    const isMeant = (frame: Frame | undefined): frame is Frame =>
      frame?.over === false && frame.frameId === frameId && isLookedAt(frame.session.id);
    /** The frame is looked at, and what was asked of it has been answered. */
    const isHere = (frame: Frame | undefined): boolean => isMeant(frame) && !this.#asked.has(frame.key);
    const found = (): Stop | undefined => (isHere(this.#stop?.frame) ? this.#stop : undefined);
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        for (const one of subscriptions) one.dispose();
        resolve(cancelled.isCancellationRequested ? undefined : found());
      };
      const look = (): void => {
        if (found() !== undefined || (this.#trouble !== undefined && isHere(this.#frame))) finish();
      };
      const subscriptions = [
        this.#changed.event(() => {
          look();
          void this.#asking.then(look); // what is shown may be asked again just now
        }),
        cancelled.onCancellationRequested(finish),
      ];
      const giveUp = (): void => {
        if (!isMeant(this.#frame) || isHere(this.#frame)) return finish();
        // VS Code takes no later correction.
        timer = setTimeout(finish, ANSWERED);
        void this.#asking.then(finish);
      };
      let timer = setTimeout(giveUp, REACHED);
      look();
      void this.#asking.then(look);
    });
  }

  /** The user changed something, or ran what may have. */
  async userChanged(session: Session): Promise<void> {
    this.#age(session);
    await this.again(session);
  }

  #age(session: Session, ran?: { readonly frame: Frame; readonly expression: string }): void {
    for (const { frame, results } of this.#ran.values()) {
      if (frame.session === session) results.age(frame.key === ran?.frame.key ? ran.expression : undefined);
    }
  }

  /** Drops what is known, of one session or of all, and asks again for what is looked at. */
  async again(session?: Session): Promise<void> {
    for (const known of [this.#known, this.#asked]) {
      for (const [key, { frame }] of known) if (session === undefined || frame.session === session) known.delete(key);
    }
    const frame = this.#frame;
    if (frame === undefined || (session !== undefined && frame.session !== session)) return;
    this.#asking = this.#ask(frame);
    await this.#asking;
  }

  /** Asks again if the values could not be had: the helper may have come after all. */
  async retry(session: Session): Promise<void> {
    if (this.#trouble !== undefined) await this.again(session);
  }

  /** The settings changed. Where the same values are said in other words now, that is no change of theirs. */
  async anew(reworded: boolean): Promise<void> {
    if (reworded) this.#changes.forget();
    await this.again();
  }

  /** Makes the children of a row known. */
  async load(row: Row, start = 0, count = this.#wishes.pageSize): Promise<void> {
    const { stop, known } = row;
    const snapshot = known?.snapshot ?? stop.answer.snapshot;
    const node = known?.node.id ?? FRAME_NODE;
    const runs = known?.node.lazy === true;
    try {
      await stop.once(`children ${snapshot} ${node} ${start}`, async () => {
        const answer = await this.#helper.children(stop.frame, { snapshot, node, start, count }, { runs });
        stop.merge(answer, known);
        this.#meet(stop.frame, answer.types);
      });
    } catch (error) {
      if (error instanceof Over) return;
      if (isRefusal(error, "gone") && this.#renewed !== stop.frame.key) {
        this.#renewed = stop.frame.key;
        await this.again();
      } else stop.setFailure(known, runs && isRefusal(error, "lost") ? stillRunning() : messageOf(error));
    }
  }

  /** Shows the next page below the rows of the last one. */
  async more(row: Row): Promise<void> {
    const { next } = row;
    if (next === undefined) return;
    await this.load(row, next.start, next.count);
    if (row.stop.failure(row.known) === undefined) this.#expansion.open(row.path, next.start + next.count);
    this.#changed.fire();
  }

  /**
   * All facts of what an expression reaches without running anything; undefined when that can't be had. What is not sent
   * yet when nobody waits for it any more is not sent.
   */
  async inspect(expression: string, cancelled: Cancelled): Promise<NodeAnswer | undefined> {
    await this.#asking;
    const stop = this.#stop;
    if (stop === undefined || stop.frame.over || !this.#looksAt(stop.frame)) return undefined;
    const ask = async (isWanted: () => boolean): Promise<NodeAnswer | undefined> => {
      try {
        const answer = await this.#helper.inspect(stop.frame, { expression, snapshot: stop.answer.snapshot }, isWanted);
        this.#meet(stop.frame, answer.types);
        return answer;
      } catch (error) {
        if (error instanceof Refusal && error.code !== "lost") return undefined; // nor will it be there when asked again
        throw error;
      }
    };
    return stop.once(`inspect ${expression}`, ask, cancelled).catch(() => undefined);
  }

  /**
   * Pins an expression and reads it now; if only running it can tell its value, that is begun, once: it may take as
   * long as it likes.
   */
  async pin(expression: string): Promise<void> {
    const pin = this.#pins.add(expression);
    if (pin.static) await this.again();
    // Something may have been asked again since, with the pin.
    await this.#asking;
    const stop = this.#stop;
    if (stop === undefined || !this.#looksAt(stop.frame) || !this.#pins.has(expression)) return;
    if (!pin.static || stop.mustRun(expression)) void this.run(expression, stop);
  }

  /** What still runs for a pin that nobody wants any more is ended. */
  unpin(expression: string): void {
    for (const [running, of] of this.#running) if (of === expression) running.abort();
    this.#pins.remove(expression);
    this.#changed.fire();
  }

  unpinAll(): void {
    for (const { expression } of this.#pins.all) this.unpin(expression);
  }

  /** Runs a pinned expression in the frame of a stop: only ever because the user asked. */
  async run(expression: string, stop: Stop): Promise<void> {
    const { frame } = stop;
    if (frame.over) return;
    stop.setResult(expression, "running");
    const running = new AbortController();
    this.#running.set(running, expression);
    this.#changed.fire();
    try {
      const question = { expression, snapshot: stop.answer.snapshot, page_size: this.#wishes.pageSize };
      const answer = await this.#helper.evaluate(frame, question, running.signal);
      this.#age(frame.session, { frame, expression });
      stop.setResult(expression, answer);
      this.#pins.remember(expression, frame.session, answer.node.short ?? answer.node.line);
      this.#meet(frame, answer.types);
    } catch (error) {
      if (error instanceof Over) {
        this.#goneOn(expression, frame.session);
        return;
      }
      this.#age(frame.session, { frame, expression });
      stop.setResult(expression, { code: "raised", message: messageOf(error) });
      // That it was not run, or still runs, is nothing that it came to.
      if (!isRefusal(error, "lost")) this.#pins.remember(expression, frame.session, messageOf(error));
    } finally {
      this.#running.delete(running);
    }
    // What ran may have changed anything.
    if (!frame.over) await this.again(frame.session);
  }

  /** A pin's stop ended while it ran: if it came to nothing before either, its row says so. */
  #goneOn(expression: string, session: Session): void {
    if (!this.#pins.has(expression) || this.#pins.lastLine(expression, session) !== undefined) return;
    this.#pins.remember(expression, session, l10n.t("no result: the program went on"));
    this.#changed.fire();
  }

  #ask(frame: Frame): Promise<void> {
    const question: Question = { frame, done: Promise.resolve() };
    this.#asked.set(frame.key, question);
    question.done = this.#read(question).finally(() => {
      if (this.#asked.get(frame.key) === question) this.#asked.delete(frame.key);
    });
    return question.done;
  }

  async #read(question: Question): Promise<void> {
    const { frame } = question;
    const isTrue = (): boolean => this.#asked.get(frame.key) === question && !frame.over;
    try {
      const count = this.#expansion.count(framePath(frame));
      const answer = await this.#helper.frame(frame, {
        filter: this.#wishes.filter,
        page_size: this.#wishes.pageSize,
        ...(count === undefined ? {} : { count }),
        expanded: this.#expansion.below(framePath(frame).root),
        pins: this.#pins.all.filter((pin) => pin.static).map(({ expression }) => this.#pinQuestion(expression)),
      });
      if (!isTrue()) return;
      const ran = this.#ran.get(frame.key) ?? { frame, results: new Results() };
      this.#ran.set(frame.key, ran);
      const before = this.#changes.before(frame, answer, this.#parts);
      const stop = new Stop(frame, answer, ran.results, before);
      this.#changes.keep(stop);
      this.#known.set(frame.key, stop);
      this.#meet(frame, answer.types);
      if (this.#looksAt(frame)) this.#show(stop, undefined);
    } catch (error) {
      if (isTrue() && this.#looksAt(frame)) this.#show(undefined, troubleOf(error));
    }
  }

  #looksAt(frame: Frame): boolean {
    return this.#frame?.key === frame.key;
  }

  #pinQuestion(expression: string) {
    const path = pinPath(expression);
    if (!this.#expansion.isOpen(path)) return { expression };
    const count = this.#expansion.count(path) ?? this.#wishes.pageSize;
    return { expression, count, rows: this.#expansion.below(path.root) };
  }

  #meet(frame: Frame, types: readonly string[]): void {
    const met = this.#types.get(frame.session) ?? new Set();
    for (const type of types) met.add(type);
    this.#types.set(frame.session, met);
  }

  #show(stop: Stop | undefined, trouble: string | undefined): void {
    this.#stop = stop;
    this.#trouble = trouble;
    this.#changed.fire();
  }
}

function isRefusal(error: unknown, code: Refusal["code"]): boolean {
  return error instanceof Refusal && error.code === code;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What the view says when the helper can't be asked; debugging goes on as without it. */
function troubleOf(error: unknown): string {
  if (error instanceof Refusal && error.code === "lost") {
    return l10n.t("The program did not reply, so its values can't be shown at this stop. The next stop tries again.");
  }
  // Of a traceback, as the adapter gives it, the last line says what happened; the log has all of it.
  const lines = messageOf(error).trimEnd().split("\n");
  return l10n.t("The values of this frame can't be shown: {0}", lines.at(-1) ?? "");
}

function stillRunning(): string {
  return l10n.t("no reply yet: the program's own code may still be running");
}

function missedSentence(): string {
  return l10n.t("This session began before Tensor Inspector was there. Restart it to see its values.");
}
