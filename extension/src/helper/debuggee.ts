import * as l10n from "@vscode/l10n";
import type { Frame } from "../debug/frame.ts";
import { type Job, NoReply } from "../debug/queue.ts";
import type { Session } from "../debug/session.ts";
import type { FrameAnswer, Preferences, Watchpoint } from "../protocol/generated.ts";
import { type Bundle, injectExpression, PROBE } from "./injection.ts";
import { noReply, notRun, Refusal } from "./refusal.ts";

/** The helper as it is put into programs, the preferences that it is sent, and the watchpoints that are to be on in them. */
export interface Setup {
  readonly bundle: () => Bundle;
  readonly preferences: () => Preferences;
  readonly watchpoints: () => readonly Watchpoint[];
  readonly log: (text: string) => void;
}

/** How many times the usual limit an injection may take; once one had no reply even then, the next has the usual limit. */
const INJECTION_PATIENCE = 5;

/** A program under the debugger: whether the helper is in it, and which routes to it answer at present. */
export class Debuggee {
  readonly #session: Session;
  readonly #setup: Setup;
  /** An injection under way; fulfilled when it has come to its end, whatever that is. */
  #injecting: Promise<void> | undefined;
  #injected = false;
  /** How many times the usual limit the next injection may take: the first one comes when a slow machine is busiest. */
  #patience = INJECTION_PATIENCE;
  /** False for older debuggers, which run an evaluate without a frame but do not answer it: all is asked on the frame. */
  #answersBesideFrames = true;
  /** The stop at which an evaluate on the frame got no reply; `beside` if one without a frame got none either. */
  #unanswered: { readonly stop: number; readonly beside: boolean } | undefined;
  /** The stop at which a lens was cancelled whose code runs on. */
  #blocked: number | undefined;
  /** torch.compile is at work in the process: no frame is trusted to answer. */
  #frameless = false;

  constructor(session: Session, setup: Setup) {
    this.#session = session;
    this.#setup = setup;
  }

  get isInjected(): boolean {
    return this.#injected;
  }

  /** Fulfilled when no injection is under way. */
  get injectionEnded(): Promise<void> {
    return this.#injecting ?? Promise.resolve();
  }

  /** Whether it answers what names no frame. */
  get answersBesideFrames(): boolean {
    return this.#answersBesideFrames;
  }

  /** The helper has said whether torch.compile is at work. */
  setFrameless({ frameless }: Pick<FrameAnswer, "frameless">): void {
    this.#frameless = frameless === true;
  }

  /** Neither route has answered at this stop: nothing more is asked. */
  isUnreachable(frame: Frame): boolean {
    return this.isBusy(frame) && this.#unanswered?.beside === true;
  }

  /** An evaluate on the frame has not been answered at this stop: what else is asked goes beside it. */
  isBusy(frame: Frame): boolean {
    return this.#unanswered?.stop === frame.stop;
  }

  setBusy(frame: Frame): void {
    this.#unanswered = { stop: frame.stop, beside: this.isUnreachable(frame) };
  }

  /** An evaluate on the frame was answered. */
  setIdle(): void {
    this.#unanswered = undefined;
  }

  /** Neither route answers, so nothing more is asked at this stop: the error to throw. */
  giveUp(frame: Frame): Refusal {
    this.#unanswered = { stop: frame.stop, beside: true };
    return noReply();
  }

  /** A lens was cancelled, and what it runs does not end: nothing is asked at this stop until it does. */
  block(frame: Frame): void {
    this.#blocked = frame.stop;
  }

  isBlocked(frame: Frame): boolean {
    return this.#blocked === frame.stop;
  }

  /** The code that ran for a lens at this stop has ended. */
  unblock(frame: Frame): void {
    if (this.isBlocked(frame)) this.#blocked = undefined;
  }

  /** Whether requests for this frame go beside it, without naming it. */
  goesBeside(frame: Frame): boolean {
    return this.answersBesideFrames && (this.#frameless || this.isBusy(frame));
  }

  /** Waits until the frame is free: code that is sent to a busy frame would run when nobody waits for it any more. */
  async awaitIdle(frame: Frame): Promise<void> {
    try {
      const send: Job["send"] = (onLeft) => this.#session.evaluate(PROBE, frame.frameId, onLeft);
      await this.#session.queue.ask({ send, over: () => frame.over });
    } catch (error) {
      if (!(error instanceof NoReply)) throw error;
      throw notRun();
    }
    this.setIdle();
  }

  /** Injects the helper unless it is in the program, and tells whether it was there before. */
  async ensureHelper(frame: Frame): Promise<boolean> {
    // If an injection fails for which several requests wait, the first of them injects again, and the others wait for that.
    while (this.#injecting) {
      if (!(await isSettled(this.#injecting, this.#session.queue.limit))) throw this.giveUp(frame);
    }
    const wasThere = this.#injected;
    if (!wasThere) {
      await this.inject(frame.frameId).catch((error: unknown) => {
        throw error instanceof NoReply ? this.giveUp(frame) : error;
      });
    }
    return wasThere;
  }

  /** The helper proved gone, or another version's. */
  forgetHelper(): void {
    this.#injected = false;
  }

  inject(frameId?: number): Promise<void> {
    const injected = this.#evaluateInjection(frameId);
    const ended = (error?: unknown): void => {
      this.#injecting = undefined;
      if (error instanceof NoReply) this.#patience = 1;
    };
    this.#injecting = injected.then(ended, ended);
    return injected;
  }

  /** Without a frame if that is answered: in one that Dynamo runs the helper itself would be compiled. */
  async #evaluateInjection(frameId: number | undefined): Promise<void> {
    const { bundle, preferences, watchpoints, log } = this.#setup;
    const expression = injectExpression(bundle(), preferences(), watchpoints());
    const run = (on?: number): Promise<string> => {
      const send: Job["send"] = (onLeft) => this.#session.evaluate(expression, on, onLeft);
      return this.#session.queue.ask({ send, over: () => this.#session.ended, patience: this.#patience });
    };
    let reply = this.#answersBesideFrames ? await run() : "";
    this.#answersBesideFrames = reply !== "";
    if (!this.#answersBesideFrames && frameId !== undefined) reply = await run(frameId);
    const answer = parseInjected(reply);
    if (answer.error !== undefined) throw new Refusal("unreachable", answer.error);
    this.#injected = true;
    this.setIdle();
    this.setFrameless(answer);
    log(`helper ${answer.version} is in process ${answer.pid}, Python ${answer.python}`);
  }
}

/** What the injection replies. */
interface Injected {
  readonly version: string;
  readonly python: string;
  readonly pid: number;
  readonly frameless?: true;
  readonly error?: string;
}

function parseInjected(reply: string): Injected {
  try {
    return JSON.parse(reply) as Injected;
  } catch {
    throw new Refusal("unreachable", l10n.t("unexpected reply from the debugger: {0}", reply.slice(0, 100)));
  }
}

/** Whether a promise is fulfilled within so many milliseconds. */
async function isSettled(promise: Promise<void>, limit: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limit);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
