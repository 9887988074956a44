import * as l10n from "@vscode/l10n";
import type { Frame } from "../debug/frame.ts";
import { type Job, NoReply } from "../debug/queue.ts";
import type { Session } from "../debug/session.ts";
import type { Preferences } from "../protocol/generated.ts";
import { type Bundle, injectExpression, PROBE } from "./injection.ts";
import { noReply, notRun, Refusal } from "./refusal.ts";

/** The helper as it is put into programs, and the preferences that it is sent. */
export interface Setup {
  readonly bundle: () => Bundle;
  readonly preferences: () => Preferences;
  readonly log: (text: string) => void;
}

/** How much longer than other requests the injection may take, unless one had no reply even then. */
const INJECTING = 5;

/** One debugged program: whether the helper is in it, and which routes to it answer at present. */
export class Program {
  readonly #session: Session;
  readonly #setup: Setup;
  /** An injection under way; fulfilled when it has come to its end, whatever that is. */
  #injecting: Promise<void> | undefined;
  #injected = false;
  /** The factor by which an injection may take longer than usual: the first one comes when a slow machine is busiest. */
  #patience = INJECTING;
  /** The debugger runs an evaluate without a frame but does not answer, as older debugpy: all is asked on the frame. */
  #mute = false;
  /** The stop at which an evaluate on a frame got no reply, so that further ones name no frame; if these fail too, none is sent. */
  #lost: { readonly stop: number; readonly beside: boolean } | undefined;
  /** The stop at which a lens was cancelled whose code runs on. */
  #stuck: number | undefined;
  /** torch.compile is at work in the process: no frame is trusted to answer. */
  frameless = false;

  constructor(session: Session, setup: Setup) {
    this.#session = session;
    this.#setup = setup;
  }

  /** Whether a question can be put without a frame, as while the program runs. */
  get hears(): boolean {
    return !this.#mute;
  }

  isLost(frame: Frame): boolean {
    return this.isLostOn(frame) && this.#lost?.beside === true;
  }

  isLostOn(frame: Frame): boolean {
    return this.#lost?.stop === frame.stop;
  }

  /** An evaluate on the frame has not come back: what else is asked at this stop goes around it. */
  loseOn(frame: Frame): void {
    this.#lost = { stop: frame.stop, beside: this.isLost(frame) };
  }

  /** Neither route answers: nothing more is asked at this stop. */
  giveUp(frame: Frame | undefined): never {
    if (frame) this.#lost = { stop: frame.stop, beside: true };
    throw noReply();
  }

  /** An evaluate on the frame has returned. */
  answers(): void {
    this.#lost = undefined;
  }

  /** A lens was cancelled, and what it runs does not end: nothing is asked at this stop until it does. */
  stick(frame: Frame): void {
    this.#stuck = frame.stop;
  }

  isStuck(frame: Frame): boolean {
    return this.#stuck === frame.stop;
  }

  /** The code that ran for a lens at this stop has ended. */
  unstick(frame: Frame): void {
    if (this.isStuck(frame)) this.#stuck = undefined;
  }

  /** Whether requests for this frame go beside it, without naming it. */
  avoids(frame: Frame): boolean {
    return !this.#mute && (this.frameless || this.isLostOn(frame));
  }

  /** What runs the program's code is not sent to a frame that is still busy: it would run when nobody waits any more. */
  async awaitFrame(frame: Frame): Promise<void> {
    try {
      const send: Job["send"] = (onLeft) => this.#session.evaluate(PROBE, frame.frameId, onLeft);
      await this.#session.queue.ask({ send, over: () => frame.over });
    } catch (error) {
      if (!(error instanceof NoReply)) throw error;
      throw notRun();
    }
    this.answers();
  }

  /** Fulfilled when the helper is in the program, to which it is brought where it is not; whether it was there before. */
  async reach(frame: Frame | undefined): Promise<boolean> {
    if (this.#injecting && !(await isSettled(this.#injecting, this.#session.queue.limit))) this.giveUp(frame);
    const wasThere = this.#injected;
    if (!wasThere) {
      await this.inject(frame?.frameId).catch((error: unknown) => {
        if (error instanceof NoReply) this.giveUp(frame);
        throw error;
      });
    }
    return wasThere;
  }

  /** The helper proved gone, or another version's. */
  miss(): void {
    this.#injected = false;
  }

  inject(frameId?: number): Promise<void> {
    const injected = this.#putIn(frameId);
    const ended = (error?: unknown): void => {
      this.#injecting = undefined;
      if (error instanceof NoReply) this.#patience = 1;
    };
    this.#injecting = injected.then(ended, ended);
    return injected;
  }

  /** Without a frame if that is answered: in one that Dynamo runs the helper itself would be compiled. */
  async #putIn(frameId: number | undefined): Promise<void> {
    const { bundle, preferences, log } = this.#setup;
    const expression = injectExpression(bundle(), preferences());
    const run = (on?: number): Promise<string> => {
      const send: Job["send"] = (onLeft) => this.#session.evaluate(expression, on, onLeft);
      return this.#session.queue.ask({ send, over: () => this.#session.ended, patience: this.#patience });
    };
    let reply = this.#mute ? "" : await run();
    this.#mute = reply === "";
    if (this.#mute && frameId !== undefined) reply = await run(frameId);
    const answer = parseInjected(reply);
    if (answer.error !== undefined) throw new Refusal("unreachable", answer.error);
    this.#injected = true;
    this.answers();
    this.frameless = answer.frameless === true;
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
    throw new Refusal("unreachable", l10n.t("the debugger replied what no helper says: {0}", reply.slice(0, 100)));
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
