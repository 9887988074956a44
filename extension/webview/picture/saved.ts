import type { Theme } from "../theme.ts";

/** Between a picture and its title, and around them all, in pixels of the page. */
const GAP = 6;
const TITLE = 20;

/** A picture that is seen, with what stands above it. */
export interface Seen {
  readonly canvas: HTMLCanvasElement;
  readonly title: string;
}

/** The pictures as they are seen: one as it is; several where they stand in the page, each below its title. */
export function asSeen(pictures: readonly Seen[], theme: Theme): HTMLCanvasElement | undefined {
  const [first] = pictures;
  if (pictures.length < 2) return first?.canvas;
  const sharpness = window.devicePixelRatio;
  const boxes = pictures.map(({ canvas }) => canvas.getBoundingClientRect());
  const left = Math.min(...boxes.map((box) => box.left)) - GAP;
  const top = Math.min(...boxes.map((box) => box.top)) - TITLE - GAP;
  const right = Math.max(...boxes.map((box) => box.right)) + GAP;
  const bottom = Math.max(...boxes.map((box) => box.bottom)) + GAP;
  const all = document.createElement("canvas");
  all.width = Math.round((right - left) * sharpness);
  all.height = Math.round((bottom - top) * sharpness);
  const context = all.getContext("2d");
  if (context === null) return undefined;
  context.scale(sharpness, sharpness);
  context.fillStyle = theme.background;
  context.fillRect(0, 0, right - left, bottom - top);
  context.font = theme.font;
  context.textBaseline = "middle";
  context.imageSmoothingEnabled = false;
  pictures.forEach(({ canvas, title }, at) => {
    const box = boxes[at] ?? canvas.getBoundingClientRect();
    context.drawImage(canvas, box.left - left, box.top - top, box.width, box.height);
    context.fillStyle = theme.foreground;
    context.fillText(title, box.left - left, box.top - top - TITLE / 2, box.width);
  });
  return all;
}
