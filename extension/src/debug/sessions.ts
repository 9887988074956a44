import type { DebugProtocol } from "@vscode/debugprotocol";
import * as vscode from "vscode";
import { EvaluateQueue } from "./queue.ts";

/** The debug types of the Python debugger: the present name and the older one. */
const DEBUG_TYPES = ["debugpy", "python"];

export function isPython({ type }: vscode.DebugSession): boolean {
  return DEBUG_TYPES.includes(type);
}

/** Where a stack frame stands, as the adapter last said. */
export interface Place {
  readonly function: string;
  readonly source: DebugProtocol.Source | undefined;
}

/** One debugged process, and what its messages tell. Reads them only. */
export class Session {
  readonly queue = new EvaluateQueue();
  /** Counts `stopped` and `continued`: frame ids repeat from stop to stop, this number never does. */
  stop = 0;
  paused = false;
  ended = false;
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
}

/** All sessions under way. Says when one stops, changes under the user's hand, or ends. */
export class Sessions implements vscode.DebugAdapterTrackerFactory, vscode.Disposable {
  readonly #sessions = new Map<string, Session>();
  readonly #stopped = new vscode.EventEmitter<Session>();
  readonly #changed = new vscode.EventEmitter<Session>();
  readonly #started = new vscode.EventEmitter<Session>();
  readonly #registrations: vscode.Disposable[];

  readonly onDidStop = this.#stopped.event;
  /** The user assigned something, or ran something in the console. */
  readonly onDidChange = this.#changed.event;
  readonly onDidStart = this.#started.event;

  constructor() {
    this.#registrations = DEBUG_TYPES.map((type) => vscode.debug.registerDebugAdapterTrackerFactory(type, this));
  }

  get(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  createDebugAdapterTracker(debugSession: vscode.DebugSession): vscode.DebugAdapterTracker {
    const session = new Session(debugSession);
    this.#sessions.set(session.id, session);
    this.#started.fire(session);
    const consoleRequests = new Set<number>();
    const end = (): void => {
      session.ended = true;
      this.#moved(session, false);
      this.#sessions.delete(session.id);
    };
    return {
      onWillReceiveMessage: (message: DebugProtocol.ProtocolMessage): void => {
        if (isConsoleEvaluate(message)) consoleRequests.add(message.seq);
      },
      onDidSendMessage: (message: DebugProtocol.ProtocolMessage): void => {
        if (message.type === "event") this.#event(session, message as DebugProtocol.Event);
        else if (message.type === "response") {
          const response = message as DebugProtocol.Response;
          const assigned = response.success && ["setVariable", "setExpression"].includes(response.command);
          if (response.command === "stackTrace" && response.success)
            remember(session, response as DebugProtocol.StackTraceResponse);
          // A statement that raised may have changed something before it did.
          else if (consoleRequests.delete(response.request_seq) || assigned) this.#changed.fire(session);
        }
      },
      onWillStopSession: end,
      onExit: end,
      onError: end,
    };
  }

  #event(session: Session, event: DebugProtocol.Event): void {
    if (event.event === "stopped") {
      session.places.clear();
      this.#moved(session, true);
      this.#stopped.fire(session);
    } else if (["continued", "terminated", "exited"].includes(event.event)) this.#moved(session, false);
  }

  #moved(session: Session, paused: boolean): void {
    session.stop += 1;
    session.paused = paused;
    session.queue.sweep();
  }

  dispose(): void {
    for (const one of [...this.#registrations, this.#stopped, this.#changed, this.#started]) one.dispose();
  }
}

function isConsoleEvaluate(message: DebugProtocol.ProtocolMessage): message is DebugProtocol.EvaluateRequest {
  const { command, arguments: args } = message as DebugProtocol.EvaluateRequest;
  return message.type === "request" && command === "evaluate" && args.context === "repl";
}

function remember(session: Session, { body }: DebugProtocol.StackTraceResponse): void {
  for (const frame of body.stackFrames) session.places.set(frame.id, { function: frame.name, source: frame.source });
}
