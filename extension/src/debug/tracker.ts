import type { DebugProtocol } from "@vscode/debugprotocol";
import * as vscode from "vscode";
import { Replies } from "./replies.ts";
import { Session } from "./session.ts";
import { Threads } from "./threads.ts";

/** Which session has stopped and why, in which thread if its adapter says so, and whether it wants that to be looked at. */
export interface Stopped {
  readonly session: Session;
  readonly reason: string;
  readonly threadId: number | undefined;
  readonly takesFocus: boolean;
}

/** The frames of a thread from `start` on, the top one being 0, as its adapter has just reported them. */
export interface StackTrace {
  readonly session: Session;
  readonly thread: number;
  readonly start: number;
  readonly frames: readonly DebugProtocol.StackFrame[];
}

/** The events of all sessions. */
export class SessionEvents implements vscode.Disposable {
  readonly initialized = new vscode.EventEmitter<Session>();
  readonly stopped = new vscode.EventEmitter<Stopped>();
  readonly stackTrace = new vscode.EventEmitter<StackTrace>();
  readonly valuesChanged = new vscode.EventEmitter<Session>();
  readonly ended = new vscode.EventEmitter<Session>();

  dispose(): void {
    for (const one of [this.initialized, this.stopped, this.stackTrace, this.valuesChanged, this.ended]) one.dispose();
  }
}

/** Frames that were asked for, from `start` on, and at which stop. */
interface StackRequest {
  readonly thread: number;
  readonly start: number;
  readonly stop: number | undefined;
}

/** Listens to the messages between VS Code and one debugged process; it alone updates the `Session` from them. */
export class Tracker implements vscode.DebugAdapterTracker {
  readonly session: Session;
  readonly #threads = new Threads();
  readonly #replies = new Replies();
  readonly #events: SessionEvents;
  readonly #log: (text: string) => void;
  /** What the user has typed into the console, by its requests' numbers, until it is answered. */
  readonly #consoleRequests = new Set<number>();
  readonly #stackRequests = new Map<number, StackRequest>();

  constructor(session: vscode.DebugSession, events: SessionEvents, log: (text: string) => void) {
    this.session = new Session(session, this.#threads, this.#replies);
    this.#events = events;
    this.#log = log;
  }

  onWillReceiveMessage(message: DebugProtocol.ProtocolMessage): void {
    this.#safely(() => this.#sent(message));
  }

  onDidSendMessage(message: DebugProtocol.ProtocolMessage): void {
    this.#safely(() => {
      if (message.type === "event") this.#event(message as DebugProtocol.Event);
      else if (message.type === "response") this.#response(message as DebugProtocol.Response);
    });
  }

  onWillStopSession(): void {
    this.end();
  }

  onExit(): void {
    this.end();
  }

  onError(): void {
    this.end();
  }

  /** VS Code calls more than one of the methods above when a session ends. */
  end(): void {
    if (this.#threads.ended) return;
    this.#threads.end();
    this.#dropPending();
    this.#events.ended.fire(this.session);
  }

  /** Throws nothing, whatever an adapter sends: else VS Code would lose the message, and might end the session. */
  #safely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#log(`unexpected message from the debug adapter: ${String(error)}`);
    }
  }

  #sent(message: DebugProtocol.ProtocolMessage): void {
    if (isStackTrace(message)) {
      const { threadId, startFrame = 0 } = message.arguments;
      const stop = this.#threads.stopOf(threadId);
      this.#stackRequests.set(message.seq, { thread: threadId, start: startFrame, stop });
    } else if (isEvaluate(message)) {
      if (message.arguments.context === "repl") this.#consoleRequests.add(message.seq);
      else this.#replies.requestSent(message);
    }
  }

  #response(response: DebugProtocol.Response): void {
    const assigned = response.success && ["setVariable", "setExpression"].includes(response.command);
    const stack = this.#stackRequests.get(response.request_seq);
    this.#stackRequests.delete(response.request_seq);
    if (stack) this.#report(stack, response as DebugProtocol.StackTraceResponse);
    // A statement that raised may have changed something before it did.
    else if (this.#consoleRequests.delete(response.request_seq) || assigned)
      this.#events.valuesChanged.fire(this.session);
    else if (response.command === "evaluate")
      this.#replies.responseReceived(response as DebugProtocol.EvaluateResponse);
  }

  #event(event: DebugProtocol.Event): void {
    const { session } = this;
    if (event.event === "initialized") this.#events.initialized.fire(session);
    else if (event.event === "stopped") {
      const { reason, threadId, preserveFocusHint } = (event as DebugProtocol.StoppedEvent).body;
      this.#threads.stopped(threadId);
      this.#dropPending();
      this.#events.stopped.fire({ session, reason, threadId, takesFocus: preserveFocusHint !== true });
    } else if (event.event === "continued") {
      const { threadId, allThreadsContinued } = (event as DebugProtocol.ContinuedEvent).body;
      if (allThreadsContinued === false) this.#threads.continuedAlone(threadId);
      else this.#threads.continued();
      this.#dropPending();
    } else if (["terminated", "exited"].includes(event.event)) {
      // The program has ended, its session not yet: VS Code stops that.
      this.#threads.continued();
      this.#dropPending();
    }
  }

  /** The stop is over: its requests are dropped. */
  #dropPending(): void {
    this.session.queue.sweep();
    this.#replies.clear();
    this.#stackRequests.clear();
  }

  /** Frames are ignored where their thread has continued since they were asked for. */
  #report({ thread, start, stop }: StackRequest, response: DebugProtocol.StackTraceResponse): void {
    if (!response.success || stop === undefined || this.#threads.stopOf(thread) !== stop) return;
    const frames = response.body.stackFrames;
    this.#threads.report(thread, frames);
    this.#events.stackTrace.fire({ session: this.session, thread, start, frames });
  }
}

function isEvaluate(message: DebugProtocol.ProtocolMessage): message is DebugProtocol.EvaluateRequest {
  return message.type === "request" && (message as DebugProtocol.Request).command === "evaluate";
}

function isStackTrace(message: DebugProtocol.ProtocolMessage): message is DebugProtocol.StackTraceRequest {
  return message.type === "request" && (message as DebugProtocol.Request).command === "stackTrace";
}
