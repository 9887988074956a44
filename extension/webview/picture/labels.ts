import { type Colour, labelColours } from "../palettes.ts";
import type { NumberPicture } from "./planes.ts";

/** The colours of the labels of a map over images, the same over each; undefined where it holds shares. */
export function coloursOf({ picture, planes }: NumberPicture): ReadonlyMap<number, Colour> | undefined {
  if (picture.sort !== "int") return undefined;
  const all = new Set(picture.labels?.map(([label]) => label) ?? planes.flatMap(({ values }) => [...new Set(values)]));
  const shown = [...all].filter((label) => label !== 0 && !Number.isNaN(label)).toSorted((a, b) => a - b);
  const colours = labelColours(Math.max(3, shown.length));
  return new Map(shown.flatMap((label, at) => (colours[at] === undefined ? [] : [[label, colours[at]]])));
}
