import type { Frame } from "../debug/frame.ts";
import { Cancelled } from "../debug/queue.ts";
import type { Calls } from "../helper/calls.ts";
import type { LensAnswer } from "../protocol/generated.ts";
import { type LensInput, RUN_SLICE_MS } from "./slices.ts";

export interface ExportOptions {
  /**
   * Takes the pieces of the file, in base64 and in their order, where the program does not write it itself; of a folder,
   * with the name of the file that each is of.
   */
  readonly onData?: (data: string, file: string | undefined) => Promise<void>;
  readonly onProgress?: (progress: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Has the lens `export` make a file slice by slice. Where nobody waits any more, or a piece can't be taken, the program is
 * told, so that it removes what it has begun; else it does so as it goes on.
 */
export async function exportInSlices(
  helper: Pick<Calls, "lens">,
  frame: Frame,
  input: LensInput,
  { onData, onProgress, signal }: ExportOptions,
): Promise<LensAnswer> {
  const runs = input.options?.["run"] === true;
  const request = runs ? { ...input, limits: { ms: RUN_SLICE_MS } } : input;
  // A slice that runs nothing is awaited: its answer tells what there is to be undone.
  const interruption = runs ? signal : undefined;
  const isAborted = (): boolean => signal?.aborted === true;
  if (isAborted()) throw new Cancelled();
  let answer = await helper.lens(frame, request, interruption);
  const going = { ...request, options: runs ? { run: true } : {} }; // what it was asked is known there
  for (;;) {
    const { snapshot, resume } = answer;
    const next = { ...going, snapshot, ...(resume === undefined ? {} : { resume }) };
    try {
      if (answer.data !== undefined) await onData?.(answer.data, answer.file);
      if (answer.done) return answer;
      if (isAborted()) throw new Cancelled();
    } catch (error) {
      if (!answer.done) await helper.lens(frame, { ...next, cancel: true }).catch(() => undefined);
      throw error;
    }
    onProgress?.(answer.progress);
    answer = await helper.lens(frame, next, interruption);
  }
}
