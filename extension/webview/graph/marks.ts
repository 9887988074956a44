/** What is wrong with nodes: where the graph is broken, modified, freed, or NaN began. */
import type { AutogradGraph } from "../../src/protocol/generated.ts";

/** The gravest first. */
export const MARKS = ["nan", "modified", "broken", "freed"] as const;
export type MarkKind = (typeof MARKS)[number];

/** A sign for each, which fonts have. */
export const GLYPHS: Readonly<Record<MarkKind, string>> = { nan: "×", modified: "≠", broken: "‖", freed: "∅" };

/** The marks of each node that has some, the gravest first. */
export function marksOf(graph: AutogradGraph): ReadonlyMap<number, readonly MarkKind[]> {
  const found = new Map<number, MarkKind[]>();
  const nodes: Readonly<Record<MarkKind, readonly (number | null)[]>> = {
    nan: [graph.nan?.node ?? null],
    modified: graph.modified.map(({ node }) => node),
    broken: graph.broken.map(({ node }) => node),
    freed: graph.freed,
  };
  for (const mark of MARKS) {
    for (const node of new Set(nodes[mark])) if (node !== null) found.set(node, [...(found.get(node) ?? []), mark]);
  }
  return found;
}

/** How many nodes have each mark. */
export function countMarks(
  marks: ReadonlyMap<number, readonly MarkKind[]>,
  nodes: Iterable<number>,
): ReadonlyMap<MarkKind, number> {
  const counts = new Map<MarkKind, number>();
  for (const node of nodes) for (const mark of marks.get(node) ?? []) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return new Map(MARKS.flatMap((mark) => (counts.has(mark) ? [[mark, counts.get(mark) ?? 0] as const] : [])));
}
