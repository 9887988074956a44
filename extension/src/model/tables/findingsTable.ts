import * as l10n from "@vscode/l10n";
import type { Finding, FindingsFound, Severity, Tier } from "../../protocol/generated.ts";
import { titleOf } from "../findingText.ts";
import { childPath, FINDINGS } from "../rowPath.ts";
import { type Column, named, numbered, said, type Table, tableOf } from "./table.ts";

/** A finding, how deep it stands below its cause, and the name of the row of the gravest one above it. */
interface FindingRow {
  readonly finding: Finding;
  readonly depth: number;
  readonly row: string;
}

/** What is wrong with the step, causes first; `names` are those of the findings' rows. */
export function findingsTable({ findings }: FindingsFound, names: readonly string[]): Table {
  const columns: Column<FindingRow>[] = [
    { name: l10n.t("finding"), kind: "text", cell: ({ finding }) => named(titleOf(finding)) },
    {
      name: l10n.t("severity"),
      kind: "text",
      cell: ({ finding: { severity } }) => said(SEVERITIES[severity].text(), SEVERITIES[severity].tone),
    },
    { name: l10n.t("rule"), kind: "text", cell: ({ finding }) => said(finding.rule) },
    {
      name: l10n.t("tier"),
      kind: "text",
      cell: ({ finding }) => said(TIERS[finding.tier]()),
    },
    { name: l10n.t("file"), kind: "text", cell: ({ finding }) => named(fileOf(finding)) },
    { name: l10n.t("line"), kind: "number", cell: ({ finding }) => numbered(finding.source?.line) },
    { name: l10n.t("seen at"), kind: "text", cell: ({ finding }) => named(expressionsOf(finding)) },
    { name: l10n.t("why"), kind: "text", cell: ({ finding }) => said(finding.why) },
    { name: l10n.t("try"), kind: "text", cell: ({ finding }) => said(finding.suggestion) },
  ];
  const rows = findings.flatMap((finding, at) => [...withConsequences(finding, names[at] ?? "")]);
  return tableOf(columns, rows, {
    id: ({ finding }) => `${finding.rule} ${titleOf(finding)}`,
    depth: ({ depth }) => depth,
    reveal: ({ finding, row }) => ({ start: childPath(FINDINGS, row), source: finding.source }),
  });
}

function* withConsequences(finding: Finding, row: string, depth = 0): Generator<FindingRow> {
  yield { finding, depth, row };
  for (const one of finding.consequences) yield* withConsequences(one, row, depth + 1);
}

function fileOf({ source }: Finding): string | undefined {
  return source === null ? undefined : (/[^/\\]*$/.exec(source.file)?.[0] ?? source.file);
}

function expressionsOf({ evidence }: Finding): string {
  return [...new Set(evidence.flatMap(({ expression }) => expression ?? []))].join(", ");
}

const TIERS: Record<Tier, () => string> = {
  sure: () => l10n.t("sure"),
  likely: () => l10n.t("likely"),
  look: () => l10n.t("worth a look"),
};

const SEVERITIES: Record<Severity, { readonly text: () => string; readonly tone: "alarm" | "warning" | "quiet" }> = {
  error: { text: () => l10n.t("error"), tone: "alarm" },
  warning: { text: () => l10n.t("warning"), tone: "warning" },
  hint: { text: () => l10n.t("hint"), tone: "quiet" },
};
