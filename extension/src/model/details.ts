import * as l10n from "@vscode/l10n";
import { Cancelled } from "../debug/queue.ts";
import {
  type Compared,
  type ElementWindow,
  type FromPage,
  type Look,
  NOTHING_COMPARED,
  type OtherValue,
  type Refresh,
} from "../protocol/page.ts";
import type { DetailsFound, DetailsPart, Finding } from "../protocol/generated.ts";
import { Comparing } from "./comparing.ts";
import type { Contents } from "./contents.ts";
import { FIRST, furtherQuestions, hasFewTiles, NEXT, OF_TWO, optionsOf } from "./detailsQuestions.ts";
import { DetailsOnPage, type Wished } from "./detailsOnPage.ts";
import { reasonFor, reasonForOther } from "./detailsParts.ts";
import { DetailsTiming } from "./detailsTiming.ts";
import { type Failure, failureOf } from "./failure.ts";
import { findingsAbout } from "./findingRows.ts";
import type { Inspector } from "./inspector.ts";
import type { Lenses } from "./lenses.ts";
import { ImageOverlay } from "./overlay.ts";
import type { Questions, Subject } from "./questions.ts";
import { type Asking, UnderWay } from "./underWay.ts";

/** How long a question may take before the page says that it is being read. */
const LATE_MS = 100;

/**
 * What the user wishes to see on the details page, and the asking for it: one value, looked at in one way, at one stop.
 * Nothing is asked while no page is in sight.
 */
export class Details {
  readonly #inspector: Inspector;
  readonly #lenses: Pick<Lenses, "details">;
  readonly #comparing: Comparing;
  readonly #page = new DetailsOnPage();
  readonly #subscription: { dispose(): void };
  readonly #underWay = new UnderWay();
  readonly #timing = new DetailsTiming();
  readonly #overlay: ImageOverlay;
  /** The value that the user wants to see. */
  #subject: Subject | undefined;
  #locked = false;
  #refresh: Refresh = "all";
  #look: Look = {};
  /** The number of the last look that the page has told. */
  #heard = 0;
  #values: ElementWindow | undefined;
  #isVisible = false;
  /** The contents of which something is asked, or was last. */
  #asked: Contents | undefined;
  /** Questions were ended before they were answered. */
  #isCut = false;
  /** The picture has few tiles yet, and so has what stands beside it. */
  #isRough = false;

  /** What the page is to be told. */
  readonly onDidTell = this.#page.onDidTell;

  constructor(
    inspector: Inspector,
    lenses: Pick<Lenses, "details" | "keep">,
    questions: Pick<Questions, "all" | "beginKeeping" | "endKeeping">,
  ) {
    this.#inspector = inspector;
    this.#lenses = lenses;
    this.#overlay = new ImageOverlay(lenses, this.#underWay, (part) => this.#page.add(part));
    this.#comparing = new Comparing(questions, lenses);
    this.#subscription = inspector.onDidChange(() => this.#follow());
  }

  /** The value that is shown. */
  get subject(): Subject | undefined {
    return this.#page.shown?.subject;
  }

  /** Shows a value, whatever is locked. */
  show(subject: Subject): void {
    const isOther = subject.expression === undefined || subject.expression !== this.#subject?.expression;
    this.#subject = subject;
    if (isOther) {
      this.#look = {};
      this.#values = undefined;
      this.#comparing.lookAtAnother();
    }
    this.#askAll();
  }

  /** Another value is selected. */
  select(subject: Subject): void {
    if (!this.#locked) this.show(subject);
  }

  /** Has the page say why something that the user wanted was not done. */
  say(why: string): void {
    this.#page.failure = why;
    this.#tellSubject();
  }

  /** Whether somebody sees the page. One that comes into sight again is told all that it has missed. */
  setVisible(visible: boolean): void {
    if (this.#isVisible === visible) return;
    this.#isVisible = visible;
    if (visible) this.#follow();
    else this.#end();
  }

  /** What the page says. `copy` and `save` are for the host alone. */
  receive(message: FromPage): void {
    switch (message.type) {
      case "ready":
        this.#page.tellAll(this.#wished);
        return;
      case "look":
        this.#heard = message.number;
        this.#setLook(message.look);
        return;
      case "values":
        this.#values = message.window;
        void this.#ask(["values"]);
        return;
      case "table":
        void this.#ask(["table"], { window: message.window });
        return;
      case "lock":
        this.#locked = message.locked;
        this.#tellSubject();
        return;
      case "refresh":
        this.#refresh = message.refresh;
        this.#tellSubject();
        return;
      case "compare":
        void this.#compareWith(message.other);
        return;
      case "tolerance":
        this.#comparing.setTolerance(message.tolerance);
        this.#tellSubject();
        void this.#ask(["comparison"]);
        return;
      case "readAll":
        void this.#ask(["distribution"], { exact: true });
        return;
      case "overlay":
        this.#overlay.expression = message.expression;
        this.#tellSubject();
        this.#followOverlay();
        return;
      case "extremes":
        void this.#ask(["extremes"]);
        return;
      case "again":
        this.#askAll();
        return;
      case "cancel":
        this.#cancel();
        return;
      case "copy":
      case "save":
      case "export":
        return;
    }
  }

  /** No page is left that would show anything: copies that it was compared with are given back. */
  close(): void {
    this.#comparing.choose(NOTHING_COMPARED.other);
  }

  dispose(): void {
    this.#end();
    this.#timing.stops();
    this.close();
    this.#subscription.dispose();
  }

  #cancel(): void {
    this.#end();
    this.#isCut = false;
    const cut = OF_TWO.filter((part) => this.#comparing.isOn && !(part in this.#page.known));
    const reason = l10n.t("Cancelled. Refresh Now reads it again.");
    if (cut.length > 0) this.#tellMissing(cut, reason);
    this.#page.addCut(reason);
    this.#tellSubject();
  }

  /** Another stop, frame or reading may be shown now, or findings of this one may have come. */
  #follow(): void {
    const { contents } = this.#inspector;
    if (contents !== undefined) this.#timing.stops();
    if (this.#subject === undefined) return;
    if (contents === this.#asked && contents !== undefined && !this.#isCut) {
      this.#tellFindings();
      if (!this.#page.isTold(this.#compared)) this.#tellSubject(); // a copy was kept, or removed
      return;
    }
    this.#end();
    if (contents === undefined) {
      this.#comparing.runOn();
      this.#timing.runs(() => this.#tellRunning());
      return;
    }
    const isWanted = this.#isCut || this.#page.shown === undefined || this.#isRefreshed;
    if (isWanted && this.#isVisible) this.#timing.askSoon(() => this.#askAll());
    else this.#page.addCut(wentOn());
    this.#tellSubject();
  }

  /** What was coming does not come any more. */
  #tellRunning(): void {
    this.#page.addCut(wentOn());
    this.#tellSubject();
  }

  get #isRefreshed(): boolean {
    return this.#refresh === "all" || (this.#refresh === "locked" && this.#locked);
  }

  #setLook(look: Look): void {
    this.#timing.userActs();
    const { robust, ...seen } = this.#look;
    this.#look = look;
    this.#page.knowsLook(look);
    const { robust: isRobust, ...isSeen } = look;
    if (JSON.stringify(seen) !== JSON.stringify(isSeen)) {
      void this.#ask(["picture"], { window: look.window });
      if (this.#comparing.isOn) void this.#ask(["error_map"], { window: look.window });
    }
    if (robust !== isRobust) void this.#ask(["distribution"]);
  }

  async #compareWith(other: OtherValue): Promise<void> {
    const hadCopies = this.#comparing.choose(other);
    this.#tellMissing(OF_TWO, l10n.t("Comparing…"));
    this.#tellSubject();
    if (hadCopies) await this.#inspector.readAgain(); // the program forgets the copies
    if (!this.#comparing.isOn) return;
    if (hadCopies) {
      this.#askAll();
      return;
    }
    const isWithPicture = this.#underWay.isOneQuestion("picture", "error_map");
    void this.#ask(OF_TWO);
    if (isWithPicture) void this.#ask(["picture"], { exact: true, later: true }); // it was ended too
  }

  #askAll(): void {
    this.#end();
    this.#timing.userActs();
    this.#isCut = false;
    this.#asked = undefined;
    this.#page.failure = undefined;
    if (this.#isVisible && this.#subject !== undefined) void this.#ask(FIRST, { whole: true });
  }

  /**
   * Asks for parts, and reads all of a picture afterwards where there was no time for that. Where the program is at another
   * stop than what is shown is of, all is asked: no two parts are of different stops.
   */
  async #ask(
    parts: readonly DetailsPart[],
    {
      exact = false,
      whole = false,
      later = false,
      window,
    }: { exact?: boolean; whole?: boolean; later?: boolean; window?: ElementWindow | undefined } = {},
  ): Promise<void> {
    const subject = this.#subject;
    const { frame, contents } = this.#inspector;
    if (subject === undefined || parts.length === 0 || !this.#isVisible) return;
    if (frame === undefined || contents === undefined) {
      this.#tellRunning();
      return;
    }
    const { shown } = this.#page;
    if (!whole && (shown?.contents !== contents || shown.subject !== subject)) {
      if (this.#asked !== contents) this.#askAll();
      return;
    }
    const isPicture = parts.includes("picture");
    if (isPicture) this.#timing.endRest();
    const asking = this.#underWay.begin(parts);
    this.#asked = contents;
    const look = this.#look;
    const isWhole = window === undefined && look.window === undefined && look.tiles === undefined;
    const rough = isWhole && !exact && (isPicture || (parts.includes("error_map") && this.#isRough));
    if (isPicture) this.#isRough = rough;
    const isOfTwo = parts.some((part) => OF_TWO.includes(part));
    const { choice } = this.#comparing;
    const { signal } = asking.abort;
    const onProgress = (progress: number): void => {
      clearTimeout(late);
      if (this.#underWay.has(asking)) this.#setProgress(progress);
    };
    const late = whole || (exact && !later) ? setTimeout(() => onProgress(0), LATE_MS) : undefined;
    try {
      const seen = parts.includes("values") ? this.#values : window;
      const options = optionsOf({ parts, exact, rough, window: seen }, look, this.#comparing.tolerance);
      const other = isOfTwo ? this.#comparing.subject(subject, contents) : undefined;
      // Whoever reads the comparison may go on at once: the copy for the next stop is there by then.
      if (other !== undefined) await this.#keep(subject, contents);
      if (!this.#underWay.has(asking)) return;
      const { found } = await this.#lenses.details(subject, frame, options, { signal, onProgress }, other);
      if (!this.#finish(asking) || found?.lens !== "details") return;
      this.#take(found, subject, contents, { whole, later });
      const isMoved = whole && this.#look !== look;
      const asked = { parts, exact, whole, rough, window, isMoved };
      const { known } = this.#page;
      if (isPicture) this.#isRough = rough && hasFewTiles(known.picture);
      const beside = { isCompared: this.#comparing.isOn, isRough: this.#isRough };
      const further = furtherQuestions(asked, known, this.#look.window, beside);
      for (const one of further) {
        if (one.later === true) this.#timing.askRested(() => void this.#ask(this.#withBeside(one.parts), one));
        else void this.#ask(one.parts, one);
      }
    } catch (error) {
      if (!this.#finish(asking)) return;
      if (error instanceof Cancelled) this.#tellSubject();
      else if (isOfTwo) {
        await this.#keep(subject, contents); // only then is it compared from the next stop on
        const isSame = this.#page.shown?.contents === contents && this.#subject === subject;
        if (!isSame || this.#comparing.choice !== choice) return;
        const ofTwo = parts.filter((part) => OF_TWO.includes(part));
        this.#tellMissing(ofTwo, reasonForOther(this.#comparing.name ?? "", failureOf(error)));
        return;
      } else {
        const failure = failureOf(error);
        if (!whole) this.#page.addCut(failure.message, parts);
        this.#failed(subject, contents, failure, whole);
      }
    } finally {
      clearTimeout(late);
    }
  }

  /** Keeps the value for the next stop, where the page compares it with the last one. */
  async #keep(subject: Subject, contents: Contents): Promise<void> {
    await this.#comparing.keep(subject, contents);
    if (this.#comparing.isOn) this.#tellSubject();
  }

  /** Whether it is still wanted. */
  #finish(asking: Asking): boolean {
    if (!this.#underWay.finish(asking)) return false;
    this.#page.progress = undefined;
    return true;
  }

  #take(
    found: DetailsFound,
    subject: Subject,
    contents: Contents,
    { whole, later }: { whole: boolean; later: boolean },
  ): void {
    const isKnown = whole && this.#page.shown?.subject === subject;
    const findings = this.#findingsAbout(subject, contents);
    const tell = (isReshaped: boolean): void => {
      // The value has other dimensions now than those that were looked at.
      if (isKnown && isReshaped && Object.keys(this.#look).length > 0) this.#look = {};
      this.#tellSubject();
    };
    this.#page.take(found, findings, { of: { subject, contents }, whole, coming: NEXT, tell });
    // More tiles of a picture lie under the same.
    if (found.picture !== undefined && !later) this.#followOverlay();
  }

  #findingsAbout({ expression }: Subject, contents: Contents): readonly Finding[] {
    return expression === undefined ? [] : findingsAbout(contents, expression);
  }

  #tellFindings(): void {
    const { shown } = this.#page;
    if (shown !== undefined) this.#page.addFindings(this.#findingsAbout(shown.subject, shown.contents));
  }

  #followOverlay(): void {
    const { frame } = this.#inspector;
    const isImage = this.#look.image === true && frame !== undefined;
    this.#overlay.follow(isImage ? this.#page.known.picture : undefined, frame);
  }

  #tellMissing(parts: readonly DetailsPart[], reason: string): void {
    this.#page.addMissing(parts, reason);
    this.#tellSubject();
  }

  #failed(subject: Subject, contents: Contents, failure: Failure, whole: boolean): void {
    this.#page.failure = reasonFor(subject.name, failure);
    if (whole) this.#page.takeNothing({ subject, contents });
    this.#tellSubject();
  }

  #setProgress(progress: number): void {
    this.#page.progress = progress;
    this.#tellSubject();
  }

  #tellSubject(): void {
    this.#page.tell(this.#wished);
  }

  get #wished(): Wished {
    return {
      subject: this.#subject,
      look: this.#look,
      heard: this.#heard,
      locked: this.#locked,
      refresh: this.#refresh,
      overlay: this.#overlay.expression,
      compared: this.#compared,
      contents: this.#inspector.contents,
      isReading: this.#timing.isToAsk || this.#underWay.isReading,
    };
  }

  get #compared(): Compared {
    return this.#comparing.told(this.#page.shown?.subject ?? this.#subject, this.#inspector.contents?.frame.session);
  }

  /** What stands beside the picture comes with it, of as many tiles. */
  #withBeside(parts: readonly DetailsPart[]): readonly DetailsPart[] {
    const isBeside = this.#comparing.isOn && this.#page.known.error_map !== undefined;
    return isBeside ? [...parts, "error_map"] : parts;
  }

  #end(): void {
    const [wasWaiting, wasReading] = [this.#timing.endAsking(), this.#underWay.end()];
    if (wasWaiting || wasReading) this.#isCut = true;
    this.#page.progress = undefined;
  }
}

function wentOn(): string {
  return l10n.t("Not read: the program went on.");
}
