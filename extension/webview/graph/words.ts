/** What the page says of nodes, blocks and marks. */
import * as l10n from "@vscode/l10n";
import type {
  AutogradBroken,
  AutogradGraph,
  AutogradLeaf,
  NanCause,
  NoGradientCode,
  SourceLine,
} from "../../src/protocol/generated.ts";
import { countText } from "../numbers.ts";
import type { Block } from "./blocks.ts";
import type { MarkKind } from "./marks.ts";
import type { GraphNodes } from "./nodes.ts";
import { type Item, nodesIn } from "./visible.ts";

/** The operation as one writes it: `addmm` for `Addmm`, `log_softmax`; a Function of the program by its own name. */
export function operationName({ name, custom }: AutogradGraph["ops"][number]): string {
  return custom ? name : name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
}

/** What stands in a box: what it is, and below that what it makes or holds. */
export function boxWords(nodes: GraphNodes, { node, block, broken }: Item): readonly [string, string] {
  if (broken !== undefined) return [brokenName(broken), reasonWord(broken)];
  if (block !== undefined) return [blockName(nodes, block), nodesText(block.end - block.start)];
  if (node === undefined) return ["", ""];
  const leaf = nodes.leaves.get(node);
  const shape = shapeText(nodes, node);
  if (leaf !== undefined) return [leafName(leaf), shape];
  return [operationName(nodes.op(node)), [nodes.names.get(node) ?? "", shape].filter((text) => text !== "").join(" ")];
}

/** A node in a line: `addmm, loss, float32[2, 3]`. */
export function nodeWords(nodes: GraphNodes, node: number): string {
  const leaf = nodes.leaves.get(node);
  const { dtype = "" } = nodes.result(node) ?? {};
  const name = leaf === undefined ? operationName(nodes.op(node)) : (leaf.name ?? leafName(leaf));
  const parts = [name, nodes.names.get(node) ?? "", `${dtype}${shapeText(nodes, node)}`];
  return parts.filter((text) => text !== "").join(", ");
}

/** What a screen reader says of a box, and what its tooltip does. */
export function itemWords(nodes: GraphNodes, item: Item, marks: ReadonlyMap<MarkKind, number>): string {
  const { node, block, broken } = item;
  const marked = [...marks].map(([mark, count]) =>
    count === 1 ? markWord(mark) : `${countText(count)} ${markWord(mark)}`,
  );
  const said =
    broken !== undefined
      ? [brokenName(broken), reasonText(broken)]
      : block !== undefined
        ? [blockName(nodes, block), l10n.t("folded"), nodesText(nodesIn(item))]
        : [nodeWords(nodes, node ?? 0), nodes.leaves.has(node ?? -1) ? "" : nodes.op(node ?? 0).type];
  return [...said, ...marked].filter((text) => text !== "").join(", ");
}

export function leafName({ name, module, parameter }: AutogradLeaf): string {
  if (name === null) return parameter ? l10n.t("parameter") : l10n.t("input");
  const key = /([^.[\]]+)\]?$/.exec(name)?.[1] ?? name;
  const owner = module.at(-1);
  return module.length > 1 && owner !== undefined ? `${owner}.${key}` : name;
}

export function blockName(nodes: GraphNodes, { kind, name, call, calls, parts, parent }: Block): string {
  if (kind === "module") {
    const list = /^\d/.test(name) ? (parent?.name.split(".").at(-1) ?? "") : ""; // layers.0, not 0
    const full = list === "" ? name : `${list}.${name}`;
    return calls > 1 ? l10n.t("{0} (call {1})", full, call) : full;
  }
  if (kind === "repeat") return l10n.t("× {0} alike", countText(parts.length));
  const [first, last] = [parts[0], parts.at(-1)].map((part) =>
    typeof part === "number" ? operationName(nodes.op(part)) : "",
  );
  return `${first} … ${last}`;
}

export function nodesText(count: number): string {
  return count === 1 ? l10n.t("1 node") : l10n.t("{0} nodes", countText(count));
}

/** `[2, 3]`; empty where it is not known. */
export function shapeText(nodes: GraphNodes, node: number): string {
  const { shape } = nodes.result(node) ?? {};
  return shape === undefined ? "" : `[${shape.join(", ")}]`;
}

export function markWord(mark: MarkKind): string {
  const words: Record<MarkKind, () => string> = {
    nan: () => l10n.t("NaN begins"),
    modified: () => l10n.t("modified"),
    broken: () => l10n.t("broken"),
    freed: () => l10n.t("freed"),
  };
  return words[mark]();
}

/** What a mark means, in a sentence. */
export function markTitle(mark: MarkKind): string {
  const words: Record<MarkKind, () => string> = {
    nan: () => l10n.t("The first NaN or infinity is here."),
    modified: () => l10n.t("A tensor that was saved for the backward was changed in place since: a backward fails."),
    broken: () => l10n.t("Parameters are cut off: no gradient reaches them from here."),
    freed: () => l10n.t("An earlier backward has freed what was saved: another one fails."),
  };
  return words[mark]();
}

export function brokenName({ reason: { parameters, count } }: AutogradBroken): string {
  const [first = ""] = parameters;
  const more = Number(count) - 1;
  return more > 0 ? l10n.t("{0} and {1} more", first, countText(more)) : first;
}

function reasonWord({ reason: { code, line } }: AutogradBroken): string {
  const word = REASONS[code]?.() ?? l10n.t("not reached");
  return line === null ? word : l10n.t("{0}, line {1}", word, line);
}

/** Why parameters are not reached. */
export function reasonText({ reason }: AutogradBroken): string {
  const { at, certain } = reason;
  const word = reasonWord({ node: null, reason });
  const told = certain ? word : l10n.t("may be: {0}", word);
  return at === null ? told : `${told}: ${at}`;
}

const REASONS: { readonly [Code in NoGradientCode]?: () => string } = {
  detached: () => l10n.t("detached"),
  no_grad: () => l10n.t("computed under no_grad"),
  rebuilt: () => l10n.t("a new tensor was made of its numbers"),
  unused: () => l10n.t("not used in forward"),
};

export function causeText(cause: NanCause): string {
  const words: Record<NanCause, () => string> = {
    zero_variance: () => l10n.t("a deviation of 0 divides"),
    negative_variance: () => l10n.t("running_var is below 0"),
    nan_input: () => l10n.t("NaN went in"),
    infinite_input: () => l10n.t("Inf went in"),
    log_of_zero: () => l10n.t("log of 0"),
    log_of_negative: () => l10n.t("log of a negative number"),
    overflow: () => l10n.t("an overflow: larger than the dtype holds"),
    masked_row: () => l10n.t("a row that is masked everywhere"),
    zero_by_zero: () => l10n.t("0 / 0"),
    division_by_zero: () => l10n.t("a division by 0"),
    inf_minus_inf: () => l10n.t("Inf − Inf"),
    zero_times_inf: () => l10n.t("0 · Inf"),
    root_of_negative: () => l10n.t("a root of a negative number"),
    mean_of_nothing: () => l10n.t("a mean of nothing"),
    one_sample: () => l10n.t("the unbiased deviation of one sample"),
    power: () => l10n.t("a power of a negative number"),
    infinite_slope: () => l10n.t("a slope that is infinite there"),
    domain: () => l10n.t("a number outside of what it is defined for"),
    unknown: () => "",
  };
  return words[cause]();
}

/** Why there is no graph. */
export function withoutText(name: string, why: NonNullable<AutogradGraph["without"]>): string {
  if (why === "not_required") return l10n.t("{0} has no graph: it requires no gradient.", name);
  if (why === "leaf") return l10n.t("{0} has no graph: it is a leaf itself, gradients end here.", name);
  return l10n.t("The graph of {0} can't be read.", name);
}

/** What must be said of the whole graph. */
export function notesOf({ nan, op }: AutogradGraph, complete: boolean): string[] {
  return [
    ...(complete ? [] : [l10n.t("Only the first {0} nodes are followed.", countText(op.length))]),
    ...(nan !== null && nan.node === null ? [withoutMark(nan.origin.unknown.includes("too_many"))] : []),
  ];
}

function withoutMark(isBeyond: boolean): string {
  return isBeyond
    ? l10n.t("It holds NaN or Inf, which may have begun beyond the nodes that are followed: none is marked.")
    : l10n.t("It holds NaN or Inf; where that began can't be told.");
}

/** A fact about a node, and the line of the program that it names. */
export interface NodeFact {
  readonly label: string;
  readonly text: string;
  readonly source?: SourceLine;
}

export function factsOf(nodes: GraphNodes, node: number): NodeFact[] {
  const { graph } = nodes;
  const op = nodes.op(node);
  const leaf = nodes.leaves.get(node);
  const { dtype = "" } = nodes.result(node) ?? {};
  const taken = [...nodes.inputs.of(node)];
  const line = graph.lines.find((one) => one.node === node);
  const named = (label: string, some: readonly number[]): NodeFact[] =>
    some.length === 0
      ? []
      : [
          {
            label,
            text:
              some
                .slice(0, 4)
                .map((one) => nodeWords(nodes, one))
                .join("; ") + (some.length > 4 ? " …" : ""),
          },
        ];
  return [
    { label: leaf === undefined ? l10n.t("operation") : l10n.t("leaf"), text: leaf?.name ?? op.type },
    ...(op.custom ? [{ label: l10n.t("kind"), text: l10n.t("a Function of the program") }] : []),
    ...(nodes.names.has(node) ? [{ label: l10n.t("variable"), text: nodes.names.get(node) ?? "" }] : []),
    ...(dtype === "" ? [] : [{ label: l10n.t("makes"), text: `${dtype}${shapeText(nodes, node)}` }]),
    ...(line === undefined ? [] : [{ label: l10n.t("line"), ...lineFact(line.source) }]),
    ...named(l10n.t("takes"), taken),
    ...named(l10n.t("is taken by"), [...nodes.users.of(node)]),
    ...(graph.hooked.includes(node) ? [{ label: l10n.t("saved"), text: l10n.t("with hooks, which are not run") }] : []),
    ...(graph.freed.includes(node) ? [{ label: markWord("freed"), text: markTitle("freed") }] : []),
    ...modifiedFacts(graph, node),
    ...nanFacts(graph, node),
    ...graph.broken.filter((one) => one.node === node).flatMap(brokenFacts),
  ];
}

export function brokenFacts(broken: AutogradBroken): NodeFact[] {
  const { parameters, count, file, line } = broken.reason;
  const more = Number(count) - parameters.length;
  const names = parameters.join(", ") + (more > 0 ? ` ${l10n.t("and {0} more", countText(more))}` : "");
  return [
    {
      label: markWord("broken"),
      text: reasonText(broken),
      ...(file === null || line === null ? {} : { source: { file, line } }),
    },
    { label: l10n.t("parameters"), text: names },
  ];
}

function modifiedFacts(graph: AutogradGraph, node: number): NodeFact[] {
  return graph.modified
    .filter((one) => one.node === node)
    .map(({ saved, name, found, expected, source }) => {
      const versions =
        found === null || expected === null
          ? l10n.t("saved “{0}”", saved)
          : l10n.t("saved “{0}” at version {1}, now {2}", saved, expected, found);
      const said = name === null ? versions : `${name}: ${versions}`;
      const text = source === null ? said : l10n.t("{0}, line {1}", said, source.line);
      return { label: markWord("modified"), text, ...(source === null ? {} : { source }) };
    });
}

function nanFacts({ nan }: AutogradGraph, node: number): NodeFact[] {
  if (nan === null || nan.node !== node) return [];
  const { cause, certain, file, line } = nan.origin;
  const counts = [
    ...(Number(nan.origin.nan) > 0 ? [l10n.t("{0} NaN", countText(Number(nan.origin.nan)))] : []),
    ...(Number(nan.origin.inf) > 0 ? [l10n.t("{0} Inf", countText(Number(nan.origin.inf)))] : []),
  ];
  const text = [certain ? "" : l10n.t("it may begin here"), causeText(cause), ...counts].filter((one) => one !== "");
  const source = file === null || line === null ? {} : { source: { file, line } };
  return [{ label: markWord("nan"), text: text.join(" · "), ...source }];
}

function lineFact(source: SourceLine): Pick<NodeFact, "text" | "source"> {
  return { text: `${source.file.split(/[\\/]/).at(-1) ?? source.file}:${source.line}`, source };
}
