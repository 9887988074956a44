import { numberText } from "../numbers.ts";
import { type Colour, labelColours } from "../palettes.ts";
import type { NumberPicture, NumberPlane } from "./planes.ts";

/** What the four numbers of a box are. */
export const BOX_FORMATS = ["xyxy", "xywh", "cxcywh"] as const;
export type BoxFormat = (typeof BOX_FORMATS)[number];

/** So many boxes have colours of their own. */
const COLOURS = labelColours(12);
/** Boxes none of whose numbers is larger are shares of the sides. */
const LARGEST_SHARE = 1.5;

/** A box in rows and columns of the image, with what is said of it. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly text: string;
  readonly colour: Colour;
}

/** The boxes of a plane that have numbers; those of shares of the sides in elements. */
export function boxesOf(
  { picture }: NumberPicture,
  { values }: NumberPlane,
  format: BoxFormat,
  [rows, columns]: readonly [number, number],
): Box[] {
  const [amount, wide] = picture.tiles;
  const all = Array.from({ length: amount }, (_, at) => Array.from(values.subarray(at * wide, (at + 1) * wide)));
  const there = all.filter((box) => box.slice(0, 4).every((value) => !Number.isNaN(value)));
  const isShare = there.every((box) => box.slice(0, 4).every((value) => Math.abs(value) <= LARGEST_SHARE));
  const [across, down] = isShare ? [columns, rows] : [1, 1];
  return there.map(([a = 0, b = 0, c = 0, d = 0, ...others], at) => {
    const [left, top] = format === "cxcywh" ? [a - c / 2, b - d / 2] : [a, b];
    const [right, bottom] = format === "xyxy" ? [c, d] : [left + c, top + d];
    return {
      left: left * across,
      top: top * down,
      right: right * across,
      bottom: bottom * down,
      text: others.map((value) => numberText(value, 3)).join(" "),
      colour: COLOURS[at % COLOURS.length] ?? [255, 140, 0],
    };
  });
}
