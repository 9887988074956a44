import type { DebugProtocol } from "@vscode/debugprotocol";
import * as vscode from "vscode";
import { DEBUG_TYPE } from "../ids.ts";
import { EvaluateQueue } from "./queue.ts";

const DEBUG_TYPES: readonly string[] = Object.values(DEBUG_TYPE);

export function isPython({ type }: vscode.DebugSession): boolean {
  return DEBUG_TYPES.includes(type);
}

/** Whether the adapter shows a file in whose lines the program's stand elsewhere: a cell's in the window's script. */
export function movesLines({ type }: vscode.DebugSession): boolean {
  return type === DEBUG_TYPE.interactiveWindow;
}

/** Where a stack frame stands, as the adapter last said. */
export interface Place {
  readonly thread: number;
  readonly function: string;
  readonly source: DebugProtocol.Source | undefined;
}

/** One debugged process, and what its messages tell. `Sessions` alone writes it, all others read. */
export class Session {
  readonly queue = new EvaluateQueue();
  readonly vscode: vscode.DebugSession;
  /** The frames that the adapter has named since their thread last ran, by their ids. */
  readonly #places = new Map<number, Place>();
  readonly #asked = new Set<Asked>();
  #ended = false;
  #paused = false;
  #stop = 0;
  #runs = 0;
  /** Threads that have gone on alone since the last stop, with their numbers. */
  readonly #alone = new Map<number, number>();
  readonly #runsAlone = new Map<number, number>();

  constructor(session: vscode.DebugSession) {
    this.vscode = session;
  }

  get id(): string {
    return this.vscode.id;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Where a frame stands, if the adapter has named it since its thread last ran. */
  placeOf(frameId: number): Place | undefined {
    return this.#places.get(frameId);
  }

  isPaused(thread: number): boolean {
    return this.#paused && !this.#alone.has(thread);
  }

  /** Changes when the thread goes on and at each stop: frame ids repeat from stop to stop, this number never does. */
  stopOf(thread: number): number {
    return this.#alone.get(thread) ?? this.#stop;
  }

  /** How often the thread went on: what was looked at before is of no use after. */
  runsOf(thread: number): number {
    return this.#runs + (this.#runsAlone.get(thread) ?? 0);
  }

  /** All have stopped, for what happened in one thread: frames of others, if they stood still all along, keep their places. */
  stopped(number: number, thread: number | undefined): void {
    this.#stop = number;
    this.#paused = true;
    this.#alone.clear();
    this.#leave(thread);
  }

  /** All went on. */
  wentOn(number: number): void {
    this.#stop = number;
    this.#paused = false;
    this.#runs += 1;
    this.#alone.clear();
    this.#leave(undefined);
  }

  /** As with `"steppingResumesAllThreads": false`: other threads stay paused, and are looked at. */
  wentOnAlone(number: number, thread: number): void {
    this.#alone.set(thread, number);
    this.#runsAlone.set(thread, (this.#runsAlone.get(thread) ?? 0) + 1);
    this.#leave(thread);
  }

  end(number: number): void {
    this.#ended = true;
    this.wentOn(number);
  }

  /** The adapter has named frames of a thread. */
  names(thread: number, frames: readonly DebugProtocol.StackFrame[]): void {
    for (const { id, name, source } of frames) this.#places.set(id, { thread, function: name, source });
  }

  /** The frames of a thread, or of all, are not what they were. */
  #leave(thread: number | undefined): void {
    for (const [id, place] of this.#places)
      if (thread === undefined || place.thread === thread) this.#places.delete(id);
    this.queue.sweep();
    this.#asked.clear(); // whose replies are late: VS Code brings those that come at all
  }

  /** The reply is taken as soon as it is heard: VS Code brings it by way of its window, which is painting the stop. */
  async evaluate(expression: string, frameId: number | undefined): Promise<string> {
    // Raw strings come whole: every other way cuts them at 65,536 characters.
    const request = { expression, context: "watch", format: { rawString: true } };
    const asked: Asked = { expression };
    this.#asked.add(asked);
    const heard = new Promise<string>((resolve) => (asked.reply = resolve));
    const brought: PromiseLike<DebugProtocol.EvaluateResponse["body"]> = this.vscode.customRequest(
      "evaluate",
      frameId === undefined ? request : { ...request, frameId },
    );
    try {
      return await Promise.race([heard, brought.then(({ result }) => result)]);
    } finally {
      this.#asked.delete(asked);
    }
  }

  /** Has the adapter name the top frame of a thread, if that is still paused. */
  askForTop(threadId: number): void {
    const nobodyNeedsIt = (): undefined => undefined;
    this.vscode.customRequest("stackTrace", { threadId, startFrame: 0, levels: 1 }).then(nobodyNeedsIt, nobodyNeedsIt);
  }

  /** A request is on its way to the adapter: one of ours is known by its text. */
  sends({ seq, arguments: { expression } }: DebugProtocol.EvaluateRequest): void {
    const asked = [...this.#asked].find((one) => one.seq === undefined && one.expression === expression);
    if (asked) asked.seq = seq;
  }

  /** What the adapter replies. Why a request failed is left to VS Code to say. */
  hears({ request_seq, success, body }: DebugProtocol.EvaluateResponse): void {
    if (success) [...this.#asked].find(({ seq }) => seq === request_seq)?.reply?.(body.result);
  }
}

/** An evaluate of ours under way; its number once it has been seen to leave. */
interface Asked {
  readonly expression: string;
  seq?: number;
  reply?: (result: string) => void;
}

/** Which session has stopped and why, in which thread if its adapter says so, and whether it wants that to be looked at. */
export interface Stopped {
  readonly session: Session;
  readonly reason: string;
  readonly threadId: number | undefined;
  readonly takesFocus: boolean;
}

/** The frames of a thread from `start` on, the top one being 0, as its adapter has just named them. */
export interface Named {
  readonly session: Session;
  readonly thread: number;
  readonly start: number;
  readonly frames: readonly DebugProtocol.StackFrame[];
}

/** Frames that were asked for, from `start` on, and at which stop. */
interface StackRequest {
  readonly thread: number;
  readonly start: number;
  readonly stop: number;
}

/** All sessions under way. Says when one stops, changes under the user's hand, or ends. */
export class Sessions implements vscode.DebugAdapterTrackerFactory, vscode.Disposable {
  readonly #sessions = new Map<string, Session>();
  /** Of all sessions together: one that is started anew has the id of the old one, but no number of its. */
  #stops = 0;
  readonly #initialized = new vscode.EventEmitter<Session>();
  readonly #stopped = new vscode.EventEmitter<Stopped>();
  readonly #named = new vscode.EventEmitter<Named>();
  readonly #changed = new vscode.EventEmitter<Session>();
  readonly #ended = new vscode.EventEmitter<Session>();
  readonly #registrations: vscode.Disposable[];
  readonly #log: (text: string) => void;

  /** The adapter can be asked. What a listener sends at once comes before what VS Code sends then. */
  readonly onDidInitialize = this.#initialized.event;
  readonly onDidStop = this.#stopped.event;
  /** The adapter has named frames: VS Code asks for the top one first, for its callers a moment later. */
  readonly onDidName = this.#named.event;
  /** The user assigned something, or ran something in the console. */
  readonly onDidChange = this.#changed.event;
  readonly onDidEnd = this.#ended.event;

  constructor(log: (text: string) => void) {
    this.#log = log;
    this.#registrations = DEBUG_TYPES.map((type) => vscode.debug.registerDebugAdapterTrackerFactory(type, this));
  }

  get(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  /** Whether the session that is looked at debugs Python, or where there is none yet, one that has begun. */
  get debugging(): boolean {
    const active = vscode.debug.activeDebugSession;
    return active ? isPython(active) : this.#sessions.size > 0;
  }

  createDebugAdapterTracker(debugSession: vscode.DebugSession): vscode.DebugAdapterTracker {
    const session = new Session(debugSession);
    const old = this.#sessions.get(session.id);
    if (old) this.#end(old);
    this.#sessions.set(session.id, session);
    const consoleRequests = new Set<number>();
    const stackRequests = new Map<number, StackRequest>();
    const end = (): void => this.#end(session);
    return {
      onWillReceiveMessage: this.#safely((message) => {
        if (isStackTrace(message)) {
          const { threadId, startFrame = 0 } = message.arguments;
          stackRequests.set(message.seq, { thread: threadId, start: startFrame, stop: session.stopOf(threadId) });
        } else if (isEvaluate(message)) {
          if (message.arguments.context === "repl") consoleRequests.add(message.seq);
          else session.sends(message);
        }
      }),
      onDidSendMessage: this.#safely((message) => {
        if (message.type === "event") this.#event(session, message as DebugProtocol.Event);
        else if (message.type === "response") {
          const response = message as DebugProtocol.Response;
          const assigned = response.success && ["setVariable", "setExpression"].includes(response.command);
          const stack = stackRequests.get(response.request_seq);
          stackRequests.delete(response.request_seq);
          if (stack) this.#name(session, stack, response as DebugProtocol.StackTraceResponse);
          // A statement that raised may have changed something before it did.
          else if (consoleRequests.delete(response.request_seq) || assigned) this.#changed.fire(session);
          else if (response.command === "evaluate") session.hears(response as DebugProtocol.EvaluateResponse);
        }
      }),
      onWillStopSession: end,
      onExit: end,
      onError: end,
    };
  }

  /** VS Code loses a message, and may end the session, if its tracker raises: it does not, whatever an adapter sends. */
  #safely(hear: (message: DebugProtocol.ProtocolMessage) => void): (message: DebugProtocol.ProtocolMessage) => void {
    return (message) => {
      try {
        hear(message);
      } catch (error) {
        this.#log(`a message of the adapter that is not as expected: ${String(error)}`);
      }
    };
  }

  #event(session: Session, event: DebugProtocol.Event): void {
    if (event.event === "initialized") this.#initialized.fire(session);
    else if (event.event === "stopped") {
      const { reason, threadId, preserveFocusHint } = (event as DebugProtocol.StoppedEvent).body;
      session.stopped(this.#number(), threadId);
      this.#stopped.fire({ session, reason, threadId, takesFocus: preserveFocusHint !== true });
    } else if (event.event === "continued") {
      const { threadId, allThreadsContinued } = (event as DebugProtocol.ContinuedEvent).body;
      if (allThreadsContinued === false) session.wentOnAlone(this.#number(), threadId);
      else session.wentOn(this.#number());
    } else if (["terminated", "exited"].includes(event.event)) session.wentOn(this.#number());
  }

  /** What comes when the thread has gone on since is not true any more. */
  #name(session: Session, { thread, start, stop }: StackRequest, response: DebugProtocol.StackTraceResponse): void {
    if (!response.success || !session.isPaused(thread) || session.stopOf(thread) !== stop) return;
    const frames = response.body.stackFrames;
    session.names(thread, frames);
    this.#named.fire({ session, thread, start, frames });
  }

  #number(): number {
    this.#stops += 1;
    return this.#stops;
  }

  #end(session: Session): void {
    session.end(this.#number());
    // An adapter may say late that it has ended: when a session of the same id is there already.
    if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
    this.#ended.fire(session);
  }

  dispose(): void {
    const events = [this.#initialized, this.#stopped, this.#named, this.#changed, this.#ended];
    for (const one of [...this.#registrations, ...events]) one.dispose();
  }
}

function isEvaluate(message: DebugProtocol.ProtocolMessage): message is DebugProtocol.EvaluateRequest {
  return message.type === "request" && (message as DebugProtocol.Request).command === "evaluate";
}

function isStackTrace(message: DebugProtocol.ProtocolMessage): message is DebugProtocol.StackTraceRequest {
  return message.type === "request" && (message as DebugProtocol.Request).command === "stackTrace";
}
