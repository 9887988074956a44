import type { DebugProtocol } from "@vscode/debugprotocol";

/** A stack frame as the adapter last reported it. */
export interface ReportedFrame {
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
  /** The frames that the adapter has reported since their thread last ran, by their ids. */
  readonly #reported = new Map<number, ReportedFrame>();
  /** Undefined while all threads run. */
  #stop: number | undefined;
  /** How often this program has stopped. */
  #stopsHere = 0;
  /** How often all threads have continued. */
  #continues = 0;
  /** Threads that have continued alone since the last stop. */
  readonly #alone = new Set<number>();
  /** How often each thread has continued alone. */
  readonly #continuesAlone = new Map<number, number>();
  #ended = false;

  get ended(): boolean {
    return this.#ended;
  }

  /** How often this program has stopped, from its beginning. */
  get stops(): number {
    return this.#stopsHere;
  }

  /** A frame, if the adapter has reported it since its thread last ran. */
  reportedFrame(frameId: number): ReportedFrame | undefined {
    return this.#reported.get(frameId);
  }

  /** The stop that the thread is paused at, undefined while it runs. Frame ids repeat from stop to stop, this number never does. */
  stopOf(thread: number): number | undefined {
    return this.#ended || this.#alone.has(thread) ? undefined : this.#stop;
  }

  /** How often the thread has continued: a frame 2 from before the last time is not the frame 2 of now. */
  continuesOf(thread: number): number {
    return this.#continues + (this.#continuesAlone.get(thread) ?? 0);
  }

  /** All have stopped, for what happened in one thread: frames of others, if they stood still all along, keep their places. */
  stopped(thread: number | undefined): void {
    Threads.#stops += 1;
    this.#stopsHere += 1;
    this.#stop = Threads.#stops;
    this.#alone.clear();
    this.#forgetFrames(thread);
  }

  /** All threads have continued. */
  continued(): void {
    this.#stop = undefined;
    this.#continues += 1;
    this.#alone.clear();
    this.#forgetFrames(undefined);
  }

  /** One thread has continued, as with `"steppingResumesAllThreads": false`: the others stay paused. */
  continuedAlone(thread: number): void {
    this.#alone.add(thread);
    this.#continuesAlone.set(thread, (this.#continuesAlone.get(thread) ?? 0) + 1);
    this.#forgetFrames(thread);
  }

  end(): void {
    this.#ended = true;
    this.continued();
  }

  /** The adapter has reported frames of a thread. */
  report(thread: number, frames: readonly DebugProtocol.StackFrame[]): void {
    for (const { id, name, line, source } of frames) this.#reported.set(id, { thread, function: name, line, source });
  }

  /** The frames of a thread, or of all, are not what they were. */
  #forgetFrames(thread: number | undefined): void {
    for (const [id, frame] of this.#reported) {
      if (thread === undefined || frame.thread === thread) this.#reported.delete(id);
    }
  }
}
