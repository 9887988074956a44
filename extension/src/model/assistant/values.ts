import type { Facts, Node, NodeKind } from "../../protocol/generated.ts";

/** Kinds whose lines are made of numbers and names of the source: of all others, lines hold texts of the program. */
const MEASURED: ReadonlySet<NodeKind> = new Set(["tensor", "array", "module", "graph", "number", "none"]);

/** One value in a list. With `texts`, also what strings, keys and objects hold. */
export function valueOf(node: Node, texts: boolean): Record<string, unknown> {
  const { name, path, kind, type, line, badges, children, facts } = node;
  const isTold = texts || MEASURED.has(kind);
  return {
    name,
    ...(path === undefined || path === name ? {} : { expression: path }),
    kind,
    ...(type === "" ? {} : { type }),
    ...(isTold ? { summary: line } : {}),
    ...(facts?.shape === undefined ? {} : { shape: facts.shape, dtype: facts.dtype }),
    ...(badges === undefined || badges.length === 0 ? {} : { flags: badges }),
    ...(children === undefined ? {} : { children }),
  };
}

/** All that is known of one value. */
export function describedValue(node: Node, texts: boolean): Record<string, unknown> {
  const { facts, page, lenses } = node;
  return {
    ...valueOf({ ...node, ...(facts === undefined ? {} : { facts: withoutData(facts) }) }, texts),
    ...(facts === undefined ? {} : factsOf(facts, texts || MEASURED.has(node.kind))),
    ...(lenses === undefined ? {} : { can_be_asked: lenses }),
    ...(page === undefined ? {} : { holds: page.nodes.map((one) => valueOf(one, texts)), holds_total: page.total }),
  };
}

function factsOf(facts: Facts, isTold: boolean): Record<string, unknown> {
  const { thumbnail: _png, histogram: _bars, texts: _words, rows, values, type, ...known } = facts;
  return {
    class: type,
    ...known,
    ...(isTold && rows !== undefined ? { more: rows.map(([label, text]) => `${label}: ${text}`) } : {}),
    ...(isTold && values !== undefined ? { values } : {}),
  };
}

function withoutData({ shape, dtype, type }: Facts): Facts {
  return { type, ...(shape === undefined ? {} : { shape }), ...(dtype === undefined ? {} : { dtype }) };
}
