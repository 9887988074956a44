import * as l10n from "@vscode/l10n";
import { questionRow } from "./questionRows.ts";
import { bareRow, type Row, type Scene } from "./row.ts";
import { idOf, PROGRAM } from "./rowPath.ts";

/** The last row of the tree: what is below it is of the program as a whole, and asked only while it is open. */
export function programRow(scene: Scene): Row {
  return {
    ...bareRow(scene, undefined, PROGRAM, l10n.t("Program")),
    icon: "server-process",
    tone: "quiet",
    expandable: true,
    open: scene.expansion.isOpen(PROGRAM),
    can: ["copyReport"],
  };
}

export function isProgram({ path }: Row): boolean {
  return idOf(path) === idOf(PROGRAM);
}

/** The rows below it, one for each lens about the program. */
export function programRowsBelow(scene: Scene, parent: Row): Row[] {
  return scene.questions.ofProgram.map((question) => questionRow(scene, question, parent));
}
