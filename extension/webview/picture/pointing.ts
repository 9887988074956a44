import * as l10n from "@vscode/l10n";
import { numberText } from "../numbers.ts";
import { NOT_FINITE } from "../palettes.ts";
import { type Drawing, planesAt } from "./drawing.ts";
import { indexText, isLine, type NumberPicture, sizeOf, tileOf } from "./planes.ts";

/** Digits that float32 has, and that float64 has. */
const DIGITS = 7;
const ALL_DIGITS = 16;

/** The element that the mouse is on. */
export interface Pointed {
  /** Which of the planes. */
  readonly plane: number;
  readonly row: number;
  readonly column: number;
  /** Where in the plane's cell, as shares of its height and width. */
  readonly share: readonly [down: number, across: number];
}

/** The element at a place of the canvas; undefined where there is none. */
export function pointedAt({ layout, viewport, pictures }: Drawing, x: number, y: number): Pointed | undefined {
  const plane = layout.cells.findIndex(
    (cell) => x >= cell.x && x < cell.x + cell.width && y >= cell.y && y < cell.y + cell.height,
  );
  const cell = layout.cells[plane];
  const [first] = pictures;
  if (cell === undefined || first === undefined) return undefined;
  const share = [(y - cell.y) / cell.height, (x - cell.x) / cell.width] as const;
  const row = isLine(first.picture) ? 0 : Math.floor(viewport.top + share[0] * viewport.rows);
  const column = Math.floor(viewport.left + share[1] * viewport.columns);
  const [rows, columns] = sizeOf(first.picture);
  return row < rows && column < columns ? { plane, row, column, share } : undefined;
}

/** The index and the value of an element; of a tile of several, what is shown of it. */
export function cursorText(drawing: Pick<Drawing, "pictures" | "image">, { plane, row, column }: Pointed): string {
  const found = drawing.pictures.toReversed().flatMap((one) => {
    const tile = tileOf(one.picture, row, column);
    return tile === undefined ? [] : [{ one, tile }];
  })[0];
  if (found === undefined) return "";
  const { one, tile } = found;
  const [top, bottom, left, right] = tile.elements;
  const line = isLine(one.picture);
  const named = (from: number, to: number): string => (to - from === 1 ? String(from) : `${from}:${to}`);
  const element = line ? [named(left, right)] : [named(top, bottom), named(left, right)];
  const planes = line ? one.planes : planesAt(drawing, one, plane);
  const isOne = (bottom - top) * (right - left) === 1;
  return planes
    .map((of) => {
      const index = indexText(one.picture, of.plane.index, element);
      return `${index} ${isOne ? "=" : SHOWN[one.picture.shown]()} ${valueText(of, tile.at, one.picture)}`;
    })
    .join(" · ");
}

function valueText(
  { values, highs, marks, phase }: NumberPicture["planes"][number],
  at: number,
  { offset }: NumberPicture["picture"],
): string {
  // Beside an offset, float32 holds the digits after those that all numbers share.
  const digits = offset === 0 ? DIGITS : ALL_DIGITS;
  const mark = marks[at] ?? 0;
  const special = Object.values(NOT_FINITE).filter(({ bit }) => (mark & bit) !== 0);
  const value = values[at] ?? Number.NaN;
  const high = highs?.[at] ?? value;
  const angle = phase?.[at];
  const number = Number.isNaN(value)
    ? ""
    : `${numberText(value, digits)}${high === value ? "" : ` … ${numberText(high, digits)}`}${angle === undefined ? "" : ` ∠ ${numberText(angle)} rad`}`;
  return [number, ...special.map(({ name }) => name)].filter(Boolean).join(", ");
}

const SHOWN: Record<NumberPicture["picture"]["shown"], () => string> = {
  mean: () => l10n.t("mean"),
  min: () => l10n.t("min"),
  max: () => l10n.t("max"),
  nearest: () => l10n.t("first"),
  range: () => l10n.t("range"),
};
