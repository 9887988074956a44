import type { Focus, Frame } from "../debug/activeFrame.ts";
import { Over } from "../debug/queue.ts";
import { type Calls, Refusal } from "../helper/calls.ts";
import type { Filter, NodeAnswer } from "../protocol/generated.ts";
import { Emitter } from "./emitter.ts";
import type { Expansion } from "./expansion.ts";
import { t } from "./l10n.ts";
import type { Pins } from "./pins.ts";
import { framePath, pinPath, type Row, type Source } from "./rows.ts";
import { FRAME_NODE, Stop } from "./stop.ts";

/** What the user wants to see, read anew for each question. */
export interface Wishes {
  readonly filter: Filter;
  readonly pageSize: number;
}

/** VS Code's token, as much of it as is needed here. */
export interface Cancelled {
  readonly isCancellationRequested: boolean;
  readonly onCancellationRequested: (listener: () => void) => { dispose(): unknown };
}

/** Milliseconds to wait for a frame's answer: a lost one takes two seconds to be given up. */
const REACHED = 2500;

/** What the helper can be asked. */
export type Helper = Pick<Calls, "frame" | "children" | "inspect" | "evaluate">;

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
  /** Questions under way, by their frames' keys. */
  readonly #asked = new Map<string, Promise<void>>();
  readonly #types = new Map<string, Set<string>>();
  #frame: Frame | undefined;
  #stop: Stop | undefined;
  #trouble: string | undefined;
  #asking: Promise<void> = Promise.resolve();
  /** Counts what the user changed: answers to earlier questions are not true any more. */
  #edits = 0;
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
    return [...(this.#types.get(this.#frame?.session.id ?? "") ?? [])];
  }

  /** What rows are made of, when there is something to show. */
  get source(): Source | undefined {
    if (this.#stop === undefined) return undefined;
    return { stop: this.#stop, pins: this.#pins, expansion: this.#expansion, pageSize: this.#wishes.pageSize };
  }

  /** The user looks at this frame now, at none while the program runs. */
  focus(focus: Focus): void {
    const frame = focus === "untracked" ? undefined : focus;
    this.#frame = frame;
    for (const [key, stop] of this.#known) if (stop.frame.over) this.#known.delete(key);
    const known = frame && this.#known.get(frame.key);
    if (frame !== undefined && known === undefined) this.#asking = this.#asked.get(frame.key) ?? this.#ask(frame);
    else this.#show(known, focus === "untracked" ? missedSentence() : undefined);
  }

  /**
   * What is known of a frame of the present stop, as soon as it is; undefined if it is not looked at soon. Frames of two
   * programs may have one id: `isLookedAt` tells whether a session is the one that is meant.
   */
  reached(
    frameId: number,
    isLookedAt: (session: string) => boolean,
    cancelled: Cancelled,
    limit = REACHED,
  ): Promise<Stop | undefined> {
    const found = (): Stop | undefined => {
      const frame = this.#stop?.frame;
      if (frame === undefined || frame.over || frame.frameId !== frameId) return undefined;
      return isLookedAt(frame.session.id) && !this.#asked.has(frame.key) ? this.#stop : undefined;
    };
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        for (const one of subscriptions) one.dispose();
        resolve(cancelled.isCancellationRequested ? undefined : found());
      };
      const look = (): void => {
        if (found()) finish();
      };
      const subscriptions = [
        this.#changed.event(() => {
          look();
          void this.#asking.then(look); // what is shown may be asked again just now
        }),
        cancelled.onCancellationRequested(finish),
      ];
      const timer = setTimeout(finish, limit);
      look();
      void this.#asking.then(look);
    });
  }

  /** Drops all that is known of this stop and asks again: the user changed something, or wants to see it anew. */
  async again(): Promise<void> {
    if (this.#frame === undefined) return;
    this.#edits += 1;
    this.#known.clear();
    this.#asked.clear();
    this.#asking = this.#ask(this.#frame);
    await this.#asking;
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

  /** All facts of what an expression reaches without running anything; undefined when that can't be had. */
  async inspect(expression: string): Promise<NodeAnswer | undefined> {
    await this.#asking;
    const stop = this.#stop;
    if (stop === undefined || stop.frame.over || !this.#looksAt(stop.frame)) return undefined;
    return stop.once(`inspect ${expression}`, async () => {
      try {
        const answer = await this.#helper.inspect(stop.frame, { expression, snapshot: stop.answer.snapshot });
        this.#meet(stop.frame, answer.types);
        return answer;
      } catch {
        return undefined;
      }
    });
  }

  /** Pins an expression and reads it now; if only running it can tell its value, it is run, once. */
  async pin(expression: string): Promise<void> {
    const pin = this.#pins.add(expression);
    if (pin.static) await this.again();
    // Something may have been asked again since, with the pin.
    await this.#asking;
    if (!pin.static || this.#stop?.mustRun(expression) === true) await this.run(expression);
  }

  unpin(expression: string): void {
    this.#pins.remove(expression);
    this.#changed.fire();
  }

  /** Runs a pinned expression in the frame: only ever because the user asked. */
  async run(expression: string): Promise<void> {
    await this.#asking;
    const stop = this.#stop;
    if (stop === undefined || !this.#looksAt(stop.frame)) return;
    stop.setResult(expression, "running");
    this.#changed.fire();
    try {
      const question = { expression, snapshot: stop.answer.snapshot, page_size: this.#wishes.pageSize };
      const answer = await this.#helper.evaluate(stop.frame, question);
      stop.setResult(expression, answer);
      this.#pins.remember(expression, answer.node.line);
      this.#meet(stop.frame, answer.types);
    } catch (error) {
      if (error instanceof Over) return;
      stop.setResult(expression, { code: "raised", message: messageOf(error) });
      this.#pins.remember(expression, messageOf(error));
    }
    // What ran may have changed anything.
    if (!stop.frame.over) await this.again();
  }

  #ask(frame: Frame): Promise<void> {
    const asked = this.#read(frame).finally(() => {
      if (this.#asked.get(frame.key) === asked) this.#asked.delete(frame.key);
    });
    this.#asked.set(frame.key, asked);
    return asked;
  }

  async #read(frame: Frame): Promise<void> {
    const edits = this.#edits;
    const isTrue = (): boolean => edits === this.#edits && !frame.over;
    const earlier = this.#stop?.frame.key === frame.key ? this.#stop : undefined;
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
      const stop = new Stop(frame, answer, earlier);
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
    const met = this.#types.get(frame.session.id) ?? new Set();
    for (const type of types) met.add(type);
    this.#types.set(frame.session.id, met);
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
    return t("The program did not reply, so its values can't be shown at this stop. The next stop tries again.");
  }
  return t("The values of this frame can't be shown: {0}", messageOf(error));
}

function stillRunning(): string {
  return t("no reply yet: the program's own code may still be running");
}

function missedSentence(): string {
  return t("This session began before Tensor Inspector was there. Restart it to see its values.");
}
