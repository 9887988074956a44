import * as vscode from "vscode";
import { NewFile } from "./newFile.ts";

const NAME = "tensor_inspector_sample.py";
/** The comment of the line at which the sample is to pause. */
const PAUSE = "# pause here";

/** The program on which the walkthrough shows what there is to see. */
export class Sample {
  readonly #bundled: vscode.Uri;

  constructor(extension: vscode.Uri) {
    this.#bundled = vscode.Uri.joinPath(extension, "extension", "walkthrough", "sample.py");
  }

  /** Writes it where the user says, opens it, and sets a breakpoint in it. */
  async open(): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const place = await vscode.window.showSaveDialog({
      title: vscode.l10n.t("Where is the sample to be written?"),
      filters: { Python: ["py"] },
      ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, NAME) }),
    });
    if (place === undefined) return;
    let text: string;
    try {
      const bytes = await vscode.workspace.fs.readFile(this.#bundled);
      text = Buffer.from(bytes).toString("utf8");
      await write(place, bytes);
    } catch (error) {
      void vscode.window.showErrorMessage(vscode.l10n.t("The sample could not be written: {0}", String(error)));
      return;
    }
    const line = text.split("\n").findIndex((one) => one.endsWith(PAUSE));
    const at = new vscode.Location(place, new vscode.Position(line, 0));
    const isSet = vscode.debug.breakpoints.some(
      (one) => one instanceof vscode.SourceBreakpoint && isAt(one.location, at),
    );
    if (!isSet) vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(at)]);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(place));
  }
}

async function write(place: vscode.Uri, bytes: Uint8Array): Promise<void> {
  const file = await NewFile.open(place);
  try {
    await file.write(bytes);
    await file.finish();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

function isAt(one: vscode.Location, other: vscode.Location): boolean {
  return one.uri.toString() === other.uri.toString() && one.range.start.isEqual(other.range.start);
}
