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

/** Whether the adapter shows a file in whose lines the program's stand elsewhere: a cell's in the window's script. */
export function movesLines({ type }: vscode.DebugSession): boolean {
  return type === DEBUG_TYPE.interactiveWindow;
}

/** One debugged process: its state, which only its tracker changes, and the requests that it can be sent. */
export class Session {
  readonly queue = new EvaluateQueue();
  readonly vscode: vscode.DebugSession;
  readonly threads: Pick<Threads, "ended" | "namedFrame" | "stopOf" | "resumedOf">;
  readonly #replies: Replies;

  constructor(session: vscode.DebugSession, threads: Session["threads"], replies: Replies) {
    this.vscode = session;
    this.threads = threads;
    this.#replies = replies;
  }

  get id(): string {
    return this.vscode.id;
  }

  get ended(): boolean {
    return this.threads.ended;
  }

  /**
   * The reply is taken as soon as it is heard: VS Code brings it by way of its window, which is painting the stop. The
   * request goes the same way: `onLeft` is called when it is on its way to the adapter.
   */
  evaluate(expression: string, frameId: number | undefined, onLeft = (): void => undefined): Promise<string> {
    // Raw strings come whole: every other way cuts them at 65,536 characters.
    const request = { expression, context: "watch", format: { rawString: true } };
    const sent = frameId === undefined ? request : { ...request, frameId };
    const brought = async (): Promise<string> => {
      const { result }: DebugProtocol.EvaluateResponse["body"] = await this.vscode.customRequest("evaluate", sent);
      return result;
    };
    return this.#replies.first(expression, brought, onLeft);
  }

  /** Has the adapter name the top frames of a thread, all if their number is not given, where that is still paused. */
  async askForFrames(threadId: number, levels?: number): Promise<void> {
    const asked = levels === undefined ? { threadId } : { threadId, startFrame: 0, levels };
    try {
      await this.vscode.customRequest("stackTrace", asked);
    } catch {
      return; // it has gone on
    }
  }
}
