import type { Grid, Range, Screen } from "./grid.ts";

/** A key, and those that are held with it. */
interface Pressed {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** The selection after a key, as in a spreadsheet; undefined for a key that moves nothing. */
export function selectionAfter(
  { key, shiftKey, ctrlKey, metaKey }: Pressed,
  selection: Range | undefined,
  grid: Grid,
  screen: Screen,
): Range | undefined {
  const isFar = ctrlKey || metaKey;
  const steps: Record<string, readonly [down: number, across: number]> = {
    ArrowUp: [isFar ? -grid.rows : -1, 0],
    ArrowDown: [isFar ? grid.rows : 1, 0],
    ArrowLeft: [0, isFar ? -grid.columns : -1],
    ArrowRight: [0, isFar ? grid.columns : 1],
    PageUp: [-screen.rows, 0],
    PageDown: [screen.rows, 0],
    Home: [isFar ? -grid.rows : 0, -grid.columns],
    End: [isFar ? grid.rows : 0, grid.columns],
  };
  const step = steps[key];
  if (step === undefined) return undefined;
  // The first key selects the first cell that one sees: there is nothing to go on from.
  if (selection === undefined) {
    return { row: screen.row, column: screen.column, fromRow: screen.row, fromColumn: screen.column };
  }
  const row = Math.min(grid.rows - 1, Math.max(0, selection.row + step[0]));
  const column = Math.min(grid.columns - 1, Math.max(0, selection.column + step[1]));
  return shiftKey ? { ...selection, row, column } : { row, column, fromRow: row, fromColumn: column };
}
