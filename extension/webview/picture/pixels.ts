import { type Colour, CYCLIC, labelColours, NOT_FINITE } from "../palettes.ts";
import { colourOf, type ColourScale } from "./colourScale.ts";
import type { Drawing } from "./drawing.ts";
import { type Limits, limitsOf, pixelOf, type RangeName } from "./images.ts";
import type { NumberPicture, NumberPlane } from "./planes.ts";

const images = new WeakMap<NumberPlane, { readonly key: unknown; readonly image: HTMLCanvasElement }>();

/** The tiles as pixels, one each; kept while the scale is the same. */
export function imageOf(
  { scale, showsPhase, image: asImage, labels }: Drawing,
  picture: NumberPicture["picture"],
  planes: readonly NumberPlane[],
  at: number,
): HTMLCanvasElement {
  const key = asImage ?? (showsPhase ? CYCLIC : scale);
  const [plane] = planes;
  const known = plane && images.get(plane);
  if (known !== undefined && known.key === key) return known.image;
  const image = document.createElement("canvas");
  const [height, width] = picture.tiles;
  image.width = width;
  image.height = height;
  const context = image.getContext("2d");
  if (context !== null) {
    const pixels = context.createImageData(width, height);
    if (asImage !== undefined) paintImage(pixels.data, planes, limitsOf(asImage, at), asImage.range);
    else if (plane !== undefined) paint(pixels.data, picture, plane, { scale, showsPhase, labels });
    context.putImageData(pixels, 0, 0);
  }
  if (plane !== undefined) images.set(plane, { key, image });
  return image;
}

function paintImage(pixels: Uint8ClampedArray, planes: readonly NumberPlane[], limits: Limits, range: RangeName): void {
  const length = planes[0]?.values.length ?? 0;
  for (let at = 0; at < length; at += 1) {
    const mark = planes.reduce((all, { marks }) => all | (marks[at] ?? 0), 0);
    const special = Object.values(NOT_FINITE).find(({ bit }) => (mark & bit) !== 0);
    const pixel =
      special === undefined ? pixelOf(planes, at, limits, range === "imagenet") : ([...special.colour, 255] as const);
    if (pixel !== undefined) pixels.set(pixel, 4 * at);
  }
}

function paint(
  pixels: Uint8ClampedArray,
  { shown, tile }: NumberPicture["picture"],
  { values, phase, marks }: NumberPlane,
  { scale, showsPhase, labels }: Pick<Drawing, "scale" | "showsPhase" | "labels">,
): void {
  const ofLabel =
    labels !== undefined && (shown === "nearest" || (tile[0] === 1 && tile[1] === 1)) ? coloursOf(labels) : undefined;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? Number.NaN;
    const colour = colourAt(value, marks[at] ?? 0, ofLabel, showsPhase ? phase?.[at] : undefined, scale);
    if (colour === undefined) continue;
    pixels[4 * at] = colour[0];
    pixels[4 * at + 1] = colour[1];
    pixels[4 * at + 2] = colour[2];
    pixels[4 * at + 3] = 255;
  }
}

function colourAt(
  value: number,
  mark: number,
  ofLabel: ReadonlyMap<number, Colour> | undefined,
  angle: number | undefined,
  scale: ColourScale | undefined,
): Colour | undefined {
  if (mark !== 0) return Object.values(NOT_FINITE).find(({ bit }) => (mark & bit) !== 0)?.colour;
  if (Number.isNaN(value)) return undefined;
  if (angle !== undefined) return CYCLIC[wrapped(((angle + Math.PI) / (2 * Math.PI)) * CYCLIC.length, CYCLIC.length)];
  return ofLabel?.get(value) ?? (scale && colourOf(scale, value));
}

/** −π and π are one angle, and rounded to float32 they lie beyond. */
function wrapped(at: number, length: number): number {
  return ((Math.floor(at) % length) + length) % length;
}

/** The colours of categories, by the categories. */
export function coloursOf(labels: NonNullable<NumberPicture["picture"]["labels"]>): ReadonlyMap<number, Colour> {
  const colours = labelColours(labels.length);
  return new Map(labels.map(([label], at) => [label, colours[at] ?? [128, 128, 128]]));
}
