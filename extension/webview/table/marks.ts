import type { TableCell, TableRow } from "../../src/protocol/table.ts";
import { numberIn } from "./order.ts";

/** So many are told apart, at most. */
const MOST = 160;

/** A bar of a plot, or a point of its line. */
export interface Mark {
  readonly row: TableRow;
  readonly value: number | undefined;
  readonly tone: TableCell["tone"];
  /** Where it begins and how wide it is, as shares of the plot's width. */
  readonly left: number;
  readonly wide: number;
}

type Rated = Pick<Mark, "row" | "value" | "tone">;

/** A mark for each row, or where they are too many, for those of each group of neighbours that stand out. */
export function marksOf(rows: readonly TableRow[], column: number, how: "log" | "line"): Mark[] {
  const kept = how === "line" ? lineOf : barOf;
  const groups = rows.length <= MOST ? MOST : Math.floor(MOST / (how === "line" ? 3 : 1));
  const per = Math.max(1, Math.ceil(rows.length / groups));
  const amount = Math.ceil(rows.length / per);
  return Array.from({ length: amount }, (_, group) => {
    const all = rows.slice(group * per, (group + 1) * per).map((row): Rated => {
      const cell = row.cells[column];
      return { row, value: numberIn(cell), tone: cell?.tone };
    });
    const some = kept(all);
    const wide = 1 / amount / some.length;
    return some.map((mark, at): Mark => ({ ...mark, left: group / amount + at * wide, wide }));
  }).flat();
}

/** The one that stands out most. */
function barOf(some: readonly Rated[]): Rated[] {
  return some.toSorted((a, b) => standsOut(b) - standsOut(a)).slice(0, 1);
}

/** That one, and the least and the largest number, so that dips and peaks stay. */
function lineOf(some: readonly Rated[]): Rated[] {
  const finite = some.filter(({ value }) => Number.isFinite(value));
  const sorted = finite.toSorted((a, b) => (a.value ?? 0) - (b.value ?? 0));
  const kept = new Set([...barOf(some), sorted[0], sorted.at(-1)]);
  return some.filter((one) => kept.has(one));
}

/** NaN and what is missing come before numbers, of which the largest does. */
function standsOut({ value, tone }: Rated): number {
  if (tone === "alarm") return Infinity;
  if (value === undefined) return tone === "warning" ? Number.MAX_VALUE : -Infinity;
  return Number.isNaN(value) ? Infinity : value;
}
