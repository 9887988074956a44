import type { Frame } from "../debug/frame.ts";
import { Cancelled } from "../debug/queue.ts";
import type { Calls } from "../helper/calls.ts";
import { type Check, type CheckMode, hasCause, repeated, without } from "./checks.ts";
import type { Contents } from "./contents.ts";
import type { Dismissed } from "./dismissed.ts";
import { type Failure, failureOf } from "./failure.ts";
import type { Inspector } from "./inspector.ts";
import type { LensAnswer } from "../protocol/generated.ts";
import type { Runs } from "./runs.ts";
import { askInSlices, type LensInput } from "./slices.ts";
import { ASK_DELAY_MS, Tasks } from "./tasks.ts";

/** A check that is running. */
interface StepCheck extends Check {
  /** Replaced once the frame was read again after its models were run. */
  contents: Contents;
  /** It has run the models: its result belongs to the reading that follows. */
  hasRun: boolean;
  readonly abort: AbortController;
}

/** Asks what is wrong with the step in sight: once a stop, after its values are shown, and when the user wants a check. */
export class Findings {
  readonly #helper: Pick<Calls, "lens">;
  readonly #inspector: Inspector;
  readonly #runs: Pick<Runs, "noteRun">;
  readonly #dismissed: Dismissed;
  readonly #settings: { readonly findings: boolean };
  /** The contents at the last event of the inspector: others mean a new stop, frame or reading. */
  #contents: Contents | undefined;
  /** One check at most of each frame. */
  readonly #tasks: Tasks<StepCheck>;
  #timer: NodeJS.Timeout | undefined;
  /** Contents for which the automatic check got no reply once: a window that is busy with the stop may send it too late. */
  readonly #lost = new WeakSet<Contents>();
  readonly #subscriptions: readonly { dispose(): void }[];

  constructor(
    helper: Pick<Calls, "lens">,
    inspector: Inspector,
    runs: Pick<Runs, "noteRun">,
    dismissed: Dismissed,
    settings: { readonly findings: boolean },
  ) {
    this.#helper = helper;
    this.#inspector = inspector;
    this.#runs = runs;
    this.#dismissed = dismissed;
    this.#settings = settings;
    this.#tasks = new Tasks(inspector, ({ contents }) => contents.check.end());
    this.#subscriptions = [inspector.onDidChange(() => this.#follow()), dismissed.onDidChange(() => this.#dismiss())];
  }

  /**
   * Looks at the step more closely, as the user asked, and runs its models if that is allowed. False where nothing is
   * paused that can be asked, or where another frame is looked at than was meant.
   */
  async check(mode: CheckMode = "thorough", meant?: Frame): Promise<boolean> {
    const contents = await this.#inspector.settled();
    if (contents === undefined || (meant !== undefined && meant.key !== contents.frame.key)) return false;
    clearTimeout(this.#timer); // the automatic check would take its place
    await this.#ask(contents, { mode, repeatsRun: false });
    return true;
  }

  /** Ends the check of the frame that is looked at. What is known of this reading stays; if that is nothing, it is checked as at every stop. */
  cancel(): void {
    const { contents } = this.#inspector;
    this.#tasks.end((task) => isOf(task, contents));
    if (contents !== undefined) this.#settle(contents);
    this.#inspector.fireDidChange();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const one of this.#subscriptions) one.dispose();
    this.#tasks.end(() => true);
  }

  #follow(): void {
    this.#tasks.end((task) => task.contents.frame.over);
    const { contents } = this.#inspector;
    if (contents === this.#contents) return;
    clearTimeout(this.#timer);
    this.#contents = contents;
    if (contents === undefined) return; // often for a moment only, after which the same frame is shown again
    // A check that nobody waits for ends when something else is looked at.
    this.#tasks.end((task) => task.mode === "usual" && task.contents !== contents);
    if (!contents.frame.over) this.#begin(contents);
  }

  /** Checks what is shown, unless that was done or is under way; for a frame that was read again, repeats the user's check. */
  #begin(contents: Contents): void {
    const task = this.#tasks.find((one) => isOf(one, contents));
    if (contents.check.isChecked || task?.contents === contents || task?.hasRun === true) return;
    const known = task ?? contents.check.result;
    if (known !== undefined && known.mode !== "usual") void this.#ask(contents, repeated(known), task !== undefined);
    else this.#askSoon(contents);
  }

  /** Its check has ended: findings of an earlier reading go, and where none are left, the step is checked as at every stop. */
  #settle(contents: Contents): void {
    contents.check.dropEarlier();
    if (contents.check.result === undefined) this.#askSoon(contents);
  }

  /** Checks the step as at every stop, in a moment. Only that of the frame that is looked at: others when the user returns to them. */
  #askSoon(contents: Contents): void {
    if (contents !== this.#inspector.contents) return;
    if (!this.#settings.findings || !contents.hasTorch) {
      contents.check.clear();
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const { frame } = contents;
      if (this.#inspector.frame?.key !== frame.key) this.#contents = undefined;
      else if (!frame.over && !this.#inspector.isReading(frame))
        void this.#ask(contents, { mode: "usual", repeatsRun: false });
    }, ASK_DELAY_MS);
  }

  /**
   * What is dismissed has changed: findings of dismissed rules are dropped. A step is checked again if rules were restored,
   * or if a finding that is dropped was the cause of others, which now stand for themselves.
   */
  #dismiss(): void {
    for (const contents of this.#inspector.allContents) {
      const { frame, check: known } = contents;
      const rules = this.#dismissed.rulesAt(contents.place);
      const task = this.#tasks.find((one) => isOf(one, contents));
      const check = task ?? (known.result && repeated(known.result));
      const isHidden = task === undefined && known.result?.mode !== "running" && hasCause(known.result, rules);
      known.leaveOut(rules);
      if (check && !frame.over && (this.#dismissed.isEmpty || isHidden)) void this.#ask(contents, check);
    }
    this.#inspector.fireDidChange();
  }

  /** `isAwaited`: the user waits for it, so the tree shows at once that it has begun. */
  async #ask(contents: Contents, { mode, repeatsRun }: Check, isAwaited = true): Promise<void> {
    this.#tasks.end((before) => isOf(before, contents));
    const task: StepCheck = { contents, mode, repeatsRun, hasRun: false, abort: new AbortController() };
    this.#tasks.begin(task);
    const ignored = this.#dismissed.rulesAt(contents.place);
    const thorough = mode !== "usual";
    const onProgress = (progress: number): void => {
      if (!thorough || !this.#tasks.has(task)) return;
      contents.check.setProgress(progress);
      this.#tasks.redraw();
    };
    if (thorough && isAwaited) {
      contents.check.setProgress(0);
      this.#tasks.redrawNow();
    }
    let failure: Failure | undefined;
    try {
      const found = await this.#askLens(task, inputOf(task, ignored), onProgress);
      if (!this.#tasks.has(task)) return;
      const newFindings = contents.check.newFindingsIn(found);
      const checked = { answer: found, mode, repeatsRun, ...(newFindings && { newFindings }) };
      const rules = this.#dismissed.rulesAt(contents.place);
      task.contents.check.setResult(without(checked, rules));
      const observed = thorough ? await this.#look(task, ignored) : undefined;
      if (!this.#tasks.has(task)) return;
      const rulesNow = this.#dismissed.rulesAt(contents.place);
      if (observed !== undefined) task.contents.check.setResult(without({ ...checked, observed }, rulesNow));
      const since = rulesNow.filter((rule) => !ignored.includes(rule));
      // A cause was dismissed meanwhile: now the findings that follow from it stand for themselves.
      if (mode !== "running" && hasCause(checked, since)) return await this.#ask(contents, { mode, repeatsRun });
    } catch (error) {
      if (!this.#tasks.has(task)) return;
      failure = error instanceof Cancelled ? undefined : failureOf(error);
    }
    this.#tasks.finish(task);
    if (thorough) {
      task.contents.check.end(failure);
      this.#settle(task.contents);
    } else if (failure !== undefined) {
      contents.check.dropEarlier();
      if (failure.code === "lost" && !this.#lost.has(contents)) this.#askSoon(contents);
      this.#lost.add(contents);
    }
    this.#inspector.fireDidChange();
  }

  /** What is worth a look there. Where that can't be told, the findings are told without it. */
  async #look({ contents, abort }: StepCheck, ignored: readonly string[]): Promise<LensAnswer | undefined> {
    const { frame, answer } = contents;
    const options = { ignore: ignored.join(" ") };
    const input: LensInput = { lens: "observations", values: {}, snapshot: answer.snapshot, options };
    return askInSlices(this.#helper, frame, input, { signal: abort.signal }).catch(() => undefined);
  }

  /** Where it runs the models, the frame is read again before the answer is shown. */
  async #askLens(task: StepCheck, input: LensInput, onProgress: (progress: number) => void): Promise<LensAnswer> {
    const { frame } = task.contents;
    try {
      return await askInSlices(this.#helper, frame, input, { onProgress, signal: task.abort.signal });
    } finally {
      if (task.mode === "running") {
        task.hasRun = true;
        this.#runs.noteRun(task.contents, []);
        task.contents = (await this.#inspector.readAfterRun(frame)) ?? task.contents;
      }
    }
  }
}

function isOf(task: StepCheck, contents: Contents | undefined): boolean {
  return task.contents.frame.key === contents?.frame.key;
}

function inputOf({ contents, mode }: StepCheck, ignored: readonly string[]): LensInput {
  const { frame, answer } = contents;
  const run = mode === "running" ? { run: true } : {};
  const options = { thorough: mode !== "usual", ignore: ignored.join(" "), stop: frame.stop, ...run };
  return { lens: "findings", values: {}, snapshot: answer.snapshot, options };
}
