import type { Frame } from "../debug/activeFrame.ts";
import type { Asker, Contents } from "./contents.ts";
import type { Inspector } from "./inspector.ts";

/** VS Code's token, as much of it as is needed here. */
export interface Cancelled extends Asker {
  readonly onCancellationRequested: (listener: () => void) => { dispose(): unknown };
}

/** Milliseconds to wait until a frame is asked for, and then for its answer: a busy machine's first takes long. */
const REACHED = 2500;
const ANSWERED = 7500;

/**
 * What is known of a frame of the present stop, as soon as it is; undefined if it can't be had, or is not looked at
 * soon. Frames of two programs may have one id: `isLookedAt` tells whether a session is the one that is meant.
 */
export function reached(
  inspector: Inspector,
  frameId: number,
  isLookedAt: (session: string) => boolean,
  cancelled: Cancelled,
): Promise<Contents | undefined> {
  const isMeant = (frame: Frame | undefined): frame is Frame =>
    frame?.over === false && frame.frameId === frameId && isLookedAt(frame.session.id);
  /** The frame is looked at, and what was asked of it has been answered. */
  const isHere = (frame: Frame | undefined): boolean => isMeant(frame) && !inspector.isAsked(frame);
  const found = (): Contents | undefined => (isHere(inspector.contents?.frame) ? inspector.contents : undefined);
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      for (const one of subscriptions) one.dispose();
      resolve(cancelled.isCancellationRequested ? undefined : found());
    };
    const look = (): void => {
      if (found() !== undefined || (inspector.trouble !== undefined && isHere(inspector.frame))) finish();
    };
    const subscriptions = [
      inspector.onDidChange(() => {
        look();
        void inspector.asking.then(look); // what is shown may be asked again just now
      }),
      cancelled.onCancellationRequested(finish),
    ];
    const giveUp = (): void => {
      if (!isMeant(inspector.frame) || isHere(inspector.frame)) return finish();
      // VS Code takes no later correction.
      timer = setTimeout(finish, ANSWERED);
      void inspector.asking.then(finish);
    };
    let timer = setTimeout(giveUp, REACHED);
    look();
    void inspector.asking.then(look);
  });
}
