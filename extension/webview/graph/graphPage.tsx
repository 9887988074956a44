import * as l10n from "@vscode/l10n";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { GraphState, WholeGraph } from "../../src/protocol/graph.ts";
import { countText, shareText } from "../numbers.ts";
import { useSorting } from "../table/sorting.ts";
import { TableGrid } from "../table/tableGrid.tsx";
import { type Block, blocksOf, blocksWithin, firstOpen } from "./blocks.ts";
import { subtitleFont, titleFont } from "./drawing.ts";
import { keysAround, nodesLike } from "./finding.ts";
import { GraphFacts } from "./graphFacts.tsx";
import { listenAsGraph, rememberedGraph, rememberGraph, sayOfGraph } from "./graphHost.ts";
import { graphTable } from "./graphTable.ts";
import { type GraphHandle, graphTheme, GraphView } from "./graphView.tsx";
import { LayingOut } from "./layingOut.ts";
import { countMarks, GLYPHS, MARKS, type MarkKind, marksOf } from "./marks.ts";
import { GraphNodes } from "./nodes.ts";
import { type Box, type Drawn, widthsOf } from "./view.ts";
import { type Item, nodesIn, nodesOf, visibleGraph } from "./visible.ts";
import { boxWords, itemWords, markTitle, markWord, nodesText, notesOf, withoutText } from "./words.ts";

/** So many boxes are shown first, at most. */
const FIRST = 60;
/** So many boxes at most are laid out by one click. */
const MOST = 20_000;

/** The page of a drawn graph. */
export function GraphPage() {
  const [whole, setWhole] = useState<WholeGraph>();
  const [state, setState] = useState<GraphState>();
  useEffect(() => {
    const end = listenAsGraph((message) => {
      if (message.type === "graph") setWhole(message);
      else setState(message);
    });
    sayOfGraph({ type: "ready" });
    return end;
  }, []);
  if (state === undefined && whole === undefined) return null;
  const notes = whole === undefined ? [] : notesOf(whole.graph, whole.complete);
  const why = whole?.graph.without;
  return (
    <main class="graph-page">
      <header>
        <h1>
          {l10n.t("Autograd Graph: {0}", whole?.name ?? state?.name ?? "")} <span class="place">{whole?.place}</span>
        </h1>
        {state?.note !== undefined && (
          <p class="note" role="status">
            {state.note}
          </p>
        )}
        {state?.progress !== undefined && (
          <p class="progress" role="status">
            {l10n.t("Reading… {0}", shareText(state.progress))}{" "}
            <button type="button" onClick={() => sayOfGraph({ type: "cancel" })}>
              {l10n.t("Cancel")}
            </button>
          </p>
        )}
        {notes.length > 0 && <p class="note">{notes.join(" · ")}</p>}
        {why !== undefined && <p class="without">{withoutText(whole?.name ?? "", why)}</p>}
        {whole === undefined || whole.graph.op.length === 0 ? (
          <button type="button" onClick={() => sayOfGraph({ type: "again" })}>
            {l10n.t("Refresh Now")}
          </button>
        ) : null}
      </header>
      {whole !== undefined && whole.graph.op.length > 0 && <GraphOf whole={whole} />}
    </main>
  );
}

function GraphOf({ whole }: { readonly whole: WholeGraph }) {
  const { graph } = whole;
  const nodes = useMemo(() => new GraphNodes(graph), [graph]);
  const all = useMemo(() => blocksOf(nodes), [nodes]);
  const marks = useMemo(() => marksOf(graph), [graph]);
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(rememberedGraph().open ?? firstOpen(all, FIRST)));
  const visible = useMemo(() => visibleGraph(nodes, all, new Set([...open, all.key])), [nodes, all, open]);
  const [selectedKey, setSelectedKey] = useState<string | undefined>(rememberedGraph().selected);
  const [drawn, setDrawn] = useState<Drawn>();
  const [found, setFound] = useState<{ readonly text: string; readonly at: number }>({ text: "", at: -1 });
  const layingOut = useMemo(() => new LayingOut(), []);
  const handle = useRef<GraphHandle>(null);
  /** What is to be brought into sight once it is laid out: a box, by its key, and where it was; "" for the upper end. */
  const wanted = useRef<{ readonly key: string; readonly place?: readonly [number, number] } | undefined>(undefined);
  useEffect(() => () => layingOut.dispose(), []);
  useEffect(() => {
    const boxes = visible.items.map((item) => boxOf(nodes, item, marks));
    const widths = widthsOf(boxes, measurer());
    layingOut.ask({ widths: widths.slice(), from: visible.from, to: visible.to }, (layout) =>
      setDrawn({ graph: visible, layout, boxes, widths }),
    );
  }, [visible, marks]);
  useEffect(() => {
    if (drawn === undefined || wanted.current === undefined) return;
    const { key, place } = wanted.current;
    const item = drawn.graph.items.findIndex((one) => one.key === key);
    wanted.current = undefined;
    if (key === "") handle.current?.begin();
    if (item < 0) return;
    if (place === undefined) handle.current?.show(item);
    else handle.current?.keep(item, ...place);
  }, [drawn]);

  const select = (key: string | undefined): void => {
    setSelectedKey(key);
    rememberGraph({ selected: key });
  };
  const before = useRef({ nodes, keys: new Set(rememberedGraph().open ?? open) });
  useEffect(() => {
    // Of another graph than before nothing is open, and the user is nowhere in it.
    const { nodes: old, keys } = before.current;
    const now = [...blocksWithin(all)].map(({ key }) => key);
    before.current = { nodes, keys: new Set([...keys, ...now]) };
    if (old !== nodes && old.count !== nodes.count) {
      select(undefined);
      wanted.current = { key: "" };
    }
    if (now.length > 0 && !now.some((key) => keys.has(key))) put(firstOpen(all, FIRST));
  }, [all]);
  const at = drawn?.graph.items.findIndex(({ key }) => key === selectedKey) ?? -1;
  const item = drawn?.graph.items[at];
  const put = (next: ReadonlySet<string>): void => {
    setOpen(next);
    rememberGraph({ open: [...next] });
  };
  const goTo = (node: number): void => {
    const key = `node ${node}`;
    const keys = keysAround(all, nodes.places[node] ?? 0);
    select(key);
    const isThere = drawn?.graph.items.findIndex((one) => one.key === key) ?? -1;
    if (isThere >= 0) handle.current?.show(isThere);
    else {
      wanted.current = { key };
      put(new Set([...open, ...keys]));
    }
  };
  const unfold = (block: Block): void => {
    const key = keyOf(block.parts[0]);
    const before = drawn?.graph.items.findIndex((one) => one.block === block) ?? -1;
    wanted.current = { key, ...(before < 0 ? {} : { place: handle.current?.placeOf(before) ?? [0, 0] }) };
    put(new Set([...open, block.key]));
    select(key);
  };
  const fold = (block: Block): void => {
    const key = `block ${block.key}`;
    wanted.current = { key };
    put(new Set([...open].filter((one) => one !== block.key)));
    select(key);
  };
  const openItem = (index: number): void => {
    const one = drawn?.graph.items[index];
    if (one === undefined) return;
    select(one.key);
    if (one.block !== undefined) unfold(one.block);
    else if (one.node !== undefined && nodes.leaves.has(one.node)) sayOfGraph({ type: "reveal", node: one.node });
  };
  const selectItem = (index: number): void => {
    const one = drawn?.graph.items[index];
    if (one === undefined) return;
    select(one.key);
    handle.current?.follow(index);
  };
  const onKey = (key: string): boolean => {
    if (key !== "Backspace" || item === undefined || item.parent === all) return false;
    fold(item.parent);
    return true;
  };
  const like = useMemo(() => nodesLike(found.text, nodes, marks), [found.text, nodes, marks]);
  const next = (step: number): void => {
    if (like.length === 0) return;
    const place = (found.at + step + like.length) % like.length;
    setFound({ ...found, at: place });
    goTo(like[place] ?? 0);
  };
  const unfolded = [all.key, ...[...blocksWithin(all)].map(({ key }) => key)];
  const isAllOpen = unfolded.every((key) => open.has(key));
  const shown = countText(visible.items.filter((one) => nodesIn(one) > 0).length);
  const counts = countMarks(marks, marks.keys());
  const unreached = graph.broken.filter(({ node }) => node === null);
  const label = l10n.t("Autograd graph of {0}, {1}, {2} shown", whole.name, nodesText(nodes.count), shown);
  const around = item === undefined ? [] : aroundOf(item, all);
  return (
    <>
      <div class="controls">
        <input
          type="search"
          class="filter"
          aria-label={l10n.t("Find a node")}
          placeholder={l10n.t("Find a node")}
          value={found.text}
          onInput={({ currentTarget }) => setFound({ text: currentTarget.value, at: -1 })}
          onKeyDown={(event) => event.key === "Enter" && next(event.shiftKey ? -1 : 1)}
        />
        <span class="count" role="status">
          {found.text !== "" &&
            `${l10n.t("{0} of {1}", countText(Math.min(found.at + 1, like.length)), countText(like.length))} · `}
          {l10n.t("{0}, {1} shown", nodesText(nodes.count), shown)}
        </span>
        <span class="buttons">
          <button type="button" title={l10n.t("Zoom in (+)")} onClick={() => handle.current?.zoom(1.25)}>
            +
          </button>
          <button type="button" title={l10n.t("Zoom out (−)")} onClick={() => handle.current?.zoom(1 / 1.25)}>
            −
          </button>
          <button type="button" title={l10n.t("All of it (0)")} onClick={() => handle.current?.fit()}>
            {l10n.t("Fit")}
          </button>
          {unfolded.length > 1 && (
            <button
              type="button"
              onClick={() => put(isAllOpen ? firstOpen(all, FIRST) : new Set(unfolded))}
              disabled={nodes.count > MOST}
            >
              {isAllOpen ? l10n.t("Fold") : l10n.t("Unfold All")}
            </button>
          )}
          <button type="button" onClick={() => handle.current?.toPng((png) => sayOfGraph({ type: "save", png }))}>
            {l10n.t("Save PNG…")}
          </button>
          <button type="button" onClick={() => sayOfGraph({ type: "again" })}>
            {l10n.t("Refresh Now")}
          </button>
        </span>
      </div>
      {(counts.size > 0 || unreached.length > 0) && (
        <div class="marks" role="group" aria-label={l10n.t("marked nodes")}>
          {MARKS.filter((mark) => counts.has(mark)).map((mark) => (
            <MarkButton
              mark={mark}
              count={counts.get(mark) ?? 0}
              onClick={() => goTo(nextMarked(nodes, marks, mark, item))}
            />
          ))}
          {unreached.length > 0 && (
            <MarkButton
              mark="broken"
              count={unreached.reduce((sum, { reason }) => sum + Number(reason.count), 0)}
              word={l10n.t("parameters not reached")}
              onClick={() => {
                const index = drawn?.graph.items.findIndex(({ broken }) => broken === unreached[0]) ?? -1;
                if (index >= 0) selectItem(index);
              }}
            />
          )}
        </div>
      )}
      <div class="split">
        <div class="picture">
          {drawn === undefined ? (
            <p class="progress">{l10n.t("Laying out…")}</p>
          ) : (
            <GraphView
              handle={handle}
              drawn={drawn}
              label={label}
              selected={at < 0 ? undefined : at}
              titleOf={(index) => {
                const one = drawn.graph.items[index];
                return one === undefined ? "" : itemWords(nodes, one, countMarks(marks, nodesOf(nodes, one)));
              }}
              onSelect={selectItem}
              onOpen={openItem}
              onKey={onKey}
            />
          )}
          <p id="graph-keys" class="unseen">
            {l10n.t(
              "Arrow keys follow the edges, Enter unfolds or shows a node, Backspace folds the block around it, Shift and arrow keys move the picture, plus and minus zoom, 0 shows all.",
            )}
          </p>
          <p class="unseen" role="status">
            {item === undefined ? "" : itemWords(nodes, item, countMarks(marks, nodesOf(nodes, item)))}
          </p>
        </div>
        {item !== undefined && <GraphFacts nodes={nodes} item={item} around={around} onFold={fold} onUnfold={unfold} />}
      </div>
      <GraphTable whole={whole} nodes={nodes} marks={marks} selected={item?.node} onReveal={goTo} />
    </>
  );
}

function keyOf(part: number | Block | undefined): string {
  return typeof part === "object" ? `block ${part.key}` : `node ${part}`;
}

/** The open blocks around a box, the innermost first. */
function aroundOf({ parent }: Item, all: Block): Block[] {
  const around: Block[] = [];
  for (let block: Block | undefined = parent; block !== undefined && block !== all; block = block.parent)
    around.push(block);
  return around;
}

/** The node with a mark that comes after the one that the user is at. */
function nextMarked(
  nodes: GraphNodes,
  marks: ReadonlyMap<number, readonly MarkKind[]>,
  mark: MarkKind,
  item: Item | undefined,
): number {
  const marked = [...nodes.order].filter((node) => marks.get(node)?.includes(mark) === true);
  const here = item?.node === undefined ? -1 : (nodes.places[item.node] ?? -1);
  return marked.find((node) => (nodes.places[node] ?? 0) > here) ?? marked[0] ?? 0;
}

interface MarkButtonProps {
  readonly mark: MarkKind;
  readonly count: number;
  readonly word?: string;
  readonly onClick: () => void;
}

function MarkButton({ mark, count, word, onClick }: MarkButtonProps) {
  return (
    <button type="button" class={`mark ${mark}`} title={markTitle(mark)} onClick={onClick}>
      <span class="sign" aria-hidden="true">
        {GLYPHS[mark]}
      </span>{" "}
      {count === 1 && word === undefined ? markWord(mark) : `${countText(count)} ${word ?? markWord(mark)}`}
    </button>
  );
}

function boxOf(nodes: GraphNodes, item: Item, marks: ReadonlyMap<number, readonly MarkKind[]>): Box {
  const [title, subtitle] = boxWords(nodes, item);
  const counts = countMarks(marks, nodesOf(nodes, item));
  const look =
    item.broken !== undefined
      ? "broken"
      : item.block !== undefined
        ? "block"
        : nodes.leaves.has(item.node ?? -1)
          ? "leaf"
          : "operation";
  const said = [...counts].map(([mark, count]) => ({
    mark,
    word: count === 1 ? markWord(mark) : `${countText(count)} ${markWord(mark)}`,
  }));
  return { title, subtitle, look, marks: said };
}

/** How wide texts are in the font of the page. */
function measurer(): (text: string, isTitle: boolean) => number {
  const context = document.createElement("canvas").getContext("2d");
  const theme = graphTheme();
  const fonts = [`bold ${titleFont(theme)}`, subtitleFont(theme)] as const;
  const known = new Map<string, number>();
  return (text, isTitle) => {
    const key = `${isTitle ? "t" : "s"}${text}`;
    let width = known.get(key);
    if (width === undefined) {
      if (context !== null) context.font = isTitle ? fonts[0] : fonts[1];
      width = context?.measureText(text).width ?? 7 * text.length;
      known.set(key, width);
    }
    return width;
  };
}

interface GraphTableProps {
  readonly whole: WholeGraph;
  readonly nodes: GraphNodes;
  readonly marks: ReadonlyMap<number, readonly MarkKind[]>;
  readonly selected: number | undefined;
  readonly onReveal: (node: number) => void;
}

/** The nodes as a table, made when it is opened. */
function GraphTable({ whole, nodes, marks, selected, onReveal }: GraphTableProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [at, setAt] = useState<string>();
  const table = useMemo(
    () => (isOpen ? graphTable(whole.name, nodes, marks) : undefined),
    [isOpen, whole, nodes, marks],
  );
  const { shown, sort, onSort } = useSorting(table);
  useEffect(() => setAt(selected === undefined ? undefined : String(selected)), [selected]);
  return (
    <details class="as-table" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{l10n.t("Table of the nodes")}</summary>
      {table !== undefined && shown !== undefined && (
        <TableGrid
          table={table}
          shown={shown}
          sort={sort}
          selected={at}
          onSort={onSort}
          onSelect={setAt}
          onReveal={(row) => onReveal(Number(row))}
          onCopy={(text) => sayOfGraph({ type: "copy", text })}
        />
      )}
    </details>
  );
}
