import * as l10n from "@vscode/l10n";
import type { Frame } from "../debug/activeFrame.ts";
import { Over } from "../debug/queue.ts";
import type { Calls } from "../helper/calls.ts";
import { Refusal } from "../helper/refusal.ts";
import type { Address, LensAnswer } from "../protocol/generated.ts";
import type { Comparison, Comparisons, Side } from "./comparisons.ts";
import type { Contents } from "./contents.ts";
import { failureOf } from "./failure.ts";
import type { Inspector } from "./inspector.ts";
import { askLens } from "./lens.ts";
import { isStatic } from "./python.ts";
import type { Runs } from "./runs.ts";

/** Asks how values differ: when the user wants to know, and again at each stop, after its values are shown. */
export class Comparing {
  readonly #helper: Pick<Calls, "lens" | "evaluate">;
  readonly #comparisons: Comparisons;
  readonly #inspector: Inspector;
  readonly #runs: Pick<Runs, "userChanged">;
  /** What ends the comparisons that are asked just now. */
  readonly #asking = new Map<Comparison, AbortController>();
  /** A value that waits for another to be compared with, as VS Code does it with files. */
  selected: Side | undefined;

  constructor(
    helper: Pick<Calls, "lens" | "evaluate">,
    comparisons: Comparisons,
    inspector: Inspector,
    runs: Pick<Runs, "userChanged">,
  ) {
    this.#helper = helper;
    this.#comparisons = comparisons;
    this.#inspector = inspector;
    this.#runs = runs;
    inspector.onDidChange(() => void this.#askForNew());
  }

  /**
   * Begins to compare two values in the frame that is looked at, which a row tells from now on. What only running an
   * expression can tell is run, once.
   */
  async compare(a: Side, b: Side): Promise<void> {
    const contents = await this.#inspector.settled();
    if (contents === undefined) return;
    void this.run(this.#comparisons.add(a, b), contents);
    this.#inspector.changed();
  }

  /** The same for one that is there. */
  async run(comparison: Comparison, contents: Contents): Promise<void> {
    const { session } = contents.frame;
    if (await this.#ask(comparison, contents, true)) await this.#runs.userChanged(session); // what ran may have changed anything
  }

  remove(comparison: Comparison): void {
    this.#asking.get(comparison)?.abort();
    this.#comparisons.remove(comparison);
    this.#inspector.changed();
  }

  /** One after the other, so that others are answered in between. */
  async #askForNew(): Promise<void> {
    const { contents } = this.#inspector;
    if (contents === undefined || contents.frame.over) return;
    for (const comparison of this.#comparisons.all) {
      const isNew = this.#comparisons.state(contents, comparison) === undefined;
      if (isNew && this.#inspector.contents === contents) await this.#ask(comparison, contents, false);
    }
  }

  /** Whether something was run for it. */
  async #ask(comparison: Comparison, contents: Contents, mayRun: boolean): Promise<boolean> {
    const abort = new AbortController();
    this.#asking.get(comparison)?.abort();
    this.#asking.set(comparison, abort);
    const asking = new Asking(this.#helper, comparison, contents, mayRun, abort.signal);
    const isMeant = (): boolean => this.#asking.get(comparison) === abort;
    this.#comparisons.setState(contents, comparison, { progress: 0 });
    try {
      const found = await asking.ask((progress) => {
        if (!isMeant()) return;
        this.#comparisons.setState(contents, comparison, { progress });
        this.#inspector.changed();
      });
      if (isMeant()) this.#comparisons.setState(contents, comparison, found);
    } catch (error) {
      if (error instanceof Over) {
        this.#comparisons.giveUp(contents, comparison);
        return asking.ran;
      }
      if (isMeant()) this.#comparisons.setState(contents, comparison, failureOf(error));
    } finally {
      if (isMeant()) this.#asking.delete(comparison);
    }
    this.#inspector.changed();
    return asking.ran;
  }
}

/** One comparison on its way to its answer. */
class Asking {
  readonly #helper: Pick<Calls, "lens" | "evaluate">;
  readonly #comparison: Comparison;
  readonly #frame: Frame;
  readonly #snapshot: number;
  readonly #mayRun: boolean;
  readonly #signal: AbortSignal;
  ran = false;

  constructor(
    helper: Pick<Calls, "lens" | "evaluate">,
    comparison: Comparison,
    { frame, answer }: Contents,
    mayRun: boolean,
    signal: AbortSignal,
  ) {
    this.#helper = helper;
    this.#comparison = comparison;
    this.#frame = frame;
    this.#snapshot = answer.snapshot;
    this.#mayRun = mayRun;
    this.#signal = signal;
  }

  /** What looks as if it could be read, but only running it can tell, as a property, is run too if that is wanted. */
  async ask(onProgress: (progress: number) => void): Promise<LensAnswer> {
    try {
      return await this.#answer(onProgress, isStatic);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "not_static") throw error;
      return this.#answer(onProgress, () => false);
    }
  }

  async #answer(onProgress: (progress: number) => void, isRead: (expression: string) => boolean): Promise<LensAnswer> {
    const a = await this.#addressOf(this.#comparison.a, isRead);
    const b = await this.#addressOf(this.#comparison.b, isRead);
    const question = { lens: "compare", values: { a, b }, snapshot: this.#snapshot };
    return askLens(this.#helper, this.#frame, question, onProgress, this.#signal);
  }

  async #addressOf(side: Side, isRead: (expression: string) => boolean): Promise<Address> {
    const { name, expression, at } = side;
    if (expression !== undefined && isRead(expression)) return { expression };
    if (at !== undefined && at.frame.session === this.#frame.session && at.frame.stop === this.#frame.stop) {
      return at.value;
    }
    if (expression === undefined) {
      throw new Refusal("gone", l10n.t("“{0}” is gone: no expression reaches it at another stop", name));
    }
    if (!this.#mayRun) {
      throw new Refusal("not_static", l10n.t("not compared yet at this stop: one of the two is run only when you ask"));
    }
    this.ran = true;
    const question = { expression, snapshot: this.#snapshot, page_size: 1 };
    const { snapshot, node } = await this.#helper.evaluate(this.#frame, question, this.#signal);
    side.at = { frame: this.#frame, value: { snapshot, node: node.id } };
    return side.at.value;
  }
}
