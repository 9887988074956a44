import type { Frame } from "../debug/frame.ts";
import type { Session } from "../debug/session.ts";
import type { FrameAnswer, FunctionName, Measurement, PinAnswer, Recording } from "../protocol/generated.ts";
import { functionOf } from "./watchpoints.ts";

/** How many stops and steps of an expression are kept in a session, and how many sessions: those that stopped last. */
const MAX_STOPS = 1000;
const MAX_STEPS = 10_000;
const MAX_SESSIONS = 4;

/** The numbers of an expression at one stop. */
export interface Point {
  /** Its number among the stops of its session at which something was recorded, from 1. */
  readonly stop: number;
  readonly frame: Pick<Frame, "stop" | "key" | "file">;
  /** Where the frame stood. */
  readonly function: FunctionName;
  readonly line: number;
  readonly time: Date;
  readonly measurement: Measurement;
}

/** The numbers of an expression after one step of an optimizer. */
export interface StepPoint {
  readonly step: number;
  /** Where the expression was followed; undefined where that is not known. */
  readonly function?: FunctionName;
  /** The number that the stop has in the debug session before which it was. */
  readonly until: number;
  readonly time: Date;
  readonly measurement: Measurement;
}

/** What is recorded at a stop, or at a step. */
export type HistoryRecord = Point | StepPoint;

/** The numbers of an expression that a frame's answer has. */
export type Recorded = Pick<PinAnswer, "expression" | "measurement" | "recording">;

/** What is recorded of one session. */
interface SessionHistory {
  /** The stops at which something was recorded: how many, and the number that the last one has in the debug session. */
  stops: number;
  last: number;
  readonly points: Map<string, Point[]>;
  readonly steps: Map<string, StepPoint[]>;
}

/**
 * The numbers of pinned and watched expressions, from stop to stop: no values, and bounded. Of the frames that are looked
 * at during a stop, the first in which an expression has numbers counts; read again, as after a change in the console, it
 * counts anew.
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
    const known = this.#sessions.get(session);
    return [...new Set([...(known?.points.keys() ?? []), ...(known?.steps.keys() ?? [])])];
  }

  /** The oldest first. */
  points(session: Session, expression: string): readonly Point[] {
    return this.#sessions.get(session)?.points.get(expression) ?? [];
  }

  /** The steps that were recorded, the oldest first. */
  steps(session: Session, expression: string): readonly StepPoint[] {
    return this.#sessions.get(session)?.steps.get(expression) ?? [];
  }

  /** Stops and steps, as they followed each other: a stop's own numbers come after the steps before it. */
  records(session: Session, expression: string): readonly HistoryRecord[] {
    const steps = this.steps(session, expression);
    if (steps.length === 0) return this.points(session, expression);
    const all = [...steps, ...this.points(session, expression)];
    return all.toSorted((a, b) => stopOf(a) - stopOf(b) || Number("stop" in a) - Number("stop" in b));
  }

  /** The number of the last step that is known; 0 before the first. */
  lastStep(session: Session, expression: string): number {
    return this.steps(session, expression).at(-1)?.step ?? 0;
  }

  /** A frame was read, with its pins, or with these numbers. */
  record(frame: Frame, answer: FrameAnswer, found: Iterable<Recorded> = answer.pins): void {
    for (const { expression, measurement, recording } of found) {
      if (recording !== undefined && recording.steps.length > 0) this.#addSteps(expression, recording, frame);
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
    const { line } = answer;
    const at = { stop: known.stops, frame: { stop, key, file }, function: functionOf(frame, answer), line };
    points.push({ ...at, time: this.#now(), measurement });
    if (points.length > MAX_STOPS) points.shift();
    known.points.set(expression, points);
  }

  /** Forgets the expressions that are not kept any more. */
  retain(isKept: (expression: string) => boolean): void {
    for (const [session, { points, steps }] of this.#sessions) {
      for (const expression of this.expressions(session)) {
        if (isKept(expression)) continue;
        points.delete(expression);
        steps.delete(expression);
      }
      if (points.size + steps.size === 0) this.#sessions.delete(session);
    }
  }

  #addSteps(expression: string, { steps: numbers, columns, function: place }: Recording, frame: Frame): void {
    const { steps } = this.#of(frame.session);
    const last = this.lastStep(frame.session, expression);
    const known = [...(steps.get(expression) ?? [])];
    for (const [at, step] of numbers.entries()) {
      if (step <= last) continue;
      const of = Object.entries(columns).flatMap(([name, column]) => {
        const number = column[at];
        return number === undefined || number === null ? [] : [[name, number] as const];
      });
      const { time = 0, ...measurement } = Object.fromEntries(of);
      known.push({ step, function: place, until: frame.stop, time: new Date(1000 * Number(time)), measurement });
    }
    steps.set(expression, known.slice(-MAX_STEPS));
  }

  /** What is recorded of a session, which is the latest from now on. */
  #of(session: Session): SessionHistory {
    const known = this.#sessions.get(session) ?? emptyHistory();
    this.#sessions.delete(session);
    this.#sessions.set(session, known);
    for (const oldest of this.#sessions.keys()) if (this.#sessions.size > MAX_SESSIONS) this.#sessions.delete(oldest);
    return known;
  }
}

function emptyHistory(): SessionHistory {
  return { stops: 0, last: 0, points: new Map<string, Point[]>(), steps: new Map<string, StepPoint[]>() };
}

/** The number in the debug session of the stop that it is of, or that came after it. */
export function stopOf(record: HistoryRecord): number {
  return "stop" in record ? record.frame.stop : record.until;
}
