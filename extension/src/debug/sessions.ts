import type { DebugProtocol } from "@vscode/debugprotocol";
import * as vscode from "vscode";
import { EvaluateQueue } from "./queue.ts";

/** The debug types of the Python debugger: the present name, the older one, and Jupyter's, for cells and its window. */
const INTERACTIVE_WINDOW = "Python Interactive Window Debug Adapter";
const DEBUG_TYPES = ["debugpy", "python", "Python Kernel Debug Adapter", INTERACTIVE_WINDOW];

export function isPython({ type }: vscode.DebugSession): boolean {
  return DEBUG_TYPES.includes(type);
}

/** Whether the adapter shows a file in whose lines the program's stand elsewhere: a cell's in the window's script. */
export function movesLines({ type }: vscode.DebugSession): boolean {
  return type === INTERACTIVE_WINDOW;
}

/** Where a stack frame stands, as the adapter last said. */
export interface Place {
  readonly thread: number;
  readonly function: string;
  readonly source: DebugProtocol.Source | undefined;
}

/** One debugged process, and what its messages tell. Reads them only. */
export class Session {
  readonly queue = new EvaluateQueue();
  /** Changes with `stopped` and `continued`: frame ids repeat from stop to stop, this number never does. */
  stop = 0;
  /** Counts how often it went on: what was looked at before is of no use after. */
  runs = 0;
  paused = false;
  ended = false;
  /** The frames that the adapter has named since the program last ran, by their ids. */
  readonly places = new Map<number, Place>();
  readonly vscode: vscode.DebugSession;

  constructor(session: vscode.DebugSession) {
    this.vscode = session;
  }

  get id(): string {
    return this.vscode.id;
  }

  evaluate(expression: string, frameId: number | undefined): PromiseLike<string> {
    // Raw strings come whole: every other way cuts them at 65,536 characters.
    const request = { expression, context: "watch", format: { rawString: true } };
    return this.vscode
      .customRequest("evaluate", frameId === undefined ? request : { ...request, frameId })
      .then((body: DebugProtocol.EvaluateResponse["body"]) => body.result);
  }

  /** Asks for the top frame of a paused thread: its id. It is then among the places; undefined if it has gone on. */
  topFrame(threadId: number): PromiseLike<number | undefined> {
    return this.vscode.customRequest("stackTrace", { threadId, startFrame: 0, levels: 1 }).then(
      (body: DebugProtocol.StackTraceResponse["body"]) => body.stackFrames[0]?.id,
      () => undefined,
    );
  }
}

/** Which session has stopped, in which thread if its adapter says so, and whether it wants that to be looked at. */
export interface Stopped {
  readonly session: Session;
  readonly threadId: number | undefined;
  readonly takesFocus: boolean;
}

/** All sessions under way. Says when one stops, changes under the user's hand, or ends. */
export class Sessions implements vscode.DebugAdapterTrackerFactory, vscode.Disposable {
  readonly #sessions = new Map<string, Session>();
  /** Of all sessions together: one that is started anew has the id of the old one, but no number of its. */
  #stops = 0;
  readonly #stopped = new vscode.EventEmitter<Stopped>();
  readonly #named = new vscode.EventEmitter<Session>();
  readonly #changed = new vscode.EventEmitter<Session>();
  readonly #registrations: vscode.Disposable[];
  readonly #log: (text: string) => void;

  readonly onDidStop = this.#stopped.event;
  /** The adapter has named frames: VS Code asks for the top one first, for its callers a moment later. */
  readonly onDidName = this.#named.event;
  /** The user assigned something, or ran something in the console. */
  readonly onDidChange = this.#changed.event;

  constructor(log: (text: string) => void) {
    this.#log = log;
    this.#registrations = DEBUG_TYPES.map((type) => vscode.debug.registerDebugAdapterTrackerFactory(type, this));
  }

  get(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  createDebugAdapterTracker(debugSession: vscode.DebugSession): vscode.DebugAdapterTracker {
    const session = new Session(debugSession);
    const old = this.#sessions.get(session.id);
    if (old) this.#end(old);
    this.#sessions.set(session.id, session);
    const consoleRequests = new Set<number>();
    const stackRequests = new Map<number, number>();
    const end = (): void => this.#end(session);
    return {
      onWillReceiveMessage: this.#safely((message) => {
        if (isConsoleEvaluate(message)) consoleRequests.add(message.seq);
        else if (isStackTrace(message)) stackRequests.set(message.seq, message.arguments.threadId);
      }),
      onDidSendMessage: this.#safely((message) => {
        if (message.type === "event") this.#event(session, message as DebugProtocol.Event);
        else if (message.type === "response") {
          const response = message as DebugProtocol.Response;
          const assigned = response.success && ["setVariable", "setExpression"].includes(response.command);
          const thread = stackRequests.get(response.request_seq);
          stackRequests.delete(response.request_seq);
          if (thread !== undefined) {
            remember(session, thread, response as DebugProtocol.StackTraceResponse);
            this.#named.fire(session);
          }
          // A statement that raised may have changed something before it did.
          else if (consoleRequests.delete(response.request_seq) || assigned) this.#changed.fire(session);
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
    if (event.event === "stopped") {
      const { threadId, preserveFocusHint } = (event as DebugProtocol.StoppedEvent).body;
      // Frames of threads that have been paused all along stay what they were.
      for (const [id, { thread }] of session.places) {
        if (threadId === undefined || thread === threadId) session.places.delete(id);
      }
      this.#moved(session, true);
      this.#stopped.fire({ session, threadId, takesFocus: preserveFocusHint !== true });
    } else if (event.event === "continued") this.#continued(session, event as DebugProtocol.ContinuedEvent);
    else if (["terminated", "exited"].includes(event.event)) this.#moved(session, false);
  }

  /** With `"steppingResumesAllThreads": false` one thread may go on while others stay paused, and are looked at. */
  #continued(session: Session, { body: { threadId, allThreadsContinued } }: DebugProtocol.ContinuedEvent): void {
    if (allThreadsContinued === false) {
      for (const [id, { thread }] of session.places) if (thread === threadId) session.places.delete(id);
    } else session.places.clear();
    this.#moved(session, session.places.size > 0);
  }

  #moved(session: Session, paused: boolean): void {
    this.#stops += 1;
    session.stop = this.#stops;
    session.paused = paused;
    if (!paused) {
      session.runs += 1;
      session.places.clear();
    }
    session.queue.sweep();
  }

  #end(session: Session): void {
    session.ended = true;
    this.#moved(session, false);
    // An adapter may say late that it has ended: when a session of the same id is there already.
    if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
  }

  dispose(): void {
    for (const one of [...this.#registrations, this.#stopped, this.#named, this.#changed]) one.dispose();
  }
}

function isConsoleEvaluate(message: DebugProtocol.ProtocolMessage): message is DebugProtocol.EvaluateRequest {
  const { command, arguments: args } = message as DebugProtocol.EvaluateRequest;
  return message.type === "request" && command === "evaluate" && args.context === "repl";
}

function isStackTrace(message: DebugProtocol.ProtocolMessage): message is DebugProtocol.StackTraceRequest {
  return message.type === "request" && (message as DebugProtocol.Request).command === "stackTrace";
}

function remember(session: Session, thread: number, { success, body }: DebugProtocol.StackTraceResponse): void {
  if (!success || !session.paused) return;
  for (const { id, name, source } of body.stackFrames) session.places.set(id, { thread, function: name, source });
}
