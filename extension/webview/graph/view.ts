/** Which part of a laid-out graph is in sight, and how its boxes look. */
import { BOX_HEIGHT, type Layout } from "./layout.ts";
import { GLYPHS, type MarkKind } from "./marks.ts";
import type { VisibleGraph } from "./visible.ts";

const PAD = 10;
const GREATEST = 2.5;
const LEAST = 0.002;
/** Of an initial view: texts can be read. */
export const READABLE = 0.75;

/** Where the left upper corner of the canvas is in the graph, and how large a unit of it is drawn. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** How a box looks. */
export interface Box {
  readonly title: string;
  readonly subtitle: string;
  readonly look: "operation" | "leaf" | "block" | "broken";
  readonly marks: readonly { readonly mark: MarkKind; readonly word: string }[];
}

export interface Drawn {
  readonly graph: VisibleGraph;
  readonly layout: Layout;
  readonly boxes: readonly Box[];
  readonly widths: Float64Array;
}

/** As wide as what stands in them. */
export function widthsOf(boxes: readonly Box[], measure: (text: string, isTitle: boolean) => number): Float64Array {
  return Float64Array.from(boxes, ({ title, subtitle, marks }) => {
    const marked = marks.map(({ mark, word }) => `${GLYPHS[mark]} ${word}`).join("  ");
    return Math.max(44, measure(title, true), measure(subtitle, false), measure(marked, false)) + 2 * PAD;
  });
}

/** All of it in sight, as far as that may be drawn. */
export function fitted({ width, height }: Layout, canvasWidth: number, canvasHeight: number, least = LEAST): View {
  const [wide, high] = [width + 40, height + 56];
  const scale = clamped(Math.max(least, Math.min(1, canvasWidth / wide, canvasHeight / high)));
  const y = high * scale <= canvasHeight ? (height - canvasHeight / scale) / 2 : -32;
  return { x: (width - canvasWidth / scale) / 2, y, scale };
}

/** What is shown first: the upper end around the loss, large enough to be read. */
export function firstView(layout: Layout, width: number, height: number): View {
  const view = fitted(layout, width, height, READABLE);
  const wide = (layout.width + 40) * view.scale;
  return wide <= width ? view : { ...view, x: (layout.x[0] ?? 0) - width / view.scale / 2 };
}

/** Larger or smaller, with one point of the canvas where it is. */
export function zoomedAt({ x, y, scale }: View, factor: number, atX: number, atY: number): View {
  const next = clamped(scale * factor);
  return { x: x + atX / scale - atX / next, y: y + atY / scale - atY / next, scale: next };
}

function clamped(scale: number): number {
  return Math.min(GREATEST, Math.max(LEAST, scale));
}

/** The box at a point of the canvas. */
export function boxAt({ layout, widths }: Drawn, { x, y, scale }: View, atX: number, atY: number): number | undefined {
  const [graphX, graphY] = [x + atX / scale, y + atY / scale];
  for (let at = 0; at < widths.length; at += 1) {
    const isIn =
      Math.abs(layout.y[at]! - graphY) <= BOX_HEIGHT / 2 && Math.abs(layout.x[at]! - graphX) <= widths[at]! / 2;
    if (isIn) return at;
  }
  return undefined;
}
