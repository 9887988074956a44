import * as l10n from "@vscode/l10n";
import type { Failure } from "./failure.ts";
import { pinName, type Pin } from "./pins.ts";
import { type Action, idOf, LABEL, oldRow, pinPath, type Row, type Source, type Tone, valueRow } from "./row.ts";
import { middle } from "./words.ts";

/** A pin's row, which says so where its value is from before something that may have changed it. */
export function pinRow(source: Source, pin: Pin): Row {
  const row = resultRow(source, pin);
  return source.contents.isOld(pin.expression) ? oldRow(row) : row;
}

function resultRow(source: Source, pin: Pin): Row {
  const { expression } = pin;
  const path = pinPath(expression);
  const answer = source.contents.pin(expression);
  const result = source.contents.result(expression);
  const rerun: Action[] = pin.static && !source.contents.mustRun(expression) ? [] : ["evaluateAgain"];
  const own = {
    path,
    id: idOf(path),
    parent: undefined,
    contents: source.contents,
    icon: "pinned",
    pin,
    label: middle(pinName(expression), LABEL),
    name: pinName(expression),
  };
  if (result !== undefined && result !== "running" && "node" in result) {
    const row = valueRow(source, undefined, path, { node: result.node, snapshot: result.snapshot }, own.label);
    return { ...row, ...own, expression, can: ["copySummary", "copyExpression", "unpin", "compare", ...rerun] };
  }
  if (result === undefined && answer?.node !== undefined) {
    const known = { node: answer.node, snapshot: source.contents.answer.snapshot };
    const row = valueRow(source, undefined, path, known, own.label);
    return { ...row, ...own, expression, can: ["copySummary", "copyExpression", "unpin", "compare", ...rerun] };
  }
  const [description, tone] = pinText(source, pin, result ?? answer?.error);
  // VS Code opens no row that it has shown as one without children.
  const open = result === "running" && source.expansion.isOpen(path);
  return {
    ...own,
    description,
    summary: description,
    tone,
    expandable: open,
    open,
    changed: false,
    speech: `${own.name}, ${description}`,
    can: ["copyExpression", "unpin", ...rerun],
    expression,
  };
}

/** What a pin without a value says. */
function pinText({ pins, contents }: Source, pin: Pin, state: Failure | "running" | undefined): [string, Tone] {
  if (state === "running") return [l10n.t("running…"), "quiet"];
  if (state?.code === "not_found") return [l10n.t("not in this frame"), "quiet"];
  if (state !== undefined && state.code !== "not_static") return [state.message, "alarm"];
  if (state === undefined && pin.static) return [l10n.t("reading…"), "quiet"];
  const line = pins.lastLine(pin.expression, contents.frame.session);
  return [line === undefined ? l10n.t("not evaluated yet") : `${line} · ${l10n.t("from an earlier stop")}`, "quiet"];
}
