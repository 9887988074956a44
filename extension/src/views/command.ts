import type * as vscode from "vscode";
import type { Comparing } from "../model/comparing.ts";
import type { Expansion } from "../model/expansion.ts";
import type { Inspector } from "../model/inspector.ts";
import type { Row } from "../model/row.ts";
import type { Runs } from "../model/runs.ts";
import type { Settings } from "./settings.ts";
import type { Tree } from "./tree.ts";

/** What commands act on. */
export interface Parts {
  readonly inspector: Inspector;
  readonly runs: Runs;
  readonly comparing: Comparing;
  readonly expansion: Expansion;
  readonly settings: Settings;
  readonly tree: Tree;
  readonly log: Pick<vscode.OutputChannel, "show">;
}

/** `argument` is what it is called on, `selected` all rows that are selected with it. */
export type Command = (parts: Parts, argument: unknown, selected?: unknown) => unknown;

/** The row of a menu, or the one that the keyboard is on where a key was pressed. */
export async function rowOf(tree: Tree, argument: unknown): Promise<Row | undefined> {
  return isRow(argument) ? argument : tree.focused();
}

export function isRow(argument: unknown): argument is Row {
  return typeof argument === "object" && argument !== null && "path" in argument && "contents" in argument;
}
