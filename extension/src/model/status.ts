import * as l10n from "@vscode/l10n";
import type { Contents } from "./contents.ts";
import { findingsText } from "./findingRows.ts";
import type { Scene } from "./row.ts";
import { frameRows, rowsWith } from "./rows.ts";
import { countText, joined } from "./words.ts";

/** The status bar while paused: `2 findings · 3 values with NaN · rank 1`, nothing where there is nothing to say. Findings that are only likely don't count. */
export function statusText(scene: Scene): string {
  const { contents } = scene;
  const rows = frameRows(scene);
  const count = (badge: "nan" | "inf"): number => rowsWith(rows, badge).length;
  return joined(
    " · ",
    findingsText(contents, "sure"),
    alarmText(count("nan"), count("inf"), contents.isWhole),
    rowsWith(rows, "sampled").length > 0 ? l10n.t("sampled") : "",
    contents.isWhole && contents.answer.cut === undefined ? "" : l10n.t("incomplete"),
    contents.answer.process,
  );
}

/** Where only a part of the values was counted, there may be more: `≥ 1 value with NaN`. */
function alarmText(nan: number, inf: number, isWhole: boolean): string {
  const [nans, infs] = [nan, inf].map((count) => (isWhole ? `${count}` : `≥ ${count}`)) as [string, string];
  if (nan > 0 && inf > 0) return l10n.t("{0}, {1} with Inf", alarmText(nan, 0, isWhole), infs);
  if (nan > 0) return nan === 1 ? l10n.t("{0} value with NaN", nans) : l10n.t("{0} values with NaN", nans);
  if (inf > 0) return inf === 1 ? l10n.t("{0} value with Inf", infs) : l10n.t("{0} values with Inf", infs);
  return "";
}

/** `100 of 200 variables`, where not all are known; else empty. */
export function partText(contents: Contents): string {
  const { isWhole, rowsKnown, rootPage, answer } = contents;
  if (isWhole) return "";
  if (rootPage.total === null) return l10n.t("the first {0} variables", countText(rowsKnown));
  const variables = rootPage.total - (answer.groups ?? 0);
  return l10n.t("{0} of {1} variables", countText(Math.min(rowsKnown, variables)), countText(variables));
}

/** `Read in 12 ms.` */
export function timeText({ answer: { ms } }: Contents): string {
  return l10n.t("Read in {0} ms.", ms < 10 ? ms.toFixed(1) : ms.toFixed(0));
}
