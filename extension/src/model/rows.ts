import * as l10n from "@vscode/l10n";
import type { Frame } from "../debug/activeFrame.ts";
import type { Badge, Node, NodeKind, Page } from "../protocol/generated.ts";
import type { Contents, Known } from "./contents.ts";
import type { Expansion, RowPath } from "./expansion.ts";
import type { Failure } from "./failure.ts";
import { formatNumber } from "./numbers.ts";
import { pinName, type Pin, type Pins } from "./pins.ts";
import { middle, namesApart } from "./words.ts";

/** How loud a row is. Its words say the same: colour is never alone. */
export type Tone = "alarm" | "warning" | "quiet";

/** A row of the tree, as plain data. */
export interface Row {
  readonly id: string;
  readonly path: RowPath;
  readonly parent: Row | undefined;
  /** What it was made from: one tree shows one frame at one stop. */
  readonly contents: Contents;
  /** As it is shown: a long name is shortened. */
  readonly label: string;
  readonly name: string;
  /** What there is room for, loud first. */
  readonly description: string;
  /** The whole line. */
  readonly summary: string;
  readonly icon: string;
  readonly tone: Tone | undefined;
  readonly expandable: boolean;
  readonly open: boolean;
  /** Its value says something else than at the last stop in this function. */
  readonly changed: boolean;
  /** What a screen reader says. */
  readonly speech: string;
  /** What can be done with it, as words for the manifest's `viewItem =~ …`. */
  readonly can: readonly Action[];
  /** The value behind it. */
  readonly known?: Known;
  /** The expression that reaches the value. */
  readonly expression?: string;
  readonly pin?: Pin;
  /** Set for a paging row: where the next page starts and how long it is. */
  readonly next?: { readonly start: number; readonly count: number };
}

export type Action = "copySummary" | "copyExpression" | "pin" | "unpin" | "evaluateAgain" | "nextPage";

/** What all rows of one tree are made of. */
export interface Source {
  readonly contents: Contents;
  readonly pins: Pins;
  readonly expansion: Expansion;
  readonly pageSize: number;
}

const ICONS: Record<NodeKind, string> = {
  tensor: "symbol-array",
  array: "symbol-array",
  module: "layers",
  graph: "type-hierarchy-sub",
  mapping: "symbol-namespace",
  sequence: "list-ordered",
  set: "symbol-enum",
  object: "symbol-misc",
  number: "symbol-number",
  string: "symbol-string",
  none: "circle-slash",
  callable: "symbol-method",
  class: "symbol-class",
  package: "package",
  group: "folder",
  property: "symbol-property",
  comparison: "diff",
  difference: "diff-modified",
  error: "error",
};

/** Badges that are loud: the row's words say them by themselves, a screen reader says them first. */
const BADGES: Partial<Record<Badge, { readonly tone: Tone; readonly words: () => string }>> = {
  nan: { tone: "alarm", words: () => l10n.t("NaN") },
  inf: { tone: "alarm", words: () => l10n.t("Inf") },
  freed: { tone: "alarm", words: () => l10n.t("storage freed") },
  error: { tone: "alarm", words: () => l10n.t("error") },
  differs: { tone: "alarm", words: () => l10n.t("differs") },
  zeros: { tone: "warning", words: () => l10n.t("all zeros") },
  constant: { tone: "warning", words: () => l10n.t("constant") },
  no_grad: { tone: "warning", words: () => l10n.t("no grad") },
};

/** Characters of a name at most: the summaries need the room. */
const LABEL = 24;

/** The frame's rows: pins first, then what the helper put in order. */
export function rootRows(source: Source): Row[] {
  const { contents, pins } = source;
  const path = framePath(contents.frame);
  const { snapshot } = contents.answer;
  const rows = named(contents.rootPage.nodes).map(([name, node, label]) =>
    valueRow(source, undefined, below(path, name), { node, snapshot }, label),
  );
  const more = moreRow(source, undefined, path, contents.rootPage);
  return [...pins.all.map((pin) => pinRow(source, pin)), ...rows, ...more];
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

export function framePath({ place }: Frame): RowPath {
  return { root: `frame ${place}`, names: [] };
}

export function pinPath(expression: string): RowPath {
  return { root: `pin ${expression}`, names: [] };
}

function below(path: RowPath, name: string): RowPath {
  return { root: path.root, names: [...path.names, name] };
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

function idOf({ root, names }: RowPath): string {
  return JSON.stringify([root, ...names]);
}

function valueRow(source: Source, parent: Row | undefined, path: RowPath, known: Known, label: string): Row {
  const { node } = known;
  const line = node.lazy === true ? l10n.t("property · click to read") : node.line;
  const expandable = node.children !== undefined;
  const can: Action[] = ["copySummary"];
  const changed = source.contents.hasChanged(idOf(path), node);
  if (node.path !== undefined) can.push("copyExpression", "pin");
  return {
    // An open row stays open by its id. A lazy one must not: the next answer would run its property unasked.
    id: node.lazy === true ? `${idOf(path)} ${known.snapshot}` : idOf(path),
    path,
    parent,
    contents: source.contents,
    label,
    name: node.name,
    description: withMark(node, node.lazy === true ? line : (node.short ?? line)),
    summary: withMark(node, line),
    icon: ICONS[node.kind],
    tone: toneOf(node),
    expandable,
    open: expandable && node.lazy !== true && source.expansion.isOpen(path),
    changed,
    speech: speechOf(node, line, changed),
    can: node.kind === "group" ? [] : can,
    known,
    ...(node.path === undefined ? {} : { expression: node.path }),
  };
}

/** A pin's row, which says so where its value is from before something that may have changed it. */
function pinRow(source: Source, pin: Pin): Row {
  const row = resultRow(source, pin);
  if (!source.contents.isOld(pin.expression)) return row;
  const old = l10n.t("from before the last change or run");
  return {
    ...row,
    description: `${row.description} · ${old}`,
    summary: `${row.summary} · ${old}`,
    tone: row.tone ?? "quiet",
    speech: `${row.speech}, ${old}`,
  };
}

function resultRow(source: Source, pin: Pin): Row {
  const { expression } = pin;
  const path = pinPath(expression);
  const answer = source.contents.pin(expression);
  const result = source.contents.result(expression);
  const rerun: Action[] = pin.static && !source.contents.mustRun(expression) ? [] : ["evaluateAgain"];
  const own = {
    path,
    id: idOf(path),
    parent: undefined,
    contents: source.contents,
    icon: "pinned",
    pin,
    label: middle(pinName(expression), LABEL),
    name: pinName(expression),
  };
  if (result !== undefined && result !== "running" && "node" in result) {
    const row = valueRow(source, undefined, path, { node: result.node, snapshot: result.snapshot }, own.label);
    return { ...row, ...own, expression, can: ["copySummary", "copyExpression", "unpin", ...rerun] };
  }
  if (result === undefined && answer?.node !== undefined) {
    const known = { node: answer.node, snapshot: source.contents.answer.snapshot };
    const row = valueRow(source, undefined, path, known, own.label);
    return { ...row, ...own, expression, can: ["copySummary", "copyExpression", "unpin", ...rerun] };
  }
  const [description, tone] = pinText(source, pin, result ?? answer?.error);
  // VS Code opens no row that it has shown as one without children.
  const open = result === "running" && source.expansion.isOpen(path);
  return {
    ...own,
    description,
    summary: description,
    tone,
    expandable: open,
    open,
    changed: false,
    speech: `${own.name}, ${description}`,
    can: ["copyExpression", "unpin", ...rerun],
    expression,
  };
}

/** What a pin without a value says. */
function pinText({ pins, contents }: Source, pin: Pin, state: Failure | "running" | undefined): [string, Tone] {
  if (state === "running") return [l10n.t("running…"), "quiet"];
  if (state?.code === "not_found") return [l10n.t("not in this frame"), "quiet"];
  if (state !== undefined && state.code !== "not_static") return [state.message, "alarm"];
  if (state === undefined && pin.static) return [l10n.t("reading…"), "quiet"];
  const line = pins.lastLine(pin.expression, contents.frame.session);
  return [line === undefined ? l10n.t("not evaluated yet") : `${line} · ${l10n.t("from an earlier stop")}`, "quiet"];
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
  if (left === undefined) return l10n.t("next {0}", formatNumber(count));
  if (count === left) return l10n.t("{0} more", formatNumber(left));
  return l10n.t("next {0} of {1}", formatNumber(count), formatNumber(left));
}

function textRow(source: Source, parent: Row, text: string): Row {
  return { ...plain(source, parent, parent.path, text, "error"), icon: "error", tone: "alarm" };
}

function plain(source: Source, parent: Row | undefined, path: RowPath, label: string, suffix: string) {
  const id = `${idOf(path)} ${suffix}`;
  const nothing = {
    description: "",
    summary: "",
    tone: undefined,
    expandable: false,
    open: false,
    changed: false,
    can: [],
  };
  return { id, path, parent, contents: source.contents, label, name: label, speech: label, ...nothing };
}

function toneOf(node: Node): Tone | undefined {
  const tones = new Set((node.badges ?? []).map((badge) => BADGES[badge]?.tone));
  if (node.kind === "error" || tones.has("alarm")) return "alarm";
  return tones.has("warning") ? "warning" : undefined;
}

/** A cycle is loud, so it is said first; that the value has another name too comes last. */
function withMark({ mark }: Node, line: string): string {
  const parts = [mark?.kind === "cycle" ? `↻ ${mark.path}` : "", line, mark?.kind === "shared" ? `≡ ${mark.path}` : ""];
  return parts.filter((part) => part !== "").join(" · ");
}

function speechOf({ name, type, line, mark, badges = [] }: Node, text: string, changed: boolean): string {
  const loud = badges.map((badge) => BADGES[badge]?.words() ?? "");
  const parts = [name, changed ? l10n.t("changed") : "", ...loud, line.startsWith(type) ? "" : type, text];
  if (mark?.kind === "cycle") parts.push(l10n.t("contains itself, see {0}", mark.path));
  if (mark?.kind === "shared") parts.push(l10n.t("same as {0}", mark.path));
  return parts.filter((part) => part !== "").join(", ");
}
