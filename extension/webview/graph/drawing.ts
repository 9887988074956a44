/** Draws the part of a laid-out graph that is in sight on a canvas. */
import type { Theme } from "../theme.ts";
import { BOX_HEIGHT, type Layout } from "./layout.ts";
import { GLYPHS, type MarkKind } from "./marks.ts";
import type { Box, Drawn, View } from "./view.ts";

/** The colours of a graph, beside those of every page. */
export interface GraphTheme extends Theme {
  readonly size: number;
  readonly family: string;
  readonly box: string;
  readonly marks: Readonly<Record<MarkKind, string>>;
  readonly isContrasting: boolean;
}

/** Below these scales texts can't be read any more, and boxes are too small for outlines. */
const TEXT_SCALE = 0.45;
const OUTLINE_SCALE = 0.2;

export function titleFont({ family, size }: GraphTheme): string {
  return `${size}px ${family}`;
}

export function subtitleFont({ family, size }: GraphTheme): string {
  return `${Math.round(size * 0.82)}px ${family}`;
}

/** What is drawn with a graph: how the user looks at it, and which box they are at. */
export interface Looking {
  readonly view: View;
  readonly width: number;
  readonly height: number;
  readonly pixels: number;
  readonly selected: number | undefined;
  readonly hasFocus: boolean;
}

export function drawGraph(context: CanvasRenderingContext2D, drawn: Drawn, looking: Looking, theme: GraphTheme): void {
  const { view, width, height, pixels } = looking;
  const { x, y, scale } = view;
  context.setTransform(pixels, 0, 0, pixels, 0, 0);
  context.fillStyle = theme.background;
  context.fillRect(0, 0, width, height);
  context.setTransform(pixels * scale, 0, 0, pixels * scale, -x * scale * pixels, -y * scale * pixels);
  const sight: Sight = { left: x, top: y, right: x + width / scale, bottom: y + height / scale };
  drawEdges(context, drawn, looking, theme, sight);
  drawBoxes(context, drawn, looking, theme, sight);
}

/** The part of the graph that is in sight. */
interface Sight {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function drawEdges(
  context: CanvasRenderingContext2D,
  drawn: Drawn,
  { view: { scale }, selected }: Looking,
  theme: GraphTheme,
  sight: Sight,
): void {
  const { graph, layout } = drawn;
  const { from, to, items } = graph;
  const special: number[] = [];
  context.strokeStyle = theme.quiet;
  context.globalAlpha = theme.isContrasting ? 1 : 0.7;
  context.lineWidth = Math.min(4, Math.max(1, 0.7 / scale));
  context.beginPath();
  for (let edge = 0; edge < from.length; edge += 1) {
    if (!isEdgeInSight(layout, from[edge]!, to[edge]!, sight)) continue;
    if (from[edge] === selected || to[edge] === selected || items[to[edge]!]?.broken !== undefined) special.push(edge);
    else traceEdge(context, layout, edge, from[edge]!, to[edge]!);
  }
  context.stroke();
  context.globalAlpha = 1;
  for (const edge of special) {
    const isBroken = items[to[edge]!]?.broken !== undefined;
    context.strokeStyle = isBroken ? theme.marks.broken : theme.accent;
    context.lineWidth = Math.max(2, 1.4 / scale);
    context.setLineDash(isBroken ? [6, 5] : []);
    context.beginPath();
    traceEdge(context, layout, edge, from[edge]!, to[edge]!);
    context.stroke();
  }
  context.setLineDash([]);
}

function isEdgeInSight(layout: Layout, from: number, to: number, { top, bottom }: Sight): boolean {
  return layout.y[from]! <= bottom && layout.y[to]! >= top;
}

function traceEdge(
  context: CanvasRenderingContext2D,
  { x, y, bends, bendX, bendY }: Layout,
  edge: number,
  from: number,
  to: number,
): void {
  let [lastX, lastY] = [x[from]!, y[from]! + BOX_HEIGHT / 2];
  context.moveTo(lastX, lastY);
  const curve = (nextX: number, nextY: number): void => {
    if (Math.abs(nextX - lastX) < 0.5) context.lineTo(nextX, nextY);
    else {
      const middle = (lastY + nextY) / 2;
      context.bezierCurveTo(lastX, middle, nextX, middle, nextX, nextY);
    }
    [lastX, lastY] = [nextX, nextY];
  };
  const [start, end] = [bends[edge]!, bends[edge + 1]!];
  for (let point = start; point < end; point += 1) {
    curve(bendX[point]!, bendY[point]! - BOX_HEIGHT / 2);
    curve(bendX[point]!, bendY[point]! + BOX_HEIGHT / 2);
  }
  const endX = x[to]!;
  const endY = y[to]! - BOX_HEIGHT / 2;
  if (start === end && endY - lastY > 3 * BOX_HEIGHT && Math.abs(endX - lastX) < 60) {
    // Past the boxes between the two, not through them.
    const aside = Math.max(lastX, endX) + 90 + Math.min(400, (endY - lastY) / 20);
    context.bezierCurveTo(aside, lastY + 60, aside, endY - 60, endX, endY);
    return;
  }
  curve(endX, endY);
}

function drawBoxes(
  context: CanvasRenderingContext2D,
  { layout, boxes, widths }: Drawn,
  { view: { scale }, selected, hasFocus }: Looking,
  theme: GraphTheme,
  sight: Sight,
): void {
  context.textBaseline = "middle";
  context.textAlign = "center";
  for (let at = 0; at < boxes.length; at += 1) {
    const [x, y, width] = [layout.x[at]!, layout.y[at]!, widths[at]!];
    const isInSight =
      x + width / 2 >= sight.left && x - width / 2 <= sight.right && y + 40 >= sight.top && y - 40 <= sight.bottom;
    if (!isInSight) continue;
    const box = boxes[at]!;
    const mark = box.marks[0]?.mark;
    const outline = mark === undefined ? outlineOf(box, theme) : theme.marks[mark];
    if (scale < OUTLINE_SCALE && at !== selected) {
      context.fillStyle = outline;
      const wide = Math.max(width, 3 / scale); // never lost in a picture of all
      context.fillRect(x - wide / 2, y - BOX_HEIGHT / 2, wide, BOX_HEIGHT);
      continue;
    }
    drawOutline(context, box, { x, y, width, outline, isMarked: mark !== undefined, scale }, theme);
    if (at === selected) {
      context.strokeStyle = theme.accent;
      context.lineWidth = Math.max(hasFocus ? 3 : 2, (hasFocus ? 2 : 1.5) / scale);
      context.strokeRect(x - width / 2 - 4, y - BOX_HEIGHT / 2 - 4, width + 8, BOX_HEIGHT + 8);
    }
    if (scale >= TEXT_SCALE) drawTexts(context, box, x, y, theme);
  }
}

function outlineOf({ look }: Box, theme: GraphTheme): string {
  if (look === "leaf") return theme.accent;
  return look === "broken" ? theme.marks.broken : theme.quiet;
}

function drawOutline(
  context: CanvasRenderingContext2D,
  { look }: Box,
  {
    x,
    y,
    width,
    outline,
    isMarked,
    scale,
  }: {
    x: number;
    y: number;
    width: number;
    outline: string;
    isMarked: boolean;
    scale: number;
  },
  theme: GraphTheme,
): void {
  const [left, top] = [x - width / 2, y - BOX_HEIGHT / 2];
  const trace = (inset: number): void => {
    context.beginPath();
    const radius = look === "leaf" ? BOX_HEIGHT / 2 : 4;
    context.roundRect(
      left + inset,
      top + inset,
      width - 2 * inset,
      BOX_HEIGHT - 2 * inset,
      Math.max(2, radius - inset),
    );
  };
  context.strokeStyle = outline;
  context.lineWidth = Math.max(isMarked ? 2 : 1, 0.8 / scale);
  context.setLineDash(look === "broken" ? [6, 4] : []);
  trace(0);
  context.fillStyle = theme.box;
  context.fill();
  context.stroke();
  context.setLineDash([]);
  if (look !== "block") return;
  context.lineWidth = 1; // folded: a box in a box
  trace(3);
  context.stroke();
}

function drawTexts(
  context: CanvasRenderingContext2D,
  { title, subtitle, look, marks }: Box,
  x: number,
  y: number,
  theme: GraphTheme,
): void {
  context.fillStyle = theme.foreground;
  context.font = look === "block" ? `bold ${titleFont(theme)}` : titleFont(theme);
  context.fillText(title, x, subtitle === "" ? y : y - 7);
  context.font = subtitleFont(theme);
  context.fillStyle = theme.quiet;
  if (subtitle !== "") context.fillText(subtitle, x, y + 9);
  if (marks.length === 0) return;
  const texts = marks.map(({ mark, word }) => `${GLYPHS[mark]} ${word}`);
  const widths = texts.map((text) => context.measureText(text).width);
  let left = x - (widths.reduce((sum, width) => sum + width, 0) + 8 * (texts.length - 1)) / 2;
  context.textAlign = "left";
  texts.forEach((text, at) => {
    const { mark } = marks[at]!;
    context.fillStyle = theme.background;
    context.fillRect(left - 2, y - BOX_HEIGHT / 2 - 16, widths[at]! + 4, 14);
    context.fillStyle = theme.marks[mark];
    context.fillText(text, left, y - BOX_HEIGHT / 2 - 9);
    left += widths[at]! + 8;
  });
  context.textAlign = "center";
}
