import * as l10n from "@vscode/l10n";
import type { Badge, Finding, Node, NodeKind } from "../protocol/generated.ts";
import type { Contents, SnapshotNode } from "./contents.ts";
import type { Expansion } from "./expansion.ts";
import type { History } from "./history.ts";
import type { Pin, Pins } from "./pins.ts";
import type { Question, Questions } from "./questions.ts";
import { isStatic } from "./python.ts";
import { idOf, isOfVariables, type RowPath } from "./rowPath.ts";
import type { ConditionalWatched, UserWatchpoint, Watchpoints } from "./watchpoints.ts";
import { isValueLens, type ValueLens } from "./valueLenses.ts";
import { joined } from "./words.ts";

/** How loud a row is. Its words say the same: colour is never alone. */
export type Tone = "alarm" | "warning" | "quiet";

/** A row of the tree, as plain data. */
export interface Row {
  readonly id: string;
  readonly path: RowPath;
  readonly parent: Row | undefined;
  /** The contents that it was made from: one tree shows one frame at one stop. */
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
  readonly value?: SnapshotNode;
  /** The expression that reaches the value. */
  readonly expression?: string;
  readonly pin?: Pin;
  /** The question whose answer it shows. */
  readonly question?: Question;
  readonly watchpoint?: UserWatchpoint;
  /** The expression whose numbers are kept from stop to stop, and shown below. */
  readonly recorded?: string;
  /** What stops the program in its next run where the row's history was not finite first. */
  readonly breaksNext?: ConditionalWatched;
  /** What is copied instead of its line and those below. */
  readonly text?: string;
  /** The finding that it shows. */
  readonly finding?: Finding;
  /** The findings that dismissing it dismisses: its own, or all that it counts. */
  readonly findings?: readonly Finding[];
  /** The rows below it that are only words, where it has no value. */
  readonly notes?: readonly Note[];
  /** The line of the program that it is about. */
  readonly source?: NonNullable<Finding["source"]>;
  /** Set for a paging row: where the next page starts and how long it is. */
  readonly next?: { readonly start: number; readonly count: number };
}

/** The words of a row that has no value. */
export interface Note {
  readonly label: string;
  readonly text: string;
}

export type Action =
  | "copySummary"
  | "copyExpression"
  | "pin"
  | "remove"
  | "compare"
  | "keep"
  | "export"
  | "cancel"
  | "evaluateAgain"
  | "dismiss"
  | "dismissAll"
  | "goToLine"
  | "checkStep"
  | "checkByRunning"
  | "sortLayers"
  | "openAsTable"
  | "openAsGraph"
  | "copyReport"
  | "breakWhen"
  | "breakNextTime"
  | "breakAtNan"
  | "editWatchpoint"
  | "exportHistory"
  | "record"
  | "stopRecording"
  | "enable"
  | "disable"
  | ValueLens;

/** What all rows of one tree are made of. */
export interface Scene {
  readonly contents: Contents;
  readonly pins: Pins;
  readonly questions: Questions;
  readonly watchpoints: Watchpoints;
  readonly history: History;
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
  finding: "info",
  evidence: "eye",
  advice: "lightbulb",
  error: "error",
};

/** Badges that are loud: the row's words say them by themselves, a screen reader says them first. */
const BADGES: Partial<Record<Badge, { readonly tone: Tone; readonly words: () => string }>> = {
  nan: { tone: "alarm", words: () => l10n.t("NaN") },
  inf: { tone: "alarm", words: () => l10n.t("Inf") },
  freed: { tone: "alarm", words: () => l10n.t("storage freed") },
  error: { tone: "alarm", words: () => l10n.t("error") },
  differs: { tone: "alarm", words: () => l10n.t("differs") },
  wrong: { tone: "alarm", words: () => l10n.t("error") },
  doubtful: { tone: "warning", words: () => l10n.t("warning") },
  zeros: { tone: "warning", words: () => l10n.t("all zeros") },
  constant: { tone: "warning", words: () => l10n.t("constant") },
  no_grad: { tone: "warning", words: () => l10n.t("no grad") },
};

/** The lens `export` says of each value which formats hold it. */
const EXPORTABLE: ReadonlySet<NodeKind> = new Set(["tensor", "array", "module", "mapping", "sequence"]);
/** Kinds of values of which a copy tells later what was changed in them. */
const KEEPABLE: ReadonlySet<NodeKind> = new Set(["tensor", "array", "module", "mapping", "sequence", "set", "object"]);

/** Kinds whose line does not begin with the class. */
const CLASS_UNSAID: ReadonlySet<NodeKind> = new Set(["tensor", "array", "number", "string", "error"]);

export function valueRow(
  scene: Scene,
  parent: Row | undefined,
  path: RowPath,
  value: SnapshotNode,
  label: string,
): Row {
  const { node } = value;
  const line = node.lazy === true ? l10n.t("property · click to read") : node.line;
  const expandable = node.children !== undefined;
  const can: Action[] = ["copySummary"];
  const changed = scene.contents.hasChanged(idOf(path), comparedText(path, node));
  if (node.path !== undefined) can.push("copyExpression", "pin");
  if (isValue(node)) can.push("compare", ...copiesOf(node));
  if (isValue(node)) can.push(...watchesOf(node), ...lensesOf(node));
  return {
    // VS Code keeps a row open by its id, and asks for its children: the property `loss`, opened at one stop, would be run
    // unasked at the next, so a lazy row has another id then.
    id: node.lazy === true ? `${idOf(path)} ${value.snapshot}` : idOf(path),
    path,
    parent,
    contents: scene.contents,
    label,
    name: node.name,
    description: withMark(node, node.lazy === true ? line : (node.short ?? line)),
    summary: withMark(node, line),
    icon: iconOf(node),
    tone: toneOf(node),
    expandable,
    open: expandable && node.lazy !== true && scene.expansion.isOpen(path),
    changed,
    speech: speechOf(node, line, changed),
    can: node.kind === "group" ? [] : can,
    value,
    ...(node.path === undefined ? {} : { expression: node.path }),
  };
}

/**
 * The text of a row by which it is compared with the last stop, to mark it as changed; undefined where not all was read,
 * since the available time differs from stop to stop. The numbers of answers and findings change at every stop, so for
 * these only their kind counts, as a gradient that was None and is not any more.
 */
export function comparedText(path: RowPath, { line, lazy, badges = [] }: Node): string | undefined {
  if (lazy === true || badges.some((badge) => badge === "sampled" || badge === "unread")) return undefined;
  return isOfVariables(path) ? line : badges.toSorted().join(" ");
}

/** A row whose value may be out of date. */
export function oldRow(row: Row): Row {
  const old = l10n.t("from before the last change or run");
  return {
    ...row,
    description: `${row.description} · ${old}`,
    summary: `${row.summary} · ${old}`,
    tone: row.tone ?? "quiet",
    speech: `${row.speech}, ${old}`,
  };
}

/** The row that tells why what is below its parent could not be had. */
export function errorRow(scene: Scene, parent: Row, text: string): Row {
  return { ...bareRow(scene, parent, parent.path, text, "error"), icon: "error", tone: "alarm" };
}

/**
 * A row that has a label and no value, but for its icon. One without a path of its own takes that of another row, and a
 * `suffix` that tells the two apart.
 */
export function bareRow(scene: Scene, parent: Row | undefined, path: RowPath, label: string, suffix = "") {
  const id = `${idOf(path)} ${suffix}`.trimEnd();
  const nothing = {
    description: "",
    summary: "",
    tone: undefined,
    expandable: false,
    open: false,
    changed: false,
    can: [],
  };
  return { id, path, parent, contents: scene.contents, label, name: label, speech: label, ...nothing };
}

/** How the menu of a value offers to stop the program: a list that holds NaN tells what happened before. */
export function watchesOf({ path, kind, watched_as: watchedAs, badges = [] }: Node): Action[] {
  const isLate = kind === "sequence" && badges.some((badge) => badge === "nan" || badge === "inf");
  if (isLate) return ["breakNextTime"];
  return watchedAs !== undefined && path !== undefined && isStatic(path) ? ["breakWhen"] : [];
}

/** The lenses that the menu of a value offers. */
export function lensesOf({ lenses = [] }: Node): ValueLens[] {
  return lenses.filter(isValueLens);
}

/** Whether a copy of it can be kept, to be compared at a later stop. */
function isKeepable({ kind, path }: Node): boolean {
  return path !== undefined && KEEPABLE.has(kind);
}

/** What copies a value: into the program's memory, into a file. */
export function copiesOf(node: Node): Action[] {
  return [
    ...(isKeepable(node) ? (["keep"] as const) : []),
    ...(EXPORTABLE.has(node.kind) ? (["export"] as const) : []),
  ];
}

/** Whether a value of the program stands behind it, which was read. */
function isValue({ type, lazy }: Node): boolean {
  return type !== "" && lazy !== true;
}

/** The icon; a finding's shows how severe it is. */
function iconOf({ kind, badges = [] }: Node): string {
  if (kind === "finding" && badges.includes("wrong")) return "error";
  return kind === "finding" && badges.includes("doubtful") ? "warning" : ICONS[kind];
}

function toneOf(node: Node): Tone | undefined {
  const tones = new Set((node.badges ?? []).map((badge) => BADGES[badge]?.tone));
  if (node.kind === "error" || tones.has("alarm")) return "alarm";
  return tones.has("warning") ? "warning" : undefined;
}

/** The line with its mark: a cycle is important and comes first, another name of the value comes last. */
function withMark({ mark }: Node, line: string): string {
  if (mark === undefined) return line;
  return mark.kind === "cycle" ? joined(" · ", `↻ ${mark.path}`, line) : joined(" · ", line, `≡ ${mark.path}`);
}

/** What a screen reader says of a value's badges. */
export function loudWords({ badges = [] }: Node): string[] {
  return badges.flatMap((badge) => BADGES[badge]?.words() ?? []);
}

function speechOf(node: Node, text: string, changed: boolean): string {
  const { name, kind, type, mark } = node;
  const ofClass = CLASS_UNSAID.has(kind) ? type : "";
  const parts = [name, changed ? l10n.t("changed") : "", ...loudWords(node), ofClass, text];
  if (mark?.kind === "cycle") parts.push(l10n.t("contains itself, see {0}", mark.path));
  if (mark?.kind === "shared") parts.push(l10n.t("same as {0}", mark.path));
  return joined(", ", ...parts);
}
