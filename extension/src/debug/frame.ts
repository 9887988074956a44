import type { TextDocument } from "vscode";
import type { FrameFile, SourceLine } from "../protocol/generated.ts";
import type { Session } from "./session.ts";
import { type UriLine, locate, uriOf } from "./sources.ts";
import type { ReportedFrame } from "./threads.ts";
import { isSameUri } from "./uris.ts";

/** A paused stack frame at one stop; the same frame at the next stop is another one. */
export class Frame {
  readonly session: Session;
  readonly threadId: number;
  readonly frameId: number;
  readonly stop: number;
  readonly #reported: ReportedFrame;

  constructor(session: Session, stop: number, frameId: number, reported: ReportedFrame) {
    this.session = session;
    this.threadId = reported.thread;
    this.frameId = frameId;
    this.stop = stop;
    this.#reported = reported;
  }

  /** Whether its stop has ended. */
  get over(): boolean {
    return this.session.threads.stopOf(this.threadId) !== this.stop;
  }

  get key(): string {
    return `${this.session.id} ${this.stop} ${this.threadId} ${this.frameId}`;
  }

  /** The path of its file, as the adapter gives it; empty where it gives none. */
  get file(): string {
    return this.#reported.source?.path ?? "";
  }

  /** File and function: what a frame has in common with itself at other stops. */
  get place(): string {
    return `${this.file}:${this.#reported.function}`;
  }

  /** Whether it stands in this document. */
  isIn({ uri }: Pick<TextDocument, "uri">): boolean {
    const { source } = this.#reported;
    return source !== undefined && isSameUri(uriOf(source, this.session), uri);
  }

  /** Where a line of the program is for VS Code; `files` are those in which this frame and its callers stand. */
  locate(line: SourceLine, files: readonly FrameFile[]): Promise<UriLine> {
    return locate(line, files, this);
  }
}

/** What the user looks at; `untracked` is a session whose beginning we missed, so that its stops can't be told apart. */
export type Focus = Frame | "untracked" | undefined;
