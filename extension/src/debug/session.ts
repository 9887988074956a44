import type { DebugProtocol } from "@vscode/debugprotocol";
import type * as vscode from "vscode";
import { DEBUG_TYPE } from "../ids.ts";
import { EvaluateQueue } from "./queue.ts";
import type { Replies } from "./replies.ts";
import type { Threads } from "./threads.ts";

const DEBUG_TYPES: readonly string[] = Object.values(DEBUG_TYPE);

export function isPython({ type }: vscode.DebugSession): boolean {
  return DEBUG_TYPES.includes(type);
}

/** Whether a line has another number in VS Code than in the code that ran: a cell is a part of the Interactive Window's script. */
export function movesLines({ type }: vscode.DebugSession): boolean {
  return type === DEBUG_TYPE.interactiveWindow;
}

/** One debugged process: its state, which only its tracker changes, and the requests that it can be sent. */
export class Session {
  static #made = 0;
  /** Its own: a restarted session has the id of the old one. */
  readonly number: number;
  readonly queue = new EvaluateQueue();
  readonly debugSession: vscode.DebugSession;
  readonly threads: Pick<Threads, "ended" | "stops" | "reportedFrame" | "stopOf" | "continuesOf">;
  readonly #replies: Replies;

  constructor(session: vscode.DebugSession, threads: Session["threads"], replies: Replies) {
    Session.#made += 1;
    this.number = Session.#made;
    this.debugSession = session;
    this.threads = threads;
    this.#replies = replies;
  }

  get id(): string {
    return this.debugSession.id;
  }

  get ended(): boolean {
    return this.threads.ended;
  }

  /**
   * The reply is taken as soon as the tracker sees it: VS Code passes it on by way of its window, which is busy painting
   * the stop. The request goes the same way: `onLeft` is called once it has left for the adapter.
   */
  evaluate(expression: string, frameId: number | undefined, onLeft = (): void => undefined): Promise<string> {
    // Raw strings come whole: every other way cuts them at 65,536 characters.
    const request = { expression, context: "watch", format: { rawString: true } };
    const sent = frameId === undefined ? request : { ...request, frameId };
    const passedOn = async (): Promise<string> => {
      const { result }: DebugProtocol.EvaluateResponse["body"] = await this.debugSession.customRequest(
        "evaluate",
        sent,
      );
      return result;
    };
    return this.#replies.earliest(expression, passedOn, onLeft);
  }

  /** Has the adapter report the top frames of a thread, all where `levels` is not given, if that is still paused. */
  async requestStackTrace(threadId: number, levels?: number): Promise<void> {
    const thread = levels === undefined ? { threadId } : { threadId, startFrame: 0, levels };
    try {
      await this.debugSession.customRequest("stackTrace", thread);
    } catch {
      return; // it has continued
    }
  }
}
