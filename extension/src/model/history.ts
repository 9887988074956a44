import type { Frame } from "../debug/frame.ts";
import type { Session } from "../debug/session.ts";
import type { FrameAnswer, Measurement } from "../protocol/generated.ts";

/** How many stops of an expression are kept in a session, and how many sessions: those that stopped last. */
const MAX_STOPS = 1000;
const MAX_SESSIONS = 4;

/** The numbers of an expression at one stop. */
export interface Point {
  /** The how-manieth stop of its session it was, of those at which something was recorded. */
  readonly stop: number;
  readonly frame: Pick<Frame, "stop" | "key" | "file">;
  /** Where the frame stood. */
  readonly function: string;
  readonly line: number;
  readonly time: Date;
  readonly measurement: Measurement;
}

/** What is recorded of one session. */
interface SessionHistory {
  /** The stops at which something was recorded: how many, and the number that the last one has in the debug session. */
  stops: number;
  last: number;
  readonly points: Map<string, Point[]>;
}

/**
 * The numbers of pinned expressions, from stop to stop: no values, and bounded. Of the frames that are looked at during a
 * stop, the first in which an expression has numbers counts; read again, as after a change in the console, it counts anew.
 */
export class History {
  readonly #sessions = new Map<Session, SessionHistory>();
  readonly #now: () => Date;

  constructor(now = (): Date => new Date()) {
    this.#now = now;
  }

  /** The session in which something was recorded last. */
  get latest(): Session | undefined {
    return [...this.#sessions.keys()].at(-1);
  }

  /** The expressions of which there are numbers, in the order in which they came. */
  expressions(session: Session): readonly string[] {
    return [...(this.#sessions.get(session)?.points.keys() ?? [])];
  }

  /** The oldest first. */
  points(session: Session, expression: string): readonly Point[] {
    return this.#sessions.get(session)?.points.get(expression) ?? [];
  }

  /** A frame was read, with its pins. */
  record(frame: Frame, answer: FrameAnswer): void {
    for (const { expression, measurement } of answer.pins) {
      if (measurement !== undefined) this.recordOne(expression, measurement, frame, answer);
    }
  }

  /** An expression has these numbers in a frame, as by running it. */
  recordOne(expression: string, measurement: Measurement, frame: Frame, answer: FrameAnswer): void {
    const known = this.#of(frame.session);
    if (frame.stop < known.last) return;
    const points = known.points.get(expression) ?? [];
    const last = points.at(-1);
    if (last?.frame.stop === frame.stop && last.frame.key !== frame.key) return;
    if (frame.stop > known.last) {
      known.stops += 1;
      known.last = frame.stop;
    }
    if (last?.frame.stop === frame.stop) points.pop();
    const { stop, key, file } = frame;
    const { function: name, line } = answer;
    const time = this.#now();
    points.push({ stop: known.stops, frame: { stop, key, file }, function: name, line, time, measurement });
    if (points.length > MAX_STOPS) points.shift();
    known.points.set(expression, points);
  }

  /** The expression is not pinned any more. */
  forget(expression: string): void {
    for (const [session, { points }] of this.#sessions) {
      points.delete(expression);
      if (points.size === 0) this.#sessions.delete(session);
    }
  }

  /** What is recorded of a session, which is the latest from now on. */
  #of(session: Session): SessionHistory {
    const known = this.#sessions.get(session) ?? { stops: 0, last: 0, points: new Map<string, Point[]>() };
    this.#sessions.delete(session);
    this.#sessions.set(session, known);
    for (const oldest of this.#sessions.keys()) if (this.#sessions.size > MAX_SESSIONS) this.#sessions.delete(oldest);
    return known;
  }
}
