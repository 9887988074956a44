/** Places boxes in layers, each below all that take it. Knows nothing of a page: it also runs in a worker. */

/** Boxes by their widths, all of one height; edges as two lists of places: each box stands before those that it takes. */
export interface ToLayOut {
  readonly widths: Float64Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

export interface Layout {
  /** The middle of each box. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** The way of edge `i` between its two boxes are the points `bends[i]` … `bends[i + 1]`. */
  readonly bends: Int32Array;
  readonly bendX: Float64Array;
  readonly bendY: Float64Array;
  readonly width: number;
  readonly height: number;
}

export const BOX_HEIGHT = 40;
const LAYER = 76;
const GAP = 18;
/** Between the ways of two edges, and between such a way and a box. */
const WAY_GAP = 8;
/** So many layers an edge crosses with a way of its own; one that crosses more is one curve, past the boxes. */
const LONGEST_WAY = 24;
/** So many points edges have in all. */
const MOST_BENDS = 15_000;
const ORDER_SWEEPS = 6;
const PLACE_SWEEPS = 6;

export function layOut({ widths, from, to }: ToLayOut): Layout {
  const boxes = widths.length;
  const layerOf = layersOf(boxes, from, to);
  const { count, layer, size, first, above, below } = withBends({ widths, from, to, layerOf });
  const layers = ordered(count, layer, above, below);
  const x = placed(layers, size, above, below);
  return finished({ boxes, count, widths, layer, x, first, from });
}

/** The longest way from the top to each box; a box that takes nothing stands right below the last that takes it. */
function layersOf(boxes: number, from: Int32Array, to: Int32Array): Int32Array {
  const layerOf = new Int32Array(boxes);
  const byUpper = sortedBy(from);
  for (const edge of byUpper) {
    const [upper, lower] = [from[edge]!, to[edge]!];
    layerOf[lower] = Math.max(layerOf[lower]!, layerOf[upper]! + 1);
  }
  return layerOf;
}

/** The places of a list in the order of what stands there. */
function sortedBy(list: Int32Array): Int32Array {
  return Int32Array.from(list.keys()).toSorted((one, other) => list[one]! - list[other]! || one - other);
}

/** Boxes and the points where edges cross layers, both as things that have a layer, a size and neighbours. */
interface Things {
  readonly count: number;
  readonly layer: Int32Array;
  readonly size: Float64Array;
  /** Of each edge the first of its points, which follow each other; they end where those of the next begin. */
  readonly first: Int32Array;
  readonly above: readonly (readonly number[])[];
  readonly below: readonly (readonly number[])[];
}

function withBends({ widths, from, to, layerOf }: ToLayOut & { layerOf: Int32Array }): Things {
  const boxes = widths.length;
  const first = new Int32Array(from.length + 1);
  let count = boxes;
  for (let edge = 0; edge < from.length; edge += 1) {
    first[edge] = count;
    const between = layerOf[to[edge]!]! - layerOf[from[edge]!]! - 1;
    if (between <= LONGEST_WAY && count - boxes + between <= MOST_BENDS) count += between;
  }
  first[from.length] = count;
  const layer = new Int32Array(count);
  const size = new Float64Array(count);
  const above: number[][] = Array.from({ length: count }, () => []);
  const below: number[][] = Array.from({ length: count }, () => []);
  layer.set(layerOf);
  size.set(widths);
  for (let edge = 0; edge < from.length; edge += 1) {
    let upper = from[edge]!;
    for (let point = first[edge]!; point < first[edge + 1]!; point += 1) {
      layer[point] = layer[upper]! + 1;
      below[upper]!.push(point);
      above[point]!.push(upper);
      upper = point;
    }
    below[upper]!.push(to[edge]!);
    above[to[edge]!]!.push(upper);
  }
  return { count, layer, size, first, above, below };
}

/** The things of each layer from left to right, so that few edges cross: by where their neighbours stand. */
function ordered(
  count: number,
  layer: Int32Array,
  above: readonly (readonly number[])[],
  below: readonly (readonly number[])[],
): number[][] {
  const depth = layer.reduce((most, one) => Math.max(most, one + 1), 0);
  const layers: number[][] = Array.from({ length: depth }, () => []);
  for (let thing = 0; thing < count; thing += 1) layers[layer[thing]!]!.push(thing);
  const place = new Float64Array(count);
  const wanted = new Float64Array(count);
  const ones = new Float64Array(count).fill(1);
  const note = (things: readonly number[]): void => things.forEach((thing, at) => (place[thing] = at));
  layers.forEach(note);
  const wide = layers.filter(({ length }) => length > 1);
  const ways = [wide, wide.toReversed()] as const;
  for (let sweep = 0; sweep < ORDER_SWEEPS; sweep += 1) {
    const [some, neighbours] = sweep % 2 === 0 ? [ways[0], above] : [ways[1], below];
    for (const things of some) {
      for (const thing of things) wanted[thing] = mean(neighbours[thing]!, place, ones) ?? place[thing]!;
      things.sort((one, other) => wanted[one]! - wanted[other]! || place[one]! - place[other]!);
      note(things);
    }
  }
  return layers;
}

/** The mean place of things, each as important as its weight says. */
function mean(things: readonly number[], place: Float64Array, weight: Float64Array): number | undefined {
  if (things.length === 0) return undefined;
  if (things.length === 1) return place[things[0]!]!;
  let [sum, whole] = [0, 0];
  for (const thing of things) {
    sum += weight[thing]! * place[thing]!;
    whole += weight[thing]!;
  }
  return sum / whole;
}

/** How important it is that a thing stands right below what takes it: by how long the way is that goes on from there. */
function weightsOf(layers: readonly (readonly number[])[], below: readonly (readonly number[])[]): Float64Array {
  const weight = new Float64Array(below.length);
  for (const things of layers.toReversed()) {
    for (const thing of things) {
      weight[thing] = 1 + below[thing]!.reduce((most, one) => Math.max(most, weight[one]!), 0);
    }
  }
  return weight.map((length) => length * length);
}

/** Where from left to right everything stands: near its neighbours, in the order of its layer, nothing over another. */
function placed(
  layers: readonly (readonly number[])[],
  size: Float64Array,
  above: readonly (readonly number[])[],
  below: readonly (readonly number[])[],
): Float64Array {
  const x = new Float64Array(size.length);
  const weight = weightsOf(layers, below);
  const apart = (one: number, other: number): number =>
    size[one]! / 2 + size[other]! / 2 + (size[one]! > 0 && size[other]! > 0 ? GAP : WAY_GAP);
  for (const things of layers) {
    let end = 0;
    things.forEach((thing, at) => (x[thing] = end += at === 0 ? 0 : apart(things[at - 1]!, thing)));
    for (const thing of things) x[thing]! -= end / 2;
  }
  const settle = (things: readonly number[], neighbours: readonly (readonly number[])[]): void => {
    if (things.length === 1) {
      const [only] = things;
      x[only!] = mean(neighbours[only!]!, x, weight) ?? x[only!]!;
      return;
    }
    const wanted = Float64Array.from(things, (thing) => mean(neighbours[thing]!, x, weight) ?? x[thing]!);
    const found = nearest(things, wanted, weight, apart);
    things.forEach((thing, at) => (x[thing] = found[at]!));
  };
  const upwards = layers.toReversed();
  for (let sweep = 0; sweep < PLACE_SWEEPS; sweep += 1) {
    if (sweep % 2 === 1) for (const things of layers) settle(things, above);
    else for (const things of upwards) settle(things, below);
  }
  return x;
}

/** The places nearest to those that are wanted at which things keep their order and their distances. */
function nearest(
  things: readonly number[],
  wanted: Float64Array,
  weight: Float64Array,
  apart: (one: number, other: number) => number,
): Float64Array {
  // Without the distances it is the rising sequence that is nearest: neighbours that would fall are given their mean.
  const offsets = new Float64Array(things.length);
  for (let at = 1; at < things.length; at += 1) offsets[at] = offsets[at - 1]! + apart(things[at - 1]!, things[at]!);
  const runs: { sum: number; weight: number; count: number }[] = [];
  for (let at = 0; at < things.length; at += 1) {
    const own = weight[things[at]!]!;
    const run = { sum: own * (wanted[at]! - offsets[at]!), weight: own, count: 1 };
    for (let last = runs.at(-1); last && last.sum * run.weight > run.sum * last.weight; last = runs.at(-1)) {
      run.sum += last.sum;
      run.weight += last.weight;
      run.count += last.count;
      runs.pop();
    }
    runs.push(run);
  }
  const found = new Float64Array(things.length);
  let at = 0;
  for (const run of runs) {
    for (let left = run.count; left > 0; left -= 1, at += 1) found[at] = run.sum / run.weight + offsets[at]!;
  }
  return found;
}

function finished({
  boxes,
  count,
  widths,
  layer,
  x,
  first,
  from,
}: {
  boxes: number;
  count: number;
  widths: Float64Array;
  layer: Int32Array;
  x: Float64Array;
  first: Int32Array;
  from: Int32Array;
}): Layout {
  let [left, right, depth] = [Infinity, -Infinity, 0];
  for (let thing = 0; thing < count; thing += 1) {
    const half = thing < boxes ? widths[thing]! / 2 : 0;
    left = Math.min(left, x[thing]! - half);
    right = Math.max(right, x[thing]! + half);
    depth = Math.max(depth, layer[thing]!);
  }
  if (count === 0) [left, right] = [0, 0];
  const y = Float64Array.from(layer, (one) => BOX_HEIGHT / 2 + one * LAYER);
  const moved = x.map((one) => one - left);
  return {
    x: moved.slice(0, boxes),
    y: y.slice(0, boxes),
    bends: first.map((point) => point - boxes).slice(0, from.length + 1),
    bendX: moved.slice(boxes),
    bendY: y.slice(boxes),
    width: right - left,
    height: BOX_HEIGHT + depth * LAYER,
  };
}
