import * as vscode from "vscode";
import type { Row } from "../model/row.ts";
import { BOUNDS, OF_PROGRAM, OF_VALUES } from "../model/watchable.ts";
import { watchedFor } from "../model/watchpointRows.ts";
import { functionOf, type Watched } from "../model/watchpoints.ts";
import type { WatchedAs, WatchedFor } from "../protocol/generated.ts";

interface Condition extends vscode.QuickPickItem {
  readonly watched?: Watched;
}

/** Lets the user choose what the whole program is watched for, and by which gear. */
export async function pickForProgram(): Promise<Watched | undefined> {
  const { exact, light } = OF_PROGRAM;
  const items: Condition[] = [
    separator(vscode.l10n.t("Exact: each operation is tested · a step takes 1.1 to 1.5 times as long")),
    ...exact.map((what) => condition({ what, gear: "exact" }, exactText(what))),
    separator(vscode.l10n.t("Light: modules, losses, gradients and parameters are tested · 1.0 to 1.2 times as long")),
    ...light.map((what) => condition({ what, gear: "light" }, lightText(what))),
  ];
  return pick(vscode.l10n.t("Break when a value of the program becomes…"), items);
}

/** Lets the user choose what a value is watched for; undefined where it is none that can be watched. */
export async function pickForValue({ expression, value, contents }: Row): Promise<Watched | undefined> {
  const watchedAs = value?.node.watched_as;
  if (watchedAs === undefined || expression === undefined) return undefined;
  const { answer, frame } = contents;
  const place = functionOf(frame, answer);
  const items = OF_VALUES[watchedAs].map((what) =>
    condition({ what, gear: "light", of: expression, function: place }, valueText(what, watchedAs)),
  );
  return pick(vscode.l10n.t("Break when {0}…", expression), items, whereText(watchedAs, answer.function));
}

async function pick(title: string, items: readonly Condition[], placeHolder?: string): Promise<Watched | undefined> {
  const options = placeHolder === undefined ? { title } : { title, placeHolder };
  const watched = (await vscode.window.showQuickPick(items, options))?.watched;
  const usual = watched && BOUNDS[watched.what];
  if (watched === undefined || usual === undefined) return watched;
  const bound = await askBound(watched.what, usual);
  return bound === undefined ? undefined : { ...watched, bound };
}

async function askBound(what: WatchedFor, usual: number): Promise<number | undefined> {
  const validateInput = (text: string): string | undefined =>
    text.trim() !== "" && Number.isFinite(Number(text)) ? undefined : vscode.l10n.t("A number, such as 100 or 1e4.");
  const text = await vscode.window.showInputBox({ prompt: boundText(what), value: String(usual), validateInput });
  return text === undefined ? undefined : Number(text);
}

function condition(watched: Watched, description: string): Condition {
  return { label: labelOf(watched.what), description, watched };
}

function separator(label: string): Condition {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function labelOf(what: WatchedFor): string {
  if (what === "above") return vscode.l10n.t("a magnitude above…");
  if (what === "norm") return vscode.l10n.t("a gradient norm above…");
  return what === "rises" ? vscode.l10n.t("a loss that rises by a factor…") : watchedFor({ what, gear: "light" });
}

function boundText(what: WatchedFor): string {
  if (what === "above") return vscode.l10n.t("Above which magnitude does it stop?");
  if (what === "norm") return vscode.l10n.t("Above which norm of all gradients does it stop?");
  return vscode.l10n.t("To more than how many times of what it was must it rise?");
}

function exactText(what: WatchedFor): string {
  if (what === "nan") return vscode.l10n.t("wherever it arises, also if a later line takes it away");
  if (what === "inf") return vscode.l10n.t("wherever it arises");
  if (what === "above") return vscode.l10n.t("the first operation whose result is larger");
  return vscode.l10n.t("that matters: computed with or read, in a loss, a gradient, a parameter, a running statistic");
}

function lightText(what: WatchedFor): string {
  if (what === "nonfinite") return vscode.l10n.t("the operation is told where the graph that stands proves it");
  if (what === "norm") return vscode.l10n.t("of all gradients together, as an optimizer steps");
  return what === "none"
    ? vscode.l10n.t("of a parameter, as an optimizer steps")
    : vscode.l10n.t("from one backward to the next");
}

function valueText(what: WatchedFor, watchedAs: WatchedAs): string {
  if (what === "norm" || what === "none") return vscode.l10n.t("as an optimizer steps");
  if (what === "zero" && watchedAs !== "tensor") return vscode.l10n.t("its gradient, or that of a parameter");
  if (what === "rises" || what === "changed" || what === "unchanged") return vscode.l10n.t("from one look to the next");
  return "";
}

/** When it is looked at. */
function whereText(watchedAs: WatchedAs, name: string): string {
  if (watchedAs === "module") return vscode.l10n.t("Looked at: what it returns, its gradients and parameters at steps");
  if (watchedAs === "optimizer") return vscode.l10n.t("Looked at as it steps: gradients before, parameters after");
  if (watchedAs === "parameter")
    return vscode.l10n.t("Looked at as an optimizer steps: its gradient before, itself after");
  return vscode.l10n.t(
    "Looked at as an optimizer steps and as {0} returns; Python code of the program runs slower meanwhile",
    name,
  );
}
