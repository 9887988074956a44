import * as l10n from "@vscode/l10n";
import type { Inquiry } from "./questions.ts";
import { PROGRAM_LENSES, type ProgramLens } from "./programLenses.ts";
import { isValueLens, VALUE_LENSES, type ValueLens, type ValueLensDescription } from "./valueLenses.ts";
import { MAX_LABEL_LENGTH, shortened } from "./words.ts";

/** Characters of a value's name beside the question: enough to recognize it. */
const MIN_NAME_LENGTH = 16;

/** The words of the tree about a question besides its answer. */
export interface LensWords {
  /** In the row, where there is little room. */
  readonly label: string;
  readonly name: string;
  /** What a screen reader says for the name. */
  readonly spoken: string;
  readonly icon: string;
  readonly working: string;
  /** Why it is not asked by itself at another stop. */
  readonly notYet: string;
}

/** The words for a question. */
export function lensWords(inquiry: Inquiry): LensWords {
  const { lens, subjects } = inquiry;
  if (lens === "compare") return ofComparison(subjects);
  return isValueLens(lens) ? ofOne(lens, inquiry) : ofProgram(lens);
}

/** What a question is about: `loss`, `model(x, mask)`, `train_set[3]`. */
export function aboutOf({ subjects, options }: Inquiry): string {
  const [name = "", ...inputs] = Object.values(subjects).map((subject) => subject.name);
  const index = options?.["index"];
  if (typeof index === "number" || typeof index === "string") return `${name}[${index}]`;
  return inputs.length > 0 ? `${name}(${inputs.join(", ")})` : name;
}

function ofComparison({ a, b }: Inquiry["subjects"]): LensWords {
  const [one, other] = [a?.name ?? "", b?.name ?? ""];
  const isKept = a?.kept !== undefined;
  return {
    label: isKept ? l10n.t("{0} since {1}", shortened(other, MAX_LABEL_LENGTH), one) : pairLabel(one, other),
    name: isKept ? l10n.t("{0} since {1}", other, one) : `${one} ↔ ${other}`,
    spoken: l10n.t("comparison of {0} and {1}", one, other),
    icon: "diff",
    working: l10n.t("comparing…"),
    notYet: l10n.t("not compared yet at this stop: one of the two is run only when you ask"),
  };
}

function ofOne(lens: ValueLens, inquiry: Inquiry): LensWords {
  const { called, label = called, icon, working }: ValueLensDescription = VALUE_LENSES[lens];
  const of = aboutOf(inquiry);
  const name = called(of);
  const room = Math.max(MIN_NAME_LENGTH, MAX_LABEL_LENGTH - label("").length);
  return {
    label: label(shortened(of, room)),
    name,
    spoken: name,
    icon,
    working: working(),
    notYet: l10n.t("not asked yet at this stop: “{0}” is run only when you ask", of),
  };
}

function ofProgram(lens: ProgramLens): LensWords {
  const { called, icon, working } = PROGRAM_LENSES[lens];
  const name = called();
  return { label: name, name, spoken: name, icon, working: working(), notYet: "" };
}

/** Two names in the room of one: what one does not need, the other may use. */
function pairLabel(a: string, b: string): string {
  const room = MAX_LABEL_LENGTH - " ↔ ".length;
  const beside = (other: string): number => Math.max(Math.floor(room / 2), room - other.length);
  return `${shortened(a, beside(b))} ↔ ${shortened(b, beside(a))}`;
}
