import * as l10n from "@vscode/l10n";
import type { Badge, Node, Page } from "../protocol/generated.ts";
import { beforeRows } from "./beforeRows.ts";
import { questionRow } from "./questionRows.ts";
import { countsObservations, findingRows, findingRowsBelow, noteRows } from "./findingRows.ts";
import { historyRow, historyRows } from "./historyRows.ts";
import { pinRow } from "./pinRows.ts";
import { isProgram, programRow, programRowsBelow } from "./programRows.ts";
import { bareRow, errorRow, type Row, type Scene, valueRow } from "./row.ts";
import { isWatchpoints, watchpointRows, watchpointsRow } from "./watchpointRows.ts";
import { childPath, framePath, type RowPath } from "./rowPath.ts";
import { countText, joined, MAX_LABEL_LENGTH, namesApart } from "./words.ts";

/** The rows of the first level: the watchpoints, what is told of the frame, and at the end the program. */
export function topRows(scene: Scene): Row[] {
  return [...watchpointsRow(scene), ...frameRows(scene), programRow(scene)];
}

/** The frame's rows: what is wrong first, then pins and answers, then what the helper put in order. */
export function frameRows(scene: Scene): Row[] {
  const { contents, pins, questions } = scene;
  const rows = pageRows(scene, undefined, framePath(contents.frame), contents.rootPage, contents.answer.snapshot);
  const answers = questions.all.map((question) => questionRow(scene, question));
  return [...findingRows(scene), ...pins.all.map((pin) => pinRow(scene, pin)), ...answers, ...rows];
}

/** The rows below a row, as far as they are known; undefined when they must be asked for. */
export function childRows(scene: Scene, row: Row): Row[] | undefined {
  if (isProgram(row)) return programRowsBelow(scene, row);
  if (isWatchpoints(row)) return watchpointRows(scene, row);
  const recorded = historyRows(scene, row);
  if (recorded !== undefined) return recorded;
  if (row.watchpoint !== undefined) return [...historyRow(scene, row), ...beforeRows(scene, row)];
  if (row.pin === undefined) return rowsBelowValue(scene, row);
  const below = isWithoutRows(row) ? [] : rowsBelowValue(scene, row);
  return below && [...historyRow(scene, row), ...below];
}

/** Whether nothing is to be asked below it, though it may be opened for its history. */
function isWithoutRows({ value }: Row): boolean {
  return value !== undefined && value.node.children === undefined;
}

function rowsBelowValue(scene: Scene, row: Row): Row[] | undefined {
  if (row.value === undefined) return noteRows(scene, row);
  const findings = findingRowsBelow(scene, row);
  if (findings !== undefined) return findings;
  const page = scene.contents.page(row.value);
  if (page === undefined) {
    const failure = scene.contents.failure(row.value);
    return failure === undefined ? undefined : [errorRow(scene, row, failure.message)];
  }
  return pageRows(scene, row, row.path, page, row.value.snapshot);
}

/** The rows of a page below a path, and the one that offers more. */
function pageRows(scene: Scene, parent: Row | undefined, path: RowPath, page: Page, snapshot: number): Row[] {
  const rows = siblings(page.nodes).map(([name, node, label]) =>
    valueRow(scene, parent, childPath(path, name), { node, snapshot }, label),
  );
  return [...rows, ...moreRow(scene, parent, path, page)];
}

/** All rows that are known, each level after the one above. */
export function* allRows(scene: Scene): Generator<Row> {
  let level = topRows(scene);
  while (level.length > 0) {
    yield* level;
    level = level.flatMap((row) => (row.expandable ? (childRows(scene, row) ?? []) : []));
  }
}

/** Of a frame's rows, the variables and pins whose values have one of these badges; a value that has two names counts once. */
export function rowsWith(rows: readonly Row[], ...badges: Badge[]): Row[] {
  const met = new Set<unknown>();
  return rows.filter(({ value, question }) => {
    if (question !== undefined || value?.node.badges?.some((badge) => badges.includes(badge)) !== true) return false;
    const { mark, path } = value.node;
    const identity = mark?.path ?? path ?? value;
    if (met.has(identity)) return false;
    met.add(identity);
    return true;
  });
}

/** The row of the findings; or where these are no errors, of the first value that holds NaN or Inf, if there is one. */
export function firstAlarm(scene: Scene): Row | undefined {
  const finding = findingRows(scene).find((row) => row.value !== undefined && !countsObservations(row));
  return finding?.tone === "alarm" ? finding : (rowsWith(frameRows(scene), "nan", "inf")[0] ?? finding);
}

/** The row of this id among all that are known. */
export function findRow(scene: Scene, id: string): Row | undefined {
  for (const row of allRows(scene)) if (row.id === id) return row;
  return undefined;
}

/**
 * The row at the end of a way of names below a row, or the last one on it that is there. A name may stand below a row that
 * stands for several, as layers that are alike do, or without the first dotted parts that it shares with its siblings.
 * `load` makes known what is below a row, or its next page.
 */
export async function rowBelow(
  scene: Scene,
  top: Row,
  names: readonly string[],
  load: (row: Row) => Promise<void>,
): Promise<Row> {
  let found = top;
  for (const name of names) {
    const next = await childNamed(scene, found, name, load);
    if (next === undefined) break;
    found = next;
  }
  return found;
}

/**
 * The row of an expression below others, or the last one on the way there: of `model.layers[0].weight` it may be that of
 * `model`. Undefined where there is none.
 */
export async function rowOf(
  scene: Scene,
  expression: string,
  load: (row: Row) => Promise<void>,
): Promise<Row | undefined> {
  let rows: readonly Row[] = frameRows(scene);
  let found: Row | undefined;
  for (;;) {
    const next = nextOnWay(rows, expression) ?? (found && (await insideGroups(scene, rows, expression, load)));
    if (next === undefined || next === found) return found;
    found = next;
    if (found.expression === expression) return found;
    rows = await rowsBelow(scene, found, load, (row) => leadsTo(row, expression));
  }
}

/** The row that is nearest to an expression on the way there. */
function nextOnWay(rows: readonly Row[], expression: string): Row | undefined {
  const [longest] = rows
    .filter((row) => leadsTo(row, expression))
    .toSorted((one, other) => (other.expression?.length ?? 0) - (one.expression?.length ?? 0));
  return longest;
}

async function insideGroups(
  scene: Scene,
  rows: readonly Row[],
  expression: string,
  load: (row: Row) => Promise<void>,
): Promise<Row | undefined> {
  const groups = rows.filter((row) => row.expandable && row.expression === undefined);
  for (const group of groups.slice(0, MOST_GROUPS)) {
    const inside = await rowsBelow(scene, group, load, (row) => leadsTo(row, expression));
    const one = nextOnWay(inside, expression);
    if (one !== undefined) return one;
  }
  return undefined;
}

function leadsTo({ expression: own, next }: Row, expression: string): boolean {
  if (own === undefined || next !== undefined || !expression.startsWith(own)) return false;
  return own.length === expression.length || expression[own.length] === "." || expression[own.length] === "[";
}

/** So many rows that stand for several are looked into. */
const MOST_GROUPS = 20;

async function childNamed(
  scene: Scene,
  parent: Row,
  name: string,
  load: (row: Row) => Promise<void>,
): Promise<Row | undefined> {
  const rows = await rowsBelow(scene, parent, load, (row) => row.name === name);
  const exact = rows.find((row) => row.name === name);
  if (exact !== undefined) return exact;
  const ends = rows.filter((row) => row.next === undefined && name.endsWith(`.${row.name}`));
  const [longest] = ends.toSorted((one, other) => other.name.length - one.name.length);
  if (longest !== undefined) return longest;
  const groups = rows.filter((row) => row.expandable && row.expression === undefined);
  for (const group of groups.slice(0, MOST_GROUPS)) {
    const inside = await rowsBelow(scene, group, load, () => true);
    const one = inside.find((row) => row.name === name);
    if (one !== undefined) return one;
  }
  return undefined;
}

/** The rows below a row, page after page until one of them is as wanted. */
async function rowsBelow(
  scene: Scene,
  parent: Row,
  load: (row: Row) => Promise<void>,
  isWanted: (row: Row) => boolean,
): Promise<readonly Row[]> {
  if (childRows(scene, parent) === undefined) await load(parent);
  for (let known = -1; ;) {
    const rows = childRows(scene, parent) ?? [];
    const more = rows.find(({ next }) => next !== undefined);
    const start = more?.next?.start ?? known;
    if (more === undefined || start <= known || rows.some(isWanted)) return rows; // or the next page did not come
    known = start;
    await load(more);
  }
}

/** What the rows below a row say, as far as they are known and open, indented. */
export function linesBelow(scene: Scene, row: Row, indent = "  "): string[] {
  return (childRows(scene, row) ?? []).flatMap((child) => {
    const line = indent + joined(": ", child.name, child.summary);
    return child.open ? [line, ...linesBelow(scene, child, `${indent}  `)] : [line];
  });
}

/**
 * Siblings, each with a name that no other has, and with the label that is shown. The helper gives them different names
 * already; but if two rows had one id, VS Code would show none at all.
 */
function siblings(nodes: readonly Node[]): [name: string, node: Node, label: string][] {
  const labels = namesApart(
    nodes.map(({ name }) => name),
    MAX_LABEL_LENGTH,
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
    return [name, node, node.kind === "finding" ? name : (labels[at] ?? name)];
  });
}

/** `next 100 of 99,900`, at last `50 more`, if there is more than what is shown; and why the last page ended early, if it did. */
function moreRow(scene: Scene, parent: Row | undefined, path: RowPath, page: Page): Row[] {
  const start = page.start + page.nodes.length;
  const left = page.total === null ? undefined : page.total - start;
  if (left !== undefined && left <= 0) return [];
  const count = Math.min(scene.pageSize, left ?? scene.pageSize);
  const label = moreText(count, left);
  const failure = scene.contents.failure(parent?.value);
  const description = failure?.message ?? page.cut ?? "";
  return [
    {
      ...bareRow(scene, parent, path, label, "more"),
      icon: "ellipsis",
      description,
      tone: failure === undefined ? undefined : "alarm",
      speech: joined(", ", label, description),
      next: { start, count },
      ...(parent?.value === undefined ? {} : { value: parent.value }),
    },
  ];
}

function moreText(count: number, left: number | undefined): string {
  if (left === undefined) return l10n.t("next {0}", countText(count));
  if (count === left) return l10n.t("{0} more", countText(left));
  return l10n.t("next {0} of {1}", countText(count), countText(left));
}
