/** Which nodes belong to one module of the program, or to one straight chain: what is folded into one box. */
import type { GraphNodes } from "./nodes.ts";

/** A part of the order of nodes that can be drawn as one box. No way leads out of it and back in. */
export interface Block {
  /** The same at each stop. */
  readonly key: string;
  /** What it is called: the module's name within the one around it; empty of what is no module. */
  readonly name: string;
  /** What repeats is a block of which each turn is one. */
  readonly kind: "whole" | "module" | "chain" | "repeat" | "turn";
  /** Which call of the module it is, from 1, where there are several. */
  readonly call: number;
  readonly calls: number;
  /** The first place in the order, and the one behind the last. */
  readonly start: number;
  readonly end: number;
  /** What is in it, in the order: nodes by their numbers, and blocks. */
  readonly parts: readonly (number | Block)[];
  readonly parent: Block | undefined;
}

/** So many nodes make a chain at least. */
const CHAIN = 4;
/** Nodes that stand beside each other are looked at for repeats where there are more than so many. */
const CROWD = 40;
/** So many nodes a part has at most that is looked for again. */
const LONGEST_TURN = 128;

/** Everything as one block, and in it the blocks. */
export function blocksOf(nodes: GraphNodes): Block {
  const paths = modulesOf(nodes);
  const calls = new Map<string, Draft[]>();
  const drafts = run(nodes, paths, { start: 0, end: nodes.count, depth: 0 }, [], calls);
  for (const same of calls.values()) {
    // The order leads from the loss back to the first call.
    same.toReversed().forEach((draft, at) => Object.assign(draft, { call: at + 1, calls: same.length }));
  }
  const whole = { name: "", key: "", kind: "whole", call: 1, calls: 1, start: 0, end: nodes.count } as const;
  return made({ ...whole, parts: drafts }, undefined);
}

/** A block whose parts do not know it yet. */
interface Draft {
  name: string;
  key: string;
  kind: Block["kind"];
  call: number;
  calls: number;
  start: number;
  end: number;
  parts: readonly (number | Draft)[];
}

function made(draft: Draft, parent: Block | undefined): Block {
  const key = draft.calls > 1 ? `${draft.key}#${draft.call}` : draft.key;
  const parts: (number | Block)[] = [];
  const block: Block = { ...draft, key, parent, parts };
  for (const part of draft.parts) parts.push(typeof part === "number" ? part : made(part, block));
  return block;
}

/** The places of a part of the order, and how many names of modules lead there. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
}

function run(
  nodes: GraphNodes,
  paths: readonly (readonly string[])[],
  { start, end, depth }: Span,
  names: readonly string[],
  calls: Map<string, Draft[]>,
): readonly (number | Draft)[] {
  const parts: (number | Draft)[] = [];
  const nameAt = (place: number): string | undefined => paths[nodes.order[place] ?? 0]?.[depth];
  for (let at = start; at < end;) {
    const name = nameAt(at);
    let next = at + 1;
    if (name !== undefined) while (next < end && nameAt(next) === name) next += 1;
    if (name === undefined || next === at + 1) parts.push(nodes.order[at] ?? 0);
    else {
      const below = run(nodes, paths, { start: at, end: next, depth: depth + 1 }, [...names, name], calls);
      const [only] = below;
      if (below.length === 1 && typeof only === "object" && only.kind === "module") {
        only.name = `${name}.${only.name}`; // layers.0
        parts.push(only);
      } else {
        const key = [...names, name].join(".");
        const draft: Draft = { name, key, kind: "module", call: 1, calls: 1, start: at, end: next, parts: below };
        note(calls, draft);
        parts.push(draft);
      }
    }
    at = next;
  }
  const key = names.join(".");
  return withRepeats(nodes, withChains(nodes, parts, key, calls), key, calls);
}

/** Parts in which nodes that come again and again are a block, of which each turn is one. */
function withRepeats(
  nodes: GraphNodes,
  parts: readonly (number | Draft)[],
  key: string,
  calls: Map<string, Draft[]>,
): readonly (number | Draft)[] {
  if (parts.length <= CROWD) return parts;
  const alike = parts.map((part) =>
    typeof part === "number" ? `${nodes.graph.op[part]} ${nodes.graph.result[part]}` : undefined,
  );
  const found: (number | Draft)[] = [];
  for (let at = 0; at < parts.length;) {
    const { length, times } = longestRepeat(alike, at);
    const repeat = `${key} × …`;
    if (times < 3) found.push(parts[at] ?? 0);
    else if (length === 1) found.push(drafted(nodes, "repeat", repeat, parts.slice(at, at + times), calls));
    else {
      const turns = Array.from({ length: times }, (_, turn) =>
        drafted(nodes, "turn", `${key} ×`, parts.slice(at + turn * length, at + (turn + 1) * length), calls),
      );
      const start = turns[0]?.start ?? 0;
      const end = turns.at(-1)?.end ?? start;
      const whole: Draft = { ...EMPTY, key: repeat, kind: "repeat", start, end, parts: turns };
      note(calls, whole);
      found.push(whole);
    }
    at += times < 3 ? 1 : length * times;
  }
  return found;
}

/** How a list repeats from a place on: a part of which length, how often; the way that covers the most. */
function longestRepeat(alike: readonly (string | undefined)[], at: number): { length: number; times: number } {
  let best = { length: 1, times: 1 };
  for (let length = 1; length <= LONGEST_TURN && at + 2 * length <= alike.length; length += 1) {
    if (alike[at] === undefined || alike[at] !== alike[at + length]) continue;
    let same = 0;
    while (alike[at + same] !== undefined && alike[at + same] === alike[at + same + length]) same += 1;
    const times = 1 + Math.floor(same / length);
    if (times > 2 && times * length > Math.max(CHAIN, best.times * best.length)) best = { length, times };
    if (best.times * best.length * 2 > alike.length - at) break;
  }
  return best;
}

const EMPTY = { name: "", call: 1, calls: 1 } as const;

/** Nodes that stand beside each other as a block. */
function drafted(
  nodes: GraphNodes,
  kind: Block["kind"],
  key: string,
  some: readonly (number | Draft)[],
  calls: Map<string, Draft[]>,
): Draft {
  const parts = some.filter((part) => typeof part === "number");
  const start = nodes.places[parts[0] ?? 0] ?? 0;
  const draft: Draft = { ...EMPTY, key, kind, start, end: start + parts.length, parts };
  note(calls, draft);
  return draft;
}

/** Notes a block among those of its key, which are numbered as calls of one thing. */
function note(calls: Map<string, Draft[]>, draft: Draft): void {
  const same = calls.get(draft.key);
  if (same === undefined) calls.set(draft.key, [draft]);
  else same.push(draft);
}

/** Parts in which nodes that stand in a straight line are a block. */
function withChains(
  nodes: GraphNodes,
  parts: readonly (number | Draft)[],
  key: string,
  calls: Map<string, Draft[]>,
): (number | Draft)[] {
  const found: (number | Draft)[] = [];
  for (let at = 0; at < parts.length;) {
    let next = at + 1;
    while (next < parts.length && isStraight(nodes, parts[next - 1], parts[next])) next += 1;
    if (next - at < CHAIN || next - at === parts.length) found.push(...parts.slice(at, next));
    else {
      found.push(drafted(nodes, "chain", `${key} …`, parts.slice(at, next), calls));
    }
    at = next;
  }
  return found;
}

/** Whether the second is all that the first takes, and nothing else takes it. */
function isStraight(nodes: GraphNodes, one: number | Draft | undefined, other: number | Draft | undefined): boolean {
  if (typeof one !== "number" || typeof other !== "number") return false;
  const inputs = nodes.inputs.of(one);
  return inputs.length === 1 && inputs[0] === other && nodes.users.of(other).length === 1;
}

/** The module that each node belongs to, by the parameters around it. */
function modulesOf(nodes: GraphNodes): readonly (readonly string[])[] {
  const paths: (readonly string[])[] = Array.from({ length: nodes.count }, () => []);
  const anchored = new Uint8Array(nodes.count);
  const forward = nodes.order.toReversed();
  for (const node of forward) {
    const leaf = nodes.leaves.get(node);
    if (leaf !== undefined) paths[node] = leaf.module;
    else {
      const below = [...nodes.inputs.of(node)].filter((one) => nodes.isOfLeaf(one));
      const modules = below.map((one) => paths[one] ?? []).filter(({ length }) => length > 0);
      if (modules.length > 0) paths[node] = modules.reduce(common);
    }
    if (!nodes.isOfLeaf(node) && (paths[node] ?? []).length > 0) anchored[node] = 1;
  }
  const operations = [...forward].filter((node) => !nodes.isOfLeaf(node));
  let before: readonly string[] | undefined;
  for (let at = 0; at < operations.length; at += 1) {
    if (anchored[operations[at] ?? 0] === 1) {
      before = paths[operations[at] ?? 0];
      continue;
    }
    let end = at;
    while (end < operations.length && anchored[operations[end] ?? 0] === 0) end += 1;
    const after = end < operations.length ? paths[operations[end] ?? 0] : undefined;
    const between = before === undefined || after === undefined ? [] : shared(before, after);
    for (; at < end; at += 1) paths[operations[at] ?? 0] = between;
    at -= 1;
  }
  // A view of a leaf that is in no module stands where it is taken last.
  for (const node of nodes.order) {
    if (!nodes.isOfLeaf(node) || nodes.leaves.has(node) || (paths[node] ?? []).length > 0) continue;
    const users = [...nodes.users.of(node)];
    const last = users.reduce((one, other) => ((nodes.places[other] ?? 0) > (nodes.places[one] ?? 0) ? other : one), 0);
    paths[node] = paths[last] ?? [];
  }
  return paths;
}

/** Where an operation without parameters stands that comes after one module and before another. */
function shared(before: readonly string[], after: readonly string[]): readonly string[] {
  const both = common(before, after);
  // What ends a block of a list, as the addition after its last layer, belongs to that block.
  for (let depth = before.length - 1; depth > both.length; depth -= 1) {
    if (/^\d+$/.test(before[depth - 1] ?? "")) return before.slice(0, depth);
  }
  return both;
}

function common(one: readonly string[], other: readonly string[]): readonly string[] {
  const end = one.findIndex((name, at) => name !== other[at]);
  return end < 0 ? one : one.slice(0, end);
}

/** All blocks within a block, from outside to inside. */
export function* blocksWithin(block: Block): Generator<Block> {
  for (const part of block.parts) {
    if (typeof part === "number") continue;
    yield part;
    yield* blocksWithin(part);
  }
}

/** The blocks around a node, the innermost first. */
export function blocksAround(whole: Block, place: number): Block[] {
  const around: Block[] = [];
  for (let block: Block | undefined = whole; block !== undefined;) {
    around.unshift(block);
    block = block.parts.find(
      (part): part is Block => typeof part === "object" && part.start <= place && place < part.end,
    );
  }
  return around;
}

/** The blocks that are open first: as many as leave a picture of a few boxes, the outer ones first. */
export function firstOpen(whole: Block, most: number): ReadonlySet<string> {
  const open = new Set<string>([whole.key]);
  let shown = whole.parts.length;
  let level: readonly Block[] = whole.parts.filter((part) => typeof part === "object");
  while (level.length > 0) {
    const inside = level.reduce((sum, { parts }) => sum + parts.length - 1, 0);
    // A list of layers opens whole or not at all; a single block that is large opens anyhow where it is all there is.
    if (shown + inside > (shown > 6 ? most : 4 * most)) break;
    for (const { key } of level) open.add(key);
    shown += inside;
    level = level.flatMap(({ parts }) => parts.filter((part) => typeof part === "object"));
  }
  return open;
}
