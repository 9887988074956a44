import * as l10n from "@vscode/l10n";
import type { LensAnswer } from "../protocol/generated.ts";
import { hasTable } from "./tables/lensTables.ts";
import { type LensWords, lensWords } from "./lensWords.ts";
import { isUnderWay, type Question, runsCode, type State } from "./questions.ts";
import { type Action, bareRow, oldRow, type Row, type Scene, type Tone, valueRow } from "./row.ts";
import { idOf, questionPath } from "./rowPath.ts";
import { wasRun } from "./subjects.ts";
import { withPercent } from "./words.ts";

/** Codes of failures that are no fault: a value is not here, or would have to be run. */
const QUIET: ReadonlySet<string> = new Set(["not_found", "not_static", "gone"]);

/** The row of a question and its answer. It says so where the answer, or a value that was run for it, may be out of date. */
export function questionRow(scene: Scene, question: Question, parent?: Row): Row {
  const { contents } = scene;
  const expressions = Object.values(question.subjects).flatMap(({ expression }) => expression ?? []);
  const run = expressions.filter((one) => wasRun(one, contents));
  const state = scene.questions.state(contents, question) ?? { progress: 0 };
  const words = lensWords(question);
  const row = isAnswer(state)
    ? answeredRow({ scene, question, words, parent }, state, run.length > 0 || runsCode(question))
    : unansweredRow({ scene, question, words, parent }, state);
  const wasBefore = isAnswer(state) && scene.questions.isOld(contents, question);
  return wasBefore || run.some((expression) => contents.results.isOld(expression)) ? oldRow(row) : row;
}

/** What the row of a question is made of. */
interface Made {
  readonly scene: Scene;
  readonly question: Question;
  readonly words: LensWords;
  /** The group in which it stands for good. */
  readonly parent: Row | undefined;
}

type Answered = LensAnswer & { readonly node: NonNullable<LensAnswer["node"]> };

function isAnswer(state: State): state is Answered {
  return state !== "cancelled" && "node" in state && state.node !== undefined;
}

function answeredRow({ scene, question, words, parent }: Made, answer: Answered, mayDiffer: boolean): Row {
  const path = questionPath(question);
  const source = sourceOf(answer);
  const can: Action[] = ["copySummary", ...removing(parent)];
  if (source !== undefined) can.push("goToLine");
  if (answer.found?.lens === "model") can.push("sortLayers");
  if (answer.found !== undefined && hasTable(answer.found.lens)) can.push("openAsTable");
  if (answer.found?.lens === "autograd") can.push("openAsGraph");
  const row = valueRow(scene, parent, path, { node: answer.node, snapshot: answer.snapshot }, words.label);
  return {
    ...row,
    id: idOf(path),
    name: words.name,
    icon: words.icon,
    question,
    ...(source === undefined ? {} : { source }),
    ...(answer.text === undefined ? {} : { text: answer.text }),
    can: mayDiffer ? [...can, "evaluateAgain"] : can,
    speech: `${words.spoken}, ${row.speech}`,
  };
}

/** The line that an answer names, if it is of a lens that does. */
function sourceOf({ found }: Answered): Row["source"] {
  if (found?.lens !== "nan_origin" || found.file === null || found.line === null) return undefined;
  return { file: found.file, line: found.line };
}

function unansweredRow({ scene, question, words, parent }: Made, state: State): Row {
  const path = questionPath(question);
  const working = isUnderWay(state);
  const [description, tone] = textOf(words, state);
  // VS Code opens no row that it has shown as one without children.
  const open = working && scene.expansion.isOpen(path);
  return {
    ...bareRow(scene, parent, path, words.label),
    name: words.name,
    icon: words.icon,
    question,
    description,
    summary: description,
    tone,
    expandable: open,
    open,
    speech: `${words.spoken}, ${description}`,
    can: working ? ["cancel", ...removing(parent)] : [...removing(parent), "evaluateAgain"],
  };
}

/** The user can remove what they asked, but not what stands in the group of the program. */
function removing(parent: Row | undefined): Action[] {
  return parent === undefined ? ["remove"] : [];
}

/** What a question without an answer says. */
function textOf({ working }: LensWords, state: State): [string, Tone] {
  if (state === "cancelled") return [l10n.t("cancelled"), "quiet"];
  if ("code" in state) return [state.message, QUIET.has(state.code) ? "quiet" : "alarm"];
  return [withPercent(working, state.progress), "quiet"];
}
