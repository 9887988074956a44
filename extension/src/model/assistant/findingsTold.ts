import type { Finding, FindingsFound, ObservationsFound } from "../../protocol/generated.ts";

/** What is wrong with a step, the gravest first, and what was not looked at. */
export function findingsTold(found: FindingsFound, observed: ObservationsFound | undefined): Record<string, unknown> {
  const { findings, explained, checked, skipped } = found;
  return {
    findings: findings.map((one, at) => ({
      ...findingTold(one),
      ...(at < explained ? { explains_exception: true } : {}),
    })),
    ...(observed === undefined ? {} : { worth_a_look: observed.observations.map(findingTold) }),
    rules_checked: checked.length,
    not_checked: skipped.slice(0, MOST_SKIPPED).map(({ rule, reason }) => ({ rule, reason })),
  };
}

const MOST_SKIPPED = 20;

export function findingTold({
  rule,
  severity,
  tier,
  title,
  evidence,
  source,
  why,
  suggestion,
  consequences,
}: Finding): Record<string, unknown> {
  return {
    rule,
    severity,
    tier,
    title,
    evidence: evidence.map(({ expression, fact }) => ({ ...(expression === null ? {} : { expression }), fact })),
    ...(source === null ? {} : { file: source.file, line: source.line }),
    why,
    suggestion,
    ...(consequences.length === 0 ? {} : { consequences: consequences.map((one) => one.title) }),
  };
}
