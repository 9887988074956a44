import type { Picture } from "../../src/protocol/page.ts";
import { type ColourScale, colourScaleOf, type Stretch } from "./colourScale.ts";

/** What stands beside a picture: the same excerpt of another value, and of the differences. */
export interface ComparedPictures {
  readonly other: Picture;
  readonly errors: Picture;
  /** Of the value, and of the other. */
  readonly names: readonly [string, string];
}

/** Whether both show the same dimensions of values of one shape: one may be from before. */
export function showsSame(one: Picture, other: Picture): boolean {
  const [mine, theirs] = [one, other].map(({ shape, dims, facets, index }) =>
    JSON.stringify([shape, dims, facets, index]),
  );
  return mine === theirs;
}

/** The categories of two pictures, which have one colour in both; none where one of them shows numbers. */
export function commonLabels(one: Picture["labels"], other: Picture["labels"]): Picture["labels"] {
  if (one === undefined || other === undefined) return undefined;
  const counts = new Map([...other.map(([label]) => [label, 0] as const), ...one]);
  return [...counts].map(([label, count]): [number, number] => [label, count]).toSorted(([a], [b]) => a - b);
}

/** The scale of differences: from 0 on, and no difference is clipped. */
export function errorScaleOf(values: readonly Float64Array[], stretch: Stretch): ColourScale | undefined {
  const differs = values.some((some) => some.some((value) => value > 0));
  return colourScaleOf([...values, Float64Array.of(0, differs ? 0 : 1)], { stretch, clip: 0 });
}
