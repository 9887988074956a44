import * as vscode from "vscode";
import type { Frame } from "../debug/frame.ts";
import { Cancelled } from "../debug/queue.ts";
import { COMMAND, type CommandId } from "../ids.ts";
import { failureOf } from "../model/failure.ts";
import type { ExportOptions } from "../model/exporting.ts";
import { historyScalars, stepOf, withoutPoints } from "../model/historyScalars.ts";
import type { Inquiry, Subject } from "../model/questions.ts";
import type { ExportFormat, ExportFound, LensAnswer } from "../protocol/generated.ts";
import { sayNotDone, subjectMeant, subjectOf } from "./asking.ts";
import { signalOf } from "./cancellation.ts";
import { type Command, isRow, type Parts } from "./commandArguments.ts";
import { confirmImporting, confirmPickling } from "./confirming.ts";
import { askPlace, fileName, firstFolder, writeNew } from "./newFile.ts";
import { isFolder, writeNewRun } from "./newRun.ts";
import { pickSubject } from "./picking.ts";

/** Until progress is shown: most files are there before. */
const PROGRESS_DELAY_MS = 700;

/** The format whose value becomes a folder of files. */
const RUN = "tensorboard";
/** Where runs are proposed to be, from the folder of the program on. */
const RUNS = "runs/tensor-inspector";

/** A value that is exported, in the frame that was looked at then. */
interface Exporting {
  readonly parts: Parts;
  readonly subject: Subject;
  readonly frame: Frame;
  readonly format: ExportFormat;
  readonly options: NonNullable<Inquiry["options"]>;
}

interface FormatItem extends vscode.QuickPickItem {
  readonly format: ExportFormat;
}

interface PlaceItem extends vscode.QuickPickItem {
  /** Whether the program writes the file, where it runs. */
  readonly byProgram: boolean;
}

export const EXPORT_COMMANDS = {
  /** Writes a value to a file. */
  [COMMAND.exportValue]: async (parts, argument) => {
    const { frame } = parts.inspector;
    const subject = await subjectToExport(parts, argument);
    if (subject === undefined) return;
    try {
      if (frame === undefined) throw new Cancelled();
      await exportValue(parts, subject, frame);
    } catch (error) {
      if (error instanceof Cancelled) await sayNotDone(parts.tree);
      else await parts.tree.say(sentenceOf(error, subject));
    }
  },
} satisfies Readonly<Partial<Record<CommandId, Command>>>;

/** The details page names a value as it knows it, a row or another view as always; the palette names none. */
async function subjectToExport(parts: Parts, argument: unknown): Promise<Subject | undefined> {
  if (argument === undefined) return pickSubject(parts, vscode.l10n.t("Export Value"), "export");
  if (isRow(argument)) return subjectOf(argument);
  return isSubject(argument) ? argument : subjectMeant(parts, argument, "");
}

function isSubject(argument: unknown): argument is Subject {
  return typeof argument === "object" && argument !== null && "name" in argument && !("variable" in argument);
}

async function exportValue(parts: Parts, subject: Subject, frame: Frame): Promise<void> {
  const known = recordedOf(parts, subject, frame);
  const listed = { ...known, scalars: withoutPoints(known.scalars) };
  const found = foundOf(await parts.lenses.export(subject, frame, listed));
  const format = await pickFormat(found.formats, subject);
  if (format === undefined) return;
  if (format.refused !== undefined) {
    await parts.tree.say(
      vscode.l10n.t("“{0}” is not exported as {1}: {2}", subject.name, nameOf(format), format.refused),
    );
    return;
  }
  if (format.runs && !(await isAgreedTo(format, subject))) return;
  const options = {
    format: format.format,
    ...(format.runs ? { run: true } : {}),
    ...(isRun(format) ? recordedOf(parts, subject, frame) : {}), // the record of this stop may have come meanwhile
  };
  const exporting: Exporting = { parts, subject, frame, format, options };
  const place = await pickPlace(found, exporting);
  if (place === undefined) return;
  if (place.byProgram) await writeByProgram(exporting, found);
  else await (isRun(format) ? writeRunHere(exporting) : writeHere(exporting));
}

function isAgreedTo(format: ExportFormat, { name }: Subject): Promise<boolean> {
  return isRun(format) ? confirmImporting(format.notes) : confirmPickling(name, format.notes);
}

/** What a run is told beside the value: its history, and at which step it is what it is now. */
function recordedOf({ history }: Parts, { expression }: Subject, { session }: Frame) {
  const records = expression === undefined ? [] : history.records(session, expression);
  return { step: stepOf(records, session.threads.stops), scalars: historyScalars(records) };
}

function isRun({ format }: ExportFormat): boolean {
  return format === RUN;
}

function nameOf(format: ExportFormat): string {
  return isRun(format) ? vscode.l10n.t("a TensorBoard run") : `.${format.format}`;
}

/** Those that hold the value come first; one that does not says why, also where it is picked. */
async function pickFormat(formats: readonly ExportFormat[], { name }: Subject): Promise<ExportFormat | undefined> {
  const items = formats
    .toSorted((one, other) => Number(one.refused !== undefined) - Number(other.refused !== undefined))
    .map((format): FormatItem => {
      const { refused, notes, size = "" } = format;
      const kind = isRun(format) ? vscode.l10n.t("TensorBoard run") : nameOf(format);
      const label = `${refused === undefined ? "$(file)" : "$(circle-slash)"} ${kind}`;
      return {
        format,
        label,
        description: refused ?? size,
        ...(notes.length === 0 ? {} : { detail: notes.join(" · ") }),
      };
    });
  const title = vscode.l10n.t("Export “{0}” as…", name);
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.format;
}

function pickPlace({ host, folder }: ExportFound, { subject, format }: Exporting): Thenable<PlaceItem | undefined> {
  const items: PlaceItem[] = [
    {
      label: vscode.l10n.t("$(save-as) Where VS Code Runs…"),
      description: vscode.l10n.t("a place that you choose; the bytes come through the debugger"),
      byProgram: false,
    },
    {
      label: vscode.l10n.t("$(server-process) Where the Program Runs…"),
      description: vscode.l10n.t("on {0}; the program writes it, which is faster", host),
      detail: folder,
      byProgram: true,
    },
  ];
  const title = vscode.l10n.t("Write “{0}” as {1}…", subject.name, nameOf(format));
  return vscode.window.showQuickPick(items, { title, matchOnDescription: true });
}

async function writeHere(exporting: Exporting): Promise<void> {
  const { parts, subject, format } = exporting;
  const place = await askPlace(subject.name, format.format, vscode.l10n.t("Export “{0}”", subject.name));
  if (place === undefined) return;
  let size = "";
  const isWritten = await withProgress(exporting, (asking) =>
    writeNew(place, async (file) => {
      const onData = (data: string): Promise<void> => file.write(Buffer.from(data, "base64"));
      size = (await make(exporting, {}, { ...asking, onData })).node?.line ?? "";
    }),
  );
  if (isWritten) await parts.tree.say(vscode.l10n.t("“{0}” is in {1} ({2}).", subject.name, place.fsPath, size));
}

/** The run is a folder below the one that is picked. */
async function writeRunHere(exporting: Exporting): Promise<void> {
  const { parts, subject } = exporting;
  const name = runName(subject.name);
  const [picked] =
    (await vscode.window.showOpenDialog({
      canSelectFolders: true,
      canSelectFiles: false,
      defaultUri: firstFolder(),
      openLabel: vscode.l10n.t("Write Run Here"),
      title: vscode.l10n.t("The folder in which the run “{0}” is to be", name),
    })) ?? [];
  if (picked === undefined) return;
  if (picked.scheme !== "file") throw new Error(vscode.l10n.t("a run is written to a folder of the file system"));
  const place = vscode.Uri.joinPath(picked, name);
  const isAdded = await isFolder(place.fsPath);
  if (isAdded && !(await confirmAdding(place.fsPath))) return;
  let size = "";
  const isWritten = await withProgress(exporting, (asking) =>
    writeNewRun(place, isAdded, async (run) => {
      const onData = (data: string, file = ""): Promise<void> => run.write(file, Buffer.from(data, "base64"));
      size = (await make(exporting, {}, { ...asking, onData })).node?.line ?? "";
    }),
  );
  if (isWritten) await parts.tree.say(vscode.l10n.t("“{0}” is in {1} ({2}).", subject.name, place.fsPath, size));
}

/** A name that all file systems take, and that no folder begins with which is hidden. */
function runName(name: string): string {
  return fileName(name, "").replaceAll(/^\.+|\.+$/g, "") || "value";
}

async function writeByProgram(exporting: Exporting, { host, folder }: ExportFound): Promise<void> {
  const { parts, subject, format } = exporting;
  const file = fileName(subject.name, format.format);
  const [value, valueSelection]: [string, [number, number]] = isRun(format)
    ? [`${RUNS}/${runName(subject.name)}`, [RUNS.length + 1, RUNS.length + 1 + runName(subject.name).length]]
    : [file, [0, file.length - format.format.length - 1]];
  const path = await vscode.window.showInputBox({
    title: isRun(format)
      ? vscode.l10n.t("Export “{0}” to a run on {1}", subject.name, host)
      : vscode.l10n.t("Export “{0}” to a file on {1}", subject.name, host),
    prompt: vscode.l10n.t("A path where the program runs. A relative one begins at its folder, {0}", folder),
    value,
    valueSelection,
  });
  if (path === undefined) return;
  let answer: LensAnswer | undefined;
  const write = (overwrite: boolean): Promise<boolean> =>
    withProgress(exporting, async (asking) => {
      answer = await make(exporting, { path, overwrite }, asking);
    });
  if (!(await write(false)) || answer === undefined) return;
  const { taken } = foundOf(answer);
  const confirm = isRun(format) ? confirmAdding : confirmReplacing;
  if (taken !== undefined && (!(await confirm(taken)) || !(await write(true)))) return;
  const { written = path } = foundOf(answer);
  const size = answer.node?.line ?? "";
  await parts.tree.say(vscode.l10n.t("“{0}” is in {1} ({2}).", subject.name, written, size));
}

async function confirmReplacing(path: string): Promise<boolean> {
  const replace = vscode.l10n.t("Replace");
  const question = vscode.l10n.t("There is a file already. Replace it?");
  return (await vscode.window.showWarningMessage(question, { modal: true, detail: path }, replace)) === replace;
}

async function confirmAdding(path: string): Promise<boolean> {
  const add = vscode.l10n.t("Add");
  const question = vscode.l10n.t("There is a folder already. Add the run to it?");
  return (await vscode.window.showWarningMessage(question, { modal: true, detail: path }, add)) === add;
}

function make({ parts, subject, frame, options }: Exporting, more: Exporting["options"], asking: ExportOptions) {
  return parts.lenses.export(subject, frame, { ...options, ...more }, asking);
}

/** Where it takes a while, the user sees how far it is and can cancel it. Whether it came to its end. */
async function withProgress(
  { subject, format }: Exporting,
  work: (asking: ExportOptions) => Promise<void>,
): Promise<boolean> {
  const aborting = new AbortController();
  let onProgress: (share: number) => void = () => undefined;
  const working = work({ signal: aborting.signal, onProgress: (share) => onProgress(share) });
  const over = working.then(
    () => true,
    () => true,
  );
  const isQuick = await Promise.race([over, new Promise((resolve) => setTimeout(resolve, PROGRESS_DELAY_MS, false))]);
  if (isQuick !== true) {
    const location = vscode.ProgressLocation.Notification;
    const title = vscode.l10n.t("Exporting “{0}” as {1}", subject.name, nameOf(format));
    await vscode.window.withProgress({ location, title, cancellable: true }, async (progress, cancelled) => {
      signalOf(cancelled).addEventListener("abort", () => aborting.abort());
      let last = 0;
      onProgress = (share) => {
        progress.report({ increment: (share - last) * 100, message: `${Math.floor(share * 100)} %` });
        last = share;
      };
      await over;
    });
  }
  try {
    await working;
    return true;
  } catch (error) {
    if (error instanceof Cancelled && aborting.signal.aborted) return false; // as the user wanted
    throw error;
  }
}

function foundOf({ found }: LensAnswer): ExportFound {
  if (found?.lens !== "export") throw new Error(vscode.l10n.t("the helper has told nothing of an export"));
  return found;
}

function sentenceOf(error: unknown, { name }: Subject): string {
  const { code, message } = failureOf(error);
  if (code !== "not_static") return vscode.l10n.t("Not exported: {0}", message);
  return vscode.l10n.t("“{0}” has to be run to be read. Pin it (Summarize Expression), then export its row.", name);
}
