import { randomUUID } from "node:crypto";
import { link, lstat, open, rename, rm, type FileHandle } from "node:fs/promises";
import * as vscode from "vscode";

const MOST_BYTES = 180; // of a name: file systems take 255, of which some are for the part

/**
 * A file at a place that the user has chosen, whole or not at all: until then it has another name beside it. VS Code's dialog
 * has asked before it names a file that is there; one that comes later is not replaced. A link is replaced, never followed.
 */
export abstract class NewFile {
  static async open(place: vscode.Uri): Promise<NewFile> {
    if (place.scheme !== "file") return new CollectedFile(place, await isThereFor(place));
    const before = await lstat(place.fsPath).catch(() => undefined);
    const part = `${place.fsPath}.${randomUUID()}.part`;
    const mode = before?.isFile() === true ? before.mode & 0o777 : undefined; // the same users may read and write it
    const file = await open(part, "wx", mode);
    if (mode !== undefined) await file.chmod(mode).catch(() => undefined); // a file system without modes
    return new StreamedFile(place.fsPath, part, file, before !== undefined);
  }

  abstract write(data: Uint8Array): Promise<void>;

  /** Gives it its name. */
  abstract finish(): Promise<void>;

  /** Removes what there is of it. */
  abstract discard(): Promise<void>;
}

/** On the machine of the extension: written as it comes. */
class StreamedFile extends NewFile {
  readonly #place: string;
  readonly #part: string;
  readonly #file: FileHandle;
  readonly #replaces: boolean;

  constructor(place: string, part: string, file: FileHandle, replaces: boolean) {
    super();
    this.#place = place;
    this.#part = part;
    this.#file = file;
    this.#replaces = replaces;
  }

  async write(data: Uint8Array): Promise<void> {
    await this.#file.writeFile(data); // all of it, from where the last one has ended
  }

  async finish(): Promise<void> {
    await this.#file.sync();
    await this.#file.close();
    if (this.#replaces) await rename(this.#part, this.#place);
    else await this.#giveNewName();
  }

  async discard(): Promise<void> {
    await this.#file.close();
    await rm(this.#part, { force: true });
  }

  async #giveNewName(): Promise<void> {
    const linked = link(this.#part, this.#place).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === "EEXIST") throw this.#taken();
        return false; // a file system without hard links
      },
    );
    if (await linked) await rm(this.#part);
    else if (await isThere(this.#place)) throw this.#taken();
    else await rename(this.#part, this.#place);
  }

  #taken(): Error {
    return new Error(vscode.l10n.t("there is a file at {0} now", this.#place));
  }
}

/** On another file system of VS Code's, which takes a file only as one. */
class CollectedFile extends NewFile {
  readonly #place: vscode.Uri;
  readonly #replaces: boolean;
  readonly #pieces: Uint8Array[] = [];

  constructor(place: vscode.Uri, replaces: boolean) {
    super();
    this.#place = place;
    this.#replaces = replaces;
  }

  write(data: Uint8Array): Promise<void> {
    this.#pieces.push(data);
    return Promise.resolve();
  }

  async finish(): Promise<void> {
    const part = this.#place.with({ path: `${this.#place.path}.${randomUUID()}.part` });
    try {
      await vscode.workspace.fs.writeFile(part, Buffer.concat(this.#pieces));
      await vscode.workspace.fs.rename(part, this.#place, { overwrite: this.#replaces });
    } catch (error) {
      await vscode.workspace.fs.delete(part).then(undefined, () => undefined);
      throw error;
    }
  }

  discard(): Promise<void> {
    this.#pieces.length = 0;
    return Promise.resolve();
  }
}

function isThereFor(place: vscode.Uri): Promise<boolean> {
  return Promise.resolve(vscode.workspace.fs.stat(place)).then(
    () => true,
    () => false,
  );
}

/** Whether there is something, also a link that leads nowhere. */
export function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

/** Has a file be written: whole, or not at all. */
export async function writeNew(place: vscode.Uri, write: (file: NewFile) => Promise<void>): Promise<void> {
  const file = await NewFile.open(place);
  try {
    await write(file);
    await file.finish();
  } catch (error) {
    await file.discard().catch(() => undefined);
    throw error;
  }
}

/** Asks where a file is to be, beginning with the folder that is open. VS Code asks before it names one that is there. */
export async function askPlace(name: string, suffix: string, title: string): Promise<vscode.Uri | undefined> {
  const folder = firstFolder();
  return vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(folder, fileName(name, suffix)),
    filters: { [suffix.toUpperCase()]: [suffix] },
    title,
  });
}

/** The folder that is open, else that of the user. */
export function firstFolder(): vscode.Uri {
  const home = vscode.Uri.file(process.env["HOME"] ?? process.env["USERPROFILE"] ?? "/");
  return vscode.workspace.workspaceFolders?.[0]?.uri ?? home;
}

/** A name that all file systems take. */
export function fileName(name: string, suffix: string): string {
  const letters = Array.from(name.replaceAll(/[^\p{L}\p{M}\p{N}_.-]+/gu, "_")).slice(0, 100);
  while (Buffer.byteLength(letters.join("")) > MOST_BYTES) letters.pop();
  return `${letters.join("")}.${suffix}`;
}
