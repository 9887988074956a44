import type { TableCell, TableColumn, TableRow } from "../../src/protocol/table.ts";
import { numberIn } from "./order.ts";

/** Rows as lines with tabs, with a head. Numbers have all their digits; no cell is a formula. */
export function asTsv(columns: readonly TableColumn[], rows: readonly TableRow[]): string {
  const head = columns.map(({ name }) => guarded(name)).join("\t");
  return [head, ...rows.map(({ cells }) => cells.map(cellText).join("\t"))].join("\n");
}

function cellText(cell: TableCell): string {
  const value = numberIn(cell);
  if (value !== undefined) return digitsOf(value, cell.text);
  return cell.foreign === true ? guarded(cell.text) : oneLine(cell.text);
}

/** No number has all digits of each integer beyond 2^53, but the text of one has. */
function digitsOf(value: number, text: string): string {
  if (!Number.isFinite(value)) return plainText(value);
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && /^[-−]?\d+$/.test(text) ? text.replace("−", "-") : String(value);
}

/** A table program would take a text that begins like a formula for one, also in quotes, and run it. */
function guarded(text: string): string {
  const line = oneLine(text);
  return /^[\s\p{C}]*["=+\-−@＝＋－＠]/u.test(line) ? `'${line}` : line;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

function plainText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}
