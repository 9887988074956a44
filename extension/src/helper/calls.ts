import * as l10n from "@vscode/l10n";
import type { Frame } from "../debug/frame.ts";
import { Cancelled, type Job, NoReply } from "../debug/queue.ts";
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
  Request,
  WatchRequest,
} from "../protocol/generated.ts";
import { callExpression } from "./injection.ts";
import { Debuggee, type Setup } from "./debuggee.ts";
import { noReply, notRun, Refusal, stillRuns } from "./refusal.ts";

/** The fields of a request that callers give: the rest is added here. */
type Fields<R extends Request> = Omit<R, "op" | "version" | "at" | "preferences">;

/** A request without what every request carries. */
type Body = Pick<Request, "op">;

/** Options of a request. */
interface CallOptions {
  /** Answering it runs the program's own code: it is never sent twice, and only on the frame's own thread. */
  readonly runs?: boolean;
  /** It must not be sent twice: if it gets no reply on its frame, it is not sent again without one. */
  readonly once?: boolean;
  /** Aborted when nobody waits any more: then it is not sent, or what it runs is interrupted. */
  readonly signal?: AbortSignal | undefined;
}

/** A request on its way. */
interface Call extends CallOptions {
  readonly debuggee: Debuggee;
  readonly frame: Frame;
  readonly body: Body;
}

/** Until a request that was not found running is looked for again. */
const INTERRUPT_RETRY_MS = 100;

/** Typed calls to the helper in the program. Where `prepare` has not injected it, the first call does. */
export class Calls {
  readonly #setup: Setup;
  /** The number of the last request that ran code of the program. */
  #lastId = 0;
  readonly #debuggees = new WeakMap<Session, Debuggee>();

  constructor(setup: Setup) {
    this.#setup = setup;
  }

  /**
   * Injects the helper as soon as the adapter takes requests, before any of VS Code's: at the first stop the debugger's own
   * views ask at once, and are to ask us. It is sent before this returns; the promise is fulfilled also where it fails.
   */
  prepare(session: Session): Promise<void> {
    const injected = this.#debuggeeOf(session).inject();
    return injected.catch((error: unknown) => this.#setup.log(`prepare: ${String(error)}`));
  }

  frame(frame: Frame, fields: Fields<FrameRequest>, signal?: AbortSignal): Promise<FrameAnswer> {
    return this.#call(frame, { op: "frame", ...fields }, { signal });
  }

  children(frame: Frame, fields: Fields<ChildrenRequest>, options?: CallOptions): Promise<ChildrenAnswer> {
    return this.#call(frame, { op: "children", ...fields }, options);
  }

  inspect(frame: Frame, fields: Fields<InspectRequest>, signal?: AbortSignal): Promise<NodeAnswer> {
    return this.#call(frame, { op: "inspect", ...fields }, { signal });
  }

  evaluate(frame: Frame, fields: Fields<EvaluateRequest>, signal?: AbortSignal): Promise<NodeAnswer> {
    return this.#call(frame, { op: "evaluate", ...fields }, { runs: true, signal });
  }

  /**
   * Has the watchpoints be on in a program, and no others: on the thread of a frame that is paused, else, while the
   * program runs, on its main thread. One into which the helper is not injected yet is told of them with that.
   */
  async watch(session: Session, frame: Frame | undefined): Promise<void> {
    const debuggee = this.#debuggeeOf(session);
    await debuggee.injectionEnded; // which has been told of those from before
    if (!debuggee.isInjected) return;
    const { bundle, watchpoints, log } = this.#setup;
    const fields: Fields<WatchRequest> = { watchpoints: [...watchpoints()] };
    if (frame !== undefined && !frame.over) {
      try {
        await this.#call(frame, { op: "watch", ...fields });
        return;
      } catch (error) {
        if (!(error instanceof Cancelled)) throw error; // else the program has run on meanwhile
      }
    }
    const expression = callExpression({ op: "watch", version: bundle().version, ...fields });
    const send: Job["send"] = (onLeft) => session.evaluate(expression, undefined, onLeft);
    const reply = await session.queue.ask({ send, over: () => session.ended }).catch(String);
    log(`watch: ${reply}`);
  }

  /** One slice of a lens's work. */
  lens(frame: Frame, fields: Fields<LensRequest>, signal?: AbortSignal): Promise<LensAnswer> {
    const runs = fields.options?.["run"] === true;
    // A slice that continues is not sent a second time.
    const once = fields.resume !== undefined;
    return this.#call(frame, { op: "lens", ...fields }, { runs, signal, once });
  }

  async #call<A extends Answer>(frame: Frame, body: Body, options: CallOptions = {}): Promise<A> {
    const debuggee = this.#debuggeeOf(frame.session);
    try {
      const answer = await this.#onSomeRoute({ debuggee, frame, body, ...options });
      if (answer.op === "error") throw new Refusal(answer.error.code, answer.error.message);
      if (answer.op === "frame") debuggee.setFrameless(answer);
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
    const { debuggee, frame, body, runs, once } = call;
    if (debuggee.isUnreachable(frame)) throw noReply();
    if (runs && debuggee.isBusy(frame)) await debuggee.awaitIdle(frame);
    if (!debuggee.goesBeside(frame)) {
      try {
        return await this.#withHelper(call);
      } catch (error) {
        if (!(error instanceof NoReply)) throw error;
        debuggee.setBusy(frame);
        if (once) throw noReply();
        if (!debuggee.answersBesideFrames) throw debuggee.giveUp(frame);
        this.#setup.log(`${body.op}: no reply on the frame, asking without it`);
      }
    }
    try {
      return await this.#withHelper(call);
    } catch (error) {
      throw error instanceof NoReply ? debuggee.giveUp(frame) : error;
    }
  }

  /** Injects the helper if it is not known to be there, and once again if it proves gone or another version's. */
  async #withHelper(call: Call): Promise<Answer> {
    const { debuggee, frame } = call;
    const wasThere = await debuggee.ensureHelper(frame);
    const answer = await (call.runs === true ? this.#run(call) : this.#read(call));
    if (answer !== "missing") return answer;
    debuggee.forgetHelper();
    if (!wasThere) throw new Refusal("unreachable", l10n.t("the helper did not stay in the program"));
    return this.#withHelper(call);
  }

  /** Asks what runs no code of the program. Once it is sent, its answer is worth having, also where nobody waits any more. */
  #read(call: Call): Promise<Answer | "missing"> {
    const { frame, signal } = call;
    const send = async (onLeft: () => void): Promise<string> => {
      refuseIfBlocked(call);
      return this.#send(call, onLeft);
    };
    const isShort = call.body.op !== "lens";
    return answerIn(frame.session.queue.ask({ send, over: () => frame.over, signal, isShort }));
  }

  /** Asks what runs code of the program: interrupted where nobody waits any more, and never sent a second time. */
  async #run(call: Call): Promise<Answer | "missing"> {
    const { debuggee, frame, body, signal } = call;
    this.#lastId += 1;
    const id = this.#lastId;
    let sent = false;
    let replied = false;
    const isAborted = (): boolean => signal?.aborted === true;
    const interrupt = (): void => void this.#interrupt(frame.session, id, () => replied || frame.over);
    const send = async (onLeft: () => void): Promise<string> => {
      refuseIfBlocked(call);
      // While this one waited for its turn, another was set aside.
      if (debuggee.isBusy(frame)) throw notRun();
      sent = true;
      signal?.addEventListener("abort", interrupt);
      try {
        return await this.#send(call, onLeft, id);
      } finally {
        replied = true;
        if (body.op === "lens") debuggee.unblock(frame);
      }
    };
    const over = (): boolean => frame.over || isAborted();
    try {
      const answer = await answerIn(frame.session.queue.ask({ send, over, signal, ...patienceFor(call) }));
      debuggee.setIdle();
      return answer;
    } catch (error) {
      const isGivenUp = error instanceof NoReply || error instanceof Cancelled;
      if (sent && isGivenUp && !isAborted()) interrupt();
      if (!(error instanceof NoReply)) throw error;
      // It may well be running: sent again it would run a second time, in another thread.
      debuggee.setBusy(frame);
      throw new Refusal("lost", l10n.t("no reply yet"));
    } finally {
      signal?.removeEventListener("abort", interrupt);
    }
  }

  /** Sends the request on its route; `id` is the number by which what it runs can be interrupted. */
  #send({ debuggee, frame, body }: Call, onLeft: () => void, id?: number): Promise<string> {
    const { bundle, preferences } = this.#setup;
    // What the user asks to be run is run on the frame's own thread: in the modes that are set there, and where it can
    // be interrupted.
    const isBeside = id === undefined && debuggee.goesBeside(frame);
    const request = {
      ...body,
      version: bundle().version,
      preferences: preferences(),
      ...(id === undefined ? {} : { id }),
      ...(isBeside ? { at: { thread: frame.threadId, frame: frame.frameId } } : {}),
    } as Request;
    return frame.session.evaluate(callExpression(request), isBeside ? undefined : frame.frameId, onLeft);
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
      await new Promise((resolve) => setTimeout(resolve, INTERRUPT_RETRY_MS));
    } while (!isOver());
  }

  #debuggeeOf(session: Session): Debuggee {
    const debuggee = this.#debuggees.get(session) ?? new Debuggee(session, this.#setup);
    this.#debuggees.set(session, debuggee);
    return debuggee;
  }
}

function refuseIfBlocked({ debuggee, frame }: Call): void {
  if (debuggee.isBlocked(frame)) throw stillRuns();
}

/** How the queue waits for what runs code of the program. A property has the usual limit, as what runs nothing. */
function patienceFor({ debuggee, frame, body }: Call): Pick<Job, "onAside" | "onStuck"> {
  // From then on, all other requests go beside the frame.
  if (body.op === "evaluate") return { onAside: () => debuggee.setBusy(frame) };
  // While a lens runs models, copies stand in their places, which nobody is to see.
  return body.op === "lens" ? { onStuck: () => debuggee.block(frame) } : {};
}

/** The answer in a reply; "missing" where the helper is not in the program, or is another version's. */
async function answerIn(reply: Promise<string>): Promise<Answer | "missing"> {
  try {
    const answer = parseAnswer(await reply);
    return answer.op === "error" && answer.error.code === "stale_helper" ? "missing" : answer;
  } catch (error) {
    if (String(error).includes("KeyError: '_tensor_inspector")) return "missing";
    throw error;
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
