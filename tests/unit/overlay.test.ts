/** What lies over images: a mask or a map of labels, boxes, labels; how it is asked for, and where it is drawn. */
import { describe, expect, test } from "vitest";
import { overlayLook } from "../../extension/src/model/overlay.ts";
import type { Picture } from "../../extension/src/protocol/page.ts";
import { boxesOf } from "../../extension/webview/picture/boxes.ts";
import { coloursOf } from "../../extension/webview/picture/labels.ts";
import { numbersOf } from "../../extension/webview/picture/planes.ts";

const one = { shape: [3, 32, 48], dims: [1, 2], facets: [0] };
const batch = { shape: [8, 3, 32, 48], dims: [2, 3], facets: [0, 1] };

describe("a value over images", () => {
  test.each([
    ["a mask", one, [32, 48], { kind: "map", dims: [0, 1], facets: [], index: [] }],
    ["a mask with a channel", one, [1, 32, 48], { kind: "map", dims: [1, 2], facets: [], index: [0] }],
    ["a mask of each", batch, [8, 32, 48], { kind: "map", dims: [1, 2], facets: [0], index: [] }],
    ["a mask of each with a channel", batch, [8, 1, 32, 48], { kind: "map", dims: [2, 3], facets: [0], index: [0] }],
    ["one mask for all", batch, [32, 48], { kind: "map", dims: [0, 1], facets: [], index: [] }],
    ["boxes", one, [5, 4], { kind: "boxes", dims: [0, 1], facets: [], index: [], window: [0, 5, 0, 4] }],
    ["boxes with scores", one, [5, 6], { kind: "boxes", dims: [0, 1], facets: [], index: [], window: [0, 5, 0, 6] }],
    ["boxes of each", batch, [8, 5, 4], { kind: "boxes", dims: [1, 2], facets: [0], index: [], window: [0, 5, 0, 4] }],
    ["too many boxes", one, [5000, 4], { kind: "boxes", dims: [0, 1], facets: [], index: [], window: [0, 1024, 0, 4] }],
    ["a label of each", batch, [8], { kind: "labels", dims: [0], facets: [], index: [], window: [0, 1, 0, 8] }],
    [
      "a label of each in a column",
      batch,
      [8, 1],
      { kind: "labels", dims: [0], facets: [], index: [0], window: [0, 1, 0, 8] },
    ],
    [
      "a label of each of very many",
      { ...batch, shape: [5000, 3, 32, 48] },
      [5000],
      { kind: "labels", dims: [0], facets: [], index: [], window: [0, 1, 0, 1024] },
    ],
  ] as const)("%s", (_, image, shape, expected) => {
    expect(
      overlayLook({ ...image, shape: [...image.shape], dims: [...image.dims], facets: [...image.facets] }, shape),
    ).toEqual(expected);
  });

  test.each([
    ["of other sides", one, [32, 32]],
    ["of several channels", one, [5, 32, 48]],
    ["of another batch", batch, [4, 32, 48]],
    ["of boxes of another batch", batch, [4, 5, 4]],
    ["of no box", one, [0, 4]],
    ["of another number of labels", batch, [9]],
    ["without a dimension", one, []],
  ])("%s lies nowhere", (_, image, shape) => {
    expect(overlayLook(image, shape)).toBeUndefined();
  });
});

/** A picture of planes, each of rows of some width. */
function drawnOf(planes: readonly (readonly number[])[], wide: number, more: Partial<Picture> = {}) {
  const picture: Picture = {
    shape: [1, wide],
    dims: [0, 1],
    facets: [],
    index: [],
    window: [0, 1, 0, wide],
    tile: [1, 1],
    tiles: [(planes[0]?.length ?? 0) / wide, wide],
    shown: "nearest",
    sort: "float",
    offset: 0,
    factor: 1,
    left_out: 0,
    read: 1,
    complete: true,
    planes: planes.map((numbers) => ({
      index: [],
      values: Float32Array.from(numbers).buffer,
      marks: new Uint8Array(numbers.length).buffer,
      nan: 0,
      pos_inf: 0,
      neg_inf: 0,
      min: null,
      max: null,
    })),
    ...more,
  };
  return numbersOf(picture);
}

describe("boxes", () => {
  const of = (numbers: readonly number[], wide = 4) => {
    const drawn = drawnOf([numbers], wide);
    return { drawn, plane: drawn.planes[0]! };
  };

  test.each([
    ["xyxy", [10, 20, 30, 26]],
    ["xywh", [10, 20, 20, 6]],
    ["cxcywh", [20, 23, 20, 6]],
  ] as const)("of %s have the same sides", (format, numbers) => {
    const { drawn, plane } = of(numbers);
    expect(boxesOf(drawn, plane, format, [32, 48])).toMatchObject([{ left: 10, top: 20, right: 30, bottom: 26 }]);
  });

  test("of shares are of the image's sides", () => {
    const { drawn, plane } = of([0.25, 0.5, 0.5, 1]);
    expect(boxesOf(drawn, plane, "xyxy", [32, 48])).toMatchObject([{ left: 12, top: 16, right: 24, bottom: 32 }]);
  });

  test("bear their score and label; one with NaN is not drawn", () => {
    const { drawn, plane } = of([1, 2, 3, 4, 0.875, 7, Number.NaN, 2, 3, 4, 0.5, 1], 6);
    expect(boxesOf(drawn, plane, "xyxy", [32, 48]).map(({ text }) => text)).toEqual(["0.875 7"]);
  });
});

describe("a map of labels", () => {
  const planes = [
    [0, 7, 9, 7],
    [0, 1, 7, Number.NaN],
  ];

  test.each([
    [
      "that were counted",
      [
        [0, 2],
        [1, 1],
        [7, 3],
        [9, 1],
      ] as [number, number][],
    ],
    ["that are too many to count", undefined],
  ])("%s has a colour for each, the same over all images, and none for 0", (_, labels) => {
    const colours = coloursOf(drawnOf(planes, 2, { sort: "int", ...(labels && { labels }) }));
    expect([...colours!.keys()]).toEqual([1, 7, 9]);
    expect(new Set([...colours!.values()].map(String)).size).toBe(3);
  });

  test("has no colours where it holds shares", () => {
    expect(coloursOf(drawnOf(planes, 2))).toBeUndefined();
  });
});
