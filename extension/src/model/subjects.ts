import * as l10n from "@vscode/l10n";
import { Refusal } from "../helper/refusal.ts";
import type { Address } from "../protocol/generated.ts";
import type { Contents } from "./contents.ts";
import { lensWords } from "./lensWords.ts";
import { isStatic } from "./python.ts";
import { type Inquiry, isSameAddress, type Question, type Subject } from "./questions.ts";

/** Where the values of a question are found now, or why one of them is not. */
export function addressesOf(question: Question, contents: Contents): Record<string, Address> {
  const found = Object.entries(question.subjects).map(([key, subject]) => {
    return { key, subject, address: addressOf(question, subject, contents) };
  });
  for (const one of found) {
    for (const other of found) {
      if (other === one) continue;
      if (isElsewhere(one.subject, contents) && other.address.expression !== undefined) {
        throw new Refusal("gone", l10n.t("“{0}” belongs to another frame: select that frame", one.subject.name));
      }
      if (question.lens === "compare" && isSameAddress(one.address, other.address)) {
        const names = [one.subject.name, other.subject.name] as const;
        throw new Refusal("gone", l10n.t("“{0}” and “{1}” are the same value here: nothing to compare", ...names));
      }
    }
  }
  return Object.fromEntries(found.map(({ key, address }) => [key, address]));
}

/** Expressions that have to be run to ask for the first time. */
export function toRun({ subjects }: Question, contents: Contents): string[] {
  const unread = Object.values(subjects)
    .filter((subject) => !isHere(subject, contents))
    .flatMap(({ expression }) => expression ?? []);
  return [...new Set(unread.filter((expression) => !isStatic(expression)))];
}

/** Expressions that are run when the user wants it again. */
export function toRunAgain({ subjects }: Question, contents: Contents): string[] {
  const reached = Object.values(subjects)
    .filter((subject) => !isElsewhere(subject, contents))
    .flatMap(({ expression }) => expression ?? []);
  return [...new Set(reached.filter((expression) => !isStatic(expression) || wasRun(expression, contents)))];
}

/** Whether an expression was run in this frame at this stop. */
export function wasRun(expression: string | undefined, contents: Contents): boolean {
  return resultOf(expression, contents) !== undefined;
}

/** The result of running it in this frame; else its node, while its stop lasts, in any frame; else its expression. */
function addressOf(question: Question, subject: Subject, contents: Contents): Address {
  const { name, expression, at, kept } = subject;
  if (kept !== undefined) return { kept };
  const result = isElsewhere(subject, contents) ? undefined : resultOf(expression, contents);
  if (result !== undefined) return result;
  if (at !== undefined && isHere(subject, contents)) return at.address;
  if (expression === undefined && at?.frame.over === false) {
    throw new Refusal("gone", l10n.t("“{0}” belongs to another session", name));
  }
  if (expression === undefined) {
    throw new Refusal("gone", l10n.t("“{0}” is gone: no expression reaches it at another stop", name));
  }
  if (isStatic(expression)) return { expression };
  throw notYet(question);
}

/** Why a question is not asked yet: it, or one of its values, runs code, for which the user has not asked at this stop. */
export function notYet(question: Question): Refusal {
  return new Refusal("not_static", lensWords(question).notYet);
}

/**
 * Whether a value is named by the node of its row: at its own stop. But if x was set there meanwhile, so that the frame was
 * read again, the node is the old value, and the expression `x` names the new one.
 */
function isHere({ expression, at }: Subject, { frame, answer }: Contents): boolean {
  if (at === undefined || at.frame.over || at.frame.session !== frame.session) return false;
  const isReadAgain = at.frame.key === frame.key && at.address.snapshot !== answer.snapshot;
  return !(isReadAgain && expression !== undefined && isStatic(expression));
}

function isElsewhere(subject: Subject, contents: Contents): boolean {
  return isHere(subject, contents) && subject.at?.frame.key !== contents.frame.key;
}

function resultOf(expression: string | undefined, contents: Contents): Address | undefined {
  const result = expression === undefined ? undefined : contents.results.get(expression);
  if (result === undefined || result === "running" || !("node" in result)) return undefined;
  return { snapshot: result.snapshot, node: result.node.id };
}

/**
 * The values to ask about, each with a name that no other has. Values of several frames are named with their functions; they
 * keep no expression, since none reaches all of them.
 */
export function withDistinctNames(subjects: Inquiry["subjects"]): Inquiry["subjects"] {
  const frames = new Set(Object.values(subjects).map(({ at }) => at?.frame.key));
  if (frames.size < 2 || frames.has(undefined)) return subjects;
  const named = Object.entries(subjects).map(([key, subject]) => [key, inFrame(subject)] as const);
  const isMet = ({ name }: Subject, at: number): boolean => named.slice(0, at).some(([, one]) => one.name === name);
  return Object.fromEntries(
    named.map(([key, one], at) => [key, isMet(one, at) ? { ...one, name: `${one.name} (${at + 1})` } : one]),
  );
}

function inFrame({ name, at, ...rest }: Subject): Subject {
  return at === undefined ? { name, ...rest } : { name: l10n.t("{0} in {1}", name, at.function), at };
}
