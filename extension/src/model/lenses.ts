import type { Frame } from "../debug/frame.ts";
import { Cancelled } from "../debug/queue.ts";
import type { Session } from "../debug/session.ts";
import type { Calls } from "../helper/calls.ts";
import { Refusal } from "../helper/refusal.ts";
import type { LensAnswer } from "../protocol/generated.ts";
import type { Contents } from "./contents.ts";
import { failureOf } from "./failure.ts";
import type { Inspector } from "./inspector.ts";
import { type Inquiry, type Question, type Questions, runsCode, type State, type Subject } from "./questions.ts";
import { PROGRAM, questionPath } from "./rowPath.ts";
import type { Runs } from "./runs.ts";
import { exportInSlices, type ExportOptions } from "./exporting.ts";
import { askInSlices, type AskOptions, type LensInput } from "./slices.ts";
import { ASK_DELAY_MS, Tasks } from "./tasks.ts";
import { addressesOf, notYet, toRun, toRunAgain, withDistinctNames } from "./subjects.ts";

/** A question that is being answered. */
interface QuestionTask {
  readonly question: Question;
  /** The expressions that are run for it. Undefined where nobody waits for it: then it ends when something else is shown. */
  readonly expressions: readonly string[] | undefined;
  readonly abort: AbortController;
  contents: Contents;
}

/** Asks lenses what the user wants to know: at once, and again at each stop, after its values are shown. */
export class Lenses {
  readonly #helper: Pick<Calls, "lens">;
  readonly #questions: Questions;
  readonly #inspector: Inspector;
  readonly #runs: Pick<Runs, "evaluate" | "noteRun">;
  readonly #tasks: Tasks<QuestionTask>;
  /** Fulfilled when a session's last lens is answered: each helper keeps only a few unfinished. */
  readonly #turns = new WeakMap<Session, Promise<unknown>>();
  /** Questions about the program are asked only while the view is in sight. */
  #isViewVisible = true;
  /** The contents about which questions are asked in a moment, if they are still shown then. */
  #waiting: Contents | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #subscriptions: readonly { dispose(): void }[];

  constructor(
    helper: Pick<Calls, "lens">,
    questions: Questions,
    inspector: Inspector,
    runs: Pick<Runs, "evaluate" | "noteRun">,
  ) {
    this.#helper = helper;
    this.#questions = questions;
    this.#inspector = inspector;
    this.#runs = runs;
    this.#tasks = new Tasks(inspector, ({ contents, question }) => questions.giveUp(contents, question));
    this.#subscriptions = [
      inspector.onDidChange(() => this.#follow()),
      questions.onDidChange(() => this.#tasks.end(({ question }) => !questions.has(question))),
    ];
  }

  /**
   * Begins to ask in the frame that is looked at, which a row tells from now on. What only running an expression can
   * tell is run, once. Undefined where nothing can be asked, or where another frame is looked at than was meant.
   */
  async ask(inquiry: Inquiry, meant = this.#inspector.frame): Promise<Question | undefined> {
    const contents = await this.#settled(meant);
    if (contents === undefined) return undefined;
    this.#questions.sweep();
    const question = this.#questions.add(
      { ...inquiry, subjects: withDistinctNames(inquiry.subjects) },
      contents.frame.session,
    );
    this.#inspector.scene?.expansion.open(questionPath(question));
    void this.#ask(question, contents, toRun(question, contents));
    return question;
  }

  /** Asks an existing question again. False where nothing can be asked. */
  async askAgain(question: Question, meant = this.#inspector.frame): Promise<boolean> {
    return this.#askKept(question, meant, (kept) => kept);
  }

  /** Asks a question with other options, in its place. False where nothing can be asked: then it stays as it was. */
  askWith(question: Question, options: NonNullable<Inquiry["options"]>): Promise<boolean> {
    return this.#askKept(question, this.#inspector.frame, (kept) => this.#questions.change(kept, options));
  }

  /**
   * A bug report of what is looked at, with no data of the program unless `values` is set. Undefined where nothing can be asked.
   * @throws Cancelled where the program went on
   */
  async report(values: boolean): Promise<string | undefined> {
    const contents = await this.#inspector.settled();
    if (contents === undefined) return undefined;
    const { frame, answer } = contents;
    const options = { values, stop: frame.stop };
    const input = { lens: "report", values: {}, snapshot: answer.snapshot, options };
    const ask = (): Promise<LensAnswer> => askInSlices(this.#helper, frame, input);
    return (await this.#inTurn(frame.session, ask)).text;
  }

  /**
   * Keeps a copy of a value under the number `as`; without it, only tells what that takes.
   * @throws Refusal where it can't be copied, Cancelled where the program went on
   */
  keep(value: Subject, meant: Frame, options: { as?: number; checksums?: boolean } = {}): Promise<LensAnswer> {
    return this.#askOnce("keep", { value }, meant, options, (frame, input) =>
      this.#inTurn(frame.session, () => askInSlices(this.#helper, frame, input)),
    );
  }

  /**
   * What the details page shows of a value, and of another with which it is compared.
   * @throws Refusal where the value can't be reached, Cancelled where the program went on or nobody waits any more
   */
  details(
    value: Subject,
    meant: Frame,
    options: NonNullable<Inquiry["options"]>,
    asking: AskOptions,
    other?: Subject,
  ): Promise<LensAnswer> {
    const values = { value, ...(other === undefined ? {} : { other }) };
    return this.#askOnce("details", values, meant, options, (frame, input) => {
      // A turn for each slice: a large value takes many, and others are answered in between.
      const lens: Calls["lens"] = (...call) => this.#inTurn(frame.session, () => this.#helper.lens(...call));
      return askInSlices({ lens }, frame, input, asking);
    });
  }

  /**
   * The autograd graph of a tensor, to be drawn.
   * @throws Refusal where the value can't be reached, Cancelled where the program went on or nobody waits any more
   */
  graph(tensor: Subject, meant: Frame, asking: AskOptions): Promise<LensAnswer> {
    return this.#askOnce("autograd", { tensor }, meant, { drawn: true }, (frame, input) => {
      const lens: Calls["lens"] = (...call) => this.#inTurn(frame.session, () => this.#helper.lens(...call));
      return askInSlices({ lens }, frame, input, asking);
    });
  }

  /**
   * Has a file be made of a value, in the option `format`; without it, tells what each format holds.
   * @throws Refusal where it can't be, Cancelled where the program went on or nobody waits any more: then nothing is left
   */
  export(
    value: Subject,
    meant: Frame,
    options: NonNullable<Inquiry["options"]>,
    exporting: ExportOptions = {},
  ): Promise<LensAnswer> {
    return this.#askOnce("export", { value }, meant, options, (frame, input) => {
      const lens: Calls["lens"] = (...call) => this.#inTurn(frame.session, () => this.#helper.lens(...call));
      return exportInSlices({ lens }, frame, input, exporting);
    });
  }

  /**
   * What a lens answers about values, of which the tree shows nothing: for an assistant.
   * @throws Refusal where a value can't be reached, Cancelled where the program went on or nobody waits any more
   */
  answer(
    lens: "findings" | "observations" | "compare" | "nan_origin" | "no_gradient" | "gradients",
    values: Inquiry["subjects"],
    meant: Frame,
    options: NonNullable<Inquiry["options"]>,
    signal: AbortSignal,
  ): Promise<LensAnswer> {
    return this.#askOnce(lens, values, meant, options, (frame, input) => {
      const inTurn: Calls["lens"] = (...call) => this.#inTurn(frame.session, () => this.#helper.lens(...call));
      return askInSlices({ lens: inTurn }, frame, input, { signal });
    });
  }

  /** Ends the asking until the user wants it again, which the row offers. */
  cancel(question: Question): void {
    this.#tasks.end((task) => task.question === question);
    this.#questions.cancel(question);
    this.#inspector.fireDidChange();
  }

  remove(question: Question): void {
    const had = this.#questions.kept?.length;
    this.#questions.remove(question);
    this.#removed(had);
  }

  removeAll(): void {
    const had = this.#questions.kept?.length;
    this.#questions.removeAll();
    this.#removed(had);
  }

  setViewVisible(visible: boolean): void {
    this.#isViewVisible = visible;
    if (visible) this.#follow();
  }

  /** A session has ended, and its questions with it. */
  forget(session: Session): void {
    this.#questions.forget(session);
    this.#inspector.fireDidChange();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const one of this.#subscriptions) one.dispose();
    this.#tasks.end(() => true);
  }

  /** Answers were removed. The program forgets copies that were asked about as the frame is read again. */
  #removed(copies: number | undefined): void {
    if (this.#questions.kept?.length === copies) this.#inspector.fireDidChange();
    else void this.#inspector.readAgain();
  }

  /** Asks a question that is kept; `put` may put another in its place. False where nothing can be asked. */
  async #askKept(question: Question, meant: Frame | undefined, put: (kept: Question) => Question): Promise<boolean> {
    const contents = await this.#settled(meant);
    if (contents === undefined) return false;
    if (!this.#questions.has(question)) return true;
    this.#tasks.end((task) => isOf(task, question, contents));
    const current = put(question);
    this.#questions.resume(current);
    await this.#ask(current, contents, toRunAgain(current, contents));
    return true;
  }

  /** Asks about values, of which no row is kept. */
  async #askOnce(
    lens: LensInput["lens"],
    subjects: Inquiry["subjects"],
    meant: Frame,
    options: NonNullable<Inquiry["options"]>,
    ask: (frame: Frame, input: LensInput) => Promise<LensAnswer>,
  ): Promise<LensAnswer> {
    const contents = await this.#settled(meant);
    if (contents === undefined) throw new Cancelled();
    const { frame, answer } = contents;
    const question = { id: 0, session: frame.session, lens: "compare", subjects } as const;
    return ask(frame, { lens, values: addressesOf(question, contents), snapshot: answer.snapshot, options });
  }

  async #settled(meant: Frame | undefined): Promise<Contents | undefined> {
    const contents = await this.#inspector.settled();
    return meant?.key === contents?.frame.key ? contents : undefined;
  }

  /** Other contents may be shown now: questions that have no answer for these are asked in a moment. */
  #follow(): void {
    const { contents } = this.#inspector;
    this.#questions.sweep();
    // Nobody needs an answer about contents that are not shown any more, unless the user waits for it.
    this.#tasks.end((task) => task.expressions === undefined && task.contents !== contents);
    if (this.#waiting === contents) return;
    this.#waiting = contents;
    clearTimeout(this.#timer);
    if (contents !== undefined) this.#timer = setTimeout(() => this.#askUnanswered(contents), ASK_DELAY_MS);
  }

  /** Asks what is not answered yet, of contents that have been shown for a moment. */
  #askUnanswered(contents: Contents): void {
    this.#waiting = undefined;
    const { frame } = contents;
    const isShown = contents === this.#inspector.contents && this.#inspector.frame?.key === frame.key;
    if (!isShown || frame.over || this.#inspector.isReading(frame)) return; // others are asked once they are shown
    for (const question of this.#askedAtEachStop()) {
      const isBeingAsked = this.#tasks.find((task) => isOf(task, question, contents)) !== undefined;
      if (isBeingAsked || this.#questions.state(contents, question) !== undefined) continue;
      void this.#ask(question, contents);
    }
  }

  #askedAtEachStop(): readonly Question[] {
    const { all, ofProgram } = this.#questions;
    const isOpen = this.#inspector.scene?.expansion.isOpen(PROGRAM) === true;
    return isOpen && this.#isViewVisible ? [...all, ...ofProgram] : all;
  }

  async #ask(question: Question, contents: Contents, expressions?: readonly string[]): Promise<void> {
    const task: QuestionTask = { question, expressions, abort: new AbortController(), contents };
    this.#tasks.begin(task);
    this.#tell(task, { progress: 0 });
    if (expressions) this.#inspector.fireDidChange();
    try {
      this.#tell(task, await this.#answer(task));
    } catch (error) {
      if (error instanceof Cancelled) {
        this.#tasks.end((one) => one === task);
        return;
      }
      this.#tell(task, failureOf(error));
    }
    if (this.#tasks.finish(task)) this.#inspector.fireDidChange();
  }

  #tell(task: QuestionTask, state: State): void {
    if (this.#tasks.has(task)) this.#questions.setState(task.contents, task.question, state);
  }

  async #answer(task: QuestionTask): Promise<LensAnswer> {
    if (!runsCode(task.question)) return this.#read(task);
    if (task.expressions === undefined) throw notYet(task.question);
    try {
      return await this.#read(task);
    } finally {
      this.#runs.noteRun(task.contents, task.expressions);
      await this.#readAgain(task);
    }
  }

  async #read(task: QuestionTask): Promise<LensAnswer> {
    await this.#run(task, task.expressions ?? []);
    try {
      return await this.#lens(task);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "not_static") throw error;
      if (task.expressions === undefined) throw notYet(task.question);
      await this.#run(task, await this.#notStatic(task));
      return this.#lens(task);
    }
  }

  /** Its expressions that look as if they could be read, but must be run, such as a property. */
  async #notStatic({ question, contents, abort }: QuestionTask): Promise<string[]> {
    const addresses = Object.values(addressesOf(question, contents));
    const expressions = addresses.flatMap(({ expression }) => expression ?? []);
    const inspect = (expression: string) => this.#inspector.inspect({ expression }, abort.signal, contents);
    const read = await Promise.all(expressions.map(inspect));
    return expressions.filter((_, at) => {
      const answer = read[at];
      return answer !== undefined && "code" in answer && answer.code === "not_static";
    });
  }

  async #run(task: QuestionTask, expressions: readonly string[]): Promise<void> {
    if (expressions.length === 0) return;
    try {
      await this.#runs.evaluate(expressions, task.contents, task.abort.signal);
    } finally {
      await this.#readAgain(task);
    }
  }

  /** Code was run for it: the frame is read again before anything more is asked of it. */
  async #readAgain(task: QuestionTask): Promise<void> {
    task.contents = (await this.#inspector.readAfterRun(task.contents.frame)) ?? task.contents;
  }

  #lens(task: QuestionTask): Promise<LensAnswer> {
    const ask = async (): Promise<LensAnswer> => {
      const { question, contents, abort } = task;
      const values = addressesOf(question, contents);
      const { lens, options } = question;
      const { snapshot } = contents.answer;
      const input = { lens, values, snapshot, ...(options === undefined ? {} : { options }) };
      const onProgress = (progress: number): void => this.#showProgress(task, progress);
      return askInSlices(this.#helper, contents.frame, input, { onProgress, signal: abort.signal });
    };
    return this.#inTurn(task.contents.frame.session, ask);
  }

  /** One question of a session after the other, slice by slice, so that others are answered in between. */
  #inTurn(session: Session, ask: () => Promise<LensAnswer>): Promise<LensAnswer> {
    const turn = (this.#turns.get(session) ?? Promise.resolve()).then(ask);
    this.#turns.set(
      session,
      turn.catch(() => undefined),
    );
    return turn;
  }

  #showProgress(task: QuestionTask, progress: number): void {
    this.#tell(task, { progress });
    if (this.#tasks.has(task)) this.#tasks.redraw();
  }
}

function isOf(task: QuestionTask, question: Question, { frame }: Contents): boolean {
  return task.question === question && task.contents.frame.key === frame.key;
}
