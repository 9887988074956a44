import type { DebugProtocol } from "@vscode/debugprotocol";
import * as vscode from "vscode";
import { type Focus, Frame } from "./frame.ts";
import { isPython, type Session } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import type { StackTrace, Stopped } from "./tracker.ts";

/** While a step key is held down, each stop follows the last one within this time. */
const STEP_INTERVAL_MS = 250;
/** While it is held down, a frame is looked at only where no other follows it within this time. */
const STEP_DEBOUNCE_MS = 60;
/** A stop in a thread that is not looked at changes no focus, and no event tells of it: look after this time. */
const SILENT_STOP_MS = 400;
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
  /** When VS Code last set its active stack item: how often the thread of that item had continued by then. */
  #continues: number | undefined;
  /** The adapter has not reported that item's frame at this stop: the call stack still showed the last stop's. */
  #isUnreported = false;
  #timer: NodeJS.Timeout | undefined;
  #lastStop: { readonly session: Session; readonly at: number } | undefined;
  /** The last stop followed the one before it at once. */
  #stepping = false;
  /** The stop whose top frame VS Code will look at, until it has done so. */
  #expected: Expected | undefined;

  readonly onDidChange = this.#changed.event;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
    this.#subscriptions = [
      vscode.debug.onDidChangeActiveStackItem(() => this.#stackItemChanged()),
      sessions.onDidStop((stopped) => this.#stopped(stopped)),
      sessions.onDidReceiveStackTrace((stackTrace) => {
        if (this.#isUnreported) this.#updateAfter(0);
        this.#focusEarly(stackTrace);
      }),
    ];
    // Activated in the middle of a stop, we have missed the event.
    if (vscode.debug.activeStackItem) this.#updateAfter(0);
  }

  #stopped(stopped: Stopped): void {
    const { session, threadId, takesFocus, reason } = stopped;
    if (this.#isElsewhere(session)) return;
    const [now, last] = [Date.now(), this.#lastStop];
    this.#stepping = last?.session === session && now - last.at < STEP_INTERVAL_MS;
    this.#lastStop = { session, at: now };
    this.#updateAfter(SILENT_STOP_MS);
    if (this.#stepping || threadId === undefined || !takesFocus) return;
    const stop = session.threads.stopOf(threadId);
    if (stop === undefined || !willBeLookedAt(session, threadId)) return;
    this.#expected = { thread: threadId, stop, reason };
    void session.requestStackTrace(threadId, 1);
  }

  /** The user looks at a paused frame of another session: VS Code stays there. */
  #isElsewhere({ id }: Session): boolean {
    const item = vscode.debug.activeStackItem;
    if (!(item instanceof vscode.DebugStackFrame) || item.session.id === id) return false;
    return this.#sessions.get(item.session.id)?.threads.stopOf(item.threadId) !== undefined;
  }

  /** VS Code changes its active stack item late. The stack trace tells which frame that will be, so it has the focus now. */
  #focusEarly({ session, thread, start, frames: [top] }: StackTrace): void {
    const expected = this.#expected;
    if (
      top === undefined ||
      start > 0 ||
      expected?.thread !== thread ||
      expected.stop !== session.threads.stopOf(thread)
    )
      return;
    const reported = session.threads.reportedFrame(top.id);
    if (reported && !isPassedOver(top, expected.reason)) {
      this.#setFocus(new Frame(session, expected.stop, top.id, reported));
    }
  }

  #stackItemChanged(): void {
    const item = vscode.debug.activeStackItem;
    // A busy window may tell of the last continue only after the next stop: then the item is a thread, or none.
    if (item instanceof vscode.DebugStackFrame) this.#expected = undefined;
    this.#continues = item && this.#sessions.get(item.session.id)?.threads.continuesOf(item.threadId);
    this.#updateAfter(this.#stepping ? STEP_DEBOUNCE_MS : 0);
  }

  /** Follows VS Code after so many milliseconds, unless something else happens before. */
  #updateAfter(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#setFocus(this.#focusNow()), delay);
  }

  #setFocus(focus: Focus): void {
    if (keyOf(focus) === keyOf(this.#current)) return;
    this.#current = focus;
    this.#changed.fire(focus);
  }

  #focusNow(): Focus {
    const item = vscode.debug.activeStackItem;
    if (!(item instanceof vscode.DebugStackFrame)) return this.#earlyFrame;
    const session = this.#sessions.get(item.session.id);
    if (session === undefined) return isPython(item.session) ? "untracked" : undefined;
    // The item may still be the last stop's, whose frame ids repeat. It is this stop's if VS Code has set it since the
    // program last ran, and the adapter has reported such a frame since. Until then what is shown is kept.
    const reported = session.threads.reportedFrame(item.frameId);
    this.#isUnreported = reported === undefined;
    const stop = session.threads.stopOf(item.threadId);
    const isOfThisStop = stop !== undefined && this.#continues === session.threads.continuesOf(item.threadId);
    if (!isOfThisStop || reported?.thread !== item.threadId) return this.#current;
    return new Frame(session, stop, item.frameId, reported);
  }

  /** The frame that has the focus already, while VS Code has yet to make it its active stack item. */
  get #earlyFrame(): Frame | undefined {
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
