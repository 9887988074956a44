import type { TableColumn, TableRow } from "../../src/protocol/table.ts";

/** In characters, each as wide as a digit: others may be wider. */
const LEAST = 4;
const MOST = 44;
/** The longest bar. */
export const BAR = 8;

/** How wide each column is for what stands in it, in characters. */
export function widthsOf(columns: readonly TableColumn[], rows: readonly TableRow[]): number[] {
  const longest = columns.map(({ name }) => name.length + 1);
  for (const { cells, depth = 0 } of rows) {
    for (const [at, { text }] of cells.entries()) {
      const indent = at === 0 ? depth * 1.5 : 0;
      longest[at] = Math.max(longest[at] ?? 0, text.length + indent);
    }
  }
  return columns.map(({ kind }, at) => {
    const bar = kind === "bar" || kind === "log" ? BAR : 0;
    return (
      Math.ceil(Math.min(MOST, Math.max(LEAST, longest[at] ?? 0))) +
      (bar === 0 ? 0 : bar + 1) +
      (kind === "text" ? 4 : 2)
    );
  });
}
