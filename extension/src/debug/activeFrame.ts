import * as vscode from "vscode";
import { isPython, type Session, type Sessions } from "./sessions.ts";

/** A paused stack frame at one stop; the same frame at the next stop is another one. */
export class Frame {
  readonly session: Session;
  readonly threadId: number;
  readonly frameId: number;
  readonly stop: number;

  constructor(session: Session, threadId: number, frameId: number) {
    this.session = session;
    this.threadId = threadId;
    this.frameId = frameId;
    this.stop = session.stop;
  }

  get over(): boolean {
    return this.session.ended || this.session.stop !== this.stop;
  }

  get key(): string {
    return `${this.session.id} ${this.stop} ${this.threadId} ${this.frameId}`;
  }

  /** File and function: what a frame has in common with itself at other stops. */
  get place(): string {
    const place = this.session.places.get(this.frameId);
    return place === undefined ? "" : `${place.source?.path ?? ""}:${place.function}`;
  }

  /** The file it stands in, as the editor names it. */
  get uri(): vscode.Uri | undefined {
    const source = this.session.places.get(this.frameId)?.source;
    return source && vscode.debug.asDebugSourceUri(source, this.session.vscode);
  }
}

/** What the user looks at; `untracked` is a session whose beginning we missed, so that its stops can't be told apart. */
export type Focus = Frame | "untracked" | undefined;

/** While stepping, a stop follows the last one faster than this, and each next one may replace it. */
const STEPPING = 500;
const STEP_DEBOUNCE = 60;
/** A stop in a thread that is not looked at changes no focus, so nothing is announced: look after this time. */
const SILENT_STOP = 400;

/** Which frame the user looks at: it follows stops, steps and clicks in the call stack. */
export class ActiveFrame implements vscode.Disposable {
  readonly #sessions: Sessions;
  readonly #changed = new vscode.EventEmitter<Focus>();
  readonly #subscriptions: vscode.Disposable[];
  #current: Focus;
  #timer: NodeJS.Timeout | undefined;
  #lastChange = 0;

  readonly onDidChange = this.#changed.event;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
    this.#subscriptions = [
      vscode.debug.onDidChangeActiveStackItem(() => this.#announced()),
      sessions.onDidStop(() => this.#look(SILENT_STOP)),
    ];
    // Activated in the middle of a stop, there was no announcement.
    if (vscode.debug.activeStackItem) this.#look(0);
  }

  #announced(): void {
    const now = Date.now();
    this.#look(now - this.#lastChange < STEPPING ? STEP_DEBOUNCE : 0);
    this.#lastChange = now;
  }

  #look(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const focus = this.#read();
      if (keyOf(focus) === keyOf(this.#current)) return;
      this.#current = focus;
      this.#changed.fire(focus);
    }, delay);
  }

  #read(): Focus {
    const item = vscode.debug.activeStackItem;
    if (!(item instanceof vscode.DebugStackFrame)) return undefined;
    const session = this.#sessions.get(item.session.id);
    if (session === undefined) return isPython(item.session) ? "untracked" : undefined;
    // Between two stops the item is still the last stop's: keep what is shown until the next is announced.
    return session.paused ? new Frame(session, item.threadId, item.frameId) : this.#current;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const one of [...this.#subscriptions, this.#changed]) one.dispose();
  }
}

function keyOf(focus: Focus): string | undefined {
  return focus instanceof Frame ? focus.key : focus;
}
