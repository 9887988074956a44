import * as vscode from "vscode";
import { askPlace, writeNew } from "./newFile.ts";

/** Asks for a place, and writes a picture there: whole, or not at all. */
export async function savePicture(name: string, png: ArrayBuffer): Promise<void> {
  const place = await askPlace(name, "png", vscode.l10n.t("Save Picture"));
  if (place !== undefined) await writeNew(place, (file) => file.write(new Uint8Array(png)));
}
