import * as l10n from "@vscode/l10n";
import type { Badge, Node, Page } from "../protocol/generated.ts";
import { comparisonRow } from "./comparisonRows.ts";
import type { RowPath } from "./expansion.ts";
import { pinRow } from "./pinRows.ts";
import { below, framePath, LABEL, plain, type Row, type Source, textRow, valueRow } from "./row.ts";
import { countText, namesApart } from "./words.ts";

/** The frame's rows: pins and comparisons first, then what the helper put in order. */
export function rootRows(source: Source): Row[] {
  const { contents, pins, comparisons } = source;
  const path = framePath(contents.frame);
  const { snapshot } = contents.answer;
  const rows = named(contents.rootPage.nodes).map(([name, node, label]) =>
    valueRow(source, undefined, below(path, name), { node, snapshot }, label),
  );
  const more = moreRow(source, undefined, path, contents.rootPage);
  const asked = comparisons.all.map((comparison) => comparisonRow(source, comparison));
  return [...pins.all.map((pin) => pinRow(source, pin)), ...asked, ...rows, ...more];
}

/** The rows below a row, as far as they are known; undefined when they must be asked for. */
export function childRows(source: Source, row: Row): Row[] | undefined {
  if (row.known === undefined) return [];
  const { snapshot } = row.known;
  const page = source.contents.page(row.known);
  if (page === undefined) {
    const failure = source.contents.failure(row.known);
    return failure === undefined ? undefined : [textRow(source, row, failure.message)];
  }
  const rows = named(page.nodes).map(([name, node, label]) =>
    valueRow(source, row, below(row.path, name), { node, snapshot }, label),
  );
  return [...rows, ...moreRow(source, row, row.path, page)];
}

/** All rows that are known, each level after the one above. */
export function* knownRows(source: Source): Generator<Row> {
  let level = rootRows(source);
  while (level.length > 0) {
    yield* level;
    level = level.flatMap((row) => (row.expandable ? (childRows(source, row) ?? []) : []));
  }
}

/** Those of the frame's rows, pins included, whose values have one of these badges: a value with two names once. */
export function rowsWith(source: Source, ...badges: Badge[]): Row[] {
  const met = new Set<unknown>();
  return rootRows(source).filter(({ known }) => {
    if (known?.node.badges?.some((badge) => badges.includes(badge)) !== true) return false;
    const { mark, path } = known.node;
    const value = mark?.path ?? path ?? known;
    if (met.has(value)) return false;
    met.add(value);
    return true;
  });
}

/** The first of the frame's rows whose value holds NaN or Inf. */
export function firstAlarm(source: Source): Row | undefined {
  return rowsWith(source, "nan", "inf")[0];
}

/** The row of this id among all that are known. */
export function findRow(source: Source, id: string): Row | undefined {
  for (const row of knownRows(source)) if (row.id === id) return row;
  return undefined;
}

/**
 * Siblings with names of their own, and these as they are shown. The helper sees to that they differ; but VS Code shows
 * no row at all if two have one id.
 */
function named(nodes: readonly Node[]): [name: string, node: Node, label: string][] {
  const labels = namesApart(
    nodes.map(({ name }) => name),
    LABEL,
  );
  const taken = new Set(nodes.map(({ name }) => name));
  const met = new Set<string>();
  return nodes.map((node, at) => {
    let { name } = node;
    for (let count = 2; met.has(name); count += 1) {
      const other = `${node.name} (${count})`;
      if (!taken.has(other)) name = other;
    }
    met.add(name);
    taken.add(name);
    return [name, node, labels[at] ?? name];
  });
}

/** `next 100 of 99,900`, at last `50 more`, if there is more than what is shown; and why the last page ended early, if it did. */
function moreRow(source: Source, parent: Row | undefined, path: RowPath, page: Page): Row[] {
  const start = page.start + page.nodes.length;
  const left = page.total === null ? undefined : page.total - start;
  if (left !== undefined && left <= 0) return [];
  const count = Math.min(source.pageSize, left ?? source.pageSize);
  const label = moreText(count, left);
  const failure = source.contents.failure(parent?.known);
  const description = failure?.message ?? page.cut ?? "";
  return [
    {
      ...plain(source, parent, path, label, "more"),
      icon: "ellipsis",
      description,
      tone: failure === undefined ? undefined : "alarm",
      speech: [label, description].filter((part) => part !== "").join(", "),
      can: ["nextPage"],
      next: { start, count },
      ...(parent?.known === undefined ? {} : { known: parent.known }),
    },
  ];
}

function moreText(count: number, left: number | undefined): string {
  if (left === undefined) return l10n.t("next {0}", countText(count));
  if (count === left) return l10n.t("{0} more", countText(left));
  return l10n.t("next {0} of {1}", countText(count), countText(left));
}
