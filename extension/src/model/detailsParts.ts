import * as l10n from "@vscode/l10n";
import type {
  DetailsComparison,
  DetailsDistribution,
  DetailsExtremes,
  DetailsFarthest,
  DetailsFound,
  DetailsPicture,
  DetailsPlane,
  DetailsTable,
  DetailsValues,
  Facts,
  Finding,
} from "../protocol/generated.ts";
import type {
  Comparison,
  Distribution,
  ElementWindow,
  Extremes,
  Farthest,
  Picture,
  Plane,
  ShownDetails,
  ShownFacts,
  ShownTable,
} from "../protocol/page.ts";
import { factRows, partNames, statisticRows, statisticsNotes } from "./card.ts";
import type { Failure } from "./failure.ts";
import { titleOf } from "./findingText.ts";
import { numberOf } from "./measurements.ts";
import { sent } from "./tables/table.ts";

/** What the page shows of an answer, with the findings about the value. */
export function detailsOf(found: DetailsFound, findings: readonly Finding[]): ShownDetails {
  const { line = "", facts, distribution, gradient, picture, values, extremes, table, missing } = found;
  const { comparison, other, error_map } = found;
  return {
    ...(facts === undefined ? {} : { facts: factsOf(line, facts, findings) }),
    ...(distribution === undefined ? {} : { distribution: distributionOf(distribution) }),
    ...(gradient === undefined ? {} : { gradient: distributionOf(gradient) }),
    ...(picture === undefined ? {} : { picture: pictureOf(picture) }),
    ...(values === undefined ? {} : { values: valuesOf(values) }),
    ...(extremes === undefined ? {} : { extremes: extremesOf(extremes) }),
    ...(table === undefined ? {} : { table: tableOf(table) }),
    ...(comparison === undefined ? {} : { comparison: comparisonOf(comparison) }),
    ...(other === undefined ? {} : { other: pictureOf(other) }),
    ...(error_map === undefined ? {} : { error_map: pictureOf(error_map) }),
    ...(missing === undefined ? {} : { missing }),
  };
}

function factsOf(line: string, facts: Facts, findings: readonly Finding[]): ShownFacts {
  const { texts, notes = [], first_nan: nan, first_inf: inf } = facts;
  const statistics = statisticRows(texts?.statistics ?? [], texts?.read === undefined);
  return {
    line,
    rows: factRows(facts),
    statistics,
    parts: statistics.some((row) => row.length > 2) ? partNames() : [],
    notes: [...statisticsNotes(facts), ...notes],
    ...(nan === undefined ? {} : { first_nan: nan.map(numberOf) }),
    ...(inf === undefined ? {} : { first_inf: inf.map(numberOf) }),
    findings: shownFindings(findings),
  };
}

export function shownFindings(findings: readonly Finding[]): ShownFacts["findings"] {
  return findings.map((finding) => {
    const { severity, why, suggestion } = finding;
    return { severity, title: titleOf(finding), why, suggestion };
  });
}

/** Why a value is not shown; of what has to be run, what to do. */
export function reasonFor(name: string, { code, message }: Failure): string {
  if (code !== "not_static") return message;
  return l10n.t(
    "“{0}” has to be run to be read. Pin it (Summarize Expression), then show the details of its row.",
    name,
  );
}

/** The same of a value to compare with. */
export function reasonForOther(name: string, { code, message }: Failure): string {
  if (code !== "not_static") return message;
  return l10n.t("“{0}” has to be run to be read. Pin it (Summarize Expression), then compare with it again.", name);
}

function distributionOf({ histogram, quantiles, ...counts }: DetailsDistribution): Distribution {
  const { exact, magnitudes, ...others } = counts;
  const numbers = Object.fromEntries(Object.entries(others).map(([name, count]) => [name, numberOf(count)])) as Omit<
    Distribution,
    "edges" | "counts" | "quantiles" | "exact" | "magnitudes"
  >;
  return {
    ...numbers,
    ...(magnitudes === undefined ? {} : { magnitudes }),
    exact,
    edges: histogram.edges.map(numberOf),
    counts: histogram.counts.map(numberOf),
    quantiles: quantiles.at.map((share, at) => {
      const value = quantiles.values[at] ?? null;
      return [share, value === null ? null : numberOf(value)];
    }),
  };
}

function pictureOf({ names, labels, planes, ...rest }: DetailsPicture): Picture {
  const { shape, window, tile, tiles, offset, factor } = rest;
  return {
    ...rest,
    shape: shape.map(numberOf),
    window: window.map(numberOf) as ElementWindow,
    tile: tile.map(numberOf) as [number, number],
    tiles: [...tiles] as [number, number],
    offset: numberOf(offset),
    factor: numberOf(factor),
    planes: planes.map(planeOf),
    ...(names === undefined ? {} : { names }),
    ...(labels === undefined ? {} : { labels: labels.map((one) => one.map(numberOf) as [number, number]) }),
  };
}

function planeOf({ index, values, highs, phase, marks, nan, pos_inf, neg_inf, masked, min, max }: DetailsPlane): Plane {
  return {
    index,
    values: bufferOf(values),
    ...(highs === undefined ? {} : { highs: bufferOf(highs) }),
    ...(phase === undefined ? {} : { phase: bufferOf(phase) }),
    marks: bufferOf(marks),
    nan: numberOf(nan),
    pos_inf: numberOf(pos_inf),
    neg_inf: numberOf(neg_inf),
    ...(masked === undefined ? {} : { masked: numberOf(masked) }),
    min: min === null ? null : numberOf(min),
    max: max === null ? null : numberOf(max),
  };
}

function valuesOf({ shape, window, ...rest }: DetailsValues): NonNullable<ShownDetails["values"]> {
  return { ...rest, shape: shape.map(numberOf), window: window.map(numberOf) as ElementWindow };
}

function extremesOf({ min, max }: DetailsExtremes): Extremes {
  return {
    ...(min === undefined ? {} : { min: min.map(numberOf) }),
    ...(max === undefined ? {} : { max: max.map(numberOf) }),
  };
}

function tableOf({ shape, window, labels, names, dtypes, columns }: DetailsTable): ShownTable {
  const [rows = 0, across = 0] = shape.map(numberOf);
  return {
    shape: [rows, across],
    window: window.map(numberOf) as ElementWindow,
    labels,
    columns: columns.map(({ texts, numbers }, at) => ({
      name: names[at] ?? "",
      dtype: dtypes[at] ?? "",
      texts,
      ...(numbers === undefined ? {} : { numbers: numbers.map((one) => (one === null ? null : sent(numberOf(one)))) }),
    })),
  };
}

function comparisonOf({ a, b, elements, reason }: DetailsComparison): Comparison {
  return {
    a: sideOf(a),
    b: sideOf(b),
    ...(elements === undefined ? {} : { elements: closenessOf(elements) }),
    ...(reason === undefined ? {} : { reason }),
  };
}

function sideOf({ shape, ...rest }: DetailsComparison["a"]): Comparison["a"] {
  return { ...rest, ...(shape === undefined ? {} : { shape: shape.map(sizeOf) }) };
}

/** A size, or what stands for different ones; one beyond what JSON holds is a text too. */
function sizeOf(size: number | string): number | string {
  return typeof size === "string" && size.startsWith("#") ? numberOf(size) : size;
}

function closenessOf(elements: NonNullable<DetailsComparison["elements"]>): NonNullable<Comparison["elements"]> {
  const { complete, close, equal_nan, max_abs, max_relative, max_ulps, ...counts } = elements;
  const numbers = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, numberOf(count)])) as Record<
    keyof typeof counts,
    number
  >;
  return {
    ...numbers,
    complete,
    close,
    equal_nan,
    ...(max_abs === undefined ? {} : { max_abs: farthestOf(max_abs) }),
    ...(max_relative === undefined ? {} : { max_relative: farthestOf(max_relative) }),
    ...(max_ulps === undefined ? {} : { max_ulps: farthestOf(max_ulps) }),
  };
}

function farthestOf({ by, at, a, b }: DetailsFarthest): Farthest {
  return { by: numberOf(by), at: at.map(numberOf), a, b };
}

/** What stands in base64, in a buffer of its own: one of Node's may be part of a larger one. */
function bufferOf(base64: string): ArrayBuffer {
  const bytes = Buffer.from(base64, "base64");
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}
