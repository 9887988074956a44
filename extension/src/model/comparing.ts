import * as l10n from "@vscode/l10n";
import { Over } from "../debug/queue.ts";
import type { Session } from "../debug/sessions.ts";
import type { Calls } from "../helper/calls.ts";
import { Refusal } from "../helper/refusal.ts";
import type { LensAnswer } from "../protocol/generated.ts";
import type { Comparison, Comparisons, Side, State } from "./comparisons.ts";
import type { Contents } from "./contents.ts";
import { failureOf } from "./failure.ts";
import type { Inspector } from "./inspector.ts";
import { askLens } from "./lens.ts";
import { comparisonPath } from "./row.ts";
import type { Runs } from "./runs.ts";
import { addressesOf, notYet, toRun, toRunAgain } from "./sides.ts";

/** Milliseconds between two redrawings of the tree that only tell how far a comparison is. */
const REDRAWN = 1000;

/** A comparison on its way to its answer. */
interface Task {
  readonly comparison: Comparison;
  /** What is run for it; undefined where the user did not ask for it, who alone ends what was asked for. */
  readonly runs: readonly string[] | undefined;
  readonly abort: AbortController;
  contents: Contents;
}

/** Asks how values differ: when the user wants to know, and again at each stop, after its values are shown. */
export class Comparing {
  readonly #helper: Pick<Calls, "lens">;
  readonly #comparisons: Comparisons;
  readonly #inspector: Inspector;
  readonly #runs: Pick<Runs, "evaluate">;
  readonly #tasks = new Set<Task>();
  /** Fulfilled when the last lens is answered: the helper keeps only a few unfinished. */
  #turn: Promise<unknown> = Promise.resolve();
  #redrawn = 0;

  constructor(
    helper: Pick<Calls, "lens">,
    comparisons: Comparisons,
    inspector: Inspector,
    runs: Pick<Runs, "evaluate">,
  ) {
    this.#helper = helper;
    this.#comparisons = comparisons;
    this.#inspector = inspector;
    this.#runs = runs;
    inspector.onDidChange(() => this.#askForNew());
    comparisons.onDidChange(() => this.#end(({ comparison }) => !comparisons.all.includes(comparison)));
  }

  /**
   * Begins to compare two values in the frame that is looked at, which a row tells from now on. What only running an
   * expression can tell is run, once. Undefined where nothing can be asked.
   */
  async compare(a: Side, b: Side): Promise<Comparison | undefined> {
    const contents = await this.#inspector.settled();
    if (contents === undefined) return undefined;
    this.#comparisons.sweep();
    const comparison = this.#comparisons.add(...toldApart(a, b), contents.frame.session);
    this.#inspector.source?.expansion.open(comparisonPath(comparison));
    void this.#ask(comparison, contents, toRun(comparison, contents));
    return comparison;
  }

  /** The same for one that is there. False where nothing can be asked. */
  async run(comparison: Comparison): Promise<boolean> {
    const contents = await this.#inspector.settled();
    if (contents === undefined) return false;
    if (!this.#comparisons.all.includes(comparison)) return true;
    this.#end((task) => isOf(task, comparison, contents));
    await this.#ask(comparison, contents, toRunAgain(comparison, contents));
    return true;
  }

  remove(comparison: Comparison): void {
    this.#comparisons.remove(comparison);
    this.#inspector.changed();
  }

  removeAll(): void {
    this.#comparisons.removeAll();
    this.#inspector.changed();
  }

  /** A session has ended, and its comparisons with it. */
  forget(session: Session): void {
    this.#comparisons.forget(session);
    this.#inspector.changed();
  }

  #askForNew(): void {
    const { contents } = this.#inspector;
    this.#comparisons.sweep();
    // What is not shown any more is of no use, unless the user asked for it.
    this.#end((task) => task.runs === undefined && task.contents !== contents);
    if (contents === undefined || contents.frame.over) return;
    for (const comparison of this.#comparisons.all) {
      const isAsked = [...this.#tasks].some((task) => isOf(task, comparison, contents));
      if (isAsked || this.#comparisons.state(contents, comparison) !== undefined) continue;
      void this.#ask(comparison, contents);
    }
  }

  #end(isUnwanted: (task: Task) => boolean): void {
    for (const task of [...this.#tasks].filter(isUnwanted)) {
      this.#tasks.delete(task);
      this.#comparisons.giveUp(task.contents, task.comparison);
      task.abort.abort();
    }
  }

  async #ask(comparison: Comparison, contents: Contents, runs?: readonly string[]): Promise<void> {
    const task: Task = { comparison, runs, abort: new AbortController(), contents };
    this.#tasks.add(task);
    this.#tell(task, { progress: 0 });
    if (runs) this.#inspector.changed();
    try {
      this.#tell(task, await this.#found(task));
    } catch (error) {
      if (error instanceof Over) {
        this.#end((one) => one === task);
        return;
      }
      this.#tell(task, failureOf(error));
    }
    if (this.#tasks.delete(task)) this.#inspector.changed();
  }

  #tell(task: Task, state: State): void {
    if (this.#tasks.has(task)) this.#comparisons.setState(task.contents, task.comparison, state);
  }

  async #found(task: Task): Promise<LensAnswer> {
    await this.#run(task, task.runs ?? []);
    try {
      return await this.#lens(task);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "not_static") throw error;
      if (task.runs === undefined) throw notYet();
      await this.#run(task, await this.#computed(task));
      return this.#lens(task);
    }
  }

  /** What looks as if it could be read, but only running it can tell, as a property. */
  async #computed({ comparison, contents }: Task): Promise<string[]> {
    const addresses = Object.values(addressesOf(comparison, contents));
    const expressions = addresses.flatMap(({ expression }) => expression ?? []);
    const read = await Promise.all(expressions.map((expression) => this.#inspector.inspect({ expression })));
    return expressions.filter((_, at) => {
      const answer = read[at];
      return answer !== undefined && "code" in answer && answer.code === "not_static";
    });
  }

  /** What runs may change anything, so the frame is read again before anything is compared. */
  async #run(task: Task, expressions: readonly string[]): Promise<void> {
    if (expressions.length === 0) return;
    const { frame } = task.contents;
    try {
      await this.#runs.evaluate(expressions, task.contents, task.abort.signal);
    } finally {
      if (!frame.over) await this.#inspector.again(frame.session);
    }
    const now = await this.#inspector.settled();
    if (now?.frame.key === frame.key) task.contents = now;
  }

  /** One comparison after the other, slice by slice, so that others are answered in between. */
  #lens(task: Task): Promise<LensAnswer> {
    const ask = async (): Promise<LensAnswer> => {
      const { comparison, contents, abort } = task;
      const values = addressesOf(comparison, contents);
      const question = { lens: "compare", values, snapshot: contents.answer.snapshot };
      return askLens(this.#helper, contents.frame, question, (progress) => this.#goOn(task, progress), abort.signal);
    };
    const turn = this.#turn.then(ask);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #goOn(task: Task, progress: number): void {
    this.#tell(task, { progress });
    if (!this.#tasks.has(task) || Date.now() - this.#redrawn < REDRAWN) return;
    this.#redrawn = Date.now();
    this.#inspector.changed();
  }
}

function isOf(task: Task, comparison: Comparison, { frame }: Contents): boolean {
  return task.comparison === comparison && task.contents.frame.key === frame.key;
}

/** Values of two frames carry the names of these, and no expression reaches both in one. */
function toldApart(a: Side, b: Side): [Side, Side] {
  if (a.at === undefined || b.at === undefined || a.at.frame.key === b.at.frame.key) return [a, b];
  const named = (name: string, at: NonNullable<Side["at"]>): Side => ({
    name: l10n.t("{0} in {1}", name, at.function),
    at,
  });
  return [named(a.name, a.at), named(b.name, b.at)];
}
