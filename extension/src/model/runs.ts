import * as l10n from "@vscode/l10n";
import { Cancelled } from "../debug/queue.ts";
import type { Session } from "../debug/session.ts";
import type { NodeAnswer } from "../protocol/generated.ts";
import type { Frames, FrameCalls, FrameSettings } from "./frames.ts";
import type { Contents } from "./contents.ts";
import { type Failure, failureOf } from "./failure.ts";
import type { Inspector } from "./inspector.ts";
import type { Pins } from "./pins.ts";
import type { Results } from "./results.ts";

/** Pins expressions, and runs code of the program in a frame, for pins and for lenses: only ever because the user asked. */
export class Runs {
  readonly #helper: FrameCalls;
  readonly #pins: Pins;
  readonly #settings: FrameSettings;
  readonly #results: Results;
  readonly #frames: Frames;
  readonly #inspector: Inspector;
  /** The pinned expressions that are running, each by what aborts it. */
  readonly #running = new Map<AbortController, string>();

  constructor(
    helper: FrameCalls,
    pins: Pins,
    settings: FrameSettings,
    results: Results,
    frames: Frames,
    inspector: Inspector,
  ) {
    this.#helper = helper;
    this.#pins = pins;
    this.#settings = settings;
    this.#results = results;
    this.#frames = frames;
    this.#inspector = inspector;
  }

  /**
   * Pins expressions and reads them now; if only running one can tell its value, that is begun, once: it may take as
   * long as it likes.
   */
  async pin(expressions: readonly string[]): Promise<void> {
    const pins = this.#pins.add(expressions);
    if (pins.some((pin) => pin.static)) await this.#inspector.readAgain();
    const contents = await this.#inspector.settled();
    if (contents === undefined) return;
    for (const { expression, static: isStatic } of pins.filter((pin) => this.#pins.has(pin.expression))) {
      if (!isStatic || contents.mustRun(expression)) void this.run(expression, contents);
    }
  }

  /** Ends what still runs for a pin. */
  cancel(expression: string): void {
    for (const [running, of] of this.#running) if (of === expression) running.abort();
  }

  /** Has the numbers of pinned expressions be recorded at each step, or not any more. */
  async setRecorded(expressions: readonly string[], recorded: boolean): Promise<void> {
    for (const expression of expressions) this.#pins.setRecorded(expression, recorded);
    await this.#inspector.readAgain();
  }

  unpin(expression: string): void {
    this.cancel(expression);
    const wasRecorded = this.#pins.isRecorded(expression);
    this.#pins.remove(expression);
    this.#inspector.fireDidChange();
    // The program is told by reading again.
    if (wasRecorded) void this.#inspector.readAgain();
  }

  unpinAll(): void {
    for (const { expression } of this.#pins.all) this.unpin(expression);
  }

  /** Runs a pinned expression in the frame of these contents. */
  async run(expression: string, contents: Contents): Promise<void> {
    const { frame } = contents;
    if (frame.over || contents.results.get(expression) === "running") return;
    contents.results.set(expression, "running");
    const running = new AbortController();
    this.#running.set(running, expression);
    this.#inspector.fireDidChange();
    try {
      const [answer] = await this.evaluate([expression], contents, running.signal);
      if (answer) {
        this.#pins.remember(expression, frame.session, answer.node.short ?? answer.node.line);
        this.#frames.recordRun(contents, expression, answer);
      }
    } catch (error) {
      if (error instanceof Cancelled) this.#ended(expression, contents);
      else this.#failed(expression, contents, failureOf(error));
    } finally {
      this.#running.delete(running);
    }
    // What ran may have changed anything.
    if (!frame.over) await this.#inspector.readAgain(frame.session);
  }

  /** Runs expressions in the frame of these contents, one after the other. They may change anything but their own results. */
  async evaluate(expressions: readonly string[], contents: Contents, signal: AbortSignal): Promise<NodeAnswer[]> {
    const { frame, answer } = contents;
    const found: NodeAnswer[] = [];
    try {
      for (const expression of expressions) {
        const request = { expression, snapshot: answer.snapshot, page_size: this.#settings.pageSize };
        found.push(await this.#helper.evaluate(frame, request, signal));
      }
    } finally {
      this.noteRun(contents, expressions);
    }
    for (const [at, result] of found.entries()) {
      contents.results.set(expressions[at] ?? "", result);
      this.#frames.addTypes(frame, result.types);
    }
    return found;
  }

  /** Code ran in the frame of these contents. It may have changed anything but its own results. */
  noteRun({ frame }: Contents, expressions: readonly string[]): void {
    this.#results.markOld(frame.session, { frame, expressions });
  }

  /** The user changed something, or ran what may have. */
  async userChanged(session: Session): Promise<void> {
    this.#results.markOld(session);
    await this.#inspector.readAgain(session);
  }

  #failed(expression: string, contents: Contents, failure: Failure): void {
    contents.results.set(expression, failure);
    // `lost`: it was not run, or still runs, so there is no result.
    if (failure.code !== "lost") this.#pins.remember(expression, contents.frame.session, failure.message);
  }

  /** It was cancelled, or its stop ended while it ran. Then, if it has no earlier result either, its row says so. */
  #ended(expression: string, contents: Contents): void {
    contents.results.forget(expression);
    const { over, session } = contents.frame;
    if (!over || !this.#pins.has(expression) || this.#pins.lastLine(expression, session) !== undefined) return;
    this.#pins.remember(expression, session, l10n.t("no result: the program continued"));
    this.#inspector.fireDidChange();
  }
}
