import * as l10n from "@vscode/l10n";
import type { CheckBefore, StepBefore, WatchpointState } from "../protocol/generated.ts";
import { bareRow, type Row, type Scene } from "./row.ts";
import { childPath, type RowPath } from "./rowPath.ts";
import { joined, MAX_LABEL_LENGTH, shortened } from "./words.ts";

/** How the row of a watchpoint opens that was hit: below it stands what went before. */
export function openingOf(scene: Scene, path: RowPath, state: WatchpointState | undefined) {
  const { checks = [], step } = state?.before ?? {};
  const expandable = checks.length > 0 || step !== undefined;
  return { expandable, open: expandable && scene.expansion.isOpen(path) };
}

/** What went before the last hit of a watchpoint: the last good step, and the latest checks, the newest first. */
export function beforeRows(scene: Scene, parent: Row): Row[] {
  const state = scene.contents.answer.watchpoints?.find(({ id }) => id === parent.watchpoint?.id);
  const { checks = [], step } = state?.before ?? {};
  return [
    ...(step === undefined ? [] : [stepRow(scene, parent, step)]),
    ...checks.toReversed().map((check, at) => checkRow(scene, parent, check, at)),
  ];
}

function stepRow(scene: Scene, parent: Row, step: StepBefore): Row {
  return factRow(scene, parent, "step", l10n.t("before: step {0}", String(step.step)), stepText(step), "pass");
}

function checkRow(scene: Scene, parent: Row, check: CheckBefore, at: number): Row {
  const { source } = check;
  const text = joined(" · ", source && `${fileName(source.file)}:${source.line}`, numberText(check));
  const row = factRow(scene, parent, `check ${at}`, checkedText(check), text, "history");
  return source === undefined ? row : { ...row, source, can: [...row.can, "goToLine"] };
}

function factRow(scene: Scene, parent: Row, key: string, name: string, description: string, icon: string): Row {
  return {
    ...bareRow(scene, parent, childPath(parent.path, key), shortened(name, MAX_LABEL_LENGTH)),
    name,
    icon,
    tone: "quiet",
    description,
    summary: description,
    speech: joined(", ", name, description),
    can: ["copySummary"],
  };
}

/** `loss 2.31 · gradient norm 1.4 · lr 0.001` */
function stepText({ loss, gradient_norm: norm, learning_rates: rates }: StepBefore): string {
  return joined(
    " · ",
    loss === undefined ? undefined : l10n.t("loss {0}", loss),
    norm === undefined ? undefined : l10n.t("gradient norm {0}", norm),
    rates.length === 0 ? undefined : l10n.t("lr {0}", rates.join(", ")),
  );
}

/** What was looked at: `div in model.norm` */
function checkedText({ role, operation, module }: CheckBefore): string {
  if (role === "loss") return l10n.t("loss");
  if (role === "parameter")
    return operation === undefined ? l10n.t("parameters") : l10n.t("parameters, {0}", operation);
  if (role === "gradient" && operation === undefined) return l10n.t("gradients");
  if (role === "output") return module === undefined ? l10n.t("output of a module") : l10n.t("output of {0}", module);
  const name = operation ?? l10n.t("an operation");
  return module === undefined ? name : l10n.t("{0} in {1}", name, module);
}

function numberText({ largest, nan, mean }: CheckBefore): string | undefined {
  if (nan === true) return l10n.t("held NaN");
  if (largest !== undefined) return l10n.t("up to {0}", largest);
  return mean === undefined ? undefined : l10n.t("mean {0}", mean);
}

function fileName(file: string): string {
  return file.split(/[/\\]/).at(-1) ?? file;
}
