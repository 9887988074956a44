import * as l10n from "@vscode/l10n";
import type { Frame } from "../debug/frame.ts";
import { NoReply, Cancelled } from "../debug/queue.ts";
import type { Session } from "../debug/session.ts";
import { parseAnswer } from "../protocol/envelope.ts";
import type {
  Answer,
  ChildrenAnswer,
  ChildrenRequest,
  EvaluateRequest,
  FrameAnswer,
  FrameRequest,
  InspectRequest,
  LensAnswer,
  LensRequest,
  NodeAnswer,
  Preferences,
  Request,
} from "../protocol/generated.ts";
import { type Bundle, callExpression } from "./injection.ts";
import { Program, type Setup } from "./program.ts";
import { noReply, notRun, Refusal, stillRuns } from "./refusal.ts";

/** What a request asks, for callers: the rest is added here. */
type Ask<R extends Request> = Omit<R, "op" | "version" | "at" | "preferences">;

/** A request without what every request carries. */
type Body = Pick<Request, "op">;

/** The target of a request: a paused frame, or the program of a session, which may be running. */
export type CallTarget = Frame | Session;

/** Options of a request. */
export interface CallOptions {
  /** Answering it runs the program's own code: it is never sent twice, and only on the frame's own thread. */
  readonly runs?: boolean;
  /** It must not be sent twice: if it gets no reply on its frame, it is not sent again without one. */
  readonly once?: boolean;
  /** Aborted when nobody waits any more: then it is not sent, or what it runs is interrupted. */
  readonly signal?: AbortSignal | undefined;
}

/** A request on its way. */
interface Call extends CallOptions {
  readonly program: Program;
  readonly session: Session;
  readonly frame: Frame | undefined;
  readonly body: Body;
}

/** Milliseconds until a request that was not found running is looked for again. */
const AGAIN = 100;

/** Typed calls to the helper in the program; injects it ahead of the first, else with it. */
export class Calls {
  readonly #setup: Setup;
  /** Numbers of requests that run the program's code. */
  #last = 0;
  readonly #programs = new WeakMap<Session, Program>();

  constructor(bundle: () => Bundle, log: (text: string) => void, preferences: () => Preferences) {
    this.#setup = { bundle, log, preferences };
  }

  /**
   * Puts the helper in as soon as the adapter can be asked, ahead of all that VS Code asks: at the first stop the
   * debugger's own views ask at once, and are to ask us. Sent before this returns; fulfilled whatever comes of it.
   */
  prepare(session: Session): Promise<void> {
    const injected = this.#programOf(session).inject();
    return injected.catch((error: unknown) => this.#setup.log(`prepare: ${String(error)}`));
  }

  frame(frame: Frame, asked: Ask<FrameRequest>, signal?: AbortSignal): Promise<FrameAnswer> {
    return this.#call(frame, { op: "frame", ...asked }, { signal });
  }

  children(frame: Frame, asked: Ask<ChildrenRequest>, options?: CallOptions): Promise<ChildrenAnswer> {
    return this.#call(frame, { op: "children", ...asked }, options);
  }

  inspect(frame: Frame, asked: Ask<InspectRequest>, signal?: AbortSignal): Promise<NodeAnswer> {
    return this.#call(frame, { op: "inspect", ...asked }, { signal });
  }

  evaluate(frame: Frame, asked: Ask<EvaluateRequest>, signal?: AbortSignal): Promise<NodeAnswer> {
    return this.#call(frame, { op: "evaluate", ...asked }, { runs: true, signal });
  }

  /** One slice of a lens's work. */
  lens(target: CallTarget, asked: Ask<LensRequest>, signal?: AbortSignal): Promise<LensAnswer> {
    const runs = asked.options?.["run"] === true;
    // What has begun is not sent a second time.
    const once = asked.resume !== undefined;
    return this.#call(target, { op: "lens", ...asked }, { runs, signal, once });
  }

  async #call<A extends Answer>(target: CallTarget, body: Body, options: CallOptions = {}): Promise<A> {
    const frame = "frameId" in target ? target : undefined;
    const session = "frameId" in target ? target.session : target;
    const program = this.#programOf(session);
    try {
      const answer = await this.#onSomeRoute({ program, session, frame, body, ...options });
      if (answer.op === "error") throw new Refusal(answer.error.code, answer.error.message);
      if (answer.op === "frame") program.frameless = answer.frameless === true;
      return answer as A;
    } catch (error) {
      if (!(error instanceof Cancelled)) this.#setup.log(`${body.op}: ${String(error)}`);
      throw error;
    }
  }

  /**
   * By one of two routes: on its frame if that answers, else beside it, without one. An evaluate never comes back from
   * a frame that Dynamo runs, but one without a frame does, even while the other hangs: the helper then finds the frame
   * by its ids.
   */
  async #onSomeRoute(call: Call): Promise<Answer> {
    const { program, frame, body, runs, once } = call;
    if (frame === undefined) return this.#beside(call);
    if (program.isLost(frame)) throw noReply();
    if (runs && program.isLostOn(frame)) await program.awaitFrame(frame);
    if (!program.avoids(frame)) {
      try {
        return await this.#withHelper(call);
      } catch (error) {
        if (!(error instanceof NoReply)) throw error;
        program.loseOn(frame);
        if (once) throw noReply();
        if (!program.hears) program.giveUp(frame);
        this.#setup.log(`${body.op}: no reply on the frame, asking without it`);
      }
    }
    return this.#beside(call);
  }

  /** Without a frame: the debugger's own thread answers, also while the program runs. */
  async #beside(call: Call): Promise<Answer> {
    const { program, frame } = call;
    if (frame === undefined && !program.hears) {
      throw new Refusal("unreachable", l10n.t("this version of the debugger answers only where the program is paused"));
    }
    try {
      return await this.#withHelper(call);
    } catch (error) {
      if (error instanceof NoReply) program.giveUp(frame);
      throw error;
    }
  }

  /** Injects the helper if it is not known to be there, and once again if it proves gone or another version's. */
  async #withHelper(call: Call): Promise<Answer> {
    const { program, frame } = call;
    const wasThere = await program.reach(frame);
    const answer = await this.#ask(call);
    if (answer !== "missing") return answer;
    program.miss();
    if (!wasThere) throw new Refusal("unreachable", l10n.t("the helper did not stay in the program"));
    return this.#withHelper(call);
  }

  async #ask({ program, session, frame, body, runs = false, signal }: Call): Promise<Answer | "missing"> {
    if (runs) this.#last += 1;
    const id = this.#last;
    const { bundle, preferences } = this.#setup;
    const common = { version: bundle().version, preferences: preferences(), ...(runs ? { id } : {}) };
    const isOver = (): boolean => (frame ? frame.over : session.ended);
    // Models run on copies that stand in their places meanwhile: nobody is to see these.
    const isAlone = runs && body.op === "lens";
    let sent = false;
    let replied = false;
    const interrupt = (): void => void this.#interrupt(session, id, () => replied || isOver());
    const send = async (onLeft: () => void): Promise<string> => {
      if (frame && program.isStuck(frame)) throw stillRuns();
      // What was set aside while this one waited for its turn.
      if (runs && frame && program.isLostOn(frame)) throw notRun();
      sent = true;
      if (runs) signal?.addEventListener("abort", interrupt);
      // What the user asks to be run is run on the frame's own thread: in the modes that are set there, and where it
      // can be interrupted.
      const frameless = frame !== undefined && program.avoids(frame) && !runs;
      const at = frameless ? { at: { thread: frame.threadId, frame: frame.frameId } } : {};
      const request = { ...body, ...common, ...at } as Request;
      try {
        return await session.evaluate(callExpression(request), frameless ? undefined : frame?.frameId, onLeft);
      } finally {
        replied = true;
        if (isAlone && frame) program.unstick(frame);
      }
    };
    // While it runs, other questions go around its frame.
    const onAside = (): void => {
      if (frame) program.loseOn(frame);
    };
    const evaluating = body.op === "evaluate" ? { onAside } : {};
    const onStuck = (): void => {
      if (frame) program.stick(frame);
    };
    const alone = isAlone ? { onStuck } : {};
    const isAborted = (): boolean => signal?.aborted === true;
    // The queue drops what was not sent yet. What was sent is worth having all the same, unless it was to be run.
    const over = (): boolean => isOver() || (isAborted() && runs);
    try {
      const answer = parseAnswer(await session.queue.ask({ send, over, signal, ...alone, ...evaluating }));
      if (runs) program.answers();
      return answer.op === "error" && answer.error.code === "stale_helper" ? "missing" : answer;
    } catch (error) {
      if (String(error).includes("KeyError: '_tensor_inspector")) return "missing";
      const isGivenUp = error instanceof NoReply || error instanceof Cancelled;
      if (runs && sent && isGivenUp && !isAborted()) interrupt();
      if (!(runs && error instanceof NoReply)) throw error;
      // It may well be under way: sent again it would run a second time, in another thread.
      if (frame) program.loseOn(frame);
      throw new Refusal("lost", l10n.t("no reply yet"));
    } finally {
      signal?.removeEventListener("abort", interrupt);
    }
  }

  /**
   * Ends the program's code that runs on behalf of a request nobody waits for any more; again until that is found, since
   * it may not have begun, and not every debugger answers this. Not through the queue: debugpy answers what names no
   * frame even while it waits for an evaluate on one.
   */
  async #interrupt(session: Session, id: number, isOver: () => boolean): Promise<void> {
    const { bundle, log } = this.#setup;
    const expression = callExpression({ op: "interrupt", version: bundle().version, request: id });
    let said = "";
    do {
      const reply = await session.evaluate(expression, undefined).catch(String);
      if (reply !== said) log(`interrupt: ${reply}`);
      if (isInterrupted(reply)) return;
      said = reply;
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
    } while (!isOver());
  }

  #programOf(session: Session): Program {
    const program = this.#programs.get(session) ?? new Program(session, this.#setup);
    this.#programs.set(session, program);
    return program;
  }
}

function isInterrupted(reply: string): boolean {
  try {
    const answer = parseAnswer(reply);
    return answer.op === "interrupt" && answer.interrupted;
  } catch {
    return false;
  }
}
