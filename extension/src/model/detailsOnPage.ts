import * as l10n from "@vscode/l10n";
import type { DetailsFound, DetailsPart, Finding } from "../protocol/generated.ts";
import { type Compared, type Look, merged, type Refresh, type ShownDetails, type ToPage } from "../protocol/page.ts";
import type { Contents } from "./contents.ts";
import { detailsOf, shownFindings } from "./detailsParts.ts";
import { Emitter } from "./emitter.ts";
import type { Subject } from "./questions.ts";

/** Of what the parts are that the page shows. */
interface OnPage {
  readonly subject: Subject;
  readonly contents: Contents;
  /** The sizes of the value's dimensions, as JSON. */
  readonly shape: string;
}

/** What the user wishes of the page, and where the program is. */
export interface Wished {
  readonly subject: Subject | undefined;
  readonly look: Look;
  readonly heard: number;
  readonly locked: boolean;
  readonly refresh: Refresh;
  readonly overlay: string | undefined;
  readonly compared: Compared;
  readonly contents: Contents | undefined;
  readonly isReading: boolean;
}

/** How an answer is taken. */
interface Taking {
  readonly of: Omit<OnPage, "shape">;
  readonly whole: boolean;
  readonly coming: readonly DetailsPart[];
  /** Whether the value has other dimensions than it had. */
  readonly tell: (isReshaped: boolean) => void;
}

/** What the details page was told: the parts of one value at one stop, and why others are not there. */
export class DetailsOnPage {
  readonly #told = new Emitter<ToPage>();
  /** Until there is another answer, the last one. */
  #shown: OnPage | undefined;
  #known: ShownDetails = {};
  #failure: string | undefined;
  #progress: number | undefined;
  /** What the page knows of the comparison, of how the value is looked at, and of all else but the parts, as JSON. */
  #compared = "";
  #look = "";
  #subject = "";

  readonly onDidTell = this.#told.event;

  get shown(): Omit<OnPage, "shape"> | undefined {
    return this.#shown;
  }

  get known(): ShownDetails {
    return this.#known;
  }

  /** Why something that the user wanted was not done; undefined once it is tried again. */
  set failure(why: string | undefined) {
    this.#failure = why;
  }

  /** How far the reading is; undefined once it has ended. */
  set progress(share: number | undefined) {
    this.#progress = share;
  }

  /** Tells all but the parts, where that is other than what was told last. */
  tell(wished: Wished): void {
    const { look, heard, locked, refresh, overlay, compared } = wished;
    const { subject, contents } = this.#shown ?? {};
    const name = (subject ?? wished.subject)?.name;
    const note = this.#note(wished);
    this.#compared = JSON.stringify(compared);
    const message = {
      type: "subject" as const,
      ...(name === undefined ? {} : { name }),
      ...(contents === undefined ? {} : { place: placeOf(contents, subject) }),
      locked,
      refresh,
      ...(overlay === undefined ? {} : { overlay }),
      compared,
      ...(note === undefined ? {} : { note }),
      ...(this.#progress === undefined ? {} : { progress: this.#progress }),
    };
    const [lookText, text] = [JSON.stringify(look), JSON.stringify(message)];
    if (lookText === this.#look && text === this.#subject) return;
    this.#look = lookText;
    this.#subject = text;
    this.#told.fire({ ...message, look, heard });
  }

  /** The page looks at the value in this way already: it has said so. */
  knowsLook(look: Look): void {
    this.#look = JSON.stringify(look);
  }

  /** Tells a page that knows nothing yet all that there is. */
  tellAll(wished: Wished): void {
    this.#subject = "";
    this.tell(wished);
    this.#told.fire({ type: "details", whole: true, details: this.#known });
  }

  /** Whether the page knows what can be compared, and with what it is. */
  isTold(compared: Compared): boolean {
    return JSON.stringify(compared) === this.#compared;
  }

  /**
   * Takes an answer: all that there is, and what is `coming`, where it is `whole`; `findings` are about the value. It is told
   * once the page knows what it is of.
   */
  take(found: DetailsFound, findings: readonly Finding[], { of, whole, coming, tell }: Taking): void {
    const details = { ...detailsOf(found, findings), ...(whole ? { coming: [...coming] } : {}) };
    const before = this.#shown;
    const shape = found.facts === undefined ? (before?.shape ?? "") : JSON.stringify(found.facts.shape);
    this.#known = whole ? details : merged(this.#known, details);
    this.#shown = { ...of, shape };
    this.#failure = undefined;
    tell(before?.subject === of.subject && before.shape !== shape);
    this.#told.fire({ type: "details", whole, details });
  }

  /** Takes a value of which nothing could be read. */
  takeNothing(of: Omit<OnPage, "shape">): void {
    this.#shown = { ...of, shape: "" };
    this.#known = {};
    this.#told.fire({ type: "details", whole: true, details: {} });
  }

  /** Tells a part, which takes the place of the one before. */
  add(details: ShownDetails): void {
    this.#known = merged(this.#known, details);
    this.#told.fire({ type: "details", whole: false, details });
  }

  addMissing(parts: readonly DetailsPart[], reason: string): void {
    this.add({ missing: parts.map((part) => ({ part, reason })) });
  }

  /** What was coming does not come any more, or, of that, some parts. */
  addCut(reason: string, parts?: readonly DetailsPart[]): void {
    const cut = this.#known.coming?.filter((part) => parts?.some((one) => one === part) ?? true) ?? [];
    if (cut.length > 0) this.add({ missing: cut.map((part) => ({ part, reason })) });
  }

  /** Findings come after the values of their stop. */
  addFindings(findings: readonly Finding[]): void {
    const { facts } = this.#known;
    const shown = shownFindings(findings);
    if (facts === undefined || JSON.stringify(shown) === JSON.stringify(facts.findings)) return;
    this.add({ facts: { ...facts, findings: shown } });
  }

  /** Why there is nothing, or why what is shown is from before. */
  #note({ subject, contents, isReading }: Wished): string | undefined {
    if (subject === undefined) return undefined;
    if (contents === undefined) {
      return this.#shown === undefined
        ? l10n.t("No program is paused. Values are read at the next stop.")
        : l10n.t("No program is paused. This is from the last stop.");
    }
    if (this.#failure !== undefined) return this.#failure;
    const isOld = this.#shown !== undefined && this.#shown.contents !== contents && !isReading;
    return isOld ? l10n.t("This is from before. Refresh Now reads it again.") : undefined;
  }
}

/** The function and its line; of a row of another frame, that frame's function. */
function placeOf({ frame, answer }: Contents, subject: Subject | undefined): string {
  const { at } = subject ?? {};
  const isElsewhere = at !== undefined && at.frame.stop === frame.stop && at.frame.key !== frame.key;
  return isElsewhere ? at.function : l10n.t("{0}, line {1}", answer.function, answer.line);
}
