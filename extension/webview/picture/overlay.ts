import * as l10n from "@vscode/l10n";
import type { Overlay } from "../../src/protocol/page.ts";
import { numberText } from "../numbers.ts";
import { type Colour, css, inkOn } from "../palettes.ts";
import { type Box, type BoxFormat, boxesOf } from "./boxes.ts";
import { coloursOf } from "./labels.ts";
import type { Cell } from "./layout.ts";
import { type NumberPicture, type NumberPlane, numbersOf } from "./planes.ts";
import type { Viewport } from "./viewport.ts";

/** A value that is drawn over images. */
export interface OverlayDrawing {
  readonly kind: Overlay["kind"];
  readonly numbers: NumberPicture;
  readonly format: BoxFormat;
  /** Of the labels of a map; undefined where it has none. */
  readonly colours: ReadonlyMap<number, Colour> | undefined;
}

/** How much of the image shows through a mask, of 255. */
const OPACITY = 140;
const MASK: Colour = [255, 140, 0];

export function overlayDrawing({ kind, picture }: Overlay, format: BoxFormat): OverlayDrawing {
  const numbers = numbersOf(picture);
  return { kind, numbers, format, colours: kind === "map" ? coloursOf(numbers) : undefined };
}

/** Where an image is drawn, and what of it is in sight. */
interface Canvas {
  readonly cell: Cell;
  readonly viewport: Viewport;
  /** The rows and columns of the image. */
  readonly size: readonly [number, number];
}

/** Draws over the image with a number; one mask, or one list of boxes, is over all of them. */
export function drawOverlay(
  context: CanvasRenderingContext2D,
  { kind, numbers, format, colours }: OverlayDrawing,
  at: number,
  canvas: Canvas,
): void {
  const plane = numbers.planes[at] ?? (numbers.planes.length === 1 ? numbers.planes[0] : undefined);
  if (plane === undefined || kind === "labels") return;
  if (kind === "map") drawMap(context, numbers, plane, colours, canvas);
  else for (const box of boxesOf(numbers, plane, format, canvas.size)) drawBox(context, box, canvas);
}

/** The label of the image with a number, where the overlay has any. */
export function overlayLabel({ kind, numbers }: OverlayDrawing, at: number): string | undefined {
  if (kind !== "labels") return undefined;
  const value = numbers.planes[0]?.values[at];
  return value === undefined ? undefined : numberText(value);
}

/** What lies over the images, in words: for those who do not see it. */
export function overlayText({ kind, numbers: { planes, picture } }: OverlayDrawing): string {
  if (kind === "map") return l10n.t("a mask over it");
  const [first] = planes;
  if (kind === "labels")
    return l10n.t("labels {0}", Array.from(first?.values ?? [], (value) => numberText(value)).join(", "));
  return l10n.t("{0} boxes over it", planes.length * picture.tiles[0]);
}

function drawMap(
  context: CanvasRenderingContext2D,
  { picture }: NumberPicture,
  plane: NumberPlane,
  colours: OverlayDrawing["colours"],
  { cell, viewport }: Canvas,
): void {
  const { window, tile, tiles } = picture;
  const [height, width] = [cell.height / viewport.rows, cell.width / viewport.columns];
  const x = cell.x + (window[2] - viewport.left) * width;
  const y = cell.y + (window[0] - viewport.top) * height;
  context.drawImage(mapOf(picture, plane, colours), x, y, tiles[1] * tile[1] * width, tiles[0] * tile[0] * height);
}

const maps = new WeakMap<NumberPlane, HTMLCanvasElement>();

/** A pixel for each tile: clear where the value is 0 or no number. */
function mapOf(
  { tiles }: NumberPicture["picture"],
  plane: NumberPlane,
  colours: OverlayDrawing["colours"],
): HTMLCanvasElement {
  const known = maps.get(plane);
  if (known !== undefined) return known;
  const image = document.createElement("canvas");
  [image.height, image.width] = tiles;
  const context = image.getContext("2d");
  const largest = plane.values.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0);
  if (context !== null) {
    const pixels = context.createImageData(tiles[1], tiles[0]);
    plane.values.forEach((value, at) => {
      if (Number.isNaN(value) || value === 0) return;
      const opacity = colours !== undefined ? OPACITY : OPACITY * Math.min(1, Math.abs(value) / largest);
      pixels.data.set([...(colours?.get(value) ?? MASK), opacity], 4 * at);
    });
    context.putImageData(pixels, 0, 0);
  }
  maps.set(plane, image);
  return image;
}

function drawBox(
  context: CanvasRenderingContext2D,
  { left, top, right, bottom, text, colour }: Box,
  { cell, viewport }: Canvas,
): void {
  const [height, width] = [cell.height / viewport.rows, cell.width / viewport.columns];
  const x = cell.x + (left - viewport.left) * width;
  const y = cell.y + (top - viewport.top) * height;
  const sides = [(right - left) * width, (bottom - top) * height] as const;
  context.lineWidth = 4;
  context.strokeStyle = inkOn(colour);
  context.strokeRect(x, y, ...sides);
  context.lineWidth = 2;
  context.strokeStyle = css(colour);
  context.strokeRect(x, y, ...sides);
  context.lineWidth = 1;
  if (text === "") return;
  context.textAlign = "left";
  context.textBaseline = "top";
  context.fillStyle = css(colour);
  context.fillRect(x, y, context.measureText(text).width + 4, 14);
  context.fillStyle = inkOn(colour);
  context.fillText(text, x + 2, y + 1);
}
