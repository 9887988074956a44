import type { DebugProtocol } from "@vscode/debugprotocol";
import * as vscode from "vscode";
import type { FrameFile, SourceLine } from "../protocol/generated.ts";
import { isPython, type Session } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import { type Location, locate, uriOf } from "./sources.ts";
import type { NamedFrame } from "./threads.ts";
import type { Named, Stopped } from "./tracker.ts";
import { isSameUri } from "./uris.ts";

/** A paused stack frame at one stop; the same frame at the next stop is another one. */
export class Frame {
  readonly session: Session;
  readonly threadId: number;
  readonly frameId: number;
  readonly stop: number;
  readonly #named: NamedFrame;

  constructor(session: Session, stop: number, frameId: number, named: NamedFrame) {
    this.session = session;
    this.threadId = named.thread;
    this.frameId = frameId;
    this.stop = stop;
    this.#named = named;
  }

  get over(): boolean {
    return this.session.threads.stopOf(this.threadId) !== this.stop;
  }

  get key(): string {
    return `${this.session.id} ${this.stop} ${this.threadId} ${this.frameId}`;
  }

  /** As the adapter names it; empty where it names none. */
  get file(): string {
    return this.#named.source?.path ?? "";
  }

  /** File and function: what a frame has in common with itself at other stops. */
  get place(): string {
    return `${this.file}:${this.#named.function}`;
  }

  /** Whether it stands in this document. */
  isIn({ uri }: Pick<vscode.TextDocument, "uri">): boolean {
    const { source } = this.#named;
    return source !== undefined && isSameUri(uriOf(source, this.session), uri);
  }

  /** Where a line of the program is for VS Code; `files` are those in which this frame and its callers stand. */
  locate(line: SourceLine, files: readonly FrameFile[]): Promise<Location> {
    return locate(line, files, this);
  }
}

/** What the user looks at; `untracked` is a session whose beginning we missed, so that its stops can't be told apart. */
export type Focus = Frame | "untracked" | undefined;

/** While a step key is held down, a stop follows the last one faster than this, and each next one may replace it. */
const STEPPING = 250;
const STEP_DEBOUNCE = 60;
/** A stop in a thread that is not looked at changes no focus, so nothing is announced: look after this time. */
const SILENT_STOP = 400;
/** Reasons of stops at which VS Code looks at the top frame, even at one that its adapter shows as of no interest. */
const AT_THE_TOP: ReadonlySet<string> = new Set(["breakpoint", "step", "function breakpoint"]);

/** A stop at which VS Code will look at a thread, and why it happened. */
interface Expected {
  readonly thread: number;
  readonly stop: number;
  readonly reason: string;
}

/** Which frame the user looks at: it follows stops, steps and clicks in the call stack. */
export class ActiveFrame implements vscode.Disposable {
  readonly #sessions: Sessions;
  readonly #changed = new vscode.EventEmitter<Focus>();
  readonly #subscriptions: vscode.Disposable[];
  #current: Focus;
  /** How often the thread of VS Code's active stack item had gone on when that was announced. */
  #resumed: number | undefined;
  /** That item's frame is one that the adapter has not named at this stop: the call stack still showed the last stop's. */
  #unnamed = false;
  #timer: NodeJS.Timeout | undefined;
  #lastStop: { readonly session: Session; readonly at: number } | undefined;
  /** The last stop followed the one before it at once. */
  #stepping = false;
  /** The stop whose top frame will be looked at, while VS Code has not announced a frame. */
  #expected: Expected | undefined;

  readonly onDidChange = this.#changed.event;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
    this.#subscriptions = [
      vscode.debug.onDidChangeActiveStackItem(() => this.#announced()),
      sessions.onDidStop((stopped) => this.#stopped(stopped)),
      sessions.onDidName((named) => {
        if (this.#unnamed) this.#look(0);
        this.#take(named);
      }),
    ];
    // Activated in the middle of a stop, there was no announcement.
    if (vscode.debug.activeStackItem) this.#look(0);
  }

  #stopped(stopped: Stopped): void {
    const { session, threadId, takesFocus, reason } = stopped;
    if (this.#isElsewhere(session)) return;
    const [now, last] = [Date.now(), this.#lastStop];
    this.#stepping = last?.session === session && now - last.at < STEPPING;
    this.#lastStop = { session, at: now };
    this.#look(SILENT_STOP);
    if (this.#stepping || threadId === undefined || !takesFocus) return;
    const stop = session.threads.stopOf(threadId);
    if (stop === undefined || !willBeLookedAt(session, threadId)) return;
    this.#expected = { thread: threadId, stop, reason };
    void session.askForFrames(threadId, 1);
  }

  /** The user looks at a paused frame of another session: VS Code stays there. */
  #isElsewhere({ id }: Session): boolean {
    const item = vscode.debug.activeStackItem;
    if (!(item instanceof vscode.DebugStackFrame) || item.session.id === id) return false;
    return this.#sessions.get(item.session.id)?.threads.stopOf(item.threadId) !== undefined;
  }

  /** VS Code announces a frame after questions of its own: where these have told which it will be, it is taken before. */
  #take({ session, thread, start, frames: [top] }: Named): void {
    const expected = this.#expected;
    if (
      top === undefined ||
      start > 0 ||
      expected?.thread !== thread ||
      expected.stop !== session.threads.stopOf(thread)
    )
      return;
    const named = session.threads.namedFrame(top.id);
    if (named && !isPassedOver(top, expected.reason)) this.#change(new Frame(session, expected.stop, top.id, named));
  }

  #announced(): void {
    const item = vscode.debug.activeStackItem;
    // A busy window may report the last continue only after the next stop: then no frame is announced, or only a thread.
    if (item instanceof vscode.DebugStackFrame) this.#expected = undefined;
    this.#resumed = item && this.#sessions.get(item.session.id)?.threads.resumedOf(item.threadId);
    this.#look(this.#stepping ? STEP_DEBOUNCE : 0);
  }

  #look(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#change(this.#read()), delay);
  }

  #change(focus: Focus): void {
    if (keyOf(focus) === keyOf(this.#current)) return;
    this.#current = focus;
    this.#changed.fire(focus);
  }

  #read(): Focus {
    const item = vscode.debug.activeStackItem;
    if (!(item instanceof vscode.DebugStackFrame)) return this.#taken;
    const session = this.#sessions.get(item.session.id);
    if (session === undefined) return isPython(item.session) ? "untracked" : undefined;
    // The item stays the last stop's until the next is announced, and ids repeat: it counts if it was announced since
    // the program last ran and the adapter has named such a frame since. Until then what is shown is kept.
    const named = session.threads.namedFrame(item.frameId);
    this.#unnamed = named === undefined;
    const stop = session.threads.stopOf(item.threadId);
    const isAnnounced = stop !== undefined && this.#resumed === session.threads.resumedOf(item.threadId);
    if (!isAnnounced || named?.thread !== item.threadId) return this.#current;
    return new Frame(session, stop, item.frameId, named);
  }

  /** The frame that was taken ahead of an announcement which has not come yet. */
  get #taken(): Frame | undefined {
    const frame = this.#current;
    return frame instanceof Frame && frame.stop === this.#expected?.stop && !frame.over ? frame : undefined;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const one of [...this.#subscriptions, this.#changed]) one.dispose();
  }
}

/** VS Code moves to a thread that stops where the user looks at it already, or at nothing. */
function willBeLookedAt(session: Session, threadId: number): boolean {
  const { activeDebugSession: active, activeStackItem: item } = vscode.debug;
  if (active?.id !== session.id) return false;
  return item === undefined || (item.session.id === session.id && item.threadId === threadId);
}

/** VS Code looks for a frame below this one: its source is not there, or its adapter shows it as of no interest. */
function isPassedOver({ source, presentationHint }: DebugProtocol.StackFrame, reason: string): boolean {
  if (source === undefined) return true;
  const hint = presentationHint ?? source.presentationHint;
  return !AT_THE_TOP.has(reason) && (hint === "subtle" || hint === "deemphasize");
}

function keyOf(focus: Focus): string | undefined {
  return focus instanceof Frame ? focus.key : focus;
}
