import type * as vscode from "vscode";
import type { Details } from "../model/details.ts";
import type { Dismissed } from "../model/dismissed.ts";
import type { Expansion } from "../model/expansion.ts";
import type { Findings } from "../model/findings.ts";
import type { History } from "../model/history.ts";
import type { Inspector } from "../model/inspector.ts";
import type { Lenses } from "../model/lenses.ts";
import type { Questions } from "../model/questions.ts";
import type { Action, Row } from "../model/row.ts";
import type { Runs } from "../model/runs.ts";
import type { Watchpoints } from "../model/watchpoints.ts";
import type { DetailsPages } from "./detailsPages.ts";
import type { GraphPages } from "./graphPages.ts";
import type { Mcp } from "./mcp.ts";
import type { Sample } from "./sample.ts";
import type { Settings } from "./settings.ts";
import type { TablePages } from "./tablePages.ts";
import type { Tree } from "./tree.ts";

/** What commands act on. */
export interface Parts {
  readonly inspector: Inspector;
  readonly runs: Runs;
  readonly questions: Questions;
  readonly lenses: Lenses;
  readonly findings: Findings;
  readonly dismissed: Dismissed;
  readonly watchpoints: Watchpoints;
  readonly history: History;
  readonly details: Details;
  readonly detailsPages: DetailsPages;
  readonly tablePages: Pick<TablePages, "open">;
  readonly graphPages: Pick<GraphPages, "open">;
  readonly expansion: Expansion;
  readonly settings: Settings;
  readonly mcp: Pick<Mcp, "copyConfiguration">;
  readonly sample: Pick<Sample, "open">;
  readonly tree: Tree;
  readonly log: Pick<vscode.LogOutputChannel, "show" | "error">;
}

/** VS Code gives a command what its menu was opened on, as `argument`, and all rows that are selected then. */
export type Command = (parts: Parts, argument: unknown, selected?: unknown) => unknown;

/**
 * The rows that a command acts on: those of the meant ones that offer one of its actions. VS Code shows it in the menu
 * where the row that was clicked offers it, whatever the others that are selected with it offer.
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
 * The row whose menu was used, or the one that the keyboard is on where a key was pressed; where it is one of several that
 * are selected, all of these.
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
