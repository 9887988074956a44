import type { ElementWindow } from "../src/protocol/page.ts";

const ROW = 20;
const COLUMN = 104;
/** Heads of rows and columns. */
const HEAD = { width: 84, height: 22 };
/** Browsers know no longer elements than a few tens of millions of pixels. */
const LONGEST = 8_000_000;
/** So many elements are asked for at once, at most. */
const MOST = 1000;

/** What is scrolled, and how far. */
export interface Scrolled {
  readonly top: number;
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

/** Selected cells, from one to another. */
export interface Range {
  readonly fromRow: number;
  readonly fromColumn: number;
  readonly row: number;
  readonly column: number;
}

/** A grid of cells of one size, of which a scrolled part is drawn. Where it is too long, a pixel stands for several rows. */
export class Grid {
  readonly rows: number;
  readonly columns: number;

  constructor(rows: number, columns: number) {
    this.rows = rows;
    this.columns = columns;
  }

  get width(): number {
    return Math.min(LONGEST, this.columns * COLUMN + HEAD.width);
  }

  get height(): number {
    return Math.min(LONGEST, this.rows * ROW + HEAD.height);
  }

  /** A window with cells around it, as many as are asked for at once. */
  padded([top, bottom, left, right]: ElementWindow): ElementWindow {
    const wide = Math.max(1, right - left);
    const more = Math.max(0, Math.floor(MOST / wide) - (bottom - top));
    const first = Math.max(0, top - Math.floor(more / 2));
    return [first, Math.min(this.rows, bottom + Math.ceil(more / 2)), left, right];
  }
}

/** The cells that are in sight. */
export function visible(grid: Grid, { top, left, width, height }: Scrolled): ElementWindow {
  const [firstRow, rows] = along(grid.rows, ROW, grid.height, height, HEAD.height, top);
  const [firstColumn, columns] = along(grid.columns, COLUMN, grid.width, width, HEAD.width, left);
  return [firstRow, Math.min(grid.rows, firstRow + rows), firstColumn, Math.min(grid.columns, firstColumn + columns)];
}

/** How far it is scrolled so that a cell is the first. */
export function scrolled(
  grid: Grid,
  { width, height }: Scrolled,
  row: number,
  column: number,
): { top: number; left: number } {
  return {
    top: offsetOf(grid.rows, ROW, grid.height, height, HEAD.height, row),
    left: offsetOf(grid.columns, COLUMN, grid.width, width, HEAD.width, column),
  };
}

/** The cells that are in sight whole: where they begin, and how many there are. */
export interface Screen {
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
}

export function screenOf(grid: Grid, at: Scrolled): Screen {
  const [row, , column] = visible(grid, at);
  return {
    row,
    column,
    rows: Math.max(1, Math.floor((at.height - HEAD.height) / ROW)),
    columns: Math.max(1, Math.floor((at.width - HEAD.width) / COLUMN)),
  };
}

/** How far to scroll so that a cell is seen whole; no further than it takes. */
export function brought(grid: Grid, at: Scrolled, row: number, column: number): { top: number; left: number } {
  const screen = screenOf(grid, at);
  const along = (place: number, first: number, amount: number): number =>
    place < first ? place : Math.max(first, place - amount + 1);
  const first = [along(row, screen.row, screen.rows), along(column, screen.column, screen.columns)] as const;
  const to = scrolled(grid, at, ...first);
  return { top: first[0] === screen.row ? at.top : to.top, left: first[1] === screen.column ? at.left : to.left };
}

/** The cells of a selection as a window. */
export function rangeOf({ fromRow, fromColumn, row, column }: Range): ElementWindow {
  return [
    Math.min(fromRow, row),
    Math.max(fromRow, row) + 1,
    Math.min(fromColumn, column),
    Math.max(fromColumn, column) + 1,
  ];
}

function along(
  amount: number,
  cell: number,
  whole: number,
  seen: number,
  head: number,
  offset: number,
): [number, number] {
  const shown = Math.max(1, Math.ceil((seen - head) / cell));
  const last = Math.max(0, amount - Math.max(1, Math.floor((seen - head) / cell)));
  const way = Math.max(1, whole - seen);
  const first = whole < LONGEST ? Math.floor(offset / cell) : Math.round((offset / way) * last);
  return [Math.min(last, Math.max(0, first)), shown];
}

function offsetOf(amount: number, cell: number, whole: number, seen: number, head: number, first: number): number {
  if (whole < LONGEST) return first * cell;
  const last = Math.max(1, amount - Math.max(1, Math.floor((seen - head) / cell)));
  return (first / last) * Math.max(1, whole - seen);
}
