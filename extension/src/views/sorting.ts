import * as vscode from "vscode";
import { sayNotDone } from "./asking.ts";
import { isRow, type Parts } from "./commandArguments.ts";

/** The orders in which the lens `model` sorts the parts of a module, with the labels that the user reads. */
const SORTS = {
  order: () => vscode.l10n.t("their order in the model"),
  name: () => vscode.l10n.t("name"),
  type: () => vscode.l10n.t("type"),
  parameters: () => vscode.l10n.t("parameters"),
  trainable: () => vscode.l10n.t("trainable parameters"),
  buffers: () => vscode.l10n.t("elements of buffers"),
  bytes: () => vscode.l10n.t("bytes"),
  dtype: () => vscode.l10n.t("dtype"),
  device: () => vscode.l10n.t("device"),
  mode: () => vscode.l10n.t("mode: train or eval"),
  hooks: () => vscode.l10n.t("hooks"),
} as const;

/** Asks for the same table in another order. */
export async function sortLayers({ lenses, tree }: Parts, row: unknown): Promise<void> {
  const question = isRow(row) ? row.question : undefined;
  if (question === undefined) return;
  const now = question.options?.["sort"] ?? "order";
  const items = Object.entries(SORTS).map(([sort, label]) => ({
    label: label(),
    sort,
    ...(sort === now ? { description: vscode.l10n.t("current") } : {}),
  }));
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Sort the layers by…") });
  if (picked && !(await lenses.askWith(question, { ...question.options, sort: picked.sort }))) {
    await sayNotDone(tree);
  }
}
