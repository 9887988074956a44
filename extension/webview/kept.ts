import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

interface KeptProps {
  /** All that it is made of. */
  readonly on: readonly unknown[];
  /** It is to stay as it is for now, whatever changed. */
  readonly isHeld?: boolean;
  readonly children: () => VNode;
}

/** A part of the page that is drawn anew only where something changed that it is made of. */
export function Kept({ on, isHeld = false, children }: KeptProps): VNode {
  const last = useRef(on);
  if (!isHeld) last.current = on;
  return useMemo(children, last.current);
}

/** The same object as before, while it says the same. */
export function useSame<T>(now: T): T {
  const before = useRef(now);
  if (before.current !== now && JSON.stringify(before.current) !== JSON.stringify(now)) before.current = now;
  return before.current;
}

/**
 * What is there, once what it comes with is on the screen; until then what was there before, and of which generation that
 * is: what is drawn of another one is to stay as it is.
 */
export function useAfterPaint<T>(now: T | undefined, generation: number): [shown: T | undefined, isOld: boolean] {
  const [shown, setShown] = useState<{ now: T | undefined; generation: number }>();
  useEffect(() => setShown({ now, generation }), [now, generation]);
  return now === undefined ? [undefined, false] : [shown?.now, shown?.generation !== generation];
}
