/** What of a plane is in sight, in elements: fractions of them at its edges. */
export interface Viewport {
  readonly top: number;
  readonly left: number;
  readonly rows: number;
  readonly columns: number;
}

type Size = readonly [down: number, across: number];

/** Fewer elements along a side are never shown, unless there are fewer. */
const LEAST = 2;

export function whole([rows, columns]: Size): Viewport {
  return { top: 0, left: 0, rows, columns };
}

export function isWhole(viewport: Viewport, [rows, columns]: Size): boolean {
  return viewport.rows >= rows && viewport.columns >= columns;
}

/** Closer by a factor, with one place, as shares of what is in sight, where it was. */
export function zoomed(
  viewport: Viewport,
  factor: number,
  [down, across]: readonly [number, number],
  size: Size,
): Viewport {
  const along = (length: number, now: number): number =>
    Math.min(length, Math.max(Math.min(LEAST, length), now / factor));
  const rows = along(size[0], viewport.rows);
  const columns = along(size[1], viewport.columns);
  const top = viewport.top + (viewport.rows - rows) * down;
  const left = viewport.left + (viewport.columns - columns) * across;
  return within({ top, left, rows, columns }, size);
}

export function panned(viewport: Viewport, down: number, across: number, size: Size): Viewport {
  return within({ ...viewport, top: viewport.top + down, left: viewport.left + across }, size);
}

/** Panned no further than it takes to have an element in sight. */
export function showing(viewport: Viewport, row: number, column: number, size: Size): Viewport {
  const along = (first: number, amount: number, place: number): number =>
    Math.min(place, Math.max(first, place + 1 - amount));
  const top = along(viewport.top, viewport.rows, row);
  const left = along(viewport.left, viewport.columns, column);
  return within({ ...viewport, top, left }, size);
}

/** The whole elements in sight: first row, row behind the last, first column, column behind the last. */
export function elementsIn({ top, left, rows, columns }: Viewport, size: Size): [number, number, number, number] {
  return [
    Math.max(0, Math.floor(top)),
    Math.min(size[0], Math.ceil(top + rows)),
    Math.max(0, Math.floor(left)),
    Math.min(size[1], Math.ceil(left + columns)),
  ];
}

function within(viewport: Viewport, [rows, columns]: Size): Viewport {
  return {
    ...viewport,
    top: Math.min(Math.max(0, viewport.top), Math.max(0, rows - viewport.rows)),
    left: Math.min(Math.max(0, viewport.left), Math.max(0, columns - viewport.columns)),
  };
}
