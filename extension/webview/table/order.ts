import type { TableCell, TableColumn, TableRow } from "../../src/protocol/table.ts";

/** By which column rows are sorted, and how. */
export interface Sort {
  readonly column: number;
  readonly descending: boolean;
}

/** The rows that are shown, in their order, and whether it is their first one, in which a tree is one. */
export interface Ordered {
  readonly rows: readonly TableRow[];
  readonly isTree: boolean;
}

/** One condition on a number: `nan > 0`. */
interface Comparison {
  readonly column: number;
  readonly holds: (value: number) => boolean;
}

/** What a filter that the user has typed asks for: words, and conditions on numbers. */
export interface Filter {
  readonly words: readonly string[];
  readonly comparisons: readonly Comparison[];
}

const COMPARE: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
  "=": isSame,
  "==": isSame,
  "!=": (a, b) => !isSame(a, b),
};

/** The user who asks for NaN wants to find it: it is the same as itself here. */
function isSame(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

/** The number of a cell; undefined where it has none. */
export function numberIn(cell: TableCell | undefined): number | undefined {
  const value = cell?.value;
  if (value === undefined || typeof value === "number") return value;
  if (value === "nan") return Number.NaN;
  return value === "inf" ? Infinity : -Infinity;
}

/** Whether the numbers of a column count, or its texts. */
export function isOfNumbers({ kind }: TableColumn): boolean {
  return kind !== "text";
}

/** What each column is known by while other tables come in its place: its name, and how often that came before it. */
export function keysOf(columns: readonly TableColumn[]): string[] {
  const met = new Map<string, number>();
  return columns.map(({ name }) => {
    const before = met.get(name) ?? 0;
    met.set(name, before + 1);
    return `${before} ${name}`;
  });
}

/** How a column is sorted next: a number's largest first, a text from A on, then the other way, then not. */
export function nextSort(columns: readonly TableColumn[], sort: Sort | undefined, column: number): Sort | undefined {
  const kind = columns[column];
  const first = kind !== undefined && isOfNumbers(kind);
  if (sort?.column !== column) return { column, descending: first };
  return sort.descending === first ? { column, descending: !first } : undefined;
}

/** The rows that a filter leaves, sorted. What has no number, or NaN, comes last either way. */
export function ordered(
  columns: readonly TableColumn[],
  rows: readonly TableRow[],
  sort: Sort | undefined,
  filter: Filter,
): Ordered {
  const left = rows.filter((row) => passes(row, filter));
  if (sort === undefined) return { rows: left, isTree: left.length === rows.length };
  const column = columns[sort.column];
  if (column === undefined) return { rows: left, isTree: false };
  const sign = sort.descending ? -1 : 1;
  const compare = isOfNumbers(column) ? compareNumbers : compareTexts;
  const sorted = left.toSorted((a, b) => compare(a.cells[sort.column], b.cells[sort.column], sign));
  return { rows: sorted, isTree: false };
}

function compareNumbers(a: TableCell | undefined, b: TableCell | undefined, sign: number): number {
  const [one, other] = [numberIn(a), numberIn(b)];
  if (!isKnown(one) || !isKnown(other)) return rank(one) - rank(other);
  return one === other ? 0 : sign * (one < other ? -1 : 1);
}

function isKnown(value: number | undefined): value is number {
  return value !== undefined && !Number.isNaN(value);
}

/** NaN comes behind numbers, and before what has no number at all. */
function rank(value: number | undefined): number {
  if (value === undefined) return 2;
  return Number.isNaN(value) ? 1 : 0;
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

function compareTexts(a: TableCell | undefined, b: TableCell | undefined, sign: number): number {
  const [one, other] = [a?.text ?? "", b?.text ?? ""];
  if (one === "" || other === "") return Number(one === "") - Number(other === "");
  return sign * collator.compare(one, other);
}

/**
 * What a text asks for: `attention norm < 1e-6`. A condition begins with the name of a column of numbers; all other words
 * must stand somewhere in a row.
 */
export function filterOf(text: string, columns: readonly TableColumn[]): Filter {
  const comparisons: Comparison[] = [];
  let rest = text.toLowerCase();
  for (;;) {
    const found = /(<=|>=|==|!=|<|>|=)\s*([-−+]?(?:\d[\d.,_]*(?:e[-+]?\d+)?|inf|nan))(%?)/u.exec(rest);
    if (found === null) break;
    const [whole, operator = "", typed = "", percent = ""] = found;
    const before = rest.slice(0, found.index).trimEnd();
    const column = columnBefore(before, columns);
    if (column === undefined) break;
    const value = numberTyped(typed) / (percent === "" ? 1 : 100);
    const compare = COMPARE[operator];
    comparisons.push({ column, holds: (one) => compare?.(one, value) === true });
    const name = columns[column]?.name ?? "";
    rest = `${before.slice(0, before.length - name.length)} ${rest.slice(found.index + whole.length)}`;
  }
  return { words: rest.split(/\s+/).filter((word) => word !== "" && word !== "and"), comparisons };
}

/** The column of numbers with whose name a text ends, the longest one. */
function columnBefore(text: string, columns: readonly TableColumn[]): number | undefined {
  const found = columns
    .map((column, at) => ({ column, at }))
    .filter(({ column }) => isOfNumbers(column))
    .filter(({ column: { name } }) => {
      const end = text.slice(-name.length);
      const isWord = text.length === name.length || /\s$/.test(text.slice(0, -name.length));
      return isWord && end === name.toLowerCase();
    });
  return found.toSorted((a, b) => b.column.name.length - a.column.name.length)[0]?.at;
}

function numberTyped(text: string): number {
  const plain = text.replace("−", "-").replaceAll(/[,_]/g, "");
  return plain.endsWith("inf") ? (plain.startsWith("-") ? -Infinity : Infinity) : Number(plain);
}

function passes({ cells }: TableRow, { words, comparisons }: Filter): boolean {
  const hasWords = words.every((word) => cells.some(({ text }) => text.toLowerCase().includes(word)));
  return (
    hasWords &&
    comparisons.every(({ column, holds }) => {
      const value = numberIn(cells[column]);
      return value !== undefined && holds(value);
    })
  );
}
