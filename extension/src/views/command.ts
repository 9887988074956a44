import type * as vscode from "vscode";
import type { Dismissed } from "../model/dismissed.ts";
import type { Expansion } from "../model/expansion.ts";
import type { Findings } from "../model/findings.ts";
import type { Inspector } from "../model/inspector.ts";
import type { Lenses } from "../model/lenses.ts";
import type { Questions } from "../model/questions.ts";
import type { Action, Row } from "../model/row.ts";
import type { Runs } from "../model/runs.ts";
import type { Settings } from "./settings.ts";
import type { Tree } from "./tree.ts";

/** What commands act on. */
export interface Parts {
  readonly inspector: Inspector;
  readonly runs: Runs;
  readonly questions: Questions;
  readonly lenses: Lenses;
  readonly findings: Findings;
  readonly dismissed: Dismissed;
  readonly expansion: Expansion;
  readonly settings: Settings;
  readonly tree: Tree;
  readonly log: Pick<vscode.LogOutputChannel, "show" | "error">;
}

/** `argument` is what it is called on, `selected` all rows that are selected with it. */
export type Command = (parts: Parts, argument: unknown, selected?: unknown) => unknown;

/**
 * The rows that a command acts on: those among the meant ones that offer one of its actions. VS Code offers it for all
 * that are marked where the row of the menu offers it.
 */
export async function rowsOf(
  tree: Tree,
  actions: Action | readonly Action[],
  argument: unknown,
  selected: unknown,
): Promise<readonly Row[]> {
  const offered = [actions].flat();
  const meant = await meantRows(tree, argument, selected);
  return meant.filter(({ can }) => offered.some((action) => can.includes(action)));
}

/**
 * The menu's row, or the one that the keyboard is on where a key was pressed; where it is one of several that are marked,
 * all of these. VS Code tells a menu of them as `selected`.
 */
async function meantRows(tree: Tree, argument: unknown, selected: unknown): Promise<readonly Row[]> {
  if (isRow(argument)) return Array.isArray(selected) && selected.length > 0 ? selected.filter(isRow) : [argument];
  const marked = tree.selection;
  const row = await tree.focused();
  if (row === undefined) return [];
  return marked.some(({ id }) => id === row.id) ? marked : [row];
}

export function isRow(argument: unknown): argument is Row {
  return typeof argument === "object" && argument !== null && "path" in argument && "contents" in argument;
}
