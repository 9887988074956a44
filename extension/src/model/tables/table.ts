import * as l10n from "@vscode/l10n";
import type { SourceLine, Number as WireNumber } from "../../protocol/generated.ts";
import type { WholeTable, TableCell, TableColumn, TableRow } from "../../protocol/table.ts";
import { numberOf, numberText } from "../measurements.ts";
import type { RowPath } from "../rowPath.ts";
import { countText } from "../words.ts";

/** What a row of a table shows where it is clicked. */
export interface Revealed {
  /** A row of the tree, and the names of those on the way from there to the one that is meant. */
  readonly start: RowPath;
  readonly names?: readonly string[];
  /** A line of the program. */
  readonly source?: SourceLine | null;
}

/** A table as the page shows it, and what its rows reveal, by their ids. */
export interface Table extends Pick<WholeTable, "columns" | "rows" | "plot" | "notes"> {
  readonly reveals: ReadonlyMap<string, Revealed>;
}

/** A column, and what it says of a row; undefined where that is nothing. */
export interface Column<T> extends TableColumn {
  /** It is there though it says nothing of any row: one may look for it. */
  readonly kept?: boolean;
  readonly cell: (row: T) => TableCell | undefined;
}

interface TableParts<T> {
  readonly id: (row: T) => string;
  readonly depth?: (row: T) => number;
  readonly reveal?: (row: T) => Revealed | undefined;
  /** The column that is drawn, by its place among those that are given, and how. */
  readonly plot?: { readonly column: Column<T>; readonly how: NonNullable<WholeTable["plot"]>["how"] };
  readonly notes?: readonly string[];
}

const NOTHING: TableCell = { text: "" };

/** The table of these rows, without the columns that say nothing of any. */
export function tableOf<T>(columns: readonly Column<T>[], rows: readonly T[], parts: TableParts<T>): Table {
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row) ?? NOTHING));
  const isShown = columns.map(({ kept }, at) => kept ?? (at === 0 || cells.some((row) => row[at]?.text !== "")));
  const shown = columns.filter((_, at) => isShown[at]);
  const ids = distinct(rows.map(parts.id));
  const reveals = rows.flatMap((row, at) => {
    const revealed = parts.reveal?.(row);
    return revealed === undefined ? [] : [[ids[at] ?? "", revealed] as const];
  });
  const plotted = parts.plot === undefined ? -1 : shown.indexOf(parts.plot.column);
  return {
    columns: shown.map(({ name, title, kind }) => ({ name, kind, ...(title === undefined ? {} : { title }) })),
    rows: rows.map((row, at): TableRow => {
      const depth = parts.depth?.(row) ?? 0;
      const own = (cells[at] ?? []).filter((_, place) => isShown[place]);
      return { id: ids[at] ?? "", ...(depth === 0 ? {} : { depth }), cells: own };
    }),
    ...(parts.plot === undefined || plotted < 0 ? {} : { plot: { column: plotted, how: parts.plot.how } }),
    notes: [...(parts.notes ?? [])],
    reveals: new Map(reveals),
  };
}

/** A cell with our own words. */
export function said(text: string, tone?: TableCell["tone"]): TableCell | undefined {
  return text === "" ? undefined : { text, ...(tone === undefined ? {} : { tone }) };
}

/** A cell with text of the program. */
export function named(text: string | null | undefined, tone?: TableCell["tone"]): TableCell | undefined {
  if (text === undefined || text === null || text === "") return undefined;
  return { text, foreign: true, ...(tone === undefined ? {} : { tone }) };
}

/** A cell with a number. */
export function numbered(
  number: WireNumber | null | undefined,
  { text, tone }: { readonly text?: (value: number) => string; readonly tone?: TableCell["tone"] | undefined } = {},
): TableCell | undefined {
  if (number === undefined || number === null) return undefined;
  const value = numberOf(number);
  return { text: (text ?? numberText)(value), value: sent(value), ...(tone === undefined ? {} : { tone }) };
}

/** A cell with how many there are; where there are none, it says nothing, and is sorted as 0. */
export function counted(number: WireNumber | null | undefined, tone?: TableCell["tone"]): TableCell | undefined {
  if (number === undefined || number === null) return undefined;
  return numberOf(number) === 0 ? { text: "", value: 0 } : numbered(number, { text: countText, tone });
}

/** A cell with a size in bytes. */
export function sized(number: WireNumber | null | undefined): TableCell | undefined {
  return numbered(number, { text: sizeText });
}

/** A cell with a share of a whole. */
export function shared(part: WireNumber | null, whole: WireNumber | null): TableCell | undefined {
  if (part === null || whole === null || numberOf(whole) === 0) return undefined;
  return numbered(numberOf(part) / numberOf(whole), { text: percentText });
}

/** What is said where not all rows are there. */
export function leftOut(shown: number, all: number | string): string[] {
  const missing = numberOf(all) - shown;
  return missing > 0 ? [l10n.t("{0} more are not listed", missing)] : [];
}

/** `1.5 MiB` */
export function sizeText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  return `${numberText(bytes / 1024 ** at, { digits: 3 })} ${units[at] ?? ""}`;
}

function percentText(share: number): string {
  return `${numberText(100 * share, { digits: 3 })}%`;
}

export function sent(value: number): number | "nan" | "inf" | "-inf" {
  if (Number.isNaN(value)) return "nan";
  if (Number.isFinite(value)) return value;
  return value > 0 ? "inf" : "-inf";
}

/** Names of which no two are the same. */
function distinct(names: readonly string[]): string[] {
  const met = new Map<string, number>();
  return names.map((name) => {
    const count = (met.get(name) ?? 0) + 1;
    met.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}
