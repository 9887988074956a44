import type { DebugProtocol } from "@vscode/debugprotocol";

/** Where a stack frame stands, as the adapter last said. */
export interface NamedFrame {
  readonly thread: number;
  readonly function: string;
  /** In the file that the adapter shows for it. */
  readonly line: number;
  readonly source: DebugProtocol.Source | undefined;
}

/** Which threads of a program are paused, at which stops, and the lines of their frames. */
export class Threads {
  /** Counted over all programs: a restarted session has the id of the old one, but must not repeat its stops' numbers. */
  static #stops = 0;
  /** The frames that the adapter has named since their thread last ran, by their ids. */
  readonly #named = new Map<number, NamedFrame>();
  /** Undefined while all threads run. */
  #stop: number | undefined;
  #resumed = 0;
  /** Threads that have gone on alone since the last stop. */
  readonly #alone = new Set<number>();
  readonly #resumedAlone = new Map<number, number>();
  #ended = false;

  get ended(): boolean {
    return this.#ended;
  }

  /** Where a frame stands, if the adapter has named it since its thread last ran. */
  namedFrame(frameId: number): NamedFrame | undefined {
    return this.#named.get(frameId);
  }

  /** The stop that the thread is paused at, undefined while it runs. Frame ids repeat from stop to stop, this number never does. */
  stopOf(thread: number): number | undefined {
    return this.#ended || this.#alone.has(thread) ? undefined : this.#stop;
  }

  /** How often the thread went on: a frame 2 that was announced before that is not the frame 2 of now. */
  resumedOf(thread: number): number {
    return this.#resumed + (this.#resumedAlone.get(thread) ?? 0);
  }

  /** All have stopped, for what happened in one thread: frames of others, if they stood still all along, keep their places. */
  stopped(thread: number | undefined): void {
    Threads.#stops += 1;
    this.#stop = Threads.#stops;
    this.#alone.clear();
    this.#leave(thread);
  }

  /** All went on. */
  wentOn(): void {
    this.#stop = undefined;
    this.#resumed += 1;
    this.#alone.clear();
    this.#leave(undefined);
  }

  /** As with `"steppingResumesAllThreads": false`: other threads stay paused, and are looked at. */
  wentOnAlone(thread: number): void {
    this.#alone.add(thread);
    this.#resumedAlone.set(thread, (this.#resumedAlone.get(thread) ?? 0) + 1);
    this.#leave(thread);
  }

  end(): void {
    this.#ended = true;
    this.wentOn();
  }

  /** The adapter has named frames of a thread. */
  names(thread: number, frames: readonly DebugProtocol.StackFrame[]): void {
    for (const { id, name, line, source } of frames) this.#named.set(id, { thread, function: name, line, source });
  }

  /** The frames of a thread, or of all, are not what they were. */
  #leave(thread: number | undefined): void {
    for (const [id, place] of this.#named) if (thread === undefined || place.thread === thread) this.#named.delete(id);
  }
}
