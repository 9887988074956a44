import type { Frame } from "../debug/frame.ts";
import { Cancelled } from "../debug/queue.ts";
import type { Calls } from "../helper/calls.ts";
import type { LensAnswer, LensRequest } from "../protocol/generated.ts";

/** The length of a slice in which code of the program may run: others are answered in between. */
export const RUN_SLICE_MS = 1500;

/** What is asked of a lens. */
export type LensInput = Pick<LensRequest, "lens" | "values" | "options" | "snapshot">;

export interface AskOptions {
  readonly onProgress?: (progress: number) => void;
  readonly signal?: AbortSignal;
}

/** Asks a lens slice by slice until it has its answer. Between slices other requests are answered, and it can be cancelled. */
export async function askInSlices(
  helper: Pick<Calls, "lens">,
  frame: Frame,
  input: LensInput,
  { onProgress, signal }: AskOptions = {},
): Promise<LensAnswer> {
  const endIfAborted = (): void => {
    if (signal?.aborted === true) throw new Cancelled();
  };
  endIfAborted();
  const request = input.options?.["run"] === true ? { ...input, limits: { ms: RUN_SLICE_MS } } : input;
  let answer = await helper.lens(frame, request, signal);
  while (!answer.done) {
    endIfAborted();
    onProgress?.(answer.progress);
    const { snapshot, resume } = answer;
    answer = await helper.lens(frame, { ...request, snapshot, ...(resume === undefined ? {} : { resume }) }, signal);
  }
  return answer;
}
