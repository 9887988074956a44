/** A file to which another process appends a line of JSON at a time. */
import { closeSync, openSync, readSync, statSync } from "node:fs";

export class JsonLines<T> {
  readonly #file: string;
  readonly #lines: T[] = [];
  #bytesRead: number;

  /** Reads what is appended from now on. */
  constructor(file: string) {
    this.#file = file;
    this.#bytesRead = sizeOf(file);
  }

  /** Everything so far, oldest first. */
  all(): readonly T[] {
    const size = sizeOf(this.#file);
    if (size === this.#bytesRead) return this.#lines;
    const fresh = readFrom(this.#file, this.#bytesRead, size);
    const complete = fresh.subarray(0, fresh.lastIndexOf("\n") + 1); // the last line may still be being written
    this.#bytesRead += complete.length;
    const lines = complete.toString().split("\n").filter(Boolean);
    this.#lines.push(...lines.map((line) => JSON.parse(line) as T));
    return this.#lines;
  }
}

/** 0 where it is not there yet. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function readFrom(file: string, start: number, end: number): Buffer {
  const opened = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(end - start);
    return bytes.subarray(0, readSync(opened, bytes, 0, bytes.length, start));
  } finally {
    closeSync(opened);
  }
}
