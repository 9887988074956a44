/** What the extension and the page of a table say to each other. Each checks all that it is told. */
import * as v from "valibot";

/** A number; as a text where JSON, in which messages go to a page, has none such. */
const number = v.union([v.number(), v.picklist(["nan", "inf", "-inf"])]);

const tone = v.picklist(["alarm", "warning", "quiet"]);

const cell = v.strictObject({
  text: v.string(),
  /** By which it is sorted and compared, in a column of numbers; absent where there is none. */
  value: v.optional(number),
  tone: v.optional(tone),
  /** Text of the program: a table program must not take it for a formula. */
  foreign: v.optional(v.literal(true)),
});

const column = v.strictObject({
  name: v.string(),
  /** What it tells, in a sentence. */
  title: v.optional(v.string()),
  /** Bars are of numbers, each as long as its number beside the largest; on a logarithmic scale, from the least. */
  kind: v.picklist(["text", "number", "bar", "log"]),
});

const row = v.strictObject({
  id: v.string(),
  /** How deep it stands in a tree, whose rows come parents first. */
  depth: v.optional(v.pipe(v.number(), v.integer())),
  /** One for each column. */
  cells: v.array(cell),
});

const toTable = v.variant("type", [
  v.strictObject({
    type: v.literal("table"),
    name: v.string(),
    /** Where: the function and its line. */
    place: v.optional(v.string()),
    columns: v.array(column),
    rows: v.array(row),
    /** The column that is drawn above the table, row by row in their first order. */
    plot: v.optional(v.strictObject({ column: v.pipe(v.number(), v.integer()), how: v.picklist(["log", "line"]) })),
    /** What has to be said of all of it. */
    notes: v.array(v.string()),
  }),
  v.strictObject({
    type: v.literal("state"),
    name: v.string(),
    /** Why there is nothing, or why what is shown is from before. */
    note: v.optional(v.string()),
    /** How much is read, while something is. */
    progress: v.optional(v.number()),
  }),
]);

const fromTable = v.variant("type", [
  /** The page has been made, or made anew: it knows nothing. */
  v.strictObject({ type: v.literal("ready") }),
  /** Shows what a row is of. */
  v.strictObject({ type: v.literal("reveal"), row: v.string() }),
  v.strictObject({ type: v.literal("again") }),
  v.strictObject({ type: v.literal("cancel") }),
  v.strictObject({ type: v.literal("copy"), text: v.string() }),
]);

export type ToTable = v.InferOutput<typeof toTable>;
export type FromTable = v.InferOutput<typeof fromTable>;
export type WholeTable = Extract<ToTable, { type: "table" }>;
export type TableState = Extract<ToTable, { type: "state" }>;
export type TableColumn = v.InferOutput<typeof column>;
export type TableRow = v.InferOutput<typeof row>;
export type TableCell = v.InferOutput<typeof cell>;

/** A message of the page; undefined for what is none. */
export function parseFromTable(message: unknown): FromTable | undefined {
  const result = v.safeParse(fromTable, message);
  return result.success ? result.output : undefined;
}

/** A message of the extension; undefined for what is none. */
export function parseToTable(message: unknown): ToTable | undefined {
  const result = v.safeParse(toTable, message);
  return result.success ? result.output : undefined;
}
