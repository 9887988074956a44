import * as vscode from "vscode";
import type { Frame } from "../debug/frame.ts";
import { Cancelled } from "../debug/queue.ts";
import { COMMAND, type CommandId, VIEW } from "../ids.ts";
import { failureOf } from "../model/failure.ts";
import type { Subject } from "../model/questions.ts";
import { askLens, sayNotDone, subjectOf } from "./asking.ts";
import { type Command, type Parts } from "./commandArguments.ts";
import { pickSubject } from "./picking.ts";

/** What is kept of a value: all its elements, or of its tensors a line and a checksum. */
interface Choice extends vscode.QuickPickItem {
  readonly checksums: boolean;
}

export const KEEP_COMMANDS = {
  /** Copies a value as it is now, and compares the two from then on, at each stop. */
  [COMMAND.keepForCompare]: async (parts, argument) => {
    const subject = subjectOf(argument) ?? (await pickSubject(parts, vscode.l10n.t("Keep for Compare"), "keep"));
    if (subject === undefined) return;
    try {
      await keep(parts, subject);
    } catch (error) {
      if (error instanceof Cancelled) await sayNotDone(parts.tree);
      else await parts.tree.say(failureOf(error).message);
    }
  },
} satisfies Readonly<Partial<Record<CommandId, Command>>>;

async function keep(parts: Parts, subject: Subject): Promise<void> {
  const { lenses, questions, inspector } = parts;
  const { frame } = inspector;
  const line = inspector.contents?.answer.line ?? 0;
  if (frame === undefined) throw new Cancelled();
  const choice = await chosen(parts, subject, frame);
  if (choice === undefined) return;
  const { checksums } = choice;
  const number = questions.beginKeeping();
  try {
    const title = vscode.l10n.t("Keeping “{0}”…", subject.name);
    await vscode.window.withProgress({ location: { viewId: VIEW }, title }, () =>
      lenses.keep(subject, frame, { as: number, checksums }),
    );
    const { name, expression } = subject;
    const now = { name, ...(expression === undefined ? {} : { expression }) };
    await askLens(parts, {
      lens: "compare",
      subjects: { a: { name: stopName(parts, name, line), kept: number }, b: now },
    });
  } finally {
    questions.endKeeping(number);
  }
}

/** What the user wants to be kept, once they know what it takes. */
async function chosen({ lenses }: Parts, subject: Subject, frame: Frame): Promise<Choice | undefined> {
  const { node, found } = await lenses.keep(subject, frame);
  const missing = found?.lens === "keep" ? found.missing : [];
  const without = missing.length === 0 ? "" : vscode.l10n.t(" Not kept: {0}.", missing.slice(0, 3).join("; "));
  const choices: readonly Choice[] = [
    {
      label: vscode.l10n.t("Copy"),
      description: node?.line ?? "",
      detail: vscode.l10n.t("Onto the CPU, until its row is removed. Tells each element that changes.{0}", without),
      checksums: false,
    },
    {
      label: vscode.l10n.t("Statistics and Checksums"),
      description: vscode.l10n.t("a few bytes a tensor, arrays whole"),
      detail: vscode.l10n.t("Tells which tensors change and how their statistics do, not which elements.{0}", without),
      checksums: true,
    },
  ];
  const title = vscode.l10n.t("Keep “{0}” as it is now, to compare it at later stops", subject.name);
  return vscode.window.showQuickPick(choices, { title });
}

/** The name of the stop, of which there is one copy alone of this value. */
function stopName({ questions }: Parts, name: string, line: number): string {
  const taken = new Set(
    questions.all.filter(({ subjects: { b } }) => b?.name === name).map(({ subjects: { a } }) => a?.name),
  );
  const plain = vscode.l10n.t("line {0}", line);
  for (let at = 2, numbered = plain; ; at += 1) {
    if (!taken.has(numbered)) return numbered;
    numbered = `${plain} (${at})`;
  }
}
