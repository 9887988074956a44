import * as vscode from "vscode";
import { DEBUG_TYPE } from "../ids.ts";
import { isPython, type Session } from "./session.ts";
import { SessionEvents, Tracker } from "./tracker.ts";

/** All debug sessions of Python that are running, and their events. */
export class Sessions implements vscode.DebugAdapterTrackerFactory, vscode.Disposable {
  readonly #trackers = new Map<string, Tracker>();
  readonly #events = new SessionEvents();
  readonly #registrations: vscode.Disposable[];
  readonly #log: (text: string) => void;

  /** The adapter takes requests. What a listener sends at once comes before all that VS Code sends. */
  readonly onDidInitialize = this.#events.initialized.event;
  readonly onDidStop = this.#events.stopped.event;
  /** The adapter has reported frames: VS Code requests the top one first, its callers a moment later. */
  readonly onDidReceiveStackTrace = this.#events.stackTrace.event;
  /** The user assigned something, or ran something in the console. */
  readonly onDidChangeValues = this.#events.valuesChanged.event;
  readonly onDidEnd = this.#events.ended.event;

  constructor(log: (text: string) => void) {
    this.#log = log;
    const types = Object.values(DEBUG_TYPE);
    this.#registrations = [
      ...types.map((type) => vscode.debug.registerDebugAdapterTrackerFactory(type, this)),
      this.onDidEnd((session) => this.#forget(session)),
    ];
  }

  get(id: string): Session | undefined {
    return this.#trackers.get(id)?.session;
  }

  get all(): readonly Session[] {
    return [...this.#trackers.values()].map(({ session }) => session);
  }

  /** Whether the session that is looked at debugs Python, or where there is none yet, one that has begun. */
  get debugging(): boolean {
    const active = vscode.debug.activeDebugSession;
    return active ? isPython(active) : this.#trackers.size > 0;
  }

  createDebugAdapterTracker(session: vscode.DebugSession): vscode.DebugAdapterTracker {
    this.#trackers.get(session.id)?.end();
    const tracker = new Tracker(session, this.#events, this.#log);
    this.#trackers.set(session.id, tracker);
    return tracker;
  }

  /** An adapter may end late, when a session that was started anew under the same id is there already. */
  #forget(session: Session): void {
    if (this.get(session.id) === session) this.#trackers.delete(session.id);
  }

  dispose(): void {
    for (const one of [...this.#registrations, this.#events]) one.dispose();
  }
}
