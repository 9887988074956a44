import type { ElementWindow, Picture } from "../src/protocol/page.ts";

/** After so long without an answer, the same is asked for again; then after twice as long, and so on. */
export const PATIENCE_MS = 1000;

/** The numbers that were asked for last. */
export class Asked {
  #last: { picture: Picture; window: ElementWindow; at: number; patience: number } | undefined;

  /** In how many milliseconds a window of a picture is to be asked for: none where it was not yet. */
  wait(picture: Picture, window: ElementWindow, now: number): number {
    if (!this.#includes(picture, window) || this.#last === undefined) return 0;
    return Math.max(0, this.#last.at + this.#last.patience - now);
  }

  /** It is asked for now, with what is around it. */
  note(picture: Picture, window: ElementWindow, now: number): void {
    const isSame = this.#includes(picture, window) && this.#last !== undefined;
    const patience = isSame ? 2 * (this.#last?.patience ?? PATIENCE_MS) : PATIENCE_MS;
    this.#last = { picture, window, at: now, patience };
  }

  #includes(picture: Picture, window: ElementWindow): boolean {
    return this.#last?.picture === picture && covers(this.#last.window, window);
  }
}

/** Whether a window is in another. */
export function covers([top, bottom, left, right]: ElementWindow, wanted: ElementWindow): boolean {
  return top <= wanted[0] && bottom >= wanted[1] && left <= wanted[2] && right >= wanted[3];
}
