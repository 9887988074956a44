import * as l10n from "@vscode/l10n";
import type { Finding, FindingsFound, RuleNeed, Skipped, Tier } from "../protocol/generated.ts";
import { type CheckResult, findingsIn, observationsIn } from "./checks.ts";
import type { Contents, SnapshotNode } from "./contents.ts";
import { factOf, moreOf, titleOf } from "./findingText.ts";
import { tokensOf } from "./python.ts";
import { joined, withPercent } from "./words.ts";
import { type Action, bareRow, loudWords, type Note, type Row, type Scene, valueRow } from "./row.ts";
import { childPath, FINDINGS, idOf, OBSERVATIONS, OUTCOME, type RowPath } from "./rowPath.ts";

/** The rules that find NaN or Inf: where that arose, the program can stop the next time. */
const NOT_FINITE: ReadonlySet<string> = new Set([
  "nan-origin",
  "nan-in-input",
  "nan-in-params",
  "nan-in-buffers",
  "nan-in-grad-only",
  "log-of-zero",
  "masked-row",
  "fp16-overflow",
  "std-of-one",
]);

/** The findings of a stop; undefined before they are known. */
export function findingsOf({ check }: Contents): FindingsFound | undefined {
  return check.result && findingsIn(check.result.answer);
}

/** The first rows of the tree: the progress or failure of a check that the user asked for, the findings, what is worth a look. */
export function findingRows(scene: Scene): Row[] {
  const { result, awaited } = scene.contents.check;
  const known = result === undefined ? [] : [...checkedRows(scene, result), ...lookRows(scene, result)];
  if (awaited === undefined) return known;
  if ("progress" in awaited) return [workingRow(scene, awaited.progress), ...known];
  const failed = l10n.t("The step could not be checked: {0}", awaited.message);
  return [sentenceRow(scene, failed, "failure"), ...known];
}

/** One finding, or several below a row that counts them; the result of a check that the user asked for. */
function checkedRows(scene: Scene, checked: CheckResult): Row[] {
  const found = findingsOf(scene.contents);
  const { node, snapshot } = checked.answer;
  if (found === undefined || node === undefined) return [];
  const { mode, repeatsRun } = checked;
  const more = furtherChecks(mode);
  const outcome = mode === "usual" ? [] : [outcomeRow(scene, checked, found)];
  if (repeatsRun) outcome.push(sentenceRow(scene, l10n.t("checked again without running the models"), "repeatsRun"));
  const nodes = node.page?.nodes ?? [];
  const [first] = nodes;
  if (first === undefined) return outcome;
  if (nodes.length === 1) {
    const can: Action[] = ["openAsTable", ...more];
    return [findingRow(scene, undefined, { node: first, snapshot }, found.findings[0], can), ...outcome];
  }
  const name = findingsText(scene.contents);
  const row = valueRow(scene, undefined, FINDINGS, { node, snapshot }, name);
  const [gravest] = found.findings;
  const description = joined(" · ", gravest === undefined ? "" : factOf(gravest), first.line);
  const speech = [name, ...loudWords(first), gravest === undefined ? first.name : titleOf(gravest)].join(", ");
  const can: Action[] = ["copySummary", "dismissAll", "openAsTable", ...more];
  return [{ ...row, name, description, summary: "", speech, can, findings: found.findings }, ...outcome];
}

/** The quiet group of what is worth a look: closed at first, and never loud. */
function lookRows(scene: Scene, { observed }: CheckResult): Row[] {
  const count = observationsIn(observed)?.observations.length ?? 0;
  if (count === 0 || observed?.node === undefined) return [];
  const { node, snapshot } = observed;
  const name = count === 1 ? l10n.t("1 thing worth a look") : l10n.t("{0} things worth a look", count);
  const row = valueRow(scene, undefined, OBSERVATIONS, { node, snapshot }, name);
  const { observations = [] } = observationsIn(observed) ?? {};
  const can: Action[] = ["copySummary", "dismissAll"];
  return [
    {
      ...row,
      name,
      icon: "eye",
      tone: "quiet",
      summary: "",
      description: "",
      speech: name,
      can,
      findings: observations,
    },
  ];
}

/** How the step can be checked more closely than it was. */
function furtherChecks(mode: CheckResult["mode"]): readonly Action[] {
  if (mode === "usual") return ["checkStep"];
  return mode === "thorough" ? ["checkByRunning"] : [];
}

/** The result of a check besides its findings; below it how many rules were not checked, and why. */
function outcomeRow(scene: Scene, checked: CheckResult, found: FindingsFound): Row {
  const { mode } = checked;
  const label = mode === "running" ? ranText(found, checked) : checkedText(found, checked);
  const row = sentenceRow(scene, label, "sentence", furtherChecks(mode));
  const notes = notChecked(found);
  const open = scene.expansion.isOpen(OUTCOME);
  return notes.length === 0 ? row : { ...row, path: OUTCOME, notes, expandable: true, open };
}

/** `checked by running the models: nothing more (73 rules)` */
function ranText(found: FindingsFound, { newFindings }: CheckResult): string {
  const { checked, findings } = found;
  if (findings.length === 0) return l10n.t("checked by running the models: {0}", nothingFoundText(found));
  if (newFindings === undefined) return l10n.t("checked by running the models ({0} rules)", checked.length);
  return newFindings.length === 0
    ? l10n.t("checked by running the models: nothing more ({0} rules)", checked.length)
    : l10n.t("checked by running the models: {0} more ({1} rules)", newFindings.length, checked.length);
}

/** `checked thoroughly: nothing more (70 rules)` */
function checkedText(found: FindingsFound, { newFindings }: CheckResult): string {
  const { checked, findings } = found;
  if (findings.length === 0) return nothingFoundText(found);
  if (newFindings === undefined) return l10n.t("checked thoroughly ({0} rules)", checked.length);
  return newFindings.length === 0
    ? l10n.t("checked thoroughly: nothing more ({0} rules)", checked.length)
    : l10n.t("checked thoroughly: {0} more ({1} rules)", newFindings.length, checked.length);
}

/** The rows below a row that only says something. */
export function noteRows(scene: Scene, parent: Row): Row[] {
  return (parent.notes ?? []).map(({ label, text }, at) => ({
    ...bareRow(scene, parent, childPath(parent.path, label), label, `note ${at}`),
    icon: "circle-slash",
    tone: "quiet",
    description: text,
    summary: text,
    speech: joined(" · ", label, text),
    can: ["copySummary"],
  }));
}

/** Whether it is the row that counts findings, which are the rows below it. */
export function countsFindings({ path, value }: Row): boolean {
  return value !== undefined && idOf(path) === idOf(FINDINGS);
}

/** Whether it is the group of what is worth a look. */
export function countsObservations({ path, value }: Row): boolean {
  return value !== undefined && idOf(path) === idOf(OBSERVATIONS);
}

/** The rows below the row that counts findings, or what is worth a look. */
export function findingRowsBelow(scene: Scene, parent: Row): Row[] | undefined {
  if (parent.value === undefined || !(countsFindings(parent) || countsObservations(parent))) return undefined;
  const { node, snapshot } = parent.value;
  return node.page?.nodes.map((one, at) => findingRow(scene, parent, { node: one, snapshot }, parent.findings?.[at]));
}

function findingRow(
  scene: Scene,
  parent: Row | undefined,
  value: SnapshotNode,
  finding: Finding | undefined,
  more: readonly Action[] = [],
): Row {
  const node = { ...value.node, name: finding === undefined ? value.node.name : titleOf(finding) };
  const above: RowPath = parent?.path ?? FINDINGS;
  const row = valueRow(scene, parent, childPath(above, value.node.name), { ...value, node }, node.name);
  const can: Action[] = ["copySummary", ...more];
  if (finding !== undefined) can.push("dismiss");
  if (finding === undefined) return { ...row, can };
  const { source } = finding;
  if (source !== null) can.push("goToLine");
  if (NOT_FINITE.has(finding.rule)) can.push("breakAtNan");
  return {
    ...row,
    label: factOf(finding),
    description: joined(" · ", node.line, moreOf(finding)),
    summary: node.line,
    can,
    finding,
    findings: [finding],
    ...(source === null ? {} : { source }),
  };
}

function workingRow(scene: Scene, progress: number): Row {
  const label = withPercent(l10n.t("checking this step…"), progress);
  return {
    ...bareRow(scene, undefined, FINDINGS, label, "working"),
    icon: "checklist",
    tone: "quiet",
    can: ["cancel"],
  };
}

function sentenceRow(scene: Scene, label: string, suffix: string, can: readonly Action[] = []): Row {
  return { ...bareRow(scene, undefined, FINDINGS, label, suffix), icon: "checklist", tone: "quiet", can };
}

/** Without these in sight, most of what may be wrong with a step can't be. */
const ESSENTIAL: ReadonlySet<RuleNeed | undefined> = new Set<RuleNeed>(["loss", "module", "source"]);

/** `nothing found (55 rules; 18 not checked)`, `no loss in sight: 9 rules could not be asked, the other 15 are silent` */
export function nothingFoundText({ checked, skipped }: FindingsFound): string {
  const unmet = skipped.filter(({ need }) => ESSENTIAL.has(need));
  if (unmet.length > 0) {
    const why = byReason(unmet).map(([reason]) => reason);
    return l10n.t(
      "{0}: {1} rules could not be asked, the other {2} are silent",
      why.join(", "),
      unmet.length,
      checked.length,
    );
  }
  return skipped.length === 0
    ? l10n.t("nothing found ({0} rules)", checked.length)
    : l10n.t("nothing found ({0} rules; {1} not checked)", checked.length, skipped.length);
}

/** How many rules were not checked, by the reason. */
function notChecked({ skipped }: FindingsFound): Note[] {
  return byReason(skipped).map(([text, { length }]) => ({
    label: length === 1 ? l10n.t("1 not checked") : l10n.t("{0} not checked", length),
    text,
  }));
}

/** Rules that were not asked by the reason, the most common one first. */
function byReason(skipped: readonly Skipped[]): [reason: string, skipped: readonly Skipped[]][] {
  return [...Map.groupBy(skipped, reasonOf)].toSorted(([, a], [, b]) => b.length - a.length);
}

/** What the user does about it is named as it is here: the helper names what one writes in Python. */
function reasonOf({ need, reason }: Skipped): string {
  if (need === "run") return l10n.t("runs the program's code: “Check by Running the Model…” asks them too");
  return need === "thorough" ? l10n.t("reads more: “Check This Step” asks them too") : reason;
}

/** `2 findings`, empty where there are none; of one tier, or of all. */
export function findingsText(contents: Contents, tier?: Tier): string {
  const all = findingsOf(contents)?.findings ?? [];
  const count = all.filter((finding) => tier === undefined || finding.tier === tier).length;
  if (count === 0) return "";
  return count === 1 ? l10n.t("1 finding") : l10n.t("{0} findings", count);
}

/** The findings that name a value by this expression, and those that follow from them. */
export function findingsAbout(contents: Contents, expression: string): Finding[] {
  const wanted = tokensOf(expression);
  const about = (finding: Finding): Finding[] => [
    ...(finding.evidence.some((one) => one.expression !== null && tokensOf(one.expression) === wanted)
      ? [finding]
      : []),
    ...finding.consequences.flatMap(about),
  ];
  return (findingsOf(contents)?.findings ?? []).flatMap(about);
}
