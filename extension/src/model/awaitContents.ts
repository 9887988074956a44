import type { Frame } from "../debug/frame.ts";
import type { Contents } from "./contents.ts";
import type { Inspector } from "./inspector.ts";

/** How long to wait until the user looks at a frame. */
const FOCUS_TIMEOUT_MS = 2500;
/** How long to wait for its answer then: a busy machine's first takes long. */
const ANSWER_TIMEOUT_MS = 7500;

/**
 * Waits for what is known of a frame of the present stop; undefined if it can't be had, or is not looked at soon. Frames
 * of two programs may have one id: `isLookedAt` tells whether a session is the one that is meant.
 */
export function awaitContents(
  inspector: Inspector,
  frameId: number,
  isLookedAt: (session: string) => boolean,
  signal: AbortSignal,
): Promise<Contents | undefined> {
  const isMeant = (frame: Frame | undefined): frame is Frame =>
    frame?.over === false && frame.frameId === frameId && isLookedAt(frame.session.id);
  /** The frame is looked at, and has been read. */
  const isReady = (frame: Frame | undefined): boolean => isMeant(frame) && !inspector.isReading(frame);
  const found = (): Contents | undefined => (isReady(inspector.contents?.frame) ? inspector.contents : undefined);
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      subscription.dispose();
      signal.removeEventListener("abort", finish);
      resolve(signal.aborted ? undefined : found());
    };
    const look = (): void => {
      if (found() !== undefined || (inspector.trouble !== undefined && isReady(inspector.frame))) finish();
    };
    const subscription = inspector.onDidChange(() => {
      look();
      void inspector.reading.then(look); // what is shown may be read again just now
    });
    signal.addEventListener("abort", finish);
    const endOrAwaitAnswer = (): void => {
      if (!isMeant(inspector.frame) || isReady(inspector.frame)) return finish();
      // The frame is being read. It is worth the wait, since VS Code takes no later correction.
      timer = setTimeout(finish, ANSWER_TIMEOUT_MS);
      void inspector.reading.then(finish);
    };
    let timer = setTimeout(endOrAwaitAnswer, FOCUS_TIMEOUT_MS);
    if (signal.aborted) return finish();
    look();
    void inspector.reading.then(look);
  });
}
