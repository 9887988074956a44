import type { CompareDifference, DifferenceKind, Facts, Node, NodeKind } from "../../protocol/generated.ts";

/** Kinds whose lines are made of numbers and names of the source: of all others, lines hold texts of the program. */
const MEASURED: ReadonlySet<NodeKind> = new Set(["tensor", "module", "graph", "number", "none"]);
/** Dtypes of arrays whose elements are numbers; others hold texts, objects, or fields of any kind. */
const NUMBERS = /^(?:b?float|u?int|bool|complex)/;
/** Differences that are told in numbers and names of the source; of others, the texts that differ are told. */
const MEASURED_DIFFERENCES: ReadonlySet<DifferenceKind> = new Set([
  "shape",
  "dtype",
  "device",
  "layout",
  "requires_grad",
  "values",
  "masked",
]);

/** One value in a list. With `texts`, also what strings and objects hold. */
export function valueOf(node: Node, texts: boolean): Record<string, unknown> {
  const { name, path, kind, type, line, badges, children, facts } = node;
  return {
    name,
    expression: path === name ? undefined : path,
    kind,
    type: type === "" ? undefined : type,
    summary: texts || isMeasured(node) ? line : undefined,
    shape: facts?.shape,
    dtype: facts?.dtype,
    flags: badges === undefined || badges.length === 0 ? undefined : badges,
    children,
  };
}

/** All that is known of one value. */
export function describedValue(node: Node, texts: boolean): Record<string, unknown> {
  const { facts, page, lenses } = node;
  return {
    ...valueOf(node, texts),
    ...(facts === undefined ? {} : factsOf(facts, texts || isMeasured(node))),
    can_be_asked: lenses,
    holds: page?.nodes.map((one) => valueOf(one, texts)),
    holds_total: page?.total,
  };
}

/** What differs, without the texts that do. */
export function differenceTold(difference: CompareDifference, texts: boolean): Record<string, unknown> {
  const isTold = texts || MEASURED_DIFFERENCES.has(difference.what);
  return isTold ? { ...difference } : { ...difference, text: undefined };
}

function isMeasured({ kind, facts }: Node): boolean {
  return MEASURED.has(kind) || (kind === "array" && facts?.dtype !== undefined && NUMBERS.test(facts.dtype));
}

function factsOf(facts: Facts, isTold: boolean): Record<string, unknown> {
  const { thumbnail: _png, histogram: _bars, texts: _words, rows, values, notes, type, ...known } = facts;
  return {
    class: type,
    ...known,
    more: isTold ? rows?.map(([label, text]) => `${label}: ${text}`) : undefined,
    values: isTold ? values : undefined,
    notes: isTold ? notes : undefined,
  };
}
