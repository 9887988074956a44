import * as l10n from "@vscode/l10n";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ElementWindow, Extremes, Picture, ShownValues } from "../src/protocol/page.ts";
import { Asked, covers, PATIENCE_MS } from "./asked.ts";
import { brought, Grid, type Range, rangeOf, screenOf, scrolled, visible } from "./grid.ts";
import { selectionAfter } from "./gridKeys.ts";
import { say } from "./host.ts";
import type { LookChange } from "./looks.ts";
import { css, inkOn } from "./palettes.ts";
import { colourOf, colourScaleOf, type ColourScale } from "./picture/colourScale.ts";
import { indexText, numbersOf, otherDims, sizeOf } from "./picture/planes.ts";

interface Props {
  readonly picture: Picture;
  readonly values: ShownValues | undefined;
  readonly missing: string | undefined;
  /** The picture is of where the program is paused: a question for more is no question for all of another stop. */
  readonly isNow: boolean;
  /** Places that are gone to by a button, by what is there: of each dimension the index. */
  readonly places: readonly (readonly [name: string, index: readonly number[]])[];
  /** Where the least and the greatest element are, once that was asked for. */
  readonly extremes: Extremes | undefined;
  readonly noExtremes: string | undefined;
  readonly onLook: (change: LookChange) => void;
}

/** Where one begins to scroll, numbers are asked for at once; while one goes on, once that has rested for so long. */
const SETTLED_MS = 40;

/** How long the cells of a place without numbers stay undrawn: drawn empty they would hold up the question. */
const EMPTY_MS = 100;

type Place = ReturnType<typeof placeOf>;

/** A place that is scrolled to, and is drawn once its numbers are there, or after a while. */
interface Coming {
  readonly place: Place;
  readonly timer: number;
}

/** The numbers of the dimensions that the picture shows, asked for as the user scrolls to them. */
export function ValuesGrid({ picture, values, missing, isNow, places, extremes, noExtremes, onLook }: Props) {
  const [rows, columns] = sizeOf(picture);
  const scroller = useRef<HTMLDivElement>(null);
  const [drawnAt, setAt] = useState<Place>({ top: 0, left: 0, width: 600, height: 240 });
  const coming = useRef<Coming>(undefined);
  const [isMeasured, setMeasured] = useState(false);
  const moved = useRef(-Infinity);
  const asked = useMemo(() => new Asked(), []);
  const [selection, setSelection] = useState<Range>();
  const [isColoured, setColoured] = useState(false);
  const [wanted, setWanted] = useState<keyof Extremes>();
  const grid = useMemo(() => new Grid(rows, columns), [rows, columns]);
  const known = isOf(values, picture) ? values : undefined;
  const isKnown = (wanted: ElementWindow): boolean => known !== undefined && covers(known.window, wanted);
  const isThere = coming.current !== undefined && isKnown(visible(grid, coming.current.place));
  const at = isThere && coming.current !== undefined ? coming.current.place : drawnAt;
  const window = visible(grid, at);
  const wait = (): number => asked.wait(picture, window, performance.now());
  const ask = (wanted: ElementWindow): void => {
    const all = grid.padded(wanted);
    asked.note(picture, all, performance.now());
    say({ type: "values", window: all });
  };
  useLayoutEffect(() => {
    const rested = performance.now() - moved.current;
    moved.current = performance.now();
    if (!isMeasured || isKnown(window) || wait() > 0) return undefined;
    if (rested >= SETTLED_MS) return ask(window);
    const timer = setTimeout(() => ask(window), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [JSON.stringify(window), isMeasured, known, picture]);
  // Without an answer, or a reason for none, it is asked for again: the question may have been cancelled.
  useEffect(() => {
    if (!isMeasured || isKnown(window) || missing !== undefined || !isNow) return undefined;
    const repeat = (): void => {
      if (wait() === 0) ask(window);
      timer = globalThis.setTimeout(repeat, wait());
    };
    let timer = globalThis.setTimeout(repeat, Math.max(PATIENCE_MS, wait()));
    return () => clearTimeout(timer);
  }, [JSON.stringify(window), isMeasured, known, picture, missing, isNow]);
  const drawAt = (place: Place): void => {
    clearTimeout(coming.current?.timer);
    coming.current = undefined;
    setAt(place);
  };
  useEffect(() => {
    if (isThere) drawAt(at);
  }, [isThere]);
  /** Where the user is, drawn or not. */
  const here = (): Place => coming.current?.place ?? at;
  const onScroll = (element: HTMLElement): void => {
    const place = placeOf(element);
    const wanted = visible(grid, place);
    if (isKnown(wanted) || performance.now() - moved.current < SETTLED_MS) {
      drawAt(place);
      return;
    }
    moved.current = performance.now();
    ask(wanted);
    clearTimeout(coming.current?.timer);
    coming.current = { place, timer: globalThis.setTimeout(() => drawAt(place), EMPTY_MS) };
  };
  const slice = JSON.stringify([picture.shape, picture.dims, picture.index, picture.facets]);
  useEffect(() => setSelection(undefined), [slice]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = element;
      setAt((now) => (now.width === width && now.height === height ? now : { ...now, width, height }));
      setMeasured(true);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const textOf = (row: number, column: number): string | undefined =>
    known?.rows[row - known.window[0]]?.[column - known.window[2]];
  const select = (row: number, column: number, extends_: boolean): void =>
    setSelection((now) =>
      extends_ && now !== undefined ? { ...now, row, column } : { row, column, fromRow: row, fromColumn: column },
    );
  const range = selection && rangeOf(selection);
  /** Only what was read can be copied. */
  const isRead = range !== undefined && known !== undefined && covers(known.window, range);
  const copy = (how: Copied): void => {
    if (range !== undefined && isRead)
      say({ type: "copy", text: copied(how, range, (row, column) => textOf(row, column) ?? "") });
  };
  const go = (row: number, column: number): void => {
    const place = scrolled(grid, here(), row, column);
    scroller.current?.scrollTo(place.left, place.top);
    select(row, column, false);
  };
  const goToElement = (element: readonly number[]): void => {
    const { dims } = picture;
    const index = otherDims({ ...picture, facets: [] }).map((dim) => element[dim] ?? 0);
    const isOther = picture.facets.length > 0 || JSON.stringify(index) !== JSON.stringify(picture.index);
    if (isOther) onLook({ dims, facets: [], index, window: undefined, image: undefined });
    const [row = 0, column = row] = dims.map((dim) => element[dim] ?? 0);
    go(dims.length === 1 ? 0 : row, column);
  };
  useEffect(() => {
    if (wanted === undefined || (extremes ?? noExtremes) === undefined) return;
    setWanted(undefined);
    const element = extremes?.[wanted];
    if (element !== undefined) goToElement(element);
  }, [wanted, extremes, noExtremes]);
  const goToExtreme = (which: keyof Extremes): void => {
    setWanted(which);
    if (extremes === undefined) say({ type: "extremes" });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && event.key === "c") {
      event.preventDefault();
      copy("tsv");
      return;
    }
    const next = selectionAfter(event, selection, grid, screenOf(grid, here()));
    if (next === undefined) return;
    event.preventDefault();
    setSelection(next);
    const place = brought(grid, here(), next.row, next.column);
    scroller.current?.scrollTo(place.left, place.top);
  };
  const scale = useMemo(() => (isColoured ? scaleOf(picture) : undefined), [isColoured, picture]);
  const rowsShown = span(window[0], window[1]);
  const columnsShown = span(window[2], window[3]);
  return (
    <div class="values">
      <div class="controls">
        {places.map(([name, index]) => (
          <button type="button" title={`[${index.join(", ")}]`} onClick={() => goToElement(index)}>
            {name}
          </button>
        ))}
        <button type="button" disabled={wanted !== undefined} onClick={() => goToExtreme("min")}>
          {l10n.t("Least")}
        </button>
        <button type="button" disabled={wanted !== undefined} onClick={() => goToExtreme("max")}>
          {l10n.t("Greatest")}
        </button>
        <GoTo rows={rows} columns={columns} onGo={go} />
        <label>
          <input
            type="checkbox"
            checked={isColoured}
            onChange={({ currentTarget }) => setColoured(currentTarget.checked)}
          />
          {l10n.t("Colours")}
        </label>
        <button type="button" disabled={!isRead} onClick={() => copy("tsv")}>
          {l10n.t("Copy as TSV")}
        </button>
        <button type="button" disabled={!isRead} onClick={() => copy("python")}>
          {l10n.t("Copy as Python")}
        </button>
      </div>
      <p class="note">
        {missing ??
          indexText(
            picture,
            picture.facets.map(() => 0),
          )}
        {noExtremes !== undefined && ` · ${noExtremes}`}
        {extremes !== undefined && extremes.max === undefined && ` · ${l10n.t("No element is finite.")}`}
        {range !== undefined && !isRead && ` · ${l10n.t("Fewer can be copied at once: select what is in sight.")}`}
      </p>
      <div
        class="scroller"
        ref={scroller}
        tabIndex={0}
        role="grid"
        aria-label={l10n.t("Values; select with the arrow keys")}
        aria-rowcount={rows}
        aria-colcount={columns}
        aria-multiselectable="true"
        aria-activedescendant={selection === undefined ? undefined : cellId(selection.row, selection.column)}
        onScroll={({ currentTarget }) => onScroll(currentTarget)}
        onKeyDown={onKeyDown}
      >
        <div class="spacer" style={{ width: `${grid.width}px`, height: `${grid.height}px` }} />
        <table role="presentation" style={{ top: `${at.top}px`, left: `${at.left}px` }}>
          <thead>
            <tr>
              <td />
              {columnsShown.map((column) => (
                <th scope="col">{column}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rowsShown.map((row) => (
              <tr role="row" aria-rowindex={row + 1}>
                <th scope="row">{row}</th>
                {columnsShown.map((column) => {
                  const text = textOf(row, column);
                  const isSelected = range !== undefined && isIn(range, row, column);
                  return (
                    <td
                      role="gridcell"
                      id={cellId(row, column)}
                      aria-colindex={column + 1}
                      aria-selected={isSelected}
                      title={text}
                      class={classOf(text, isSelected)}
                      style={isSelected ? undefined : styleOf(scale, text)}
                      onClick={(event) => select(row, column, event.shiftKey)}
                    >
                      {text ?? "…"}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function placeOf({ scrollTop, scrollLeft, clientWidth, clientHeight }: HTMLElement) {
  return { top: scrollTop, left: scrollLeft, width: clientWidth, height: clientHeight };
}

function GoTo({ rows, columns, onGo }: { rows: number; columns: number; onGo: (row: number, column: number) => void }) {
  const [row, setRow] = useState(0);
  const [column, setColumn] = useState(0);
  return (
    <form
      class="goto"
      onSubmit={(event) => {
        event.preventDefault();
        onGo(Math.min(row, rows - 1), Math.min(column, columns - 1));
      }}
    >
      {rows > 1 && <Place name={l10n.t("Row")} size={rows} place={row} onPlace={setRow} />}
      <Place name={l10n.t("Column")} size={columns} place={column} onPlace={setColumn} />
      <button type="submit">{l10n.t("Go")}</button>
    </form>
  );
}

interface PlaceProps {
  readonly name: string;
  readonly size: number;
  readonly place: number;
  readonly onPlace: (place: number) => void;
}

function Place({ name, size, place, onPlace }: PlaceProps) {
  const within = (typed: number): number => Math.min(size - 1, Math.max(0, Math.trunc(typed) || 0));
  return (
    <label>
      {name}{" "}
      <input
        type="number"
        min={0}
        max={size - 1}
        value={place}
        onInput={({ currentTarget }) => onPlace(within(Number(currentTarget.value)))}
      />
    </label>
  );
}

type Copied = "tsv" | "python";

function copied(
  how: Copied,
  [top, bottom, left, right]: ElementWindow,
  textOf: (row: number, column: number) => string,
): string {
  const rows = span(top, bottom).map((row) => span(left, right).map((column) => textOf(row, column)));
  if (how === "tsv") return rows.map((row) => row.join("\t")).join("\n");
  const python = (text: string): string => {
    if (!/nan|inf/.test(text)) return text;
    return text.endsWith("j") ? `complex("${text}")` : `float("${text}")`;
  };
  const lists = rows.map((row) => `[${row.map(python).join(", ")}]`);
  return lists.length === 1 ? (lists[0] ?? "") : `[${lists.join(",\n ")}]`;
}

/** Whether the values are of what the picture shows. */
function isOf(values: ShownValues | undefined, { shape, dims, index }: Picture): boolean {
  if (values === undefined) return false;
  return JSON.stringify([values.shape, values.dims, values.index]) === JSON.stringify([shape, dims, index]);
}

function isIn([top, bottom, left, right]: ElementWindow, row: number, column: number): boolean {
  return row >= top && row < bottom && column >= left && column < right;
}

function classOf(text: string | undefined, isSelected: boolean): string {
  const special = text !== undefined && /^-?(nan|inf)/.test(text) ? "special" : "";
  return [special, isSelected ? "selected" : ""].filter(Boolean).join(" ");
}

function cellId(row: number, column: number): string {
  return `cell-${row}-${column}`;
}

/** The colours that the picture's numbers have, from its least to its greatest. */
function scaleOf(picture: Picture): ColourScale | undefined {
  const { planes } = numbersOf(picture);
  return colourScaleOf(
    planes.flatMap(({ values, highs }) => (highs ? [values, highs] : [values])),
    { stretch: "linear", clip: 0 },
  );
}

function styleOf(scale: ColourScale | undefined, text: string | undefined) {
  const value = Number(text ?? Number.NaN);
  if (scale === undefined || Number.isNaN(value)) return undefined;
  const colour = colourOf(scale, value);
  return { backgroundColor: css(colour), color: inkOn(colour) };
}

function span(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
}
