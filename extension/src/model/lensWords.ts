import * as l10n from "@vscode/l10n";
import { VALUE_LENSES, type ValueLens } from "./valueLenses.ts";
import { LABEL, middle } from "./words.ts";

/** Characters of a value's name beside what is asked of it: it is to be known again. */
const LEAST = 16;

/** What the tree says of a question besides its answer. */
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

/** Names of values, by what the lens calls them. */
type Names = Readonly<Record<string, string>>;

export type LensName = "compare" | ValueLens;

/** The words for a question about these values. */
export function lensWords(lens: LensName, subjects: Readonly<Record<string, { readonly name: string }>>): LensWords {
  const names = Object.fromEntries(Object.entries(subjects).map(([key, { name }]) => [key, name])) as Names;
  return lens === "compare" ? ofComparison(names) : ofOne(lens, names);
}

function ofComparison({ a = "", b = "" }: Names): LensWords {
  return {
    label: pairLabel(a, b),
    name: `${a} ↔ ${b}`,
    spoken: l10n.t("comparison of {0} and {1}", a, b),
    icon: "diff",
    working: l10n.t("comparing…"),
    notYet: l10n.t("not compared yet at this stop: one of the two is run only when you ask"),
  };
}

function ofOne(lens: ValueLens, names: Names): LensWords {
  const { called, icon, working } = VALUE_LENSES[lens];
  const [of = ""] = Object.values(names);
  const name = called(of);
  const room = Math.max(LEAST, LABEL - called("").length);
  return {
    label: called(middle(of, room)),
    name,
    spoken: name,
    icon,
    working: working(),
    notYet: l10n.t("not asked yet at this stop: “{0}” is run only when you ask", of),
  };
}

/** Both names in the room of one: what the one does not need is the other's. */
function pairLabel(a: string, b: string): string {
  const room = LABEL - " ↔ ".length;
  const beside = (other: string): number => Math.max(Math.floor(room / 2), room - other.length);
  return `${middle(a, beside(b))} ↔ ${middle(b, beside(a))}`;
}
