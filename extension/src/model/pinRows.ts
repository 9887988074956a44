import * as l10n from "@vscode/l10n";
import type { Measurement } from "../protocol/generated.ts";
import type { SnapshotNode } from "./contents.ts";
import type { Failure } from "./failure.ts";
import { withHistory, withRecording } from "./historyRows.ts";
import { pinName, type Pin } from "./pins.ts";
import {
  type Action,
  bareRow,
  copiesOf,
  lensesOf,
  oldRow,
  type Row,
  type Scene,
  type Tone,
  valueRow,
  watchesOf,
} from "./row.ts";
import { idOf, pinPath } from "./rowPath.ts";
import { MAX_LABEL_LENGTH, shortened } from "./words.ts";

/** A pin's row; it says where its value may be out of date. */
export function pinRow(scene: Scene, pin: Pin): Row {
  const told = withHistory(scene, resultRow(scene, pin), pin.expression, measurementOf(scene, pin));
  const row = withRecording(scene, told, pin);
  return scene.contents.results.isOld(pin.expression) ? oldRow(row) : row;
}

/** The numbers of its value now. */
function measurementOf({ contents }: Scene, { expression }: Pin): Measurement | undefined {
  const result = contents.results.get(expression);
  if (result === undefined) return contents.pin(expression)?.measurement;
  return result !== "running" && "node" in result ? result.measurement : undefined;
}

function resultRow(scene: Scene, pin: Pin): Row {
  const { expression } = pin;
  const path = pinPath(expression);
  const answer = scene.contents.pin(expression);
  const result = scene.contents.results.get(expression);
  const rerun: Action[] = pin.static && !scene.contents.mustRun(expression) ? [] : ["evaluateAgain"];
  const name = pinName(expression);
  const label = shortened(name, MAX_LABEL_LENGTH);
  const own = { id: idOf(path), icon: "pinned", pin, name, expression };
  const valued = (value: SnapshotNode): Row => {
    const row = valueRow(scene, undefined, path, value, label);
    const can: Action[] = ["copySummary", "copyExpression", "remove", "compare", ...copiesOf(value.node)];
    can.push(...watchesOf(value.node), ...lensesOf(value.node), ...rerun);
    return { ...row, ...own, can };
  };
  if (result !== undefined && result !== "running" && "node" in result) {
    return valued({ node: result.node, snapshot: result.snapshot });
  }
  if (result === undefined && answer?.node !== undefined) {
    return valued({ node: answer.node, snapshot: scene.contents.answer.snapshot });
  }
  const [description, tone] = pinText(scene, pin, result ?? answer?.error);
  // VS Code opens no row that it has shown as one without children.
  const open = result === "running" && scene.expansion.isOpen(path);
  return {
    ...bareRow(scene, undefined, path, label),
    ...own,
    description,
    summary: description,
    tone,
    expandable: open,
    open,
    speech: `${name}, ${description}`,
    can: ["copyExpression", "remove", ...(result === "running" ? (["cancel"] as const) : rerun)],
  };
}

/** The text of a pin without a value. */
function pinText({ pins, contents }: Scene, pin: Pin, state: Failure | "running" | undefined): [string, Tone] {
  if (state === "running") return [l10n.t("running…"), "quiet"];
  if (state?.code === "not_found") return [l10n.t("not in this frame"), "quiet"];
  if (state !== undefined && state.code !== "not_static") return [state.message, "alarm"];
  if (state === undefined && pin.static) return [l10n.t("reading…"), "quiet"];
  const line = pins.lastLine(pin.expression, contents.frame.session);
  return [line === undefined ? l10n.t("not evaluated yet") : `${line} · ${l10n.t("from an earlier stop")}`, "quiet"];
}
