import type { Picture } from "../../src/protocol/page.ts";
import type { Colour } from "../palettes.ts";
import type { NumberPlane } from "./planes.ts";

/** Which dimensions of a tensor are those of a picture, or of several. */
export interface ImageDims {
  readonly rows: number;
  readonly columns: number;
  readonly channel: number;
  readonly batch: number | undefined;
}

/** What the numbers of a picture go from and to; `minmax` is its own least and most. */
export const RANGES = {
  unit: [0, 1],
  bytes: [0, 255],
  signed: [-1, 1],
  imagenet: undefined,
  minmax: undefined,
} as const satisfies Record<string, readonly [number, number] | undefined>;
export type RangeName = keyof typeof RANGES;

/** Means and deviations of red, green and blue, by which torchvision's models want pictures to be normalised. */
const IMAGENET = [
  [0.485, 0.229],
  [0.456, 0.224],
  [0.406, 0.225],
] as const;
const CHANNELS: ReadonlySet<number | undefined> = new Set([1, 3, 4]);
/** What rounding may add to a range. */
const SLACK = 1e-3;
/** Between these lies every pixel that was normalised by ImageNet's means and deviations. */
const NORMALISED = [-2.2, 2.7] as const;

/** CHW, NCHW, HWC or NHWC, by the dimension that may be the channels; undefined where none may. */
export function imageDimsOf(shape: readonly number[]): ImageDims | undefined {
  const [amount, last] = [shape.length, shape.length - 1];
  if (amount < 3) return undefined;
  const batch = amount > 3 ? amount - 4 : undefined;
  if (CHANNELS.has(shape[last - 2])) return { rows: last - 1, columns: last, channel: last - 2, batch };
  return CHANNELS.has(shape[last]) ? { rows: last - 2, columns: last - 1, channel: last, batch } : undefined;
}

/** The look at a tensor as pictures: channels, and pictures of a batch, side by side. */
export function imageLook({ rows, columns, channel, batch }: ImageDims) {
  return {
    dims: [rows, columns],
    facets: batch === undefined ? [channel] : [batch, channel],
    image: true,
    index: undefined,
    window: undefined,
  };
}

/** Whether a picture shows what `imageLook` asks for. */
export function showsImage({ dims, facets }: Picture, image: ImageDims): boolean {
  return dims[0] === image.rows && dims[1] === image.columns && facets.at(-1) === image.channel;
}

/** The range that the numbers are most likely of. */
export function likelyRange({ planes, sort }: Picture): RangeName {
  const least = Math.min(...planes.map(({ min }) => min ?? Infinity));
  const most = Math.max(...planes.map(({ max }) => max ?? -Infinity));
  if (sort === "int") return least >= 0 && most <= 255 ? "bytes" : "minmax";
  if (least >= -SLACK && most <= 1 + SLACK) return "unit";
  if (least >= -1 - SLACK && most <= 1 + SLACK) return "signed";
  if (least >= 0 && most > 2 && most <= 255) return "bytes";
  return least >= NORMALISED[0] && most <= NORMALISED[1] ? "imagenet" : "minmax";
}

/** The numbers that are darkest and lightest. */
export type Limits = readonly [low: number, high: number];

/** How planes are drawn as pictures: so many in a row are the channels of one. */
export interface ImageDrawing {
  readonly channels: number;
  readonly range: RangeName;
  /** Of each picture its own least and most. */
  readonly own: readonly Limits[];
}

export function imageDrawingOf({ planes }: Picture, channels: number, range: RangeName): ImageDrawing {
  const own = planes.flatMap((_, at): Limits[] => {
    if (at % channels !== 0) return [];
    const of = planes.slice(at, at + channels);
    return [[Math.min(...of.map(({ min }) => min ?? Infinity)), Math.max(...of.map(({ max }) => max ?? -Infinity))]];
  });
  return { channels, range, own };
}

/** The limits of one of the pictures. */
export function limitsOf({ range, own }: ImageDrawing, at: number): Limits {
  return RANGES[range] ?? own[at] ?? [0, 1];
}

/** A pixel of so many channels: grey, red green blue, or with its opacity besides; undefined of what is not finite. */
export function pixelOf(
  channels: readonly NumberPlane[],
  at: number,
  [low, high]: Limits,
  isNormalised: boolean,
): [...Colour, number] | undefined {
  const values = channels.map(({ values }) => values[at] ?? Number.NaN);
  if (values.some(Number.isNaN)) return undefined;
  const levels = values.map((value, channel) => {
    const [mean, deviation] = IMAGENET[channel] ?? [0, 1];
    const share = isNormalised ? value * deviation + mean : high > low ? (value - low) / (high - low) : 0.5;
    return Math.round(255 * Math.min(1, Math.max(0, share)));
  });
  const [red = 0, green = red, blue = red, opacity = 255] = levels;
  return [red, green, blue, opacity];
}
