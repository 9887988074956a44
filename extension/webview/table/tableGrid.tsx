import * as l10n from "@vscode/l10n";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { WholeTable, TableCell, TableColumn, TableRow } from "../../src/protocol/table.ts";
import { asTsv } from "./copied.ts";
import { isOfNumbers, keysOf, numberIn, type Ordered, type Sort } from "./order.ts";
import { type Limits, limitsOf, shareOf } from "./scale.ts";
import { BAR, widthsOf } from "./widths.ts";

const ROW = 22;
/** Rows above and below those in sight that are drawn too. */
const AROUND = 10;
/** How far a row of a tree is moved in, and how much a key changes a width, in characters. */
const INDENT = 1.5;
const WIDER = 4;
const NARROWEST = 3;

interface Props {
  readonly table: WholeTable;
  readonly shown: Ordered;
  readonly sort: Sort | undefined;
  readonly selected: string | undefined;
  readonly onSort: (column: number) => void;
  readonly onSelect: (row: string) => void;
  readonly onReveal: (row: string) => void;
  readonly onCopy: (text: string) => void;
}

/** The rows in sight of a table that is scrolled, with its head and its first column always there. */
export function TableGrid({
  table,
  shown: { rows, isTree },
  sort,
  selected,
  onSort,
  onSelect,
  onReveal,
  onCopy,
}: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState({ top: 0, height: 400 });
  const { columns } = table;
  const fitting = useMemo(() => widthsOf(columns, table.rows), [table]);
  const keys = useMemo(() => keysOf(columns), [table]);
  /** Of columns that the user has made wider or narrower, by their keys. */
  const [own, setOwn] = useState<ReadonlyMap<string, number>>(new Map());
  const widths = keys.map((key, place) => own.get(key) ?? fitting[place] ?? 10);
  const limits = useMemo(() => columns.map((_, place) => limitsOf(table.rows, place, "bar")), [table]);
  const first = Math.max(0, Math.floor(at.top / ROW) - AROUND);
  const last = Math.min(rows.length, Math.ceil((at.top + at.height) / ROW) + AROUND);
  const active = rows.findIndex(({ id }) => id === selected);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = (): void => setAt({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (active >= 0) scrollTo(active);
  }, [selected, sort]);
  const scrollTo = (row: number): void => {
    const element = scroller.current;
    if (element === null) return;
    const [top, bottom] = [row * ROW, (row + 2) * ROW]; // below the head, which is as high as a row
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
  };
  const go = (row: number): void => {
    const one = rows[Math.max(0, Math.min(rows.length - 1, row))];
    if (one !== undefined) onSelect(one.id);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if ((event.target as Element).closest("thead") !== null) return;
    const page = Math.max(1, Math.floor(at.height / ROW) - 2);
    const ways: Record<string, () => void> = {
      ArrowDown: () => go(active + 1),
      ArrowUp: () => go(active - 1),
      PageDown: () => go(Math.max(0, active) + page),
      PageUp: () => go(active - page),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      Enter: () => active >= 0 && onReveal(rows[active]?.id ?? ""),
    };
    const isCopy = (event.ctrlKey || event.metaKey) && event.key === "c";
    const row = rows[active];
    if (isCopy && row !== undefined) onCopy(asTsv(columns, [row]));
    const way = event.ctrlKey || event.metaKey || event.altKey ? undefined : ways[event.key];
    if (way === undefined && !(isCopy && row !== undefined)) return;
    event.preventDefault();
    way?.();
  };
  return (
    <div
      class="rows"
      ref={scroller}
      onScroll={({ currentTarget: { scrollTop: top, clientHeight: height } }) => setAt({ top, height })}
    >
      <table
        role="grid"
        tabIndex={0}
        aria-label={table.name}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length}
        aria-activedescendant={active >= first && active < last ? `row-${active}` : undefined}
        style={{ width: `calc(${widths.map(widthText).join(" + ")})` }}
        onKeyDown={onKeyDown}
      >
        <colgroup>
          {widths.map((width, place) => (
            <col style={{ width: widthText(width, place) }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column, place) => (
              <Head
                column={column}
                sort={sort?.column === place ? sort : undefined}
                width={widths[place] ?? 10}
                onSort={() => onSort(place)}
                onWidth={(width) =>
                  setOwn((before) => new Map([...before, [keys[place] ?? "", width ?? fitting[place] ?? 10]]))
                }
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <Spacer height={first * ROW} />}
          {rows.slice(first, last).map((row, place) => (
            <tr
              key={row.id}
              id={`row-${first + place}`}
              aria-rowindex={first + place + 2}
              aria-selected={row.id === selected}
              class={row.id === selected ? "selected" : ""}
              onClick={() => onReveal(row.id)}
            >
              {row.cells.map((cell, of) => (
                <Cell
                  cell={cell}
                  column={columns[of]}
                  isFirst={of === 0}
                  limits={limits[of]}
                  row={row}
                  isTree={isTree}
                />
              ))}
            </tr>
          ))}
          {last < rows.length && <Spacer height={(rows.length - last) * ROW} />}
        </tbody>
      </table>
      {rows.length === 0 && <p class="note">{l10n.t("No row is like that.")}</p>}
    </div>
  );
}

/** The first column, which stays, leaves room for others. */
function widthText(width: number, place: number): string {
  return place === 0 ? `min(${width}ch, 45vw)` : `${width}ch`;
}

/** What is not in sight. */
function Spacer({ height }: { readonly height: number }) {
  return (
    <tr class="spacer" aria-hidden="true">
      <td style={{ height: `${height}px` }} />
    </tr>
  );
}

interface HeadProps {
  readonly column: TableColumn;
  readonly sort: Sort | undefined;
  readonly width: number;
  readonly onSort: () => void;
  /** Undefined for as wide as what stands in it. */
  readonly onWidth: (width: number | undefined) => void;
}

function Head({ column: { name, title, kind }, sort, width, onSort, onWidth }: HeadProps) {
  const direction = sort === undefined ? "none" : sort.descending ? "descending" : "ascending";
  const drag = (event: PointerEvent): void => {
    const handle = event.currentTarget as HTMLElement;
    const head = handle.parentElement;
    const pixels = head?.getBoundingClientRect().width ?? 0;
    const start = event.clientX;
    const character = pixels / width;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const end = new AbortController();
    const { signal } = end;
    const move = ({ clientX }: PointerEvent): void =>
      onWidth(Math.max(NARROWEST, (pixels + clientX - start) / character));
    handle.addEventListener("pointermove", move, { signal });
    handle.addEventListener("lostpointercapture", () => end.abort(), { signal });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!event.altKey || (event.key !== "ArrowLeft" && event.key !== "ArrowRight")) return;
    event.preventDefault();
    onWidth(Math.max(NARROWEST, width + (event.key === "ArrowRight" ? WIDER : -WIDER)));
  };
  return (
    <th scope="col" aria-sort={direction} class={kind === "text" ? "" : "number"}>
      <button type="button" title={title ?? name} onClick={onSort} onKeyDown={onKeyDown}>
        {name}
        <span aria-hidden="true">{SIGNS[direction]}</span>
      </button>
      <span
        class="edge"
        title={l10n.t("Drag to make the column wider; double-click to fit it")}
        aria-hidden="true"
        onPointerDown={drag}
        onDblClick={() => onWidth(undefined)}
      />
    </th>
  );
}

const SIGNS = { none: "", ascending: " ▲", descending: " ▼" };

interface CellProps {
  readonly cell: TableCell;
  readonly column: TableColumn | undefined;
  readonly isFirst: boolean;
  readonly limits: Limits | undefined;
  readonly row: TableRow;
  readonly isTree: boolean;
}

function Cell({ cell: { text, tone, ...cell }, column, isFirst, limits, row, isTree }: CellProps) {
  const isNumber = column !== undefined && isOfNumbers(column);
  const classes = [isNumber ? "number" : "", tone ?? ""].filter(Boolean).join(" ");
  const indent = isFirst && isTree && row.depth !== undefined ? { paddingLeft: `${row.depth * INDENT + 1}ch` } : {};
  if (isFirst)
    return (
      <th scope="row" class={classes} title={text} style={indent}>
        <bdi>{text}</bdi>
      </th>
    );
  const value = numberIn({ text, ...cell });
  const isBar = column?.kind === "bar" || column?.kind === "log";
  return (
    <td class={classes} title={text}>
      {isBar && value !== undefined && limits !== undefined && Number.isFinite(value) && (
        <span
          class="share"
          aria-hidden="true"
          style={{ width: `${BAR * shareOf(value, limits.low, limits.high, column.kind === "log" ? "log" : "bar")}ch` }}
        />
      )}
      <span class="text">{text}</span>
    </td>
  );
}
