import { randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { isThere, NewFile } from "./newFile.ts";

/** In the names of event files, by which TensorBoard knows a run; and in them until the run is whole. */
const EVENTS = "tfevents";
const UNFINISHED = "unfinished";

/**
 * A folder of files on the machine of the extension, whole or not at all: until then it has another name beside it, and so have
 * its event files, which TensorBoard does not see. Where the user has agreed, the files are added to the folder that is there,
 * each under a name that is not there.
 */
class NewRun {
  readonly #place: string;
  readonly #isAdded: boolean;
  readonly #part: string;
  readonly #events: (readonly [unfinished: string, name: string])[] = [];
  #name: string | undefined;
  #file: NewFile | undefined;

  constructor(place: string, isAdded: boolean) {
    this.#place = place;
    this.#isAdded = isAdded;
    this.#part = path.join(path.dirname(place), `.${path.basename(place)}.${randomUUID()}.part`);
  }

  /** The files come one after another. */
  async write(name: string, data: Uint8Array): Promise<void> {
    if (name !== this.#name) {
      await this.#file?.finish();
      this.#file = undefined;
      const unfinished = path.join(path.dirname(name), path.basename(name).replaceAll(EVENTS, UNFINISHED));
      const whole = path.join(this.#part, unfinished);
      if (!whole.startsWith(this.#part + path.sep))
        throw new Error(vscode.l10n.t("{0} is outside of the folder", name));
      if (path.basename(unfinished) !== path.basename(name)) this.#events.push([unfinished, name]);
      await mkdir(path.dirname(whole), { recursive: true });
      this.#file = await NewFile.open(vscode.Uri.file(whole));
      this.#name = name;
    }
    await this.#file?.write(data);
  }

  async finish(): Promise<void> {
    await this.#file?.finish();
    this.#file = undefined;
    const renamed = new Renamed();
    try {
      if (!(await isFolder(this.#place))) await renamed.rename(this.#part, this.#place);
      else if (this.#isAdded) await this.#add(renamed);
      else throw new Error(vscode.l10n.t("there is a folder at {0} now", this.#place));
      for (const [unfinished, name] of this.#events) {
        await renamed.rename(path.join(this.#place, unfinished), path.join(this.#place, name)); // the run's own comes last
      }
    } catch (error) {
      await renamed.undo();
      throw error;
    }
    await rmdir(this.#part).catch(() => undefined); // the run is there
  }

  async discard(): Promise<void> {
    await this.#file?.discard().catch(() => undefined);
    await rm(this.#part, { recursive: true, force: true });
  }

  async #add(renamed: Renamed): Promise<void> {
    const names = await readdir(this.#part);
    for (const name of [...names, ...this.#events.map(([, event]) => event)]) {
      const place = path.join(this.#place, name);
      if (await isThere(place)) throw new Error(vscode.l10n.t("there is a file at {0} now", place));
    }
    for (const name of names.toSorted()) {
      await renamed.rename(path.join(this.#part, name), path.join(this.#place, name));
    }
  }
}

/** Files and folders that have another name, until that is undone. */
class Renamed {
  readonly #names: (readonly [before: string, after: string])[] = [];

  async rename(before: string, after: string): Promise<void> {
    await rename(before, after);
    this.#names.push([before, after]);
  }

  async undo(): Promise<void> {
    for (const [before, after] of this.#names.toReversed()) await rename(after, before).catch(() => undefined);
  }
}

/** Has a folder be written: whole, or not at all. It is added to one that is there only where the user has agreed. */
export async function writeNewRun(
  place: vscode.Uri,
  isAdded: boolean,
  write: (run: NewRun) => Promise<void>,
): Promise<void> {
  const run = new NewRun(place.fsPath, isAdded);
  try {
    await write(run);
    await run.finish();
  } catch (error) {
    await run.discard().catch(() => undefined);
    throw error;
  }
}

/**
 * Whether there is a folder.
 * @throws Error where there is something else, as a link
 */
export async function isFolder(place: string): Promise<boolean> {
  const found = await lstat(place).catch(() => undefined);
  if (found?.isDirectory() === false) throw new Error(vscode.l10n.t("there is a file at {0}", place));
  return found !== undefined;
}
