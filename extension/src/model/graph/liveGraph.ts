import * as l10n from "@vscode/l10n";
import { Cancelled } from "../../debug/queue.ts";
import type { AutogradGraph } from "../../protocol/generated.ts";
import type { FromGraph, GraphState, ToGraph } from "../../protocol/graph.ts";
import type { Contents } from "../contents.ts";
import { Emitter } from "../emitter.ts";
import { type Failure, failureOf } from "../failure.ts";
import type { Inspector } from "../inspector.ts";
import type { Lenses } from "../lenses.ts";
import type { Subject } from "../questions.ts";
import { ASK_DELAY_MS } from "../tasks.ts";

/** A graph that is shown, and at which stop it was read. */
interface ReadGraph {
  readonly graph: AutogradGraph;
  readonly complete: boolean;
  readonly contents: Contents;
}

/** What the page of a graph shows: that of one tensor, stop after stop. Nothing is asked while the page is out of sight. */
export class LiveGraph {
  readonly #subject: Subject;
  readonly #inspector: Inspector;
  readonly #lenses: Pick<Lenses, "graph">;
  readonly #told = new Emitter<ToGraph>();
  readonly #subscription: { dispose(): void };
  #isVisible = false;
  /** Until there is another, the last one. */
  #read: ReadGraph | undefined;
  /** The contents of which it was asked last. */
  #asked: Contents | undefined;
  #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #state: GraphState | undefined;
  #note: string | undefined;
  #progress: number | undefined;

  /** What the page is to be told. */
  readonly onDidTell = this.#told.event;

  constructor(subject: Subject, inspector: Inspector, lenses: Pick<Lenses, "graph">) {
    this.#subject = subject;
    this.#inspector = inspector;
    this.#lenses = lenses;
    this.#subscription = inspector.onDidChange(() => this.#follow());
  }

  get name(): string {
    return this.#subject.name;
  }

  /** The graph, and the stop that it is of. */
  get shown(): { readonly graph: AutogradGraph; readonly contents: Contents } | undefined {
    return this.#read;
  }

  /** The expression for the value of a node: the leaf that it is, or the variable that holds what it made. */
  pathOf(node: number): string | undefined {
    const { leaves = [], values = [] } = this.#read?.graph ?? {};
    return [...leaves, ...values].find((one) => one.node === node)?.path ?? undefined;
  }

  /** Whether somebody sees the page. */
  setVisible(visible: boolean): void {
    if (this.#isVisible === visible) return;
    this.#isVisible = visible;
    if (this.#timer !== undefined) this.#asked = undefined; // it was about to be asked, and is not now
    this.#stopWaiting();
    if (visible) this.#follow();
  }

  /** Has the page say why something that the user wanted was not done. */
  say(why: string): void {
    this.#note = why;
    this.#tellState();
  }

  /** What the page says. What opens something is for the host alone. */
  receive({ type }: FromGraph): void {
    if (type === "ready") {
      this.#state = undefined;
      this.#tellGraph();
      this.#follow();
    } else if (type === "again") {
      this.#asked = undefined;
      this.#follow();
    } else if (type === "cancel") this.#abort.abort();
  }

  dispose(): void {
    this.#stopWaiting();
    this.#abort.abort();
    this.#subscription.dispose();
  }

  #follow(): void {
    if (!this.#isVisible) return;
    const { contents } = this.#inspector;
    if (contents !== this.#asked) {
      this.#abort.abort();
      this.#stopWaiting();
      this.#progress = undefined;
      this.#note = contents === undefined ? this.#whyNone : undefined;
      if (contents !== undefined) {
        this.#asked = contents;
        this.#timer = setTimeout(() => void this.#ask(contents), ASK_DELAY_MS);
      }
    }
    if (contents === undefined) {
      this.#asked = undefined;
      this.#note = this.#whyNone;
    }
    this.#tellState();
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  get #whyNone(): string {
    return this.#read === undefined
      ? l10n.t("No program is paused. Values are read at the next stop.")
      : l10n.t("No program is paused. This is from the last stop.");
  }

  async #ask(contents: Contents): Promise<void> {
    this.#timer = undefined;
    if (contents !== this.#inspector.contents || contents.frame.over || !this.#isVisible) {
      if (this.#asked === contents) this.#asked = undefined;
      return;
    }
    const abort = new AbortController();
    this.#abort = abort;
    this.#setProgress(0);
    const onProgress = (progress: number): void => {
      if (!abort.signal.aborted) this.#setProgress(progress);
    };
    try {
      const asking = { signal: abort.signal, onProgress };
      const { found } = await this.#lenses.graph(this.#subject, contents.frame, asking);
      if (abort.signal.aborted) throw new Cancelled(); // its last slice was on its way
      if (found?.lens !== "autograd" || found.graph === undefined) throw new Error(l10n.t("no graph was told"));
      this.#read = { graph: found.graph, complete: found.complete, contents };
      this.#note = undefined;
      this.#tellGraph();
    } catch (error) {
      if (this.#abort !== abort || this.#asked !== contents) return; // another stop is shown by now
      this.#note =
        error instanceof Cancelled
          ? l10n.t("Cancelled. Refresh Now reads it again.")
          : this.#reasonFor(failureOf(error));
    }
    this.#progress = undefined;
    this.#tellState();
  }

  #reasonFor({ code, message }: Failure): string {
    if (code !== "not_static") return message;
    const name = this.#subject.name;
    return l10n.t(
      "“{0}” has to be run to be read. Pin it (Summarize Expression), then open the graph of its row.",
      name,
    );
  }

  #setProgress(progress: number): void {
    this.#progress = progress;
    this.#tellState();
  }

  #tellGraph(): void {
    if (this.#read === undefined) return;
    const { graph, complete, contents } = this.#read;
    const place = l10n.t("{0}, line {1}", contents.answer.function, contents.answer.line);
    this.#told.fire({ type: "graph", name: this.#subject.name, place, graph, complete });
  }

  #tellState(): void {
    const state: GraphState = {
      type: "state",
      name: this.#subject.name,
      ...(this.#note === undefined ? {} : { note: this.#note }),
      ...(this.#progress === undefined ? {} : { progress: this.#progress }),
    };
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#told.fire(state);
  }
}
