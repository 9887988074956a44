/** Looks for nodes by what they are called. */
import { blocksAround, type Block } from "./blocks.ts";
import { MARKS, type MarkKind } from "./marks.ts";
import type { GraphNodes } from "./nodes.ts";
import { markWord, operationName } from "./words.ts";

/** The nodes that have all words of a text in their names, in the order of the graph. */
export function nodesLike(
  text: string,
  nodes: GraphNodes,
  marks: ReadonlyMap<number, readonly MarkKind[]>,
): readonly number[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return [];
  const marked = new Map(MARKS.map((mark) => [mark, markWord(mark)]));
  return [...nodes.order].filter((node) => {
    const op = nodes.op(node);
    const leaf = nodes.leaves.get(node);
    const said = [
      operationName(op),
      op.type,
      leaf?.name ?? "",
      leaf?.module.join(".") ?? "",
      nodes.names.get(node) ?? "",
      ...(marks.get(node) ?? []).map((mark) => marked.get(mark) ?? ""),
    ];
    const all = said.join(" ").toLowerCase();
    return wanted.every((word) => all.includes(word));
  });
}

/** The keys of the blocks that must be open for a node to be in sight. */
export function keysAround(whole: Block, place: number): string[] {
  return blocksAround(whole, place).map(({ key }) => key);
}
