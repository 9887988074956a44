import * as l10n from "@vscode/l10n";
import type { Gear, NodeAnswer, WatchedFor, WatchpointState } from "../../protocol/generated.ts";
import type { Contents } from "../contents.ts";
import { BOUNDS, OF_PROGRAM, OF_VALUES } from "../watchable.ts";
import { watchedFor } from "../watchpointRows.ts";
import { functionOf, type UserWatchpoint, type Watched } from "../watchpoints.ts";
import { boundedText } from "./boundedText.ts";
import { ToolFailure } from "./toolReply.ts";
import type { ToolInput } from "./toolInput.ts";

/** What an input asks to be watched in the whole program. */
export function watchedOfProgram({ what = "nonfinite", gear, bound }: ToolInput): Watched {
  const wanted = what as WatchedFor;
  const chosen = (gear as Gear | undefined) ?? (OF_PROGRAM.exact.includes(wanted) ? "exact" : "light");
  const can = OF_PROGRAM[chosen];
  if (!can.includes(wanted)) {
    const others = `By the gear ${chosen} the whole program can be watched for ${can.join(", ")}`;
    throw new ToolFailure("bad_input", `${others}. One value, which "expression" names, can be watched for more.`);
  }
  return { what: wanted, gear: chosen, ...boundOf(wanted, bound) };
}

/** What an input asks to be watched of one value. */
export function watchedOfValue(input: ToolInput, { node }: NodeAnswer, { frame, answer }: Contents): Watched {
  const { what = "nonfinite", gear, bound } = input;
  const [wanted, of] = [what as WatchedFor, input["expression"] as string];
  const can = node.watched_as === undefined ? [] : OF_VALUES[node.watched_as];
  if (can.length === 0) {
    throw new ToolFailure("bad_input", `${of} can't be watched: it is no tensor, number, module or optimizer.`);
  }
  if (!can.includes(wanted)) throw new ToolFailure("bad_input", `${of} can be watched for ${can.join(", ")}.`);
  if (gear === "exact") {
    throw new ToolFailure("bad_input", `One value is watched by the gear light; exact is for the whole program.`);
  }
  return { what: wanted, gear: "light", of, function: functionOf(frame, answer), ...boundOf(wanted, bound) };
}

function boundOf(what: WatchedFor, bound: ToolInput[string]): { bound?: number } {
  if (what in BOUNDS) {
    if (typeof bound === "number") return { bound };
    throw new ToolFailure("bad_input", `"${what}" needs a "bound", such as ${BOUNDS[what]}.`);
  }
  if (bound !== undefined) throw new ToolFailure("bad_input", `"${what}" takes no "bound".`);
  return {};
}

/** The longest expression in a question to the user: it must not look like a part of the question. */
const LONGEST_IN_QUESTION = 60;

/** What the user is asked before a watchpoint is set. */
export function settingText(watched: Watched, replaced: readonly UserWatchpoint[]): string {
  const text = l10n.t("watch {0} for {1} ({2})", nameIn(watched), watchedFor(watched), watched.gear);
  const others = replaced.map((one) => `${nameIn(one)}, ${watchedFor(one)}`);
  return others.length === 0 ? text : l10n.t("{0}, in place of your watchpoint on {1}", text, others.join("; "));
}

/** What the user is asked before one is removed. */
export function removalText(watched: Watched): string {
  return l10n.t("remove the watchpoint on {0} ({1})", nameIn(watched), watchedFor(watched));
}

function nameIn({ of }: Watched): string {
  return of === undefined ? l10n.t("the whole program") : boundedText(of, LONGEST_IN_QUESTION);
}

/** A watchpoint, with what it has met in the program. */
export function watchpointTold(one: UserWatchpoint, states: readonly WatchpointState[]): Record<string, unknown> {
  const { id, what, gear, bound, of, enabled, log, skip_hits, every, after_step } = one;
  const state = states.find((known) => known.id === id);
  return {
    id,
    what,
    gear,
    bound,
    expression: of,
    enabled,
    only_logs: log,
    skip_hits,
    every,
    after_step,
    hits: state?.hits,
    last_hit: state?.reason,
    stopped_here: state?.here,
    problem: state?.problem,
  };
}
