import type { VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";

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
