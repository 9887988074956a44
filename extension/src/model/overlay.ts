import * as l10n from "@vscode/l10n";
import { Cancelled } from "../debug/queue.ts";
import type { Frame } from "../debug/frame.ts";
import type { Overlay, Picture, ShownDetails } from "../protocol/page.ts";
import { detailsOf, reasonFor } from "./detailsParts.ts";
import { failureOf } from "./failure.ts";
import type { Lenses } from "./lenses.ts";
import { numberOf } from "./measurements.ts";
import type { UnderWay } from "./underWay.ts";

/** How many numbers a box has: its sides, and perhaps its score and its label. */
const OF_A_BOX = [4, 6] as const;

/** Along a side, at most: each box of a picture has a row of its own, and each label a column; further ones are not read. */
const TILES = 1024;

/** What the user wants to see over images: the value of an expression, read anew for each picture. */
export class ImageOverlay {
  /** None where nothing is to be seen. */
  expression: string | undefined;
  readonly #lenses: Pick<Lenses, "details">;
  readonly #underWay: UnderWay;
  readonly #tell: (part: Pick<ShownDetails, "overlay" | "missing">) => void;
  #isTold = false;

  constructor(
    lenses: Pick<Lenses, "details">,
    underWay: UnderWay,
    tell: (part: Pick<ShownDetails, "overlay" | "missing">) => void,
  ) {
    this.#lenses = lenses;
    this.#underWay = underWay;
    this.#tell = tell;
  }

  /** Reads what lies over a picture; undefined where none is shown as images. */
  follow(picture: Picture | undefined, frame: Frame | undefined): void {
    this.#underWay.end(["overlay"]);
    const { expression } = this;
    if (expression !== undefined && picture !== undefined && frame !== undefined) {
      void this.#ask(expression, picture, frame);
    } else if (this.#isTold) {
      this.#isTold = false;
      this.#tell({ overlay: null });
    }
  }

  async #ask(expression: string, picture: Picture, frame: Frame): Promise<void> {
    const asking = this.#underWay.begin(["overlay"]);
    const { signal } = asking.abort;
    // Of what there is no time to read whole, a sample comes first.
    for (const exact of [false, true]) {
      let part: Pick<ShownDetails, "overlay" | "missing">;
      try {
        part = await this.#read(expression, picture, frame, { signal, exact });
      } catch (error) {
        if (error instanceof Cancelled) return;
        part = without(reasonFor(expression, failureOf(error)));
      }
      if (!this.#underWay.has(asking)) return;
      this.#isTold = true;
      this.#tell(part);
      if (part.overlay?.picture.complete !== false) break;
    }
    this.#underWay.finish(asking);
  }

  /** Asks for the shape of the value, which tells how it lies over the images, and then for its elements. */
  async #read(
    expression: string,
    picture: Picture,
    frame: Frame,
    { signal, exact }: { readonly signal: AbortSignal; readonly exact: boolean },
  ): Promise<Pick<ShownDetails, "overlay" | "missing">> {
    const subject = { name: expression, expression };
    const { found } = await this.#lenses.details(subject, frame, { parts: "facts" }, { signal });
    const shape = ((found?.lens === "details" && found.facts?.shape) || []).map((size) => numberOf(size ?? 0));
    const look = overlayLook(picture, shape);
    if (look === undefined) return without(unfitting(expression, picture, shape));
    const { kind, ...where } = look;
    const window = kind === "map" ? { window: [...picture.window] } : {};
    const options = { parts: "picture", tiles: TILES, shown: "nearest", ...window, ...where, exact };
    const answer = await this.#lenses.details(subject, frame, options, { signal });
    const { picture: over, missing = [] } = answer.found?.lens === "details" ? detailsOf(answer.found, []) : {};
    return over === undefined ? without(missing[0]?.reason ?? "") : { overlay: { kind, picture: over } };
  }
}

function without(reason: string): Pick<ShownDetails, "missing"> {
  return { missing: [{ part: "overlay", reason }] };
}

function unfitting(expression: string, { shape, dims }: Picture, over: readonly number[]): string {
  const [rows = 1, columns = 1] = dims.map((dim) => shape[dim]);
  const text = `[${over.join(", ")}]`;
  return l10n.t(
    "“{0}” has the shape {1}: it is no mask of {2} × {3}, no boxes and no labels, one of each image.",
    expression,
    text,
    rows,
    columns,
  );
}

/** What of a value lies over a picture, and as what. */
interface OverlayLook {
  readonly kind: Overlay["kind"];
  readonly dims: number[];
  readonly facets: number[];
  readonly index: number[];
  readonly window?: [number, number, number, number];
}

/**
 * How a value of a shape lies over images: a mask or a map of labels has their rows and columns, boxes have four numbers
 * each, and labels are one of each image. Undefined where it is none of these.
 */
export function overlayLook(
  image: Pick<Picture, "shape" | "dims" | "facets">,
  over: readonly number[],
): OverlayLook | undefined {
  const [rows, columns] = image.dims.map((dim) => image.shape[dim]);
  const batch = image.facets.length > 1 ? (image.shape[image.facets[0] ?? 0] ?? 1) : 1;
  const last = over.length - 1;
  const leading = over.slice(0, -2);
  const large = leading.flatMap((size, dim) => (size === 1 ? [] : [dim]));
  if (last >= 1 && over[last - 1] === rows && over[last] === columns) {
    const [facet] = large;
    const isOfEach = large.length === 1 && facet !== undefined && leading[facet] === batch;
    if (large.length > 0 && !isOfEach) return undefined;
    return { kind: "map", dims: [last - 1, last], facets: [...large], index: leading.slice(large.length).map(() => 0) };
  }
  const [least, most] = OF_A_BOX;
  const isOfBoxes = last >= 1 && (over[last] ?? 0) >= least && (over[last] ?? 0) <= most && !over.includes(0);
  if (isOfBoxes && ((over.length === 2 && batch === 1) || (over.length === 3 && leading[0] === batch))) {
    const amount = Math.min(TILES, over[last - 1] ?? 0);
    const window: [number, number, number, number] = [0, amount, 0, over[last] ?? least];
    return { kind: "boxes", dims: [last - 1, last], facets: leading.map((_, dim) => dim), index: [], window };
  }
  const isOfLabels = over[0] === batch && (over.length === 1 || (over.length === 2 && over[1] === 1));
  if (!isOfLabels) return undefined;
  const index = over.slice(1).map(() => 0);
  return { kind: "labels", dims: [0], facets: [], index, window: [0, 1, 0, Math.min(TILES, batch)] };
}
