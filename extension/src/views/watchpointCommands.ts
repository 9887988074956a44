import * as vscode from "vscode";
import { COMMAND, type CommandId } from "../ids.ts";
import type { UserWatchpoint, Watched, WatchpointChoice, Watchpoints } from "../model/watchpoints.ts";
import { type Command, type Parts, rowsOf } from "./commandArguments.ts";
import { pickForProgram, pickForValue } from "./watchpointPicking.ts";

/** Where the first NaN arises in the program, or an Inf that matters. */
const FIRST_NAN: Watched = { what: "nonfinite", gear: "exact" };

export const WATCHPOINT_COMMANDS = {
  [COMMAND.breakWhen]: async ({ watchpoints }) => {
    const watched = await pickForProgram();
    if (watched) watchpoints.watch(watched);
  },
  [COMMAND.breakWhenValue]: async (parts, argument, selected) => {
    for (const row of await rowsOf(parts.tree, "breakWhen", argument, selected)) {
      const watched = await pickForValue(row);
      if (watched) parts.watchpoints.watch(watched);
    }
  },
  /** What the history of one thing tells is watched for, else what the whole program is. */
  [COMMAND.breakNextTime]: async ({ watchpoints, tree }, argument, selected) => {
    const rows = await rowsOf(tree, "breakNextTime", argument, selected);
    watchpoints.watch(rows.find(({ breaksNext }) => breaksNext !== undefined)?.breaksNext ?? FIRST_NAN);
  },
  [COMMAND.breakAtNan]: ({ watchpoints }) => watchpoints.watch(FIRST_NAN),
  [COMMAND.editWatchpoint]: async (parts, argument, selected) => {
    const [watchpoint] = await meant(parts, "editWatchpoint", argument, selected);
    if (watchpoint) await edit(parts.watchpoints, watchpoint);
  },
  [COMMAND.enableWatchpoint]: (parts, argument, selected) => setEnabled(parts, true, argument, selected),
  [COMMAND.disableWatchpoint]: (parts, argument, selected) => setEnabled(parts, false, argument, selected),
  [COMMAND.removeAllWatchpoints]: ({ watchpoints }) => {
    for (const { id } of watchpoints.all) watchpoints.remove(id);
  },
} satisfies Readonly<Partial<Record<CommandId, Command>>>;

async function setEnabled(parts: Parts, enabled: boolean, argument: unknown, selected: unknown): Promise<void> {
  const action = enabled ? "enable" : "disable";
  for (const { id } of await meant(parts, action, argument, selected)) parts.watchpoints.change(id, { enabled });
}

async function meant(
  { tree }: Parts,
  action: "editWatchpoint" | "enable" | "disable",
  argument: unknown,
  selected: unknown,
): Promise<readonly UserWatchpoint[]> {
  return (await rowsOf(tree, action, argument, selected)).flatMap(({ watchpoint }) => watchpoint ?? []);
}

/** Asks whether it stops or logs, and from when on it does. */
async function edit(
  watchpoints: Watchpoints,
  { id, log, skip_hits, every, after_step }: UserWatchpoint,
): Promise<void> {
  const change = (choice: WatchpointChoice): void => watchpoints.change(id, choice);
  const already = (number: number | undefined): string => (number === undefined ? "" : String(number));
  const chosen = await vscode.window.showQuickPick([
    log === true
      ? { label: vscode.l10n.t("Stop the program"), take: () => change({ log: false }) }
      : { label: vscode.l10n.t("Write a line into the debug console"), take: () => change({ log: true }) },
    {
      label: vscode.l10n.t("Count the first hits only…"),
      description: already(skip_hits),
      take: async () => {
        const number = await askNumber(vscode.l10n.t("How many hits are only counted?"), skip_hits);
        if (number !== undefined) change({ skip_hits: number });
      },
    },
    {
      label: vscode.l10n.t("Stop at every n-th hit only…"),
      description: already(every),
      take: async () => {
        const number = await askNumber(vscode.l10n.t("At every how many hits does it stop?"), every);
        if (number !== undefined) change({ every: number });
      },
    },
    {
      label: vscode.l10n.t("Wait for a step of the training…"),
      description: already(after_step),
      take: async () => {
        const number = await askNumber(
          vscode.l10n.t("How many optimizer steps are waited for, from when it is set?"),
          after_step,
        );
        if (number !== undefined) change({ after_step: number });
      },
    },
  ]);
  await chosen?.take();
}

async function askNumber(prompt: string, before: number | undefined): Promise<number | undefined> {
  const validateInput = (text: string): string | undefined =>
    /^\d{1,9}$/.test(text.trim()) ? undefined : vscode.l10n.t("A whole number: 0 for none.");
  const text = await vscode.window.showInputBox({ prompt, value: String(before ?? 0), validateInput });
  return text === undefined ? undefined : Number(text.trim());
}
