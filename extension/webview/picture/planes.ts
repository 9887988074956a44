import type { ElementWindow, Picture, Plane } from "../../src/protocol/page.ts";

/** One plane as numbers: NaN where a tile has no finite element. */
export interface NumberPlane {
  readonly plane: Plane;
  readonly values: Float64Array;
  readonly highs: Float64Array | undefined;
  readonly phase: Float32Array | undefined;
  readonly marks: Uint8Array;
}

/** A picture whose numbers are in the units of the value. */
export interface NumberPicture {
  readonly picture: Picture;
  readonly planes: readonly NumberPlane[];
}

export function numbersOf(picture: Picture): NumberPicture {
  const { offset, factor, wide, planes } = picture;
  const inUnits = (buffer: ArrayBuffer): Float64Array =>
    wide === true
      ? new Float64Array(buffer)
      : Float64Array.from(new Float32Array(buffer), (value) => value * factor + offset);
  return {
    picture,
    planes: planes.map((plane) => ({
      plane,
      values: inUnits(plane.values),
      highs: plane.highs && inUnits(plane.highs),
      phase: plane.phase && new Float32Array(plane.phase),
      marks: new Uint8Array(plane.marks),
    })),
  };
}

/** A tile, and the elements that it stands for. */
export interface Tile {
  readonly at: number;
  readonly elements: ElementWindow;
}

/** The tile of an element of the plane; undefined outside of what the picture shows. */
export function tileOf({ window, tile, tiles }: Picture, row: number, column: number): Tile | undefined {
  const [top, bottom, left, right] = window;
  if (row < top || row >= bottom || column < left || column >= right) return undefined;
  const down = Math.floor((row - top) / tile[0]);
  const across = Math.floor((column - left) / tile[1]);
  const first = top + down * tile[0];
  const before = left + across * tile[1];
  return {
    at: down * tiles[1] + across,
    elements: [first, Math.min(bottom, first + tile[0]), before, Math.min(right, before + tile[1])],
  };
}

/** How large the whole plane is: (down, across); a line has one row. */
export function sizeOf({ shape, dims }: Picture): readonly [number, number] {
  const [first = 0, second] = dims;
  return second === undefined ? [1, shape[first] ?? 1] : [shape[first] ?? 1, shape[second] ?? 1];
}

/** Whether the picture shows a line, or several. */
export function isLine({ dims }: Picture): boolean {
  return dims.length === 1;
}

/** The dimensions at each of which an index is chosen. */
export function otherDims({ shape, dims, facets }: Picture): number[] {
  return shape.map((_, dim) => dim).filter((dim) => !dims.includes(dim) && !facets.includes(dim));
}

/** `[0, 3, :, :]` with the indices of a plane, and where the element is, if it is one. */
export function indexText(
  { shape, dims, facets, index }: Picture,
  of: readonly number[],
  element?: readonly string[],
): string {
  const others = otherDims({ shape, dims, facets } as Picture);
  const parts = shape.map((_, dim) => {
    const [among, facet, other] = [dims.indexOf(dim), facets.indexOf(dim), others.indexOf(dim)];
    if (among >= 0) return element?.[among] ?? ":";
    return String(facet >= 0 ? (of[facet] ?? ":") : (index[other] ?? 0));
  });
  return `[${parts.join(", ")}]`;
}

/** `1: channel (3)` */
export function dimText({ names }: Picture, dim: number, size: number): string {
  const name = names?.[dim];
  return name === undefined || name === null ? `${dim} (${size})` : `${dim}: ${name} (${size})`;
}
