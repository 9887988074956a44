/** A request that several callers share. It is aborted when none of them waits any more. */
export class SharedRequest<T> {
  readonly answer: Promise<T>;
  readonly #abort = new AbortController();
  readonly #answered = new AbortController();
  #waiting = 0;

  constructor(ask: (wanted: AbortSignal) => Promise<T>, signal?: AbortSignal) {
    this.join(signal);
    this.answer = ask(this.#abort.signal);
    const end = (): void => this.#answered.abort();
    this.answer.then(end, end);
  }

  /** Adds a caller, who waits until its signal aborts. Returns false if the request is aborted already. */
  join(signal?: AbortSignal): boolean {
    const { signal: answered } = this.#answered;
    if (answered.aborted) return true;
    if (this.#abort.signal.aborted) return false;
    this.#waiting += 1;
    if (signal?.aborted === true) this.#leave();
    else signal?.addEventListener("abort", () => this.#leave(), { once: true, signal: answered });
    return true;
  }

  #leave(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#abort.abort();
  }
}
