import * as l10n from "@vscode/l10n";
import type { WatchpointState } from "../protocol/generated.ts";
import { openingOf } from "./beforeRows.ts";
import { withHistory } from "./historyRows.ts";
import { bareRow, type Row, type Scene } from "./row.ts";
import { childPath, idOf, WATCHPOINTS } from "./rowPath.ts";
import type { UserWatchpoint, Watched } from "./watchpoints.ts";
import { countText, joined, MAX_LABEL_LENGTH, shortened } from "./words.ts";

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
    const name = watchpoint.of ?? watchedFor(watchpoint);
    const condition = watchpoint.of === undefined ? undefined : watchedFor(watchpoint);
    const isOff = state?.problem !== undefined || state?.absent === true;
    const path = childPath(WATCHPOINTS, String(watchpoint.id));
    const row: Row = {
      ...bareRow(scene, parent, path, shortened(name, MAX_LABEL_LENGTH)),
      ...openingOf(scene, path, state),
      name,
      icon: iconOf(watchpoint),
      tone: isOff ? "warning" : state?.here === true ? "alarm" : undefined,
      speech: joined(", ", name, condition),
      can: ["copySummary", "remove", "editWatchpoint", watchpoint.enabled ? "disable" : "enable"],
      watchpoint,
    };
    const told = watchpoint.of === undefined ? row : withHistory(scene, row, watchpoint.of, state?.measurement);
    const words = stateWords(watchpoint, state);
    const description = joined(" · ", condition, told.description, ...words);
    return { ...told, description, summary: description, speech: joined(", ", told.speech, ...words) };
  });
}

/** What it watches for. */
export function watchedFor({ what, bound = 0 }: Watched): string {
  if (what === "nan") return l10n.t("NaN");
  if (what === "inf") return l10n.t("Inf");
  if (what === "nonfinite") return l10n.t("NaN or Inf");
  if (what === "above") return l10n.t("magnitude > {0}", String(bound));
  if (what === "none") return l10n.t("a gradient that is None");
  if (what === "norm") return l10n.t("gradient norm > {0}", String(bound));
  if (what === "rises") return l10n.t("rises to more than {0} times", String(bound));
  if (what === "zero") return l10n.t("all zero");
  if (what === "changed") return l10n.t("changes");
  return what === "unchanged" ? l10n.t("does not change") : l10n.t("another shape, dtype or device");
}

function stateWords(watchpoint: UserWatchpoint, state: WatchpointState | undefined): (string | undefined)[] {
  const { enabled, log, skip_hits: skipped, every, after_step: step } = watchpoint;
  return [
    enabled ? (state ?? { problem: l10n.t("not on in this program yet") }).problem : disabledText(watchpoint),
    enabled ? state?.reason : undefined,
    hitsText(state?.hits ?? 0),
    enabled ? placeText(watchpoint, state) : undefined,
    log === true ? l10n.t("logs, does not stop") : undefined,
    skipped === undefined ? undefined : skippedText(skipped),
    every === undefined ? undefined : l10n.t("every {0} hits", every),
    step === undefined ? undefined : l10n.t("from step {0} on", step),
  ];
}

function disabledText({ gone, of = "", function: place }: UserWatchpoint): string {
  if (gone !== true) return l10n.t("disabled");
  return l10n.t("disabled: “{0}” is not in {1} any more", of, place?.name ?? "");
}

/** Where it looks: of a thing that is watched the user is told how. */
function placeText(
  { of, gear, function: place }: UserWatchpoint,
  state: WatchpointState | undefined,
): string | undefined {
  if (of === undefined) return gear === "light" ? l10n.t("at modules, losses and steps") : undefined;
  const name = place?.name ?? "";
  if (state?.gone === true) return l10n.t("{0} has no “{1}”", name, of);
  if (state?.absent === true) return l10n.t("not found in {0} yet", name);
  if (state?.looks === "returns") return l10n.t("at steps and returns of {0}", name);
  if (state?.looks === "steps") return l10n.t("at steps, not at returns: the program has a profiler");
  return state?.looks === "object" ? l10n.t("as it is used") : undefined;
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
