/** The nodes of a graph: who takes whom, and an order in which each comes before what it takes. */
import type { AutogradGraph, AutogradLeaf } from "../../src/protocol/generated.ts";

/** Operations that only show the same elements otherwise: one of a parameter belongs to it. */
const VIEWS: ReadonlySet<string> = new Set(
  "Alias AsStrided Clone Contiguous Permute Reshape ReshapeAlias Squeeze T ToCopy Transpose UnsafeView Unsqueeze View".split(
    " ",
  ),
);

/** For each node others, one list after another. */
export class Neighbours {
  readonly #starts: Int32Array;
  readonly #others: Int32Array;

  /** `from` and `to` of each pair; the others of a node stand in the order of the pairs. */
  constructor(count: number, from: ArrayLike<number>, to: ArrayLike<number>) {
    this.#starts = new Int32Array(count + 1);
    for (let at = 0; at < from.length; at += 1) this.#starts[(from[at] ?? 0) + 1]! += 1;
    for (let at = 0; at < count; at += 1) this.#starts[at + 1]! += this.#starts[at]!;
    const next = this.#starts.slice();
    this.#others = new Int32Array(from.length);
    for (let at = 0; at < from.length; at += 1) {
      this.#others[next[from[at]!]!] = to[at]!;
      next[from[at]!]! += 1;
    }
  }

  of(node: number): Int32Array {
    return this.#others.subarray(this.#starts[node], this.#starts[node + 1]);
  }
}

export class GraphNodes {
  readonly graph: AutogradGraph;
  readonly count: number;
  /** Pairs: the node, and what it takes. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly inputs: Neighbours;
  readonly users: Neighbours;
  readonly leaves: ReadonlyMap<number, AutogradLeaf>;
  /** The variables that hold what nodes have made. */
  readonly names: ReadonlyMap<number, string>;
  /** Of each node whether it is a leaf, or only shows the elements of one. */
  readonly #ofLeaf: Uint8Array;
  /** All nodes, the root first, each before what it takes; a parameter right after the last node that takes it. */
  readonly order: Int32Array;
  /** The place of each node in that order. */
  readonly places: Int32Array;

  constructor(graph: AutogradGraph) {
    const { op, edges } = graph;
    this.graph = graph;
    this.count = op.length;
    this.from = Int32Array.from({ length: edges.length / 2 }, (_, at) => edges[2 * at] ?? 0);
    this.to = Int32Array.from({ length: edges.length / 2 }, (_, at) => edges[2 * at + 1] ?? 0);
    this.inputs = new Neighbours(this.count, this.from, this.to);
    this.users = new Neighbours(this.count, this.to, this.from);
    this.leaves = new Map(graph.leaves.map((leaf) => [leaf.node, leaf]));
    this.names = new Map(graph.values.map(({ node, name }) => [node, name]));
    this.#ofLeaf = this.#findViewsOfLeaves();
    this.order = this.#sorted();
    this.places = new Int32Array(this.count);
    this.order.forEach((node, place) => (this.places[node] = place));
  }

  op(node: number): AutogradGraph["ops"][number] {
    return this.graph.ops[this.graph.op[node] ?? -1] ?? { name: "", type: "", custom: false };
  }

  result(node: number): AutogradGraph["results"][number] | undefined {
    return this.graph.results[this.graph.result[node] ?? -1];
  }

  /** Whether it is a leaf, or only shows the elements of one. */
  isOfLeaf(node: number): boolean {
    return this.#ofLeaf[node] === 1;
  }

  #leafOf(node: number): number {
    let leaf = node;
    while (!this.leaves.has(leaf)) leaf = this.inputs.of(leaf)[0] ?? -1;
    return leaf;
  }

  #findViewsOfLeaves(): Uint8Array {
    const found = new Uint8Array(this.count);
    const waiting = [...this.leaves.keys()];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      found[node] = 1;
      for (const user of this.users.of(node)) {
        if (VIEWS.has(this.op(user).name) && this.inputs.of(user).length === 1) waiting.push(user);
      }
    }
    return found;
  }

  #sorted(): Int32Array {
    const left = new Int32Array(this.count);
    for (const node of this.to) left[node]! += 1;
    // Of those that can come next the one that was made last; parameters at once, what else is no operation at the end.
    const made = this.graph.made.map((place, node) => {
      if (this.isOfLeaf(node) && (this.leaves.get(this.#leafOf(node))?.module.length ?? 0) > 0) return Infinity;
      return place;
    });
    const ready = new Heap((node) => made[node] ?? 0);
    for (let node = 0; node < this.count; node += 1) if (left[node] === 0) ready.add(node);
    const order = new Int32Array(this.count);
    for (let place = 0; place < this.count; place += 1) {
      const node = ready.take();
      if (node === undefined) break; // a cycle, which no graph of torch has
      order[place] = node;
      for (const below of this.inputs.of(node)) {
        left[below]! -= 1;
        if (left[below] === 0) ready.add(below);
      }
    }
    return order;
  }
}

/** Gives numbers back, the one of the largest rank first; of equal ranks the smallest number. */
class Heap {
  readonly #rank: (item: number) => number;
  readonly #items: number[] = [];

  constructor(rank: (item: number) => number) {
    this.#rank = rank;
  }

  add(item: number): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#isBefore(item, items[above]!)) break;
      items[at] = items[above]!;
      at = above;
    }
    items[at] = item;
  }

  take(): number | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= items.length) break;
      if (below + 1 < items.length && this.#isBefore(items[below + 1]!, items[below]!)) below += 1;
      if (!this.#isBefore(items[below]!, last)) break;
      items[at] = items[below]!;
      at = below;
    }
    items[at] = last;
    return first;
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#rank(one), this.#rank(other)];
    return a > b || (a === b && one < other);
  }
}
