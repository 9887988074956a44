import * as l10n from "@vscode/l10n";
import type { Block } from "./blocks.ts";
import { sayOfGraph } from "./graphHost.ts";
import type { GraphNodes } from "./nodes.ts";
import type { Item } from "./visible.ts";
import { blockName, brokenFacts, factsOf, itemWords, nodesText } from "./words.ts";

interface Props {
  readonly nodes: GraphNodes;
  readonly item: Item;
  /** The open blocks around it, the innermost first. */
  readonly around: readonly Block[];
  readonly onFold: (block: Block) => void;
  readonly onUnfold: (block: Block) => void;
}

/** What is known of the box that the user is at. */
export function GraphFacts({ nodes, item, around, onFold, onUnfold }: Props) {
  const { node, block, broken } = item;
  const facts = broken !== undefined ? brokenFacts(broken) : node === undefined ? [] : factsOf(nodes, node);
  const { leaves, values } = nodes.graph;
  const path = [...leaves, ...values].find((one) => one.node === node)?.path ?? undefined;
  return (
    <section class="node" aria-label={l10n.t("node")}>
      <h2 id="graph-at">{block === undefined ? itemWords(nodes, item, new Map()) : blockName(nodes, block)}</h2>
      {block !== undefined && (
        <p>
          {nodesText(block.end - block.start)}{" "}
          <button type="button" onClick={() => onUnfold(block)}>
            {l10n.t("Unfold")}
          </button>
        </p>
      )}
      <table>
        <tbody>
          {facts.map(({ label, text, source }) => (
            <tr>
              <th scope="row">{label}</th>
              <td>
                {source === undefined ? (
                  text
                ) : (
                  <button type="button" class="link" onClick={() => sayOfGraph({ type: "line", source })}>
                    {text}
                  </button>
                )}
              </td>
            </tr>
          ))}
          {around.length > 0 && (
            <tr>
              <th scope="row">{l10n.t("in")}</th>
              <td>
                {around.map((one) => (
                  <button type="button" class="fold" onClick={() => onFold(one)}>
                    {l10n.t("Fold {0}", blockName(nodes, one))}
                  </button>
                ))}
              </td>
            </tr>
          )}
        </tbody>
      </table>
      {path !== undefined && node !== undefined && (
        <p>
          <button type="button" onClick={() => sayOfGraph({ type: "reveal", node })}>
            {l10n.t("Show in Tree")}
          </button>{" "}
          <button type="button" onClick={() => sayOfGraph({ type: "details", node })}>
            {l10n.t("Show Details")}
          </button>
        </p>
      )}
    </section>
  );
}
