/** What the details page reckons: which part is in sight, where it is drawn, which colour a number has. */
import { describe, expect, test } from "vitest";
import { NOTHING_COMPARED, type Picture } from "../../extension/src/protocol/page.ts";
import { Asked, PATIENCE_MS } from "../../extension/webview/asked.ts";
import { brought, Grid, rangeOf, scrolled, visible } from "../../extension/webview/grid.ts";
import { selectionAfter } from "../../extension/webview/gridKeys.ts";
import { Looks } from "../../extension/webview/looks.ts";
import { numberText, shareText } from "../../extension/webview/numbers.ts";
import { DIVERGING, labelColours, NOT_FINITE, SEQUENTIAL } from "../../extension/webview/palettes.ts";
import { colourOf, colourScaleOf } from "../../extension/webview/picture/colourScale.ts";
import {
  imageDimsOf,
  imageDrawingOf,
  imageLook,
  likelyRange,
  limitsOf,
  pixelOf,
} from "../../extension/webview/picture/images.ts";
import { commonLabels, errorScaleOf, showsSame } from "../../extension/webview/picture/comparedPictures.ts";
import { layoutOf } from "../../extension/webview/picture/layout.ts";
import { indexText, numbersOf, otherDims, tileOf } from "../../extension/webview/picture/planes.ts";
import { elementsIn, isWhole, panned, showing, whole, zoomed } from "../../extension/webview/picture/viewport.ts";

function picture(more: Partial<Picture> = {}, planes: readonly (readonly number[])[] = [[0]]): Picture {
  return {
    shape: [4, 6],
    dims: [0, 1],
    facets: [],
    index: [],
    window: [0, 4, 0, 6],
    tile: [1, 1],
    tiles: [4, 6],
    shown: "mean",
    sort: "float",
    offset: 0,
    factor: 1,
    left_out: 0,
    read: 1,
    complete: true,
    planes: planes.map((values, at) => ({
      index: [at],
      values: Float32Array.from(values).buffer,
      marks: new Uint8Array(values.length).buffer,
      nan: 0,
      pos_inf: 0,
      neg_inf: 0,
      min: Math.min(...values),
      max: Math.max(...values),
    })),
    ...more,
  };
}

describe("what is in sight of a plane", () => {
  const size = [100, 200] as const;

  test("is all of it first", () => {
    expect(whole(size)).toEqual({ top: 0, left: 0, rows: 100, columns: 200 });
    expect(elementsIn(whole(size), size)).toEqual([0, 100, 0, 200]);
  });

  test.each([
    [49, 60, { top: 40, left: 55 }],
    [30, 60, { top: 30, left: 55 }],
    [60, 70, { top: 51, left: 61 }],
  ])("moves no further than it takes to show row %i, column %i", (row, column, expected) => {
    expect(showing({ top: 40, left: 55, rows: 10, columns: 10 }, row, column, size)).toMatchObject(expected);
  });

  test("has a place where it was when the user zooms there", () => {
    const near = zoomed(whole(size), 2, [1, 0], size);
    expect(near).toEqual({ top: 50, left: 0, rows: 50, columns: 100 });
    expect(isWhole(near, size)).toBe(false);
    expect(isWhole(zoomed(near, 1 / 4, [0, 1], size), size)).toBe(true);
  });

  test.each([
    [
      [1, 5000],
      [1, 2],
    ],
    [
      [2, 5000],
      [2, 2],
    ],
    [
      [3, 100_000],
      [2, 2],
    ],
  ] as const)("of %j goes down to %j elements", (long, least) => {
    let near = whole(long);
    for (let times = 0; times < 60; times += 1) near = zoomed(near, 1.5, [0.5, 0.5], long);
    expect([near.rows, near.columns]).toEqual(least);
  });

  test("never leaves the plane, and never has fewer than two elements", () => {
    let near = zoomed(whole(size), 2, [0.5, 0.5], size);
    expect(panned(near, 1e6, -1e6, size)).toMatchObject({ top: 50, left: 0 });
    for (let times = 0; times < 50; times += 1) near = zoomed(near, 2, [0.3, 0.7], size);
    expect([near.rows, near.columns]).toEqual([2, 2]);
  });
});

describe("a tile", () => {
  const reduced = picture({
    shape: [2, 10, 7],
    dims: [1, 2],
    index: [1],
    window: [2, 10, 0, 7],
    tile: [3, 4],
    tiles: [3, 2],
  });

  test.each([
    [2, 0, 0, [2, 5, 0, 4]],
    [9, 6, 5, [8, 10, 4, 7]],
  ])("of row %i and column %i is %i, and stands for its elements", (row, column, at, elements) => {
    expect(tileOf(reduced, row, column)).toEqual({ at, elements });
  });

  test("is none outside of what was read", () => {
    expect(tileOf(reduced, 1, 0)).toBeUndefined();
  });

  test("is named by all indices", () => {
    expect(otherDims(reduced)).toEqual([0]);
    expect(indexText(reduced, [], ["3", "4:8"])).toBe("[1, 3, 4:8]");
    expect(indexText(picture({ shape: [3, 4, 5], dims: [1, 2], facets: [0] }), [2])).toBe("[2, :, :]");
  });

  test("has its numbers in the units of the value", () => {
    const [plane] = numbersOf(picture({ offset: 1e9, factor: 2 }, [[0, 1.5]])).planes;
    expect([...plane!.values]).toEqual([1e9, 1e9 + 3]);
  });

  test("has the numbers that came as float64 as they are", () => {
    const [base] = picture({}, [[0]]).planes;
    const values = Float64Array.of(5e-324, 1e308, -1e-300).buffer;
    const [plane] = numbersOf({ ...picture(), wide: true, planes: [{ ...base!, values }] }).planes;
    expect([...plane!.values]).toEqual([5e-324, 1e308, -1e-300]);
  });
});

describe("the colour of a number", () => {
  const scale = (values: number[], stretch: "linear" | "log" | "symlog" = "linear", clip = 0) =>
    colourScaleOf([Float64Array.from(values)], { stretch, clip });

  test("of both signs is about zero, in the middle of the palette", () => {
    const found = scale([-1, 0, 4])!;
    expect([found.low, found.high]).toEqual([-4, 4]);
    expect(colourOf(found, 0)).toEqual(DIVERGING[120]);
    expect(colourOf(found, 4)).toEqual(DIVERGING.at(-1));
  });

  test("of one sign goes from the least to the most", () => {
    const found = scale([1, 2, 3])!;
    expect(colourOf(found, 1)).toEqual(SEQUENTIAL[0]);
    expect(colourOf(found, 3)).toEqual(SEQUENTIAL.at(-1));
  });

  test("leaves NaN out, and has no scale where all are", () => {
    expect(scale([Number.NaN, 5, 7])).toMatchObject({ low: 5, high: 7 });
    expect(scale([Number.NaN])).toBeUndefined();
    expect(scale([])).toBeUndefined();
  });

  test("is clipped at quantiles", () => {
    const values = Array.from({ length: 101 }, (_, at) => at);
    expect(scale([...values, 1e9], "linear", 0.05)!.high).toBeLessThan(100);
  });

  test("is by logarithm where all are of one sign, else by symlog, which is said", () => {
    expect(scale([1, 100], "log")!.at(10)).toBeCloseTo(0.5);
    expect(scale([1, 100], "log")!.note).toBeUndefined();
    expect(scale([0, 100], "log")!.note).toBe("no_log");
    expect(scale([-100, 100], "symlog")!.at(0)).toBeCloseTo(0.5);
  });

  test.each(["linear", "log", "symlog"] as const)("is one of the palette for every number, %s", (stretch) => {
    for (const [values, clip] of [
      [[-1, 0, 1, 2, 3], 0.25],
      [[-1.7e308, 0, 1.7e308], 0],
      [[5e-324, 1], 0],
      [[0, 0, 0, 0, 0, 0, 0, 1], 0.05],
      [[-3, -2, -1], 0],
    ] as const) {
      const found = scale([...values], stretch, clip)!;
      for (const value of [...values, -1e300, 1e300]) expect(found.palette).toContainEqual(colourOf(found, value));
    }
  });

  test("tells numbers apart that lie beyond the only one that is left after clipping", () => {
    const found = scale([...Array.from({ length: 99 }, () => 0), 5], "linear", 0.05)!;
    expect([found.at(-1), found.at(0), found.at(5)]).toEqual([0, 0.5, 1]);
  });

  test("of one number alone is in the middle", () => {
    expect(scale([2, 2])!.at(2)).toBe(0.5);
  });

  test("is never that of NaN or of an infinity", () => {
    const special = new Set(Object.values(NOT_FINITE).map(({ colour }) => colour.join()));
    const all = [...DIVERGING, ...SEQUENTIAL, ...labelColours(12), ...labelColours(2)];
    expect(all.filter((colour) => special.has(colour.join()))).toEqual([]);
  });
});

describe("planes", () => {
  test("are drawn to one measure, in the room that there is", () => {
    const { cells } = layoutOf(numbersOf(picture({ shape: [100, 50], dims: [0, 1] })), 444, 300);
    expect(cells).toEqual([{ x: 44, y: 16, width: 150, height: 300 }]);
  });

  test("that are much longer than wide fill the room", () => {
    const { cells } = layoutOf(numbersOf(picture({ shape: [3, 100_000], dims: [0, 1] })), 444, 300);
    expect(cells).toEqual([{ x: 44, y: 16, width: 400, height: 120 }]);
  });

  test("stand side by side without touching, within the width", () => {
    const many = Array.from({ length: 7 }, (_, at) => [at]);
    const { cells } = layoutOf(numbersOf(picture({}, many)), 320, 300);
    expect(cells).toHaveLength(7);
    expect(Math.max(...cells.map(({ x, width }) => x + width))).toBeLessThanOrEqual(320);
    expect(new Set(cells.map(({ x, y }) => `${x} ${y}`)).size).toBe(7);
  });

  test("of channels share one place", () => {
    expect(layoutOf(numbersOf(picture({}, [[0], [1], [2], [3], [4], [5]])), 320, 300, 3).cells).toHaveLength(2);
  });
});

describe("an image", () => {
  test.each([
    [[3, 32, 48], { rows: 1, columns: 2, channel: 0, batch: undefined }],
    [[8, 1, 28, 28], { rows: 2, columns: 3, channel: 1, batch: 0 }],
    [[32, 48, 3], { rows: 0, columns: 1, channel: 2, batch: undefined }],
    [[8, 32, 48, 4], { rows: 1, columns: 2, channel: 3, batch: 0 }],
    [[8, 16, 32], undefined],
    [[3, 32], undefined],
  ])("may be in shape %j", (shape, dims) => {
    expect(imageDimsOf(shape)).toEqual(dims);
  });

  test("is asked for with its channels side by side, a batch before them", () => {
    const dims = imageDimsOf([8, 3, 28, 28])!;
    expect(imageLook(dims)).toEqual({ dims: [2, 3], facets: [0, 1], image: true });
  });

  test.each([
    [[0, 1], "float", "unit"],
    [[-1, 1], "float", "signed"],
    [[0, 255], "float", "bytes"],
    [[0, 255], "int", "bytes"],
    [[-2.1, 2.6], "float", "imagenet"],
    [[-40, 3], "float", "minmax"],
  ] as const)("of numbers %j (%s) has most likely the range %s", (values, sort, range) => {
    expect(likelyRange(picture({ sort }, [values]))).toBe(range);
  });

  test.each([
    [[0, 0.5, 1], "unit", [0, 128, 255, 255]],
    [[-1, 0, 2], "signed", [0, 128, 255, 255]],
    [[0, 51, 255], "bytes", [0, 51, 255, 255]],
    [[0, 0, 0], "imagenet", [124, 116, 104, 255]],
    [[0.5], "unit", [128, 128, 128, 255]],
    [[10, 15, 20], "minmax", [0, 128, 255, 255]],
    [[1, 1, 1, 0], "unit", [255, 255, 255, 0]],
  ] as const)("has for channels %j in the range %s the pixel %j", (channels, range, pixel) => {
    const { planes } = numbersOf(
      picture(
        {},
        channels.map((value) => [value]),
      ),
    );
    expect(
      pixelOf(planes, 0, limitsOf(imageDrawingOf(picture({}, [channels]), 1, range), 0), range === "imagenet"),
    ).toEqual(pixel);
  });
});

describe("the grid of numbers", () => {
  test("shows the cells that are scrolled to", () => {
    const grid = new Grid(1000, 10);
    expect(visible(grid, { top: 200, left: 0, width: 84 + 2 * 104, height: 22 + 5 * 20 })).toEqual([10, 15, 0, 2]);
  });

  test.each([1000, 10_000_000_000])("goes to any of %i rows, and to the last", (rows) => {
    const grid = new Grid(rows, 4);
    const at = { top: 0, left: 0, width: 500, height: 222 };
    for (const row of [0, 123, Math.floor(rows / 2), rows - 10]) {
      const { top, left } = scrolled(grid, at, row, 0);
      const [first] = visible(grid, { ...at, top, left });
      expect(Math.abs(first - row)).toBeLessThanOrEqual(rows / 1e9);
    }
    expect(visible(grid, { ...at, top: grid.height - at.height })[1]).toBe(rows);
  });

  test("asks for a window around them, of a thousand numbers at most", () => {
    const [top, bottom, left, right] = new Grid(1000, 10).padded([500, 510, 0, 8]);
    expect((bottom - top) * (right - left)).toBeLessThanOrEqual(1000);
    expect(top).toBeLessThan(500);
    expect(bottom).toBeGreaterThan(510);
  });

  test("selects from one cell to another in any direction", () => {
    expect(rangeOf({ fromRow: 5, fromColumn: 1, row: 2, column: 3 })).toEqual([2, 6, 1, 4]);
  });
});

describe("a number", () => {
  test.each([
    [0, "0"],
    [-1.5, "−1.5"],
    [1 / 3, "0.3333"],
    [1e-9, "1e−9"],
    [123456789, "123456789"],
    [123456789.5, "1.235e8"],
    [12345, "12345"],
    [12345.678, "12346"],
    [10001, "10001"],
    [2 ** 60, "1.153e18"],
    [Number.NaN, "NaN"],
    [-Infinity, "−Inf"],
  ])("%d reads %s", (value, text) => {
    expect(numberText(value)).toBe(text);
  });

  test.each([
    [1, "100%"],
    [0.9999, ">99.9%"],
    [0.00001, "<0.1%"],
    [0, "0%"],
    [0.123, "12.3%"],
  ])("a share of %d reads %s", (share, text) => {
    expect(shareText(share)).toBe(text);
  });
});

describe("a key in the grid of values", () => {
  const grid = new Grid(100, 50);
  const screen = { row: 20, column: 5, rows: 10, columns: 4 };
  const at = (row: number, column: number) => ({ row, column, fromRow: row, fromColumn: column });
  const keys = { shiftKey: false, ctrlKey: false, metaKey: false };

  test.each([
    ["ArrowDown", {}, at(31, 9)],
    ["ArrowUp", {}, at(29, 9)],
    ["ArrowRight", {}, at(30, 10)],
    ["ArrowDown", { ctrlKey: true }, at(99, 9)],
    ["ArrowLeft", { metaKey: true }, at(30, 0)],
    ["PageDown", {}, at(40, 9)],
    ["PageUp", {}, at(20, 9)],
    ["Home", {}, at(30, 0)],
    ["End", { ctrlKey: true }, at(99, 49)],
    ["ArrowDown", { shiftKey: true }, { fromRow: 30, fromColumn: 9, row: 31, column: 9 }],
  ])("%s with %o moves the selection", (key, held, expected) => {
    expect(selectionAfter({ ...keys, ...held, key }, at(30, 9), grid, screen)).toEqual(expected);
  });

  test("never leads out of the grid", () => {
    expect(selectionAfter({ ...keys, key: "ArrowUp" }, at(0, 0), grid, screen)).toEqual(at(0, 0));
    expect(selectionAfter({ ...keys, key: "PageDown" }, at(99, 49), grid, screen)).toEqual(at(99, 49));
  });

  test("selects the first cell in sight where none is selected, and of others nothing", () => {
    expect(selectionAfter({ ...keys, key: "ArrowDown" }, undefined, grid, screen)).toEqual(at(20, 5));
    expect(selectionAfter({ ...keys, key: "x" }, at(1, 1), grid, screen)).toBeUndefined();
  });

  test("brings the cell into sight, and scrolls no further", () => {
    const seen = { top: 20 * 20, left: 0, width: 84 + 4 * 104, height: 22 + 10 * 20 };
    expect(brought(grid, seen, 25, 2)).toEqual({ top: 400, left: 0 });
    expect(brought(grid, seen, 30, 4)).toEqual({ top: 21 * 20, left: 104 });
    expect(brought(grid, seen, 3, 0)).toEqual({ top: 60, left: 0 });
  });
});

describe("pictures that are compared", () => {
  test.each([
    [{}, true],
    [{ window: [0, 2, 0, 2] as Picture["window"], tile: [2, 2] as Picture["tile"] }, true],
    [{ index: [1] }, false],
    [{ shape: [4, 7] }, false],
    [{ dims: [1, 0] }, false],
  ])("stand side by side where both show the same dimensions: %j", (more, expected) => {
    expect(showsSame(picture(), picture(more))).toBe(expected);
  });

  test("have one colour for each label of both, and none where one shows numbers", () => {
    expect(
      commonLabels(
        [
          [3, 7],
          [1, 2],
        ],
        [
          [1, 9],
          [2, 4],
        ],
      ),
    ).toEqual([
      [1, 2],
      [2, 0],
      [3, 7],
    ]);
    expect(commonLabels([[1, 2]], undefined)).toBeUndefined();
  });

  test.each([
    [[0, 0, 5], 0, 5],
    [[3, 4], 0, 4],
    [[0, 0], 0, 1],
    [[Number.NaN], 0, 1],
  ])("have differences from 0 on: %j", (values, low, high) => {
    const scale = errorScaleOf([Float64Array.from(values)], "linear");
    expect([scale?.low, scale?.high]).toEqual([low, high]);
    expect(colourOf(scale!, 0)).toEqual(SEQUENTIAL[0]);
  });

  test("show one difference that is far larger than all others", () => {
    const many = Float64Array.from({ length: 1000 }, (_, at) => (at === 7 ? 1000 : 1));
    expect(colourOf(errorScaleOf([many], "linear")!, 1000)).toEqual(SEQUENTIAL.at(-1));
  });
});

describe("how a value is looked at", () => {
  const said = (heard: number | undefined, look: Looks["now"]) => ({
    type: "subject" as const,
    look,
    ...(heard === undefined ? {} : { heard }),
    locked: false,
    refresh: "all" as const,
    compared: NOTHING_COMPARED,
  });

  test("stays as the user has it where the extension had not heard of that when it said something", () => {
    const looks = new Looks();
    const [first, second] = [looks.change({ index: [1] }), looks.change({ index: undefined, robust: true })];
    expect([first, second]).toEqual([
      { type: "look", number: 1, look: { index: [1] } },
      { type: "look", number: 2, look: { robust: true } },
    ]);
    for (const heard of [0, 1]) expect(looks.hear(said(heard, { index: [1] })).look).toEqual({ robust: true });
    expect(looks.hear(said(2, {})).look, "of a value with other dimensions").toEqual({});
    expect(looks.now).toEqual({});
  });

  test("is taken from the extension by a page that is made anew, whose next look counts", () => {
    const looks = new Looks();
    expect(looks.hear(said(7, { index: [1] })).look).toEqual({ index: [1] });
    expect(looks.change({ image: true })).toEqual({ type: "look", number: 8, look: { index: [1], image: true } });
  });

  test("is the extension's again in a page that was not heard because another was in sight", () => {
    const looks = new Looks();
    looks.change({ index: [1] });
    looks.hear(said(undefined, {}));
    expect(looks.hear(said(0, { index: [2] })).look).toEqual({ index: [2] });
  });
});

describe("numbers that were asked for", () => {
  const shown = picture();

  test("are waited for, longer each time that they do not come, and then asked for again", () => {
    const asked = new Asked();
    expect(asked.wait(shown, [0, 2, 0, 2], 5)).toBe(0);
    asked.note(shown, [0, 4, 0, 2], 5);
    expect(asked.wait(shown, [1, 2, 0, 2], 6), "a part of them").toBe(PATIENCE_MS - 1);
    expect(asked.wait(shown, [1, 2, 0, 3], 6), "others").toBe(0);
    expect(asked.wait(picture(), [1, 2, 0, 2], 6), "those of another picture").toBe(0);
    const late = 5 + PATIENCE_MS;
    expect(asked.wait(shown, [1, 2, 0, 2], late)).toBe(0);
    asked.note(shown, [0, 4, 0, 2], late);
    expect(asked.wait(shown, [1, 2, 0, 2], late)).toBe(2 * PATIENCE_MS);
    asked.note(shown, [2, 4, 0, 6], late);
    expect(asked.wait(shown, [2, 3, 0, 6], late), "others, from the beginning").toBe(PATIENCE_MS);
  });
});
