import * as l10n from "@vscode/l10n";
import type { Frame } from "../debug/activeFrame.ts";
import { Lost, Over } from "../debug/queue.ts";
import type { Session } from "../debug/sessions.ts";
import { parseAnswer } from "../protocol/envelope.ts";
import type {
  Answer,
  ChildrenAnswer,
  ChildrenRequest,
  EvaluateRequest,
  FailureCode,
  FrameAnswer,
  FrameRequest,
  InspectRequest,
  NodeAnswer,
  Preferences,
  Request,
} from "../protocol/generated.ts";
import { type Bundle, callExpression, injectExpression, PROBE } from "./injection.ts";

/** What the helper said instead of an answer, or, as `unreachable`, why it could not be asked. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: FailureCode | "unreachable" | "lost";

  constructor(code: Refusal["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** What a request asks, for callers. */
type Question<R extends Request> = Omit<R, "op" | "version" | "at" | "preferences">;

/** A request without what every request carries. */
type Body = Pick<Request, "op">;

interface Running {
  /** Answering it runs the program's own code: it is never sent twice, and only on the frame's own thread. */
  readonly runs: boolean;
  /** Interrupts what runs. */
  readonly aborted?: AbortSignal;
  /** Asked when its turn has come: what nobody waits for any more is not sent. */
  readonly isWanted?: () => boolean;
}

/** How a session's program is reached at present. */
interface Route {
  /** An injection under way; fulfilled when it has come to its end, whatever that is. */
  injecting: Promise<void> | undefined;
  injected: boolean;
  /** How many times the usual limit an injection may take: the first one comes when a slow machine is busiest. */
  patience: number;
  /** torch.compile is at work in the process: no frame is trusted to answer. */
  frameless: boolean;
  /** What names no frame is run but not answered, as by older debugpy: all is asked on the frame. */
  mute: boolean;
  /** The stop at which an evaluate on a frame was lost: its other requests go without a frame. */
  lostOnFrame: number;
  /** The stop at which one without a frame was lost too: it is asked nothing more. */
  lost: number;
}

/** Typed calls to the helper in the program; injects it ahead of the first, else with it. */
export class Calls {
  readonly #bundle: Bundle;
  readonly #log: (text: string) => void;
  readonly #preferences: () => Preferences;
  /** Numbers of requests that run the program's code. */
  #last = 0;
  readonly #routes = new WeakMap<Session, Route>();

  constructor(bundle: Bundle, log: (text: string) => void, preferences: () => Preferences) {
    this.#bundle = bundle;
    this.#log = log;
    this.#preferences = preferences;
  }

  /**
   * Puts the helper in as soon as the adapter can be asked, ahead of all that VS Code asks: at the first stop the
   * debugger's own views ask at once, and are to ask us. Sent before this returns; fulfilled whatever comes of it.
   */
  prepare(session: Session): Promise<void> {
    const route = this.#routeOf(session);
    return this.#inject(session, route).catch((error: unknown) => this.#log(`prepare: ${String(error)}`));
  }

  frame(frame: Frame, question: Question<FrameRequest>): Promise<FrameAnswer> {
    return this.#call(frame, { op: "frame", ...question });
  }

  children(frame: Frame, question: Question<ChildrenRequest>, how: Running = READING): Promise<ChildrenAnswer> {
    return this.#call(frame, { op: "children", ...question }, how);
  }

  inspect(frame: Frame, question: Question<InspectRequest>, isWanted: () => boolean): Promise<NodeAnswer> {
    return this.#call(frame, { op: "inspect", ...question }, { runs: false, isWanted });
  }

  evaluate(frame: Frame, question: Question<EvaluateRequest>, aborted?: AbortSignal): Promise<NodeAnswer> {
    return this.#call(frame, { op: "evaluate", ...question }, { runs: true, ...(aborted && { aborted }) });
  }

  async #call<A extends Answer>(frame: Frame, question: Body, how: Running = READING): Promise<A> {
    try {
      const answer = await this.#onSomeRoute(frame, question, how);
      if (answer.op === "error") throw new Refusal(answer.error.code, answer.error.message);
      if (answer.op === "frame") this.#routeOf(frame.session).frameless = answer.frameless === true;
      return answer as A;
    } catch (error) {
      if (!(error instanceof Over)) this.#log(`${question.op}: ${String(error)}`);
      throw error;
    }
  }

  /**
   * On its frame if that answers, else without one. An evaluate never comes back from a frame that Dynamo runs, but
   * one without a frame does, even while the other hangs: the helper then finds the frame by its ids.
   */
  async #onSomeRoute(frame: Frame, question: Body, how: Running): Promise<Answer> {
    const route = this.#routeOf(frame.session);
    if (route.lost === frame.stop) throw noReply();
    if (how.runs && route.lostOnFrame === frame.stop) await this.#awaitFrame(frame, route);
    if (!avoidsFrame(route, frame)) {
      try {
        return await this.#withHelper(frame, route, question, how);
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
        route.lostOnFrame = frame.stop;
        if (route.mute) throw giveUp(route, frame);
        this.#log(`${question.op}: no reply on the frame, asking without it`);
      }
    }
    try {
      return await this.#withHelper(frame, route, question, how);
    } catch (error) {
      throw error instanceof Lost ? giveUp(route, frame) : error;
    }
  }

  /** What runs the program's code is not sent to a frame that is still busy: it would run when nobody waits any more. */
  async #awaitFrame(frame: Frame, route: Route): Promise<void> {
    try {
      await frame.session.queue.ask({
        send: () => frame.session.evaluate(PROBE, frame.frameId),
        over: () => frame.over,
      });
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      throw new Refusal("lost", l10n.t("not run: the program is busy with what was asked before"));
    }
    route.lostOnFrame = -1;
  }

  /** Injects the helper if it is not known to be there, and once again if it proves gone or another version's. */
  async #withHelper(frame: Frame, route: Route, question: Body, how: Running): Promise<Answer> {
    const { injecting } = route;
    if (injecting && !(await isSettled(injecting, frame.session.queue.limit))) throw giveUp(route, frame);
    const wasInjected = route.injected;
    if (!wasInjected) {
      await this.#inject(frame.session, route, frame.frameId).catch((error: unknown) => {
        throw error instanceof Lost ? giveUp(route, frame) : error;
      });
    }
    const answer = await this.#ask(frame, route, question, how);
    if (answer !== "missing") return answer;
    route.injected = false;
    if (!wasInjected) throw new Refusal("unreachable", l10n.t("the helper did not stay in the program"));
    return this.#withHelper(frame, route, question, how);
  }

  async #ask(frame: Frame, route: Route, body: Body, how: Running): Promise<Answer | "missing"> {
    const { runs, aborted, isWanted } = how;
    if (runs) this.#last += 1;
    const id = this.#last;
    const common = { version: this.#bundle.version, preferences: this.#preferences(), ...(runs ? { id } : {}) };
    let sent = false;
    let done = false;
    const interrupt = (): void => {
      void this.#interrupt(frame.session, id).then((found) => {
        if (!found && !done) setTimeout(interrupt, AGAIN); // it has not begun yet
      });
    };
    const send = (): PromiseLike<string> => {
      sent = true;
      aborted?.addEventListener("abort", interrupt);
      // What the user asks to be run is run on the frame's own thread: in the modes that are set there, and where it
      // can be interrupted.
      const frameless = avoidsFrame(route, frame) && !runs;
      const at = frameless ? { at: { thread: frame.threadId, frame: frame.frameId } } : {};
      const request = { ...body, ...common, ...at } as Request;
      return frame.session.evaluate(callExpression(request), frameless ? undefined : frame.frameId);
    };
    // While it runs, other questions go around its frame.
    const onAside = (): void => {
      route.lostOnFrame = frame.stop;
    };
    const aside = body.op === "evaluate" ? { onAside } : {};
    const over = (): boolean => frame.over || aborted?.aborted === true || (!sent && isWanted?.() === false);
    try {
      const answer = parseAnswer(await frame.session.queue.ask({ send, over, ...aside }));
      if (runs) route.lostOnFrame = route.lost = -1;
      return answer.op === "error" && answer.error.code === "stale_helper" ? "missing" : answer;
    } catch (error) {
      if (String(error).includes("KeyError: '_tensor_inspector")) return "missing";
      const isGivenUp = error instanceof Lost || error instanceof Over;
      if (runs && sent && isGivenUp && aborted?.aborted !== true) interrupt();
      if (!(runs && error instanceof Lost)) throw error;
      // It may well be under way: sent again it would run a second time, in another thread.
      route.lostOnFrame = frame.stop;
      throw new Refusal("lost", l10n.t("no reply yet"));
    } finally {
      done = true;
      aborted?.removeEventListener("abort", interrupt);
    }
  }

  /**
   * Ends the program's code that still runs on behalf of a request nobody waits for any more. Not through the queue:
   * debugpy answers what names no frame even while it waits for an evaluate on one. False if it did not run.
   */
  async #interrupt(session: Session, id: number): Promise<boolean> {
    const request = { op: "interrupt", version: this.#bundle.version, request: id } as const;
    try {
      const reply = await session.evaluate(callExpression(request), undefined);
      this.#log(`interrupt: ${reply}`);
      const answer = parseAnswer(reply);
      return answer.op !== "interrupt" || answer.interrupted;
    } catch (error) {
      this.#log(`interrupt: ${String(error)}`);
      return true;
    }
  }

  #inject(session: Session, route: Route, frameId?: number): Promise<void> {
    const injected = this.#putIn(session, route, frameId);
    const ended = (error?: unknown): void => {
      route.injecting = undefined;
      if (error instanceof Lost) route.patience = 1;
    };
    route.injecting = injected.then(ended, ended);
    return injected;
  }

  /** Without a frame if that is answered: in one that Dynamo runs the helper itself would be compiled. */
  async #putIn(session: Session, route: Route, frameId: number | undefined): Promise<void> {
    const expression = injectExpression(this.#bundle, this.#preferences());
    const run = (on?: number): Promise<string> => {
      const send = (): PromiseLike<string> => session.evaluate(expression, on);
      return session.queue.ask({ send, over: () => session.ended, patience: route.patience });
    };
    let reply = route.mute ? "" : await run();
    route.mute = reply === "";
    if (route.mute && frameId !== undefined) reply = await run(frameId);
    const answer = parseInjected(reply);
    if (answer.error !== undefined) throw new Refusal("unreachable", answer.error);
    route.injected = true;
    route.lost = -1;
    route.frameless = answer.frameless === true;
    this.#log(`helper ${answer.version} is in process ${answer.pid}, Python ${answer.python}`);
  }

  #routeOf(session: Session): Route {
    let route = this.#routes.get(session);
    if (route === undefined) {
      route = {
        injecting: undefined,
        injected: false,
        patience: INJECTING,
        frameless: false,
        mute: false,
        lostOnFrame: -1,
        lost: -1,
      };
      this.#routes.set(session, route);
    }
    return route;
  }
}

const READING: Running = { runs: false };

/** Milliseconds until what has not begun is looked for again. */
const AGAIN = 100;

/** How much longer than other requests the injection may take, unless one had no reply even then. */
const INJECTING = 5;

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

function noReply(): Refusal {
  return new Refusal("lost", l10n.t("the program did not reply"));
}

/** Neither way to the program answers: it is asked nothing more at this stop. */
function giveUp(route: Route, frame: Frame): Refusal {
  route.lost = frame.stop;
  return noReply();
}

function avoidsFrame(route: Route, frame: Frame): boolean {
  return !route.mute && (route.frameless || route.lostOnFrame === frame.stop);
}
