import type { Finding, FindingsFound, LensAnswer, ObservationsFound } from "../protocol/generated.ts";

/** How a step is checked: as at every stop, more closely, or also by running its models again, as the user allowed. */
export type CheckMode = "usual" | "thorough" | "running";

/** A way of checking a step. */
export interface Check {
  readonly mode: CheckMode;
  /** It repeats a check that ran the models, without running them: that was allowed once. */
  readonly repeatsRun: boolean;
}

/** The result of a check. */
export interface CheckResult extends Check {
  readonly answer: LensAnswer;
  /** The findings that the check before it did not have; undefined where there was none. */
  readonly newFindings?: readonly Finding[];
  /** What is worth a look, where the user asked for the check. */
  readonly observed?: LensAnswer;
}

/** The findings in the answer to a check, with the rules that were asked. */
export function findingsIn({ found }: LensAnswer): FindingsFound | undefined {
  return found?.lens === "findings" ? found : undefined;
}

/** What is worth a look, in the answer of the lens `observations`. */
export function observationsIn(answer: LensAnswer | undefined): ObservationsFound | undefined {
  return answer?.found?.lens === "observations" ? answer.found : undefined;
}

/** The findings that were not known before; undefined if none were known. */
export function newFindingsIn(before: CheckResult | undefined, answer: LensAnswer): Finding[] | undefined {
  const [known, found] = [before && findingsIn(before.answer), findingsIn(answer)];
  if (known === undefined || found === undefined) return undefined;
  const keys = new Set(known.findings.map(keyOf));
  return found.findings.filter((finding) => !keys.has(keyOf(finding)));
}

function keyOf({ rule, source, evidence }: Finding): string {
  return JSON.stringify([rule, source, evidence.map(({ expression }) => expression)]);
}

/** How a step is checked again: as it was, but its models are run only once. */
export function repeated({ mode, repeatsRun }: Check): Check {
  return mode === "running" ? { mode: "thorough", repeatsRun: true } : { mode, repeatsRun };
}

/** Whether one of these rules found the cause of other findings. */
export function hasCause(checked: CheckResult | undefined, rules: readonly string[]): boolean {
  const { findings = [] } = (checked && findingsIn(checked.answer)) ?? {};
  return findings.some(
    ({ rule, consequences }) => rules.includes(rule) && consequences.some((one) => !rules.includes(one.rule)),
  );
}

/** What is left of a check without the findings of these rules. */
export function without(checked: CheckResult, rules: readonly string[]): CheckResult {
  const { node } = checked.answer;
  const found = findingsIn(checked.answer);
  if (found === undefined || node === undefined) return checked;
  const observed = checked.observed && { observed: observedWithout(checked.observed, rules) };
  const isKept = (rule: string | undefined): boolean => rule === undefined || !rules.includes(rule);
  const kept = {
    ...found,
    findings: found.findings.filter(({ rule }) => isKept(rule)),
    checked: found.checked.filter(isKept),
    skipped: found.skipped.filter(({ rule }) => isKept(rule)),
  };
  const { newFindings } = checked;
  const more = newFindings && { newFindings: newFindings.filter(({ rule }) => isKept(rule)) };
  const answer = { ...checked.answer, found: kept };
  if (node.page === undefined) return { ...checked, ...more, ...observed, answer };
  const nodes = node.page.nodes.filter((_, at) => isKept(found.findings[at]?.rule));
  const badges = [...new Set(nodes.flatMap(({ badges: loud = [] }) => loud))];
  const page = { ...node.page, total: nodes.length, nodes };
  return { ...checked, ...more, ...observed, answer: { ...answer, node: { ...node, badges, page } } };
}

/** What is left worth a look without what these detectors saw. */
function observedWithout(answer: LensAnswer, rules: readonly string[]): LensAnswer {
  const [found, { node }] = [observationsIn(answer), answer];
  if (found === undefined || node?.page === undefined) return answer;
  const isKept = (at: number): boolean => !rules.includes(found.observations[at]?.rule ?? "");
  const nodes = node.page.nodes.filter((_, at) => isKept(at));
  const page = { ...node.page, total: nodes.length, nodes };
  const observations = found.observations.filter((_, at) => isKept(at));
  return { ...answer, found: { ...found, observations }, node: { ...node, page } };
}
