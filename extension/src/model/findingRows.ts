import * as l10n from "@vscode/l10n";
import type { Finding, FindingsFound, Node } from "../protocol/generated.ts";
import type { Checked, Contents } from "./contents.ts";
import type { RowPath } from "./expansion.ts";
import { titleOf } from "./findingText.ts";
import { type Action, below, idOf, loudWords, plain, type Row, type Scene, valueRow } from "./row.ts";

/** Of the row that counts findings, and above each. */
export const FINDINGS: RowPath = { root: "findings", names: [] };

/** What was found at a stop; undefined before that is known. */
export function findingsOf({ findings }: Contents): FindingsFound | undefined {
  const found = findings?.answer.found;
  return found?.lens === "findings" ? found : undefined;
}

/** The first rows of the tree: how far a check is that was asked for, or why it failed, and what is known. */
export function findingRows(scene: Scene): Row[] {
  const { checking, findings } = scene.contents;
  const known = findings === undefined ? [] : knownRows(scene, findings);
  if (checking === undefined) return known;
  if ("progress" in checking) return [workingRow(scene, checking.progress), ...known];
  const failed = l10n.t("The step could not be checked: {0}", checking.message);
  return [sentenceRow(scene, failed, "failure"), ...known];
}

/** One finding, or several below a row that counts them; what a check that was asked for came to. */
function knownRows(scene: Scene, { answer, manner, unrun }: Checked): Row[] {
  const found = findingsOf(scene.contents);
  const { node, snapshot } = answer;
  if (found === undefined || node === undefined) return [];
  const nodes = node.page?.nodes ?? [];
  const [first] = nodes;
  const more: readonly Action[] = manner === "thorough" ? ["checkByRunning"] : [];
  const notes = unrun ? [sentenceRow(scene, l10n.t("checked again without running the models"), "unrun")] : [];
  if (first === undefined) {
    return manner === "usual" ? [] : [sentenceRow(scene, silence(found), "sentence", more), ...notes];
  }
  if (nodes.length === 1) {
    return [findingRow(scene, undefined, { node: first, snapshot }, found.findings[0], more), ...notes];
  }
  const name = findingsText(scene.contents);
  const row = valueRow(scene, undefined, FINDINGS, { node, snapshot }, name);
  const [gravest] = found.findings;
  const description = joined(gravest === undefined ? "" : inTwo(gravest)[0], first.line);
  const speech = [name, ...loudWords(first), first.name].join(", ");
  return [{ ...row, name, description, summary: "", speech, can: ["copySummary", ...more] }, ...notes];
}

/** Whether a row counts findings, which are the rows below it. */
export function isCounting({ path, known }: Row): boolean {
  return known !== undefined && idOf(path) === idOf(FINDINGS);
}

/** The rows below the row that counts them. */
export function findingRowsBelow(scene: Scene, parent: Row): Row[] | undefined {
  const found = findingsOf(scene.contents);
  if (!isCounting(parent) || parent.known === undefined) return undefined;
  const { node, snapshot } = parent.known;
  return node.page?.nodes.map((one, at) => findingRow(scene, parent, { node: one, snapshot }, found?.findings[at]));
}

function findingRow(
  scene: Scene,
  parent: Row | undefined,
  known: { readonly node: Node; readonly snapshot: number },
  finding: Finding | undefined,
  more: readonly Action[] = [],
): Row {
  const { node } = known;
  const row = valueRow(scene, parent, below(FINDINGS, node.name), known, node.name);
  const can: Action[] = ["copySummary", ...more];
  if (finding !== undefined) can.push("dismiss");
  if (finding === undefined) return { ...row, can };
  const { source } = finding;
  if (source !== null) can.push("goToLine");
  const [label, rest] = inTwo(finding);
  return {
    ...row,
    label,
    description: joined(node.line, rest),
    summary: node.line,
    can,
    finding,
    ...(source === null ? {} : { source }),
  };
}

/** A title before and after its first comma, colon or semicolon that stands in no brackets: there is little room. */
function inTwo(finding: Finding): [head: string, rest: string] {
  const { title } = finding;
  const head = /^(?:\[[^\]]*\]|\([^)]*\)|[,;:](?! )|[^,;:])*/.exec(title)?.[0] ?? title;
  return [titleOf({ ...finding, title: head }), title.slice(head.length).replace(/^[,;:] /, "")];
}

function joined(...parts: string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}

function workingRow(scene: Scene, progress: number): Row {
  const percent = Math.floor(100 * progress);
  const label = percent === 0 ? l10n.t("checking this step…") : l10n.t("checking this step… {0}%", percent);
  return {
    ...plain(scene, undefined, FINDINGS, label, "working"),
    icon: "checklist",
    tone: "quiet",
    can: ["cancelCheck"],
  };
}

function sentenceRow(scene: Scene, label: string, suffix: string, can: readonly Action[] = []): Row {
  return { ...plain(scene, undefined, FINDINGS, label, suffix), icon: "checklist", tone: "quiet", can };
}

/** `61 rules, nothing found, 4 not checked: no optimizer in sight` */
export function silence({ checked, skipped }: FindingsFound): string {
  const said = l10n.t("{0} rules, nothing found", checked.length);
  if (skipped.length === 0) return said;
  const counts = [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, all]) => ({
    reason,
    count: all.length,
  }));
  const [most] = counts.toSorted((a, b) => b.count - a.count);
  return l10n.t("{0}, {1} not checked: {2}", said, skipped.length, most?.reason ?? "");
}

/** `2 findings`, empty where there are none. */
export function findingsText(contents: Contents): string {
  const count = findingsOf(contents)?.findings.length ?? 0;
  if (count === 0) return "";
  return count === 1 ? l10n.t("1 finding") : l10n.t("{0} findings", count);
}

/** The findings that name a value by this expression, and those that follow from them. */
export function findingsAbout(contents: Contents, expression: string): Finding[] {
  const wanted = sameText(expression);
  const about = (finding: Finding): Finding[] => [
    ...(finding.evidence.some((one) => one.expression !== null && sameText(one.expression) === wanted)
      ? [finding]
      : []),
    ...finding.consequences.flatMap(about),
  ];
  return (findingsOf(contents)?.findings ?? []).flatMap(about);
}

/** Quotes and blanks make no difference. */
function sameText(expression: string): string {
  return expression.replaceAll('"', "'").replaceAll(" ", "");
}
