import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

interface KeptProps {
  /** All that it is made of. */
  readonly on: readonly unknown[];
  readonly children: () => VNode;
}

/** A part of the page that is drawn anew only where something changed that it is made of. */
export function Kept({ on, children }: KeptProps): VNode {
  return useMemo(children, on);
}

/** The same object as before, while it says the same. */
export function useSame<T>(now: T): T {
  const before = useRef(now);
  if (before.current !== now && JSON.stringify(before.current) !== JSON.stringify(now)) before.current = now;
  return before.current;
}

/** What is there, once what it comes with is on the screen; until then what was there before. */
export function useAfterPaint<T>(now: T | undefined): T | undefined {
  const [shown, setShown] = useState<T>();
  useEffect(() => setShown(now), [now]);
  return now === undefined ? undefined : shown;
}
