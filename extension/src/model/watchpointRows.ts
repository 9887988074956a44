import * as l10n from "@vscode/l10n";
import type { WatchedFor, WatchpointState } from "../protocol/generated.ts";
import { bareRow, type Row, type Scene } from "./row.ts";
import { childPath, idOf, WATCHPOINTS } from "./rowPath.ts";
import type { UserWatchpoint } from "./watchpoints.ts";
import { countText, joined } from "./words.ts";

/** The group of the watchpoints, on top of the tree, where there are some. */
export function watchpointsRow(scene: Scene): Row[] {
  if (scene.watchpoints.all.length === 0) return [];
  const open = scene.expansion.isOpen(WATCHPOINTS);
  return [
    {
      ...bareRow(scene, undefined, WATCHPOINTS, l10n.t("Watchpoints")),
      icon: "debug-breakpoint-data",
      tone: "quiet",
      expandable: true,
      open,
    },
  ];
}

export function isWatchpoints({ path }: Row): boolean {
  return idOf(path) === idOf(WATCHPOINTS);
}

export function watchpointRows(scene: Scene, parent: Row): Row[] {
  return scene.watchpoints.all.map((watchpoint) => {
    const state = scene.contents.answer.watchpoints?.find(({ id }) => id === watchpoint.id);
    const label = watchedFor(watchpoint.what);
    const description = joined(" · ", ...stateWords(watchpoint, state));
    return {
      ...bareRow(scene, parent, childPath(WATCHPOINTS, String(watchpoint.id)), label),
      icon: iconOf(watchpoint),
      tone: state?.problem === undefined ? (state?.here === true ? "alarm" : undefined) : "warning",
      description,
      summary: description,
      speech: joined(", ", label, description),
      can: ["copySummary", "remove", "editWatchpoint", watchpoint.enabled ? "disable" : "enable"],
      watchpoint,
    };
  });
}

/** What it watches for. */
export function watchedFor(what: WatchedFor): string {
  if (what === "nan") return l10n.t("NaN");
  return what === "inf" ? l10n.t("Inf") : l10n.t("NaN or Inf");
}

function stateWords(watchpoint: UserWatchpoint, state: WatchpointState | undefined): (string | undefined)[] {
  const { enabled, log, skip_hits: skipped, after_step: step } = watchpoint;
  return [
    enabled ? (state ?? { problem: l10n.t("not on in this program yet") }).problem : l10n.t("disabled"),
    enabled ? state?.reason : undefined,
    hitsText(state?.hits ?? 0),
    log === true ? l10n.t("logs, does not stop") : undefined,
    skipped === undefined ? undefined : skippedText(skipped),
    step === undefined ? undefined : l10n.t("from step {0} on", step),
  ];
}

function hitsText(hits: number): string | undefined {
  if (hits === 0) return undefined;
  return hits === 1 ? l10n.t("1 hit") : l10n.t("{0} hits", countText(hits));
}

function skippedText(hits: number): string {
  return hits === 1 ? l10n.t("after 1 hit") : l10n.t("after {0} hits", countText(hits));
}

function iconOf({ enabled, log }: UserWatchpoint): string {
  if (!enabled) return "debug-breakpoint-data-disabled";
  return log === true ? "debug-breakpoint-log" : "debug-breakpoint-data";
}
