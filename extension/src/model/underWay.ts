import type { DetailsPart } from "../protocol/generated.ts";

/** What the details page asks for: parts of its value, and what lies over images. */
export type AskedPart = DetailsPart | "overlay";

/** One question on its way. */
export interface Asking {
  readonly parts: readonly AskedPart[];
  readonly abort: AbortController;
}

/** The questions that were asked for the details page and are not answered yet. */
export class UnderWay {
  readonly #questions = new Set<Asking>();

  /** Begins a question, which takes the place of those about the same parts. */
  begin(parts: readonly AskedPart[]): Asking {
    this.end(parts);
    const asking: Asking = { parts, abort: new AbortController() };
    this.#questions.add(asking);
    return asking;
  }

  /** Whether it is still wanted. */
  has(asking: Asking): boolean {
    return this.#questions.has(asking);
  }

  /** The question is answered. Returns false where it was ended before. */
  finish(asking: Asking): boolean {
    return this.#questions.delete(asking);
  }

  /** Ends the questions about any of these parts, or all. Returns whether there were some. */
  end(parts?: readonly AskedPart[]): boolean {
    const ended = [...this.#questions].filter((one) => parts === undefined || parts.some((part) => isAbout(one, part)));
    for (const one of ended) {
      this.#questions.delete(one);
      one.abort.abort();
    }
    return ended.length > 0;
  }

  /** Whether these parts are asked for in one question, which ends for both of them. */
  isOneQuestion(...parts: readonly AskedPart[]): boolean {
    return [...this.#questions].some((one) => parts.every((part) => isAbout(one, part)));
  }

  /** Whether something of the value is on its way. */
  get isReading(): boolean {
    return [...this.#questions].some((one) => !isAbout(one, "overlay"));
  }
}

function isAbout({ parts }: Asking, part: AskedPart): boolean {
  return parts.includes(part);
}
