import { ticks } from "d3-array";
import { numberText } from "../numbers.ts";
import { css, inkOn, labelColours, NOT_FINITE } from "../palettes.ts";
import { colourOf } from "./colourScale.ts";
import { type Drawing, planesAt } from "./drawing.ts";
import type { Cell } from "./layout.ts";
import { drawOverlay, overlayLabel } from "./overlay.ts";
import { imageOf } from "./pixels.ts";
import { indexText, isLine, type NumberPicture, type NumberPlane, sizeOf } from "./planes.ts";
import { elementsIn } from "./viewport.ts";

/** The sides of a tile in pixels from which a glyph, or a number, has room. */
const GLYPH_ROOM = 8;
const NUMBER_ROOM = [34, 14] as const;
/** So few marks are drawn larger than their tiles, where these are small: else they would be overlooked. */
const FEW = 400;
const GROWN = 3;
const AXIS_TICKS_EVERY = 56;
/** The sides of the frame around the element that the mouse is on, at least. */
const POINTED = 7;

export function draw(canvas: HTMLCanvasElement, drawing: Drawing): void {
  const { layout, pictures, theme } = drawing;
  const sharpness = window.devicePixelRatio;
  canvas.width = Math.round(layout.width * sharpness);
  canvas.height = Math.round(layout.height * sharpness);
  canvas.style.width = `${layout.width}px`;
  canvas.style.height = `${layout.height}px`;
  const context = canvas.getContext("2d");
  const [first] = pictures;
  if (context === null || first === undefined) return;
  context.scale(sharpness, sharpness);
  context.imageSmoothingEnabled = false;
  context.font = theme.font;
  if (isLine(first.picture)) drawLines(context, drawing);
  else layout.cells.forEach((cell, at) => drawPlane(context, drawing, cell, at));
  if (drawing.pointed !== undefined) drawPointed(context, drawing, drawing.pointed);
}

/** A frame around an element, large enough to be seen; in a line, a stroke through it. */
function drawPointed(
  context: CanvasRenderingContext2D,
  { pictures, layout, viewport, theme }: Drawing,
  { plane, row, column }: NonNullable<Drawing["pointed"]>,
): void {
  const [cell, [first]] = [layout.cells[plane], pictures];
  if (cell === undefined || first === undefined) return;
  const line = isLine(first.picture);
  const [height, width] = [line ? cell.height : cell.height / viewport.rows, cell.width / viewport.columns];
  const x = cell.x + (column + 0.5 - viewport.left) * width;
  const y = line ? cell.y + cell.height / 2 : cell.y + (row + 0.5 - viewport.top) * height;
  const [tall, wide] = [Math.max(height, POINTED), line ? 0 : Math.max(width, POINTED)];
  context.strokeStyle = theme.background;
  context.lineWidth = 3;
  context.strokeRect(x - wide / 2, y - tall / 2, wide, tall);
  context.strokeStyle = theme.foreground;
  context.lineWidth = 1;
  context.strokeRect(x - wide / 2, y - tall / 2, wide, tall);
}

function drawPlane(context: CanvasRenderingContext2D, drawing: Drawing, cell: Cell, at: number): void {
  const { pictures, theme, layout } = drawing;
  context.save();
  context.beginPath();
  context.rect(cell.x, cell.y, cell.width, cell.height);
  context.clip();
  for (const one of pictures) {
    drawTiles(context, drawing, one, at, cell);
  }
  const [first] = pictures;
  const { overlay, viewport } = drawing;
  if (overlay !== undefined && first !== undefined) {
    drawOverlay(context, overlay, at, { cell, viewport, size: sizeOf(first.picture) });
  }
  context.restore();
  context.strokeStyle = theme.border;
  context.strokeRect(cell.x - 0.5, cell.y - 0.5, cell.width + 1, cell.height + 1);
  if (first === undefined) return;
  if (layout.cells.length === 1) drawAxes(context, drawing, cell);
  else {
    context.fillStyle = theme.quiet;
    context.textAlign = "left";
    context.textBaseline = "bottom";
    const index = planesAt(drawing, first, at)[0]?.plane.index ?? [];
    const facets = drawing.image === undefined ? index : index.slice(0, -1);
    const label = overlay && overlayLabel(overlay, at);
    const title = [indexText(first.picture, facets), label].filter((text) => text !== undefined).join(" · ");
    context.fillText(title, cell.x, cell.y - 2, cell.width);
  }
}

function drawTiles(
  context: CanvasRenderingContext2D,
  drawing: Drawing,
  { picture, planes: all }: NumberPicture,
  at: number,
  cell: Cell,
): void {
  const { viewport } = drawing;
  const planes = planesAt(drawing, { planes: all }, at);
  const [plane] = planes;
  if (plane === undefined) return;
  const { window, tile, tiles } = picture;
  const [height, width] = [cell.height / viewport.rows, cell.width / viewport.columns]; // of an element
  const x = cell.x + (window[2] - viewport.left) * width;
  const y = cell.y + (window[0] - viewport.top) * height;
  context.save();
  context.beginPath();
  context.rect(x, y, (window[3] - window[2]) * width, (window[1] - window[0]) * height);
  context.clip();
  const image = imageOf(drawing, picture, planes, at);
  context.drawImage(image, x, y, tiles[1] * tile[1] * width, tiles[0] * tile[0] * height);
  context.restore();
  const [tall, wide] = [tile[0] * height, tile[1] * width];
  for (const one of planes)
    drawMarks(context, one, tiles, (row, column) => ({
      x: x + column * wide,
      y: y + row * tall,
      width: wide,
      height: tall,
    }));
  if (drawing.image !== undefined) return;
  if (tile[0] === 1 && tile[1] === 1 && wide >= NUMBER_ROOM[0] && tall >= NUMBER_ROOM[1]) {
    drawNumbers(context, drawing, picture, plane, cell);
  }
}

/** Tiles that hold what is not finite, over all others: with glyphs where they are large, grown where they are small and few. */
function drawMarks(
  context: CanvasRenderingContext2D,
  { marks }: NumberPlane,
  [, across]: readonly [number, number],
  placeOf: (row: number, column: number) => Cell,
): void {
  const marked = markedOf(marks);
  if (marked.length === 0) return;
  const isGrown = marked.length <= FEW;
  const first = placeOf(0, 0);
  const isSmall = Math.min(first.width, first.height) < 1;
  // Where tiles are smaller than pixels, the picture leaves some out.
  if (!isGrown && !isSmall && Math.min(first.width, first.height) < GLYPH_ROOM) return;
  for (const at of marked) {
    const { x, y, width, height } = placeOf(Math.floor(at / across), at % across);
    const grow = isGrown ? GROWN : 1;
    const [wide, tall] = [Math.max(width, grow), Math.max(height, grow)];
    const left = x - (wide - width) / 2;
    const top = y - (tall - height) / 2;
    const kinds = Object.values(NOT_FINITE).filter(({ bit }) => ((marks[at] ?? 0) & bit) !== 0);
    if (isGrown || isSmall) {
      kinds.forEach(({ colour }, kind) => {
        context.fillStyle = css(colour);
        context.fillRect(left, top + (tall * kind) / kinds.length, wide, tall / kinds.length);
      });
    }
    const [kind] = kinds;
    if (kind === undefined || Math.min(width, height) < GLYPH_ROOM || kinds.length > 1) continue;
    context.fillStyle = css(kind.ink);
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(kind.glyph, x + width / 2, y + height / 2, width);
  }
}

const markedTiles = new WeakMap<Uint8Array, readonly number[]>();

/** The tiles that hold what is not finite. */
function markedOf(marks: Uint8Array): readonly number[] {
  const known = markedTiles.get(marks);
  if (known !== undefined) return known;
  const marked: number[] = [];
  marks.forEach((mark, at) => {
    if (mark !== 0) marked.push(at);
  });
  markedTiles.set(marks, marked);
  return marked;
}

function drawNumbers(
  context: CanvasRenderingContext2D,
  { viewport, scale }: Drawing,
  picture: NumberPicture["picture"],
  { values, marks }: NumberPlane,
  cell: Cell,
): void {
  const [top, bottom, left, right] = elementsIn(viewport, sizeOf(picture));
  const [height, width] = [cell.height / viewport.rows, cell.width / viewport.columns];
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let row = top; row < bottom; row += 1) {
    for (let column = left; column < right; column += 1) {
      const [down, across] = [row - picture.window[0], column - picture.window[2]];
      if (down < 0 || across < 0 || down >= picture.tiles[0] || across >= picture.tiles[1]) continue;
      const at = down * picture.tiles[1] + across;
      const value = values[at] ?? Number.NaN;
      if ((marks[at] ?? 0) !== 0 || scale === undefined) continue;
      context.fillStyle = inkOn(colourOf(scale, value));
      const x = cell.x + (column + 0.5 - viewport.left) * width;
      const y = cell.y + (row + 0.5 - viewport.top) * height;
      context.fillText(numberText(value, width < 44 ? 3 : 4), x, y, width - 2);
    }
  }
}

function drawAxes(context: CanvasRenderingContext2D, { viewport, theme, pictures }: Drawing, cell: Cell): void {
  const [first] = pictures;
  if (first === undefined) return;
  const [top, bottom, left, right] = elementsIn(viewport, sizeOf(first.picture));
  context.fillStyle = theme.quiet;
  context.textAlign = "center";
  context.textBaseline = "bottom";
  for (const column of wholeTicks(left, right, cell.width)) {
    const x = cell.x + ((column + 0.5 - viewport.left) * cell.width) / viewport.columns;
    if (x >= cell.x && x <= cell.x + cell.width) context.fillText(String(column), x, cell.y - 3);
  }
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const row of wholeTicks(top, bottom, cell.height)) {
    const y = cell.y + ((row + 0.5 - viewport.top) * cell.height) / viewport.rows;
    if (y >= cell.y && y <= cell.y + cell.height) context.fillText(String(row), cell.x - 4, y);
  }
}

function wholeTicks(from: number, to: number, length: number): number[] {
  const amount = Math.max(1, Math.floor(length / AXIS_TICKS_EVERY));
  return [...new Set(ticks(from, Math.max(from, to - 1), amount).map(Math.round))];
}

/** A line between the least and the most of each tile, or from element to element. */
function drawLines(context: CanvasRenderingContext2D, drawing: Drawing): void {
  const { pictures, layout, viewport, theme, scale } = drawing;
  const [cell] = layout.cells;
  const shown = pictures.at(-1);
  if (cell === undefined || shown === undefined) return;
  const { picture, planes } = shown;
  const [low, high] = scale === undefined ? [0, 1] : [scale.low, scale.high];
  const yOf = (value: number): number => {
    const share = scale === undefined || low === high ? 0.5 : scale.at(value);
    return cell.y + cell.height * (1 - share);
  };
  const xOf = (element: number): number => cell.x + ((element - viewport.left) * cell.width) / viewport.columns;
  context.strokeStyle = theme.border;
  context.strokeRect(cell.x - 0.5, cell.y - 0.5, cell.width + 1, cell.height + 1);
  context.fillStyle = theme.quiet;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const tick of scale?.ticks(4) ?? []) {
    const y = Math.round(yOf(tick)) + 0.5;
    context.fillText(numberText(tick, 6), cell.x - 4, y, cell.x - 4);
    context.globalAlpha = 0.35;
    context.beginPath();
    context.moveTo(cell.x, y);
    context.lineTo(cell.x + cell.width, y);
    context.stroke();
    context.globalAlpha = 1;
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  const [, , left, right] = elementsIn(viewport, sizeOf(picture));
  for (const at of wholeTicks(left, right, cell.width))
    context.fillText(String(at), xOf(at + 0.5), cell.y + cell.height + 3);
  const colours = planes.length === 1 ? [theme.accent] : labelColours(planes.length).map(css);
  context.save();
  context.beginPath();
  context.rect(cell.x, cell.y, cell.width, cell.height);
  context.clip();
  planes.forEach((plane, at) => drawLine(context, picture, plane, colours[at] ?? theme.accent, { xOf, yOf, cell }));
  context.restore();
}

interface Axes {
  readonly xOf: (element: number) => number;
  readonly yOf: (value: number) => number;
  readonly cell: Cell;
}

function drawLine(
  context: CanvasRenderingContext2D,
  { window, tile, tiles }: NumberPicture["picture"],
  { values, highs, marks }: NumberPlane,
  colour: string,
  { xOf, yOf, cell }: Axes,
): void {
  context.strokeStyle = colour;
  context.lineWidth = 1.25;
  context.beginPath();
  let isDown = false;
  const wide = xOf(tile[1]) - xOf(0);
  for (let at = 0; at < tiles[1]; at += 1) {
    const value = values[at] ?? Number.NaN;
    const x = xOf(window[2] + (at + 0.5) * tile[1]);
    if (Number.isNaN(value)) {
      isDown = false;
      continue;
    }
    const high = highs?.[at] ?? value;
    if (isDown) context.lineTo(x, yOf(value));
    else context.moveTo(x, yOf(value));
    if (high !== value) context.lineTo(x, yOf(high));
    // An element between two that are not finite would not be seen.
    if (!isDown && Number.isNaN(values[at + 1] ?? Number.NaN)) context.lineTo(x + 1, yOf(high));
    isDown = true;
  }
  context.stroke();
  context.lineWidth = 1;
  drawMarks(context, { marks } as NumberPlane, tiles, (_, column) => ({
    x: xOf(window[2] + column * tile[1]),
    y: cell.y + cell.height - 8,
    width: wide,
    height: 8,
  }));
}
