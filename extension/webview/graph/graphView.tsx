import * as l10n from "@vscode/l10n";
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Ref } from "preact";
import { onThemeChange, theme } from "../theme.ts";
import { drawGraph, type GraphTheme } from "./drawing.ts";
import { rememberedGraph, rememberGraph } from "./graphHost.ts";
import { boxAt, type Drawn, firstView, fitted, READABLE, type View, zoomedAt } from "./view.ts";

const STEP = 1.25;
/** How far Shift and an arrow move the picture, and how far the pointer goes in a click, in pixels. */
const FAR = 60;
const CLICK = 4;
const MARGIN = 60;

/** What can be done with the picture from outside. */
export interface GraphHandle {
  /** Brings a box into sight; where texts are too small to be read, larger ones. */
  show(item: number): void;
  /** Brings a box into sight, as large as all is. */
  follow(item: number): void;
  /** Brings a box to where it was on the screen before it was laid out anew. */
  keep(item: number, x: number, y: number): void;
  /** Where a box is on the screen. */
  placeOf(item: number): readonly [number, number];
  fit(): void;
  /** The upper end, as at first. */
  begin(): void;
  zoom(factor: number): void;
  toPng(done: (png: ArrayBuffer) => void): void;
}

interface Props {
  readonly drawn: Drawn;
  readonly label: string;
  readonly selected: number | undefined;
  readonly titleOf: (item: number) => string;
  readonly onSelect: (item: number) => void;
  /** A click, or Enter. */
  readonly onOpen: (item: number) => void;
  readonly onKey: (key: string) => boolean;
  readonly handle: Ref<GraphHandle>;
}

/** The picture of a graph: dragged, zoomed, and gone through with the keyboard. */
export function GraphView({ drawn, label, selected, titleOf, onSelect, onOpen, onKey, handle }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<View | undefined>(rememberedGraph().view);
  const drawing = useRef(0);
  const size = useRef({ width: 0, height: 0 });
  const [hasFocus, setHasFocus] = useState(false);
  const current = useRef({ drawn, selected, hasFocus });
  current.current = { drawn, selected, hasFocus };

  const paint = (): void => {
    drawing.current = 0;
    const element = canvas.current;
    const context = element?.getContext("2d");
    const { width, height } = size.current;
    if (!element || !context || width === 0 || height === 0) return;
    view.current ??= firstView(current.current.drawn.layout, width, height);
    const pixels = window.devicePixelRatio;
    const [wide, high] = [Math.round(width * pixels), Math.round(height * pixels)];
    if (element.width !== wide || element.height !== high) [element.width, element.height] = [wide, high];
    const { drawn: what, selected: at, hasFocus: focused } = current.current;
    const looking = { view: view.current, width, height, pixels, selected: at, hasFocus: focused };
    drawGraph(context, what, looking, graphTheme());
  };
  const redraw = (): void => {
    if (drawing.current === 0) drawing.current = requestAnimationFrame(paint);
  };
  const look = (next: View): void => {
    view.current = next;
    rememberGraph({ view: next });
    redraw();
  };
  const now = (): View => view.current ?? { x: 0, y: 0, scale: 1 };
  const zoom = (factor: number, x = size.current.width / 2, y = size.current.height / 2): void =>
    look(zoomedAt(now(), factor, x, y));
  const fit = (): void => look(fitted(current.current.drawn.layout, size.current.width, size.current.height));
  const begin = (): void => look(firstView(current.current.drawn.layout, size.current.width, size.current.height));
  const pan = (x: number, y: number): void => {
    const { scale } = now();
    look({ ...now(), x: now().x + x / scale, y: now().y + y / scale });
  };
  const placeOf = (item: number): readonly [number, number] => {
    const { layout } = current.current.drawn;
    const { x, y, scale } = now();
    return [((layout.x[item] ?? 0) - x) * scale, ((layout.y[item] ?? 0) - y) * scale];
  };
  const keep = (item: number, x: number, y: number): void => {
    const [atX, atY] = placeOf(item);
    pan(atX - x, atY - y);
  };
  const show = (item: number): void => {
    if (now().scale < READABLE / 2) view.current = { ...now(), scale: READABLE };
    follow(item);
  };
  const follow = (item: number): void => {
    const { width, height } = size.current;
    const [x, y] = placeOf(item);
    const [left, top] = [Math.min(MARGIN, width / 4), Math.min(MARGIN, height / 4)];
    const into = (at: number, edge: number, all: number): number =>
      at < edge ? at - edge : at > all - edge ? at - (all - edge) : 0;
    const isFar = x < -width || x > 2 * width || y < -height || y > 2 * height;
    if (isFar) pan(x - width / 2, y - height / 2);
    else pan(into(x, left, width), into(y, top, height));
  };
  useImperativeHandle(handle, () => ({
    show,
    follow,
    keep,
    placeOf,
    fit,
    begin,
    zoom,
    toPng: (done) => canvas.current?.toBlob((blob) => void blob?.arrayBuffer().then(done), "image/png"),
  }));

  useLayoutEffect(() => {
    const element = canvas.current?.parentElement;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => {
      const { width: before } = size.current;
      size.current = { width: element.clientWidth, height: element.clientHeight };
      // What is in the middle stays there.
      if (before > 0 && view.current !== undefined) pan((before - element.clientWidth) / 2, 0);
      redraw();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(redraw, [drawn, selected, hasFocus]);
  useEffect(() => onThemeChange(redraw), []);
  useEffect(() => {
    const element = canvas.current;
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault(); // which a listener of preact, that is passive, could not
      const lines = event.deltaMode === 1 ? 16 : 1;
      zoom(Math.exp((-event.deltaY * lines) / (event.ctrlKey ? 100 : 500)), event.offsetX, event.offsetY);
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  }, []);

  const press = (down: PointerEvent): void => {
    const element = canvas.current;
    if (down.button !== 0 || element === null) return;
    const [startX, startY] = [down.offsetX, down.offsetY];
    let [lastX, lastY] = [down.clientX, down.clientY];
    let isDragged = false;
    const end = new AbortController();
    const { signal } = end;
    element.setPointerCapture(down.pointerId);
    const move = ({ clientX, clientY }: PointerEvent): void => {
      isDragged ||= Math.hypot(clientX - down.clientX, clientY - down.clientY) > CLICK;
      if (!isDragged) return;
      pan(lastX - clientX, lastY - clientY);
      [lastX, lastY] = [clientX, clientY];
    };
    const release = (): void => {
      end.abort();
      const item = isDragged ? undefined : boxAt(current.current.drawn, now(), startX, startY);
      if (item !== undefined) onOpen(item);
    };
    element.addEventListener("pointermove", move, { signal });
    element.addEventListener("pointerup", release, { signal });
    element.addEventListener("pointercancel", () => end.abort(), { signal });
  };
  const hover = ({ offsetX, offsetY, buttons }: PointerEvent): void => {
    const element = canvas.current;
    if (element === null || buttons !== 0) return;
    const item = boxAt(current.current.drawn, now(), offsetX, offsetY);
    element.title = item === undefined ? "" : titleOf(item);
    element.style.cursor = item === undefined ? "grab" : "pointer";
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const ways: Record<string, () => void> = {
      "+": () => zoom(STEP),
      "=": () => zoom(STEP),
      "-": () => zoom(1 / STEP),
      "0": fit,
      Home: () => onSelect(0),
      ...(event.shiftKey
        ? {
            ArrowUp: () => pan(0, -FAR),
            ArrowDown: () => pan(0, FAR),
            ArrowLeft: () => pan(-FAR, 0),
            ArrowRight: () => pan(FAR, 0),
          }
        : {
            ArrowUp: () => go("up"),
            ArrowDown: () => go("down"),
            ArrowLeft: () => go("left"),
            ArrowRight: () => go("right"),
            Enter: () => selected !== undefined && onOpen(selected),
            " ": () => selected !== undefined && onOpen(selected),
          }),
    };
    const way = ways[event.key];
    if (way === undefined && !onKey(event.key)) return;
    event.preventDefault();
    way?.();
  };
  const go = (way: Way): void => {
    const next = selected === undefined ? 0 : neighbour(current.current.drawn, selected, way);
    if (next !== undefined) onSelect(next);
  };
  return (
    <canvas
      ref={canvas}
      tabIndex={0}
      role="application"
      aria-roledescription={l10n.t("graph")}
      aria-label={label}
      aria-describedby="graph-keys"
      aria-activedescendant={selected === undefined ? undefined : "graph-at"}
      onPointerDown={press}
      onPointerMove={hover}
      onKeyDown={onKeyDown}
      onFocus={() => setHasFocus(true)}
      onBlur={() => setHasFocus(false)}
    />
  );
}

type Way = "up" | "down" | "left" | "right";

/** The box that is reached along an edge, or beside one: the nearest. */
function neighbour({ graph: { from, to }, layout: { x, y } }: Drawn, at: number, way: Way): number | undefined {
  const found: number[] = [];
  if (way === "up" || way === "down") {
    const [mine, theirs] = way === "down" ? [from, to] : [to, from];
    for (let edge = 0; edge < mine.length; edge += 1) if (mine[edge] === at) found.push(theirs[edge]!);
    const far = (one: number): number => Math.abs(y[one]! - y[at]!) * 4 + Math.abs(x[one]! - x[at]!);
    return found.toSorted((one, other) => far(one) - far(other))[0];
  }
  const side = way === "left" ? -1 : 1;
  for (let one = 0; one < x.length; one += 1) {
    if (y[one] === y[at] && (x[one]! - x[at]!) * side > 0) found.push(one);
  }
  return found.toSorted((one, other) => Math.abs(x[one]! - x[at]!) - Math.abs(x[other]! - x[at]!))[0];
}

/** The colours of VS Code, as they are now. */
export function graphTheme(): GraphTheme {
  const style = getComputedStyle(document.body);
  const colour = (name: string, other: string): string => style.getPropertyValue(`--vscode-${name}`).trim() || other;
  const common = theme();
  const alarm = colour("tensorInspector-alarmForeground", colour("errorForeground", "#f14c4c"));
  const isContrasting = document.body.classList.contains("vscode-high-contrast");
  return {
    ...common,
    background: colour("editor-background", common.background),
    size: Number.parseFloat(style.fontSize) || 13,
    family: style.fontFamily,
    box: isContrasting ? colour("editor-background", "#000") : colour("editorWidget-background", common.background),
    isContrasting,
    marks: {
      nan: alarm,
      modified: colour("tensorInspector-warningForeground", colour("charts-orange", "#d18616")),
      broken: colour("charts-purple", "#b180d7"),
      freed: common.quiet,
    },
  };
}
