import { ASK_DELAY_MS } from "./tasks.ts";

/** How long the user has to rest before the rest of a picture is read; at a stop, until VS Code's own views have asked. */
const REST_MS = 200;
const REST_AT_STOP_MS = 700;
/** How long the program runs before the page says so: while the user steps, it stays as it is. */
const RUNNING_MS = 300;

/** When the details page's questions are asked, and when it says that the program runs. */
export class DetailsTiming {
  /** Runs until all is asked of a stop. */
  #asking: NodeJS.Timeout | undefined;
  /** Runs until the user has rested, and a picture is read in more detail. */
  #resting: NodeJS.Timeout | undefined;
  #rest = REST_MS;
  /** Runs, once each time that the program does, until that is said. */
  #running: NodeJS.Timeout | undefined;

  /** Whether all will be asked in a moment. */
  get isToAsk(): boolean {
    return this.#asking !== undefined;
  }

  /** Has all asked of a new stop, once VS Code's own requests are on their way. */
  askSoon(ask: () => void): void {
    this.#asking = setTimeout(() => {
      ask();
      this.#rest = REST_AT_STOP_MS;
    }, ASK_DELAY_MS);
  }

  /** The user has done something: the rest of a picture is read soon after that. */
  userActs(): void {
    this.#rest = REST_MS;
  }

  /** Has more asked once the user rests. */
  askRested(ask: () => void): void {
    this.#resting = setTimeout(() => {
      this.#resting = undefined;
      ask();
    }, this.#rest);
  }

  /** Returns whether more was to be asked. */
  endRest(): boolean {
    const wasResting = this.#resting !== undefined;
    clearTimeout(this.#resting);
    this.#resting = undefined;
    return wasResting;
  }

  /** Nothing is asked any more. Returns whether more was to be asked. */
  endAsking(): boolean {
    clearTimeout(this.#asking);
    this.#asking = undefined;
    return this.endRest();
  }

  /** The program runs: that is said after a while, once. */
  runs(say: () => void): void {
    this.#running ??= setTimeout(say, RUNNING_MS);
  }

  stops(): void {
    clearTimeout(this.#running);
    this.#running = undefined;
  }
}
