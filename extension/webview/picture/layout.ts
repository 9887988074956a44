import { isLine, type NumberPicture, sizeOf } from "./planes.ts";

/** Where a plane is drawn, in pixels of the page. */
export interface Cell {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Where all of them are. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly cells: readonly Cell[];
}

/** Room for the indices of rows, at the left, and of columns, above; for the title of a facet. */
const LEFT = 44;
const ABOVE = 16;
const TITLE = 14;
const GAP = 8;
/** The sides of an element, at most, and of a plane, at least. */
const LARGEST = 40;
const LEAST = 24;
const LEAST_FACET = 88;
/** From here on the sides of a plane are not drawn to one measure. */
const ELONGATED = 8;
const LINE_HEIGHT = 220;

/** Planes side by side, as many as there is room for; several lines are drawn over each other, and so are channels. */
export function layoutOf({ picture, planes: all }: NumberPicture, width: number, height: number, channels = 1): Layout {
  const planes = all.filter((_, at) => at % channels === 0);
  const [rows, columns] = sizeOf(picture);
  if (isLine(picture)) {
    const line = { x: LEFT, y: 4, width: Math.max(LEAST, width - LEFT - 4), height: Math.min(height, LINE_HEIGHT) };
    return { width, height: line.y + line.height + ABOVE, cells: planes.map(() => line) };
  }
  if (planes.length === 1) {
    const [across, down] = sidesOf(rows, columns, width - LEFT, height);
    return {
      width: LEFT + across + 1,
      height: ABOVE + down + 1,
      cells: [{ x: LEFT, y: ABOVE, width: across, height: down }],
    };
  }
  const wanted = sidesOf(
    rows,
    columns,
    Math.max(LEAST_FACET, width / Math.ceil(Math.sqrt(planes.length)) - GAP),
    height,
  );
  const [across, down] = [Math.min(width, Math.max(LEAST_FACET / 2, wanted[0])), wanted[1]];
  const inRow = Math.max(1, Math.floor((width + GAP) / (across + GAP)));
  const cells = planes.map((_, at) => ({
    x: (at % inRow) * (across + GAP),
    y: Math.floor(at / inRow) * (down + TITLE + GAP) + TITLE,
    width: across,
    height: down,
  }));
  const last = cells.at(-1);
  return { width, height: (last?.y ?? 0) + down + 2, cells };
}

function sidesOf(rows: number, columns: number, width: number, height: number): [number, number] {
  const ratio = rows / columns;
  if (ratio <= ELONGATED && ratio >= 1 / ELONGATED) {
    const side = Math.min(width / columns, height / rows, LARGEST);
    return [Math.max(1, columns * side), Math.max(1, rows * side)];
  }
  return [Math.max(LEAST, Math.min(width, columns * LARGEST)), Math.max(LEAST, Math.min(height, rows * LARGEST))];
}
