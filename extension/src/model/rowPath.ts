import type { Frame } from "../debug/frame.ts";
import type { Question } from "./questions.ts";

/** Where a row stands in the tree, by names, which are the same at every stop. */
export interface RowPath {
  /** What it belongs to: all variables of a function have one root, each pin and each question has its own. */
  readonly root: string;
  readonly names: readonly string[];
}

/** The row that counts findings; the paths of findings begin with this one. */
export const FINDINGS: RowPath = { root: "findings", names: [] };

/** The group of what is worth a look; the paths of observations begin with this one. */
export const OBSERVATIONS: RowPath = { root: "observations", names: [] };

/** The row with the result of a check. */
export const OUTCOME: RowPath = { root: "checked", names: [] };

/** The group of the watchpoints. */
export const WATCHPOINTS: RowPath = { root: "watchpoints", names: [] };

/** The group about the program as a whole. */
export const PROGRAM: RowPath = { root: "program", names: [] };

/** How the roots of variables, of pins and of histories begin. */
const FRAME = "frame ";
const PIN = "pin ";
const HISTORY = "history ";

/** The path of a frame; those of its variables begin with it. */
export function framePath({ place }: Frame): RowPath {
  return { root: `${FRAME}${place}`, names: [] };
}

export function pinPath(expression: string): RowPath {
  return { root: `${PIN}${expression}`, names: [] };
}

/** The group of what was recorded of a row's expression: no name of a row below its value can be the same. */
export function historyPath(path: RowPath): RowPath {
  return { root: `${HISTORY}${idOf(path)}`, names: [] };
}

/** Whether it is such a group. */
export function isHistory({ root, names }: RowPath): boolean {
  return root.startsWith(HISTORY) && names.length === 0;
}

export function questionPath({ id }: Question): RowPath {
  return { root: `question ${id}`, names: [] };
}

/** The path of the row of this name below another. */
export function childPath({ root, names }: RowPath, name: string): RowPath {
  return { root, names: [...names, name] };
}

/** Whether it is a variable or a pin, or stands below one; not an answer, nor a finding. */
export function isOfVariables({ root }: RowPath): boolean {
  return root.startsWith(FRAME) || root.startsWith(PIN);
}

export function idOf({ root, names }: RowPath): string {
  return JSON.stringify([root, ...names]);
}
