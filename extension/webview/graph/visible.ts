/** What is drawn of a graph: nodes, and blocks that are folded as one box each. */
import type { AutogradBroken } from "../../src/protocol/generated.ts";
import type { Block } from "./blocks.ts";
import type { GraphNodes } from "./nodes.ts";

/** A box: a node, a folded block, or parameters that are not reached. */
export interface Item {
  readonly key: string;
  readonly node: number | undefined;
  readonly block: Block | undefined;
  readonly broken: AutogradBroken | undefined;
  /** The open block in which it stands. */
  readonly parent: Block;
}

/** Boxes in the order of their nodes, and who of them takes whom: two lists of places, each pair once, the upper first. */
export interface VisibleGraph {
  readonly items: readonly Item[];
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** The box in which each node is. */
  readonly itemOf: Int32Array;
}

export function visibleGraph(nodes: GraphNodes, whole: Block, open: ReadonlySet<string>): VisibleGraph {
  const items: Item[] = [];
  const itemOf = new Int32Array(nodes.count);
  const enter = (block: Block): void => {
    for (const part of block.parts) {
      if (typeof part === "number") {
        itemOf[part] = items.length;
        items.push({ key: `node ${part}`, node: part, block: undefined, broken: undefined, parent: block });
      } else if (open.has(part.key)) enter(part);
      else {
        for (let place = part.start; place < part.end; place += 1) itemOf[nodes.order[place] ?? 0] = items.length;
        items.push({ key: `block ${part.key}`, node: undefined, block: part, broken: undefined, parent: block });
      }
    }
  };
  enter(whole);
  const met = new Set<number>();
  const from: number[] = [];
  const to: number[] = [];
  for (let edge = 0; edge < nodes.from.length; edge += 1) {
    const [above, below] = [itemOf[nodes.from[edge] ?? 0] ?? 0, itemOf[nodes.to[edge] ?? 0] ?? 0];
    const key = above * items.length + below;
    if (above === below || met.has(key)) continue;
    met.add(key);
    from.push(above);
    to.push(below);
  }
  nodes.graph.broken.forEach((broken, at) => {
    if (broken.node !== null) {
      from.push(itemOf[broken.node] ?? 0);
      to.push(items.length);
    }
    items.push({ key: `broken ${at}`, node: undefined, block: undefined, broken, parent: whole });
  });
  return { items, from: Int32Array.from(from), to: Int32Array.from(to), itemOf };
}

/** How many nodes a box stands for. */
export function nodesIn({ node, block }: Item): number {
  if (block !== undefined) return block.end - block.start;
  return node === undefined ? 0 : 1;
}

/** The nodes that a box stands for. */
export function* nodesOf(nodes: GraphNodes, { node, block }: Item): Generator<number> {
  if (node !== undefined) yield node;
  if (block !== undefined) yield* nodes.order.subarray(block.start, block.end);
}
