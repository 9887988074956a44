/** What the extension and the page of a drawn graph say to each other. Each checks all that it is told. */
import * as v from "valibot";
import type { AutogradGraph } from "./generated.ts";

const integer = v.pipe(v.number(), v.integer());
/** As the helper writes it: one that JavaScript can't hold is a text. */
const wireInteger = v.union([v.number(), v.string()]);
const nullableText = v.nullable(v.string());
const source = v.strictObject({ file: v.string(), line: v.number() });

/** As in the contract with the helper, whose codes become words in the page. */
const reason = v.looseObject({
  code: v.string(),
  certain: v.boolean(),
  count: wireInteger,
  parameters: v.array(v.string()),
  at: nullableText,
  file: nullableText,
  line: v.nullable(v.number()),
});

const origin = v.looseObject({
  where: v.string(),
  operation: nullableText,
  name: nullableText,
  cause: v.string(),
  certain: v.boolean(),
  nan: wireInteger,
  inf: wireInteger,
  file: nullableText,
  line: v.nullable(v.number()),
});

const graph = v.strictObject({
  without: v.optional(v.picklist(["not_required", "leaf", "unread"])),
  ops: v.array(v.strictObject({ name: v.string(), type: v.string(), custom: v.boolean() })),
  op: v.array(integer),
  results: v.array(v.strictObject({ dtype: v.string(), shape: v.array(wireInteger) })),
  result: v.array(integer),
  made: v.array(integer),
  edges: v.array(integer),
  leaves: v.array(
    v.strictObject({
      node: integer,
      name: nullableText,
      path: nullableText,
      module: v.array(v.string()),
      parameter: v.boolean(),
    }),
  ),
  values: v.array(v.strictObject({ node: integer, name: v.string(), path: nullableText })),
  lines: v.array(v.strictObject({ node: integer, source })),
  freed: v.array(integer),
  hooked: v.array(integer),
  modified: v.array(
    v.strictObject({
      node: integer,
      saved: v.string(),
      found: v.nullable(v.number()),
      expected: v.nullable(v.number()),
      name: nullableText,
      source: v.nullable(source),
    }),
  ),
  nan: v.nullable(v.strictObject({ node: v.nullable(integer), origin })),
  broken: v.array(v.strictObject({ node: v.nullable(integer), reason })),
});

const toGraph = v.variant("type", [
  v.strictObject({
    type: v.literal("graph"),
    name: v.string(),
    /** Where: the function and its line. */
    place: v.string(),
    graph: v.custom<AutogradGraph>((value) => v.is(graph, value)),
    /** False where there are more nodes than are followed. */
    complete: v.boolean(),
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

const fromGraph = v.variant("type", [
  /** The page has been made, or made anew: it knows nothing. */
  v.strictObject({ type: v.literal("ready") }),
  /** Selects the value that a node has made, or the leaf that it is, in the tree. */
  v.strictObject({ type: v.literal("reveal"), node: integer }),
  /** Shows the details of that value. */
  v.strictObject({ type: v.literal("details"), node: integer }),
  /** Goes to a line of the program. */
  v.strictObject({ type: v.literal("line"), source }),
  v.strictObject({ type: v.literal("again") }),
  v.strictObject({ type: v.literal("cancel") }),
  v.strictObject({ type: v.literal("copy"), text: v.string() }),
  v.strictObject({ type: v.literal("save"), png: v.instance(ArrayBuffer) }),
]);

export type ToGraph = v.InferOutput<typeof toGraph>;
export type FromGraph = v.InferOutput<typeof fromGraph>;
export type WholeGraph = Extract<ToGraph, { type: "graph" }>;
export type GraphState = Extract<ToGraph, { type: "state" }>;

/** A message of the page; undefined for what is none. */
export function parseFromGraph(message: unknown): FromGraph | undefined {
  const result = v.safeParse(fromGraph, message);
  return result.success ? result.output : undefined;
}

/** A message of the extension; undefined for what is none. */
export function parseToGraph(message: unknown): ToGraph | undefined {
  const result = v.safeParse(toGraph, message);
  return result.success ? result.output : undefined;
}
