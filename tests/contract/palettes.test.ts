/** The colours of pictures are the same in the page as in the helper, which wrote `palettes.json`. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { DIVERGING, labelColours, NOT_FINITE, SEQUENTIAL } from "../../extension/webview/palettes.ts";

const golden = JSON.parse(readFileSync(path.join(import.meta.dirname, "palettes.json"), "utf8")) as Record<
  string,
  unknown
>;
const amounts = Object.keys(golden).flatMap((name) => (name.startsWith("labels ") ? [Number(name.slice(7))] : []));

describe("the colours of the page", () => {
  test.each([
    ["diverging", DIVERGING],
    ["sequential", SEQUENTIAL],
  ])("are those of the helper: %s", (name, colours) => {
    expect(colours).toEqual(golden[name]);
  });

  test.each(amounts)("are those of the helper for %i labels", (amount) => {
    expect(labelColours(amount)).toEqual(golden[`labels ${amount}`]);
  });

  test("are asked about for all that have any", () => {
    expect(amounts).toHaveLength(12);
    const own = ["diverging", "sequential", ...amounts.map((amount) => `labels ${amount}`), ...Object.keys(NOT_FINITE)];
    expect(Object.keys(golden).toSorted()).toEqual(own.toSorted());
  });

  test.each(Object.entries(NOT_FINITE))("mark what no value has by the same bits and colours: %s", (name, kind) => {
    const { bit, colour, ink } = kind;
    expect({ bit, colour, ink }).toEqual(golden[name]);
  });
});
