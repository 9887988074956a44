/** What the extension and the details page say to each other. Each checks all that it is told. */
import * as v from "valibot";

const whole = v.pipe(v.number(), v.integer());
const wholes = v.array(whole);
/** First row, row behind the last, first column, column behind the last. */
const window = v.tuple([whole, whole, whole, whole]);
const range = v.tuple([v.number(), v.number()]);

/** As in a table of a lens: JSON has none that are not finite. */
const cellNumber = v.union([v.number(), v.picklist(["nan", "inf", "-inf"])]);

/** What of a tensor is looked at; what is absent is as the helper has it without being told. */
const look = v.strictObject({
  dims: v.optional(wholes),
  facets: v.optional(wholes),
  /** Of each other dimension. */
  index: v.optional(wholes),
  window: v.optional(window),
  /** Along a side, at most. */
  tiles: v.optional(whole),
  shown: v.optional(v.picklist(["mean", "min", "max", "nearest"])),
  /** The last of the facets are the channels of pictures. */
  image: v.optional(v.boolean()),
  /** The histogram leaves out the outermost elements. */
  robust: v.optional(v.boolean()),
});

const amount = v.pipe(v.number(), v.finite(), v.minValue(0));
/** How far apart two numbers may be: `atol + rtol·|b|`. */
const tolerance = v.strictObject({ rtol: amount, atol: amount, equal_nan: v.boolean() });
/** What the value is compared with. */
const otherValue = v.variant("how", [
  v.strictObject({ how: v.literal("nothing") }),
  v.strictObject({ how: v.literal("expression"), expression: v.pipe(v.string(), v.trim(), v.nonEmpty()) }),
  /** Itself, as it was at the stop before. */
  v.strictObject({ how: v.literal("last") }),
  /** A copy that the user has kept. */
  v.strictObject({ how: v.literal("kept"), number: whole, name: v.string() }),
]);

const fromPage = v.variant("type", [
  /** The page has been made, or made anew: it knows nothing. */
  v.strictObject({ type: v.literal("ready") }),
  /** Each look has another number, a higher one than the look before. */
  v.strictObject({ type: v.literal("look"), number: whole, look }),
  v.strictObject({ type: v.literal("values"), window }),
  v.strictObject({ type: v.literal("table"), window }),
  /** Whether it stays with its expression, whatever is selected. */
  v.strictObject({ type: v.literal("lock"), locked: v.boolean() }),
  v.strictObject({ type: v.literal("refresh"), refresh: v.picklist(["all", "locked", "none"]) }),
  /** Read all elements for the distribution. */
  v.strictObject({ type: v.literal("readAll") }),
  /** Which expression's value lies over images; none where it is absent. */
  v.strictObject({ type: v.literal("overlay"), expression: v.optional(v.string()) }),
  /** Where the least and the greatest element are. */
  v.strictObject({ type: v.literal("extremes") }),
  v.strictObject({ type: v.literal("compare"), other: otherValue }),
  v.strictObject({ type: v.literal("tolerance"), tolerance }),
  v.strictObject({ type: v.literal("again") }),
  v.strictObject({ type: v.literal("cancel") }),
  v.strictObject({ type: v.literal("copy"), text: v.string() }),
  /** The value as a file. */
  v.strictObject({ type: v.literal("export") }),
  /** The picture as it is seen, as a file. */
  v.strictObject({ type: v.literal("save"), png: v.instance(ArrayBuffer) }),
]);

const fact = v.tuple([v.string(), v.string()]);
const facts = v.strictObject({
  line: v.string(),
  rows: v.array(fact),
  /** A name and a text for each part: one, or of complex numbers three, which `parts` names. */
  statistics: v.array(v.array(v.string())),
  parts: v.array(v.string()),
  notes: v.array(v.string()),
  /** Where the first NaN is, and the first infinity of either sign: an integer for each dimension. */
  first_nan: v.optional(wholes),
  first_inf: v.optional(wholes),
  findings: v.array(
    v.strictObject({
      severity: v.picklist(["error", "warning", "hint"]),
      title: v.string(),
      why: v.string(),
      suggestion: v.string(),
    }),
  ),
});

const distribution = v.strictObject({
  edges: v.array(v.number()),
  counts: v.array(v.number()),
  quantiles: v.array(v.tuple([v.number(), v.nullable(v.number())])),
  count: v.number(),
  below: v.number(),
  above: v.number(),
  nan: v.number(),
  pos_inf: v.number(),
  neg_inf: v.number(),
  zeros: v.number(),
  /** The numbers are the magnitudes of complex ones. */
  magnitudes: v.optional(v.literal(true)),
  /** Of those that were looked at; undefined of what has no mask. */
  masked: v.optional(v.number()),
  exact: v.boolean(),
  read: v.number(),
});

const buffer = v.instance(ArrayBuffer);
const plane = v.strictObject({
  /** Of each facet's dimension. */
  index: wholes,
  /** float32, a number for each tile; so are `highs` and `phase`. */
  values: buffer,
  highs: v.optional(buffer),
  phase: v.optional(buffer),
  /** A byte for each tile: 1 NaN, 2 Inf, 4 −Inf, 8 a masked element, or several. */
  marks: buffer,
  nan: v.number(),
  pos_inf: v.number(),
  neg_inf: v.number(),
  /** Undefined of what has no mask. */
  masked: v.optional(v.number()),
  min: v.nullable(v.number()),
  max: v.nullable(v.number()),
});

/** Two dimensions of a value, or one: see `DetailsPicture` of the contract. */
const picture = v.strictObject({
  shape: v.array(v.number()),
  names: v.optional(v.array(v.nullable(v.string()))),
  dims: wholes,
  facets: wholes,
  index: wholes,
  window: v.tuple([v.number(), v.number(), v.number(), v.number()]),
  tile: range,
  tiles: range,
  shown: v.picklist(["mean", "min", "max", "nearest", "range"]),
  sort: v.picklist(["float", "int", "bool", "complex"]),
  offset: v.number(),
  factor: v.number(),
  /** `values` and `highs` are float64. */
  wide: v.optional(v.literal(true)),
  planes: v.array(plane),
  left_out: v.number(),
  /** Each label and how often it occurs. */
  labels: v.optional(v.array(range)),
  read: v.number(),
  complete: v.boolean(),
});

/** What lies over images: a mask or a map of labels, boxes, or a label of each. */
const overlay = v.strictObject({ kind: v.picklist(["map", "boxes", "labels"]), picture });

const values = v.strictObject({
  shape: v.array(v.number()),
  dims: wholes,
  index: wholes,
  window: v.tuple([v.number(), v.number(), v.number(), v.number()]),
  rows: v.array(v.array(v.string())),
});

/** An integer for each dimension; absent where no element is finite. */
const extremes = v.strictObject({ min: v.optional(wholes), max: v.optional(wholes) });

/** Rows and columns of a table of another library. */
const table = v.strictObject({
  shape: range,
  window,
  labels: v.array(v.string()),
  columns: v.array(
    v.strictObject({
      name: v.string(),
      dtype: v.string(),
      texts: v.array(v.string()),
      /** By which its cells are sorted, where there are any. */
      numbers: v.optional(v.array(v.nullable(cellNumber))),
    }),
  ),
});

const side = v.strictObject({
  type: v.string(),
  shape: v.optional(v.array(v.union([v.number(), v.string()]))),
  dtype: v.optional(v.string()),
  device: v.optional(v.string()),
});
/** By how much two elements differ, where, and both as Python writes them. */
const farthest = v.strictObject({ by: v.number(), at: v.array(v.number()), a: v.string(), b: v.string() });
/** How close two values are: see `DetailsComparison` of the contract. */
const comparison = v.strictObject({
  a: side,
  b: side,
  elements: v.optional(
    v.strictObject({
      ...tolerance.entries,
      count: v.number(),
      read: v.number(),
      complete: v.boolean(),
      close: v.boolean(),
      different: v.number(),
      beyond: v.number(),
      nan_in_one: v.number(),
      nan_in_both: v.number(),
      inf_in_one: v.number(),
      /** Undefined where neither has a mask. */
      masked: v.optional(v.number()),
      masked_in_one: v.optional(v.number()),
      max_abs: v.optional(farthest),
      max_relative: v.optional(farthest),
      max_ulps: v.optional(farthest),
    }),
  ),
  reason: v.optional(v.string()),
});

const part = v.picklist([
  "facts",
  "distribution",
  "picture",
  "values",
  "extremes",
  "table",
  "overlay",
  "comparison",
  "error_map",
]);
const missing = v.strictObject({ part, reason: v.string() });

/** What is known of the value, part by part. */
const details = v.strictObject({
  facts: v.optional(facts),
  distribution: v.optional(distribution),
  gradient: v.optional(distribution),
  picture: v.optional(picture),
  values: v.optional(values),
  extremes: v.optional(extremes),
  table: v.optional(table),
  /** Null where nothing lies over them any more. */
  overlay: v.optional(v.nullable(overlay)),
  comparison: v.optional(comparison),
  /** The same excerpt of the other value, and of the differences. */
  other: v.optional(picture),
  error_map: v.optional(picture),
  missing: v.optional(v.array(missing)),
  /** What is read next. */
  coming: v.optional(v.array(part)),
});

/** What the value is compared with, and may be. */
const compared = v.strictObject({
  other: otherValue,
  name: v.optional(v.string()),
  kept: v.array(v.strictObject({ number: whole, name: v.string() })),
  tolerance,
  /** What went wrong with it. */
  note: v.optional(v.string()),
});

const toPage = v.variant("type", [
  /** Which value it is about, if about any. */
  v.strictObject({
    type: v.literal("subject"),
    name: v.optional(v.string()),
    /** Where: the function and its line. */
    place: v.optional(v.string()),
    look,
    /** The number of the page's last look that the extension has heard; absent where it hears another page. */
    heard: v.optional(whole),
    locked: v.boolean(),
    refresh: v.picklist(["all", "locked", "none"]),
    /** What lies over images. */
    overlay: v.optional(v.string()),
    compared,
    /** Why there is nothing, or why what is shown is from before. */
    note: v.optional(v.string()),
    /** How much is read, while something is. */
    progress: v.optional(v.number()),
  }),
  /** Parts that take the places of those known; all of them, of another value or stop, where it is `whole`. */
  v.strictObject({ type: v.literal("details"), whole: v.boolean(), details }),
]);

export type Look = v.InferOutput<typeof look>;
export type FromPage = v.InferOutput<typeof fromPage>;
export type ToPage = v.InferOutput<typeof toPage>;
export type Refresh = Extract<FromPage, { type: "refresh" }>["refresh"];
export type ShownDetails = v.InferOutput<typeof details>;
export type ShownFacts = v.InferOutput<typeof facts>;
export type Distribution = v.InferOutput<typeof distribution>;
export type Picture = v.InferOutput<typeof picture>;
export type Plane = v.InferOutput<typeof plane>;
export type ShownTable = v.InferOutput<typeof table>;
export type Overlay = v.InferOutput<typeof overlay>;
export type Extremes = v.InferOutput<typeof extremes>;
export type ShownValues = v.InferOutput<typeof values>;
export type OtherValue = v.InferOutput<typeof otherValue>;
export type Tolerance = v.InferOutput<typeof tolerance>;
export type Compared = v.InferOutput<typeof compared>;
export type Comparison = v.InferOutput<typeof comparison>;
export type Farthest = v.InferOutput<typeof farthest>;
export type ElementWindow = v.InferOutput<typeof window>;

/** Tolerances are those of `torch.allclose`, but NaN is like NaN. */
export const NOTHING_COMPARED: Compared = {
  other: { how: "nothing" },
  kept: [],
  tolerance: { rtol: 1e-5, atol: 1e-8, equal_nan: true },
};

/** Parts that come later take the places of those before; one that is missing now is not there, nor does it come, any more. */
export function merged(before: ShownDetails, now: ShownDetails): ShownDetails {
  const gone = new Set<string>(now.missing?.map(({ part }) => part));
  if (gone.has("error_map")) gone.add("other"); // of which it is made
  const kept = Object.entries(before).filter(([part]) => !gone.has(part));
  const missing = [
    ...(before.missing ?? []).filter(({ part }) => !(part in now) && !gone.has(part)),
    ...(now.missing ?? []),
  ];
  const coming = now.coming ?? before.coming?.filter((part) => !(part in now) && !gone.has(part));
  return { ...Object.fromEntries(kept), ...now, missing, ...(coming === undefined ? {} : { coming }) };
}

/** A message of the page; undefined for what is none. */
export function parseFromPage(message: unknown): FromPage | undefined {
  const result = v.safeParse(fromPage, message);
  return result.success ? result.output : undefined;
}

/** A message of the extension; undefined for what is none. */
export function parseToPage(message: unknown): ToPage | undefined {
  const result = v.safeParse(toPage, message);
  return result.success ? result.output : undefined;
}
