import * as l10n from "@vscode/l10n";
import type { Comparison, State } from "./comparisons.ts";
import { type Action, comparisonPath, idOf, LABEL, oldRow, type Row, type Source, type Tone, valueRow } from "./row.ts";
import { wasRun } from "./sides.ts";
import { middle } from "./words.ts";

/** Codes of failures that are no fault: one of the two is not here, or would have to be run. */
const QUIET: ReadonlySet<string> = new Set(["not_found", "not_static", "gone"]);

/** A comparison's row, which says so where a value that was run for it is from before something that may have changed it. */
export function comparisonRow(source: Source, comparison: Comparison): Row {
  const { contents } = source;
  const { a, b } = comparison;
  const run = [a, b].flatMap(({ expression }) => expression ?? []).filter((one) => wasRun(one, contents));
  const row = answerRow(source, comparison, run.length > 0 ? ["evaluateAgain"] : []);
  return run.some((expression) => contents.isOld(expression)) ? oldRow(row) : row;
}

/** How many differences, and below it each with the two values. */
function answerRow(source: Source, comparison: Comparison, rerun: readonly Action[]): Row {
  const { contents, expansion, comparisons } = source;
  const { a, b } = comparison;
  const path = comparisonPath(comparison);
  const state = comparisons.state(contents, comparison);
  const own = {
    path,
    id: idOf(path),
    parent: undefined,
    contents,
    comparison,
    label: labelOf(a.name, b.name),
    name: `${a.name} ↔ ${b.name}`,
    icon: "diff",
  };
  if (state !== undefined && "node" in state && state.node !== undefined) {
    const known = { node: state.node, snapshot: state.snapshot };
    const row = valueRow(source, undefined, path, known, own.label);
    return {
      ...row,
      ...own,
      can: ["copySummary", "removeComparison", ...rerun],
      speech: speechOf(comparison, row.speech),
    };
  }
  const [description, tone] = textOf(state);
  const again: readonly Action[] = state !== undefined && "code" in state ? ["evaluateAgain"] : rerun;
  // VS Code opens no row that it has shown as one without children.
  const open = tone === undefined && expansion.isOpen(path);
  return {
    ...own,
    description,
    summary: description,
    tone: tone ?? "quiet",
    expandable: open,
    open,
    changed: false,
    speech: speechOf(comparison, description),
    can: ["removeComparison", ...again],
  };
}

/** Both names in the room of one: what the one does not need is the other's. */
function labelOf(a: string, b: string): string {
  const room = LABEL - " ↔ ".length;
  const beside = (other: string): number => Math.max(Math.floor(room / 2), room - other.length);
  return `${middle(a, beside(b))} ↔ ${middle(b, beside(a))}`;
}

/** What a comparison without an answer says; without a tone while it is being asked. */
function textOf(state: State | undefined): [string, Tone | undefined] {
  if (state !== undefined && "code" in state) return [state.message, QUIET.has(state.code) ? "quiet" : "alarm"];
  const percent = Math.floor(100 * (state?.progress ?? 0));
  return [percent === 0 ? l10n.t("comparing…") : l10n.t("comparing… {0}%", percent), undefined];
}

function speechOf({ a, b }: Comparison, text: string): string {
  return l10n.t("comparison of {0} and {1}, {2}", a.name, b.name, text);
}
