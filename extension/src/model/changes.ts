import type { Frame } from "../debug/frame.ts";
import type { Session } from "../debug/session.ts";
import type { FrameAnswer } from "../protocol/generated.ts";
import { comparedText, type Scene } from "./row.ts";
import { allRows } from "./rows.ts";
import type { Contents, Lines } from "./contents.ts";

/** How many functions of a session are remembered: those that it stopped in last. */
const MAX_FUNCTIONS = 20;

/** What was known at the last stop in each function: its rows' lines are compared with the next stop's. */
export class Changes {
  #last = new WeakMap<Session, Map<string, Contents>>();

  /**
   * What the rows of a frame said before: at the function's last stop, or, where it had none and the frame is read again,
   * at the first reading. Nothing, where two frames of one function are on the stack: it can't be told which was which.
   */
  before(frame: Frame, answer: FrameAnswer, sceneOf: (contents: Contents) => Scene): Lines {
    const last = this.#last.get(frame.session)?.get(functionOf(frame, answer));
    if (last === undefined) return NONE;
    if (last.frame.key === frame.key) return new Map([...linesOf(sceneOf(last)), ...last.linesBefore]);
    return last.frame.stop === frame.stop ? NONE : linesOf(sceneOf(last));
  }

  /** The answer came: the next stop in this function is compared with it. */
  keep(contents: Contents): void {
    const { frame, answer } = contents;
    const functions = this.#last.get(frame.session) ?? new Map<string, Contents>();
    this.#last.set(frame.session, functions);
    const key = functionOf(frame, answer);
    const last = functions.get(key);
    // Several frames of one function at one stop: the first that was looked at is kept, which is that of the stop itself.
    if (last?.frame.stop === frame.stop && last.frame.key !== frame.key) return;
    functions.delete(key);
    functions.set(key, contents);
    for (const oldest of functions.keys()) if (functions.size > MAX_FUNCTIONS) functions.delete(oldest);
  }

  /** Rows will say the same values in other words. */
  forget(): void {
    this.#last = new WeakMap();
  }
}

const NONE: Lines = new Map();

/** Methods of two classes in one file may have one name. */
function functionOf({ threadId, place }: Frame, { first_line }: FrameAnswer): string {
  return `${threadId} ${first_line} ${place}`;
}

/** The lines of the rows that are known and whose values were read in full. */
function linesOf(scene: Scene): Lines {
  const lines = new Map<string, string>();
  for (const { id, path, value } of allRows(scene)) {
    const line = value && comparedText(path, value.node);
    if (line !== undefined) lines.set(id, line);
  }
  return lines;
}
