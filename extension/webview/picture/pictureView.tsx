import * as l10n from "@vscode/l10n";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ElementWindow, Look, Overlay, Picture } from "../../src/protocol/page.ts";
import type { LookChange } from "../looks.ts";
import { say } from "../host.ts";
import { onThemeChange, theme } from "../theme.ts";
import { type Colouring, type ColourScale, colourScaleOf } from "./colourScale.ts";
import { commonLabels, type ComparedPictures, errorScaleOf, showsSame } from "./comparedPictures.ts";
import { Controls } from "./controls.tsx";
import { draw } from "./draw.ts";
import type { Drawing } from "./drawing.ts";
import { imageDimsOf, imageDrawingOf, likelyRange, type RangeName, showsImage } from "./images.ts";
import { layoutOf } from "./layout.ts";
import { Legend } from "./legend.tsx";
import type { BoxFormat } from "./boxes.ts";
import { overlayDrawing, overlayText } from "./overlay.ts";
import { isLine, type NumberPicture, numbersOf, sizeOf } from "./planes.ts";
import { cursorText, type Pointed, pointedAt } from "./pointing.ts";
import { asSeen } from "./saved.ts";
import { elementsIn, isWhole, panned, showing, type Viewport, whole, zoomed } from "./viewport.ts";

interface Props {
  readonly picture: Picture;
  /** The same excerpt of another value, and of the differences. */
  readonly compared: ComparedPictures | undefined;
  /** Another with each value and stop. */
  readonly generation: number;
  readonly look: Look;
  /** What lies over images, and the expression that says what is to. */
  readonly overlay: Overlay | undefined;
  readonly over: string | undefined;
  readonly noOverlay: string | undefined;
  readonly onLook: (change: LookChange) => void;
}

/** One of the pictures that stand side by side. */
interface Shown {
  /** What it is of, where there are several. */
  readonly title: string;
  readonly pictures: readonly NumberPicture[];
  readonly scale: ColourScale | undefined;
  readonly labels: Picture["labels"] | undefined;
  readonly isErrors: boolean;
}

/** Where the mouse is, in pixels of one of the canvases. */
interface MousePlace extends Pick<MouseEvent, "offsetX" | "offsetY"> {
  readonly canvas: number;
}

/** How high a picture is at most, in pixels of the page. */
const HEIGHT = 440;
/** How long the user has stopped zooming before more detail is asked for. */
const SETTLED_MS = 120;
/** Of how many times as many elements a picture may be as are in sight, before one of these alone is asked for. */
const FINER = 4;
const ZOOM = 1.5;
/** How far an arrow key goes: this share of what is in sight. */
const STEP = 0.2;

/**
 * Two dimensions of a value as colours, or one as a line: to be zoomed, panned and read element by element. What it is
 * compared with stands beside it, under the same cursor.
 */
export function PictureView({ picture, compared, generation, look, overlay, over, noOverlay, onLook }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const canvases = useRef<(HTMLCanvasElement | null)[]>([]);
  const [width, setWidth] = useState(0);
  const [themeChanges, setThemeChanges] = useState(0);
  const [colouring, setColouring] = useState<Colouring>({ stretch: "linear", clip: 0 });
  const [showsPhase, setShowsPhase] = useState(false);
  const [range, setRange] = useState<RangeName>();
  const [format, setFormat] = useState<BoxFormat>("xyxy");
  const [mouse, setMouse] = useState<MousePlace>();
  /** The element that the user has moved to with keys. */
  const [keyed, setKeyed] = useState<Pointed>();
  const size = sizeOf(picture);
  const [viewport, setViewport] = useState<Viewport>(() => whole(size));
  const view = viewOf(picture, look);
  // Another view of the value, or one of another size, is looked at as a whole first.
  useLayoutEffect(() => {
    setViewport(whole(size));
    setKeyed(undefined);
  }, [view, size[0], size[1]]);
  useEffect(() => onThemeChange(() => setThemeChanges((changes) => changes + 1)), []);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const shown = useShown({ picture, compared, generation, colouring, view });
  const [first] = shown;
  const overview = first?.pictures[0];
  const ofImage = useMemo(() => {
    const dims = look.image === true ? imageDimsOf(picture.shape) : undefined;
    if (dims === undefined || overview === undefined || !showsImage(picture, dims)) return undefined;
    return { channels: picture.shape[dims.channel] ?? 1, range: range ?? likelyRange(overview.picture) };
  }, [picture, overview, look, range]);
  const drawn = useMemo(() => overlay && overlayDrawing(overlay, format), [overlay, format]);
  const drawings = useMemo<readonly Drawing[]>(() => {
    if (width === 0) return [];
    return shown.flatMap(({ pictures, scale, labels, isErrors }, at) => {
      const [all] = pictures;
      if (all === undefined) return [];
      const image = ofImage && imageDrawingOf(all.picture, ofImage.channels, isErrors ? "minmax" : ofImage.range);
      const layout = layoutOf(all, width, HEIGHT, image?.channels);
      const isPhase = showsPhase && all.picture.sort === "complex";
      const overlay = at === 0 && image !== undefined ? drawn : undefined;
      const how = { viewport, scale, showsPhase: isPhase, image, overlay, labels, theme: theme() };
      return [{ pictures, layout, ...how, pointed: undefined }];
    });
  }, [shown, width, viewport, showsPhase, ofImage, drawn, themeChanges]);
  const point = ({ canvas, offsetX, offsetY }: MousePlace): Pointed | undefined => {
    const drawing = drawings[canvas];
    return drawing && pointedAt(drawing, offsetX, offsetY);
  };
  const pointed = (mouse && point(mouse)) ?? keyed;
  const marked = drawings.length > 1 || keyed !== undefined ? pointed : undefined;
  useLayoutEffect(() => {
    drawings.forEach((drawing, at) => {
      const canvas = canvases.current[at];
      if (canvas) draw(canvas, { ...drawing, pointed: marked });
    });
  }, [drawings, marked?.plane, marked?.row, marked?.column]);
  useDetail(picture, viewport, look, onLook);

  const zoom = (factor: number, at: readonly [number, number] = [0.5, 0.5]): void =>
    setViewport((now) => zoomed(now, factor, at, size));
  const pan = (down: number, across: number): void => setViewport((now) => panned(now, down, across, size));
  /** To the next tile, which is an element where these are in sight. */
  const move = (down: number, across: number): void => {
    const [tall, wide] = shown[0]?.pictures.at(-1)?.picture.tile ?? [1, 1];
    const { top, left, rows, columns } = viewport;
    const middle = { plane: 0, row: Math.floor(top + rows / 2), column: Math.floor(left + columns / 2) };
    const from = pointed ?? { ...middle, share: [0.5, 0.5] as const };
    const row = Math.min(size[0] - 1, Math.max(0, from.row + (pointed === undefined ? 0 : down * tall)));
    const column = Math.min(size[1] - 1, Math.max(0, from.column + (pointed === undefined ? 0 : across * wide)));
    setMouse(undefined);
    setKeyed({ ...from, row, column });
    setViewport((now) => showing(now, row, column, size));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Record<string, () => void> = {
      ArrowUp: () => move(-1, 0),
      ArrowDown: () => move(1, 0),
      ArrowLeft: () => move(0, -1),
      ArrowRight: () => move(0, 1),
    };
    const actions: Record<string, () => void> = {
      "+": () => zoom(ZOOM),
      "=": () => zoom(ZOOM),
      "-": () => zoom(1 / ZOOM),
      "0": () => setViewport(whole(size)),
      ArrowUp: () => pan(-STEP * viewport.rows, 0),
      ArrowDown: () => pan(STEP * viewport.rows, 0),
      ArrowLeft: () => pan(0, -STEP * viewport.columns),
      ArrowRight: () => pan(0, STEP * viewport.columns),
    };
    const isHeld = event.ctrlKey || event.altKey || event.metaKey;
    const action = isHeld ? undefined : ((event.shiftKey ? moves : actions)[event.key] ?? actions[event.key]);
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
  const onWheel = (event: WheelEvent, canvas: number): void => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { offsetX, offsetY } = event;
    const place = point({ canvas, offsetX, offsetY });
    if (place !== undefined) zoom(event.deltaY < 0 ? ZOOM : 1 / ZOOM, place.share);
  };
  const drag = useDrag(drawings[0], pan);
  const seen = (): HTMLCanvasElement | undefined => {
    const pictures = shown.flatMap(({ title }, at) => {
      const canvas = canvases.current[at];
      return canvas === null || canvas === undefined ? [] : [{ canvas, title }];
    });
    return drawings[0] && asSeen(pictures, drawings[0].theme);
  };
  return (
    <div class="picture">
      <Controls
        picture={picture}
        look={look}
        onLook={onLook}
        colouring={colouring}
        onColouring={setColouring}
        showsPhase={showsPhase}
        onShowsPhase={setShowsPhase}
        image={ofImage?.range}
        onRange={setRange}
        overlay={overlay?.kind}
        over={over}
        format={format}
        onFormat={setFormat}
      >
        <button type="button" title={l10n.t("Zoom in (+, or Ctrl and the wheel)")} onClick={() => zoom(ZOOM)}>
          +
        </button>
        <button type="button" title={l10n.t("Zoom out (−)")} onClick={() => zoom(1 / ZOOM)}>
          −
        </button>
        <button
          type="button"
          title={l10n.t("Show all (0)")}
          disabled={isWhole(viewport, size)}
          onClick={() => setViewport(whole(size))}
        >
          {l10n.t("Fit")}
        </button>
        <button type="button" onClick={() => savePng(seen())}>
          {l10n.t("Save PNG…")}
        </button>
      </Controls>
      {ofImage !== undefined && noOverlay !== undefined && (
        <p class="note" role="status">
          {noOverlay}
        </p>
      )}
      <output class="cursor">{pointed === undefined ? "" : cursorTextOf(shown, drawings, pointed)}</output>
      <div class={shown.length > 1 ? "side-by-side" : ""}>
        {shown.map(({ title, pictures, scale, labels, isErrors }, at) => (
          <figure>
            {shown.length > 1 && <figcaption>{title}</figcaption>}
            <div class="canvas" ref={at === 0 ? frame : null}>
              <canvas
                ref={(element) => {
                  canvases.current[at] = element;
                }}
                tabIndex={0}
                role="img"
                title={l10n.t("Arrow keys pan; with Shift they go from element to element.")}
                data-planes={drawings[at]?.layout.cells.length}
                aria-label={plotText(picture, drawings[at], shown.length > 1 ? title : undefined)}
                onKeyDown={onKeyDown}
                onWheel={(event) => onWheel(event, at)}
                onMouseMove={({ offsetX, offsetY }) => {
                  setKeyed(undefined);
                  setMouse({ canvas: at, offsetX, offsetY });
                }}
                onMouseLeave={() => setMouse(undefined)}
                onDblClick={({ offsetX, offsetY }) => zoom(ZOOM, point({ canvas: at, offsetX, offsetY })?.share)}
                {...drag}
              />
            </div>
            <Legend
              picture={{ ...(pictures[0]?.picture ?? picture), labels }}
              tile={(pictures.at(-1)?.picture ?? picture).tile}
              scale={ofImage === undefined ? scale : undefined}
              showsPhase={drawings[at]?.showsPhase === true}
            />
            {isErrors && (
              <p class="note">
                {l10n.t("Of each tile the largest. NaN: in one alone. Inf: infinite in one alone, or of another sign.")}
              </p>
            )}
          </figure>
        ))}
      </div>
    </div>
  );
}

/** What is drawn, in words. */
function plotText(picture: Picture, drawing: Drawing | undefined, title: string | undefined): string {
  const label = isLine(picture)
    ? l10n.t("Line of the values")
    : drawing?.image === undefined
      ? l10n.t("Heatmap of the values")
      : l10n.t("Image of the values");
  const named = title === undefined ? label : `${label}: ${title}`;
  return drawing?.overlay === undefined ? named : `${named}, ${overlayText(drawing.overlay)}`;
}

/** The element in all pictures. */
function cursorTextOf(shown: readonly Shown[], drawings: readonly Drawing[], pointed: Pointed): string {
  const texts = drawings.map((drawing) => cursorText(drawing, pointed));
  if (texts.length === 1) return texts[0] ?? "";
  return texts.flatMap((text, at) => (text === "" ? [] : [`${shown[at]?.title ?? ""} ${text}`])).join(" · ");
}

/** Hands what is seen to the extension. */
function savePng(canvas: HTMLCanvasElement | undefined): void {
  canvas?.toBlob((blob) => void blob?.arrayBuffer().then((png) => say({ type: "save", png })), "image/png");
}

interface ShownProps extends Pick<Props, "picture" | "compared" | "generation"> {
  readonly colouring: Colouring;
  readonly view: string;
}

/** The value's own picture, and beside it, to one scale, that of the other, and the differences. */
function useShown({ picture, compared, generation, colouring, view }: ShownProps): readonly Shown[] {
  const isThere = compared !== undefined && showsSame(picture, compared.other) && showsSame(picture, compared.errors);
  const own = usePictures(picture, view, generation);
  const others = usePictures(isThere ? compared.other : undefined, view, generation);
  const errors = usePictures(isThere ? compared.errors : undefined, view, generation);
  const [names, before] = [compared?.names, compared?.other];
  return useMemo(() => {
    const values = [...numbers(own), ...(names === undefined ? [] : numbers(others))];
    const scale = colourScaleOf(values, colouring);
    const ownLabels = own[0]?.picture.labels;
    const labels = others.length === 0 ? ownLabels : commonLabels(ownLabels, others[0]?.picture.labels);
    const [name, other] = names ?? ["", ""];
    const first = { title: name, pictures: own, scale, labels, isErrors: false };
    if (others.length === 0 || errors.length === 0) return [first];
    const errorScale = errorScaleOf(numbers(errors), colouring.stretch);
    return [
      first,
      { title: other, pictures: others, scale, labels, isErrors: false },
      { title: `|${name} − ${other}|`, pictures: errors, scale: errorScale, labels: undefined, isErrors: true },
    ];
  }, [own, others, errors, colouring, names?.[0], names?.[1], before === undefined]);
}

/** The numbers of all of a view. */
function numbers([overview]: readonly NumberPicture[]): Float64Array[] {
  return overview?.planes.flatMap(({ values, highs }) => (highs ? [values, highs] : [values])) ?? [];
}

/** The whole of a view, and what was read in more detail of a part of it. */
function usePictures(picture: Picture | undefined, view: string, generation: number): readonly NumberPicture[] {
  const now = useMemo(() => picture && numbersOf(picture), [picture]);
  const overview = useRef<{ readonly of: string; readonly numbers: NumberPicture }>(undefined);
  const of = `${generation} ${view}`;
  if (now === undefined) overview.current = undefined;
  else if (isAll(now.picture) || overview.current?.of !== of) overview.current = { of, numbers: now };
  const before = overview.current?.numbers;
  return useMemo(() => {
    if (now === undefined || before === undefined) return [];
    return before === now ? [now] : [before, now];
  }, [before, now]);
}

/** Asks for more detail of what is in sight, once the user has stopped zooming, where the picture has not all of it. */
function useDetail(picture: Picture, viewport: Viewport, look: Look, onLook: (change: LookChange) => void): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      const size = sizeOf(picture);
      const wanted = isWhole(viewport, size) ? undefined : elementsIn(viewport, size);
      if (wanted === undefined) {
        if (look.window !== undefined) onLook({ window: undefined });
        return;
      }
      const { window: known, tile } = picture;
      const hasAll = wanted[0] >= known[0] && wanted[1] <= known[1] && wanted[2] >= known[2] && wanted[3] <= known[3];
      const isFine = tile[0] === 1 && tile[1] === 1;
      const area = ([top, bottom, left, right]: ElementWindow): number => (bottom - top) * (right - left);
      if (hasAll && (isFine || area(known) <= FINER * area(wanted))) return;
      if (JSON.stringify(look.window) !== JSON.stringify(wanted)) onLook({ window: wanted });
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [picture, viewport, look]);
}

function isAll(picture: Picture): boolean {
  const [rows, columns] = sizeOf(picture);
  const [top, bottom, left, right] = picture.window;
  return top === 0 && left === 0 && bottom === rows && right === columns;
}

/** What is the same in pictures of which one shows a part of the other, as it was asked for. */
function viewOf({ shape, dims, facets, index }: Picture, { shown }: Look): string {
  return JSON.stringify([shape, dims, facets, index, shown]);
}

/** Moves what is in sight with the mouse while its button is down. */
function useDrag(drawing: Drawing | undefined, pan: (down: number, across: number) => void) {
  return {
    onPointerDown: (event: PointerEvent): void => {
      if (event.currentTarget instanceof Element) event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent): void => {
      const [cell] = drawing?.layout.cells ?? [];
      if (event.buttons !== 1 || drawing === undefined || cell === undefined) return;
      const { viewport } = drawing;
      pan((-event.movementY * viewport.rows) / cell.height, (-event.movementX * viewport.columns) / cell.width);
    },
  };
}
