import * as l10n from "@vscode/l10n";
import type { Frame } from "../debug/frame.ts";
import { Cancelled } from "../debug/queue.ts";
import type { Session } from "../debug/session.ts";
import { Refusal } from "../helper/refusal.ts";
import { type Compared, NOTHING_COMPARED, type OtherValue, type Tolerance } from "../protocol/page.ts";
import type { Contents } from "./contents.ts";
import { failureOf } from "./failure.ts";
import type { Lenses } from "./lenses.ts";
import type { Questions, Subject } from "./questions.ts";

/** So many bytes of a value are copied at each stop, and no more; the copy of the stop before is there besides. */
const MOST_BYTES = 256 << 20;
const MEGABYTE = 1 << 20;

/** A copy of the value at one stop. */
interface Copy {
  readonly number: number;
  readonly name: string;
  /** Which value it is of: its expression, and the function where that is read. */
  readonly of: string;
  readonly frame: Frame;
}

/** What the details page compares its value with, and the copies of it that this takes. */
export class Comparing {
  readonly #questions: Pick<Questions, "all" | "beginKeeping" | "endKeeping">;
  readonly #lenses: Pick<Lenses, "keep">;
  #other = NOTHING_COMPARED.other;
  #tolerance = NOTHING_COMPARED.tolerance;
  /** The copy of the stop before the one that is looked at, and the copy of that. */
  #before: Copy | undefined;
  #now: Copy | undefined;
  #isKeeping = false;
  /** Keeps what was wanted since. */
  #next: (() => Promise<void>) | undefined;
  /** The value that copies are made of; undefined once another is looked at. */
  #of: string | undefined;
  /** Why there is no copy of this stop. */
  #trouble: string | undefined;

  constructor(questions: Pick<Questions, "all" | "beginKeeping" | "endKeeping">, lenses: Pick<Lenses, "keep">) {
    this.#questions = questions;
    this.#lenses = lenses;
  }

  get isOn(): boolean {
    return this.#other.how !== "nothing";
  }

  /** What is chosen, another object with each choice. */
  get choice(): OtherValue {
    return this.#other;
  }

  get tolerance(): Tolerance {
    return this.#tolerance;
  }

  setTolerance(tolerance: Tolerance): void {
    this.#tolerance = tolerance;
  }

  /** Whether a copy was given back, which the program forgets as the frame is read again. */
  choose(other: OtherValue): boolean {
    this.#other = other;
    return this.#giveBackAll();
  }

  /** Another value is looked at: what one was compared with says nothing of it, but for its last stop. */
  lookAtAnother(): void {
    this.#giveBackAll();
    if (this.#other.how !== "last") this.#other = { how: "nothing" };
  }

  /** What the page is told of it. */
  told(subject: Subject | undefined, session: Session | undefined): Compared {
    const { name } = this;
    return {
      other: this.#other,
      ...(name === undefined ? {} : { name }),
      kept: subject === undefined || session === undefined ? [] : this.#keptOf(subject, session),
      tolerance: this.#tolerance,
      ...(this.#trouble === undefined ? {} : { note: this.#trouble }),
    };
  }

  /** What the other value is called. */
  get name(): string | undefined {
    const other = this.#other;
    if (other.how === "expression") return other.expression;
    if (other.how === "kept") return other.name;
    return other.how === "last" ? (this.#before?.name ?? l10n.t("the last stop")) : undefined;
  }

  /**
   * The other value, as it is reached in a frame.
   * @throws Refusal where there is none
   */
  subject(of: Subject, contents: Contents): Subject {
    const other = this.#other;
    if (other.how === "expression") return { name: other.expression, expression: other.expression };
    if (other.how === "kept") return { name: other.name, kept: other.number };
    if (other.how === "last") return this.#last(of, contents);
    throw new Refusal("gone", l10n.t("nothing is chosen to compare it with"));
  }

  /** Where the stop is over, what was now is before, and one copy suffices. */
  runOn(): void {
    if (this.#now?.frame.over === true) this.#putBefore();
  }

  #putBefore(): void {
    this.#giveBack(this.#before);
    this.#before = this.#now;
    this.#now = undefined;
  }

  /** Keeps the value as it is now for the next stop, where that is wanted. */
  async keep(subject: Subject, contents: Contents): Promise<void> {
    const { frame, answer } = contents;
    const of = valueOf(subject, contents);
    const isKept = this.#now?.frame.stop === frame.stop && this.#now.of === of;
    if (this.#other.how !== "last" || of === undefined || isKept) return;
    if (this.#isKeeping) {
      this.#next = () => this.keep(subject, contents);
      return;
    }
    this.#isKeeping = true;
    this.#trouble = undefined;
    const number = this.#questions.beginKeeping();
    const name = l10n.t("{0} as last seen, line {1}", subject.name, answer.line);
    const copy: Copy = { number, name, of, frame };
    try {
      const { found } = await this.#lenses.keep(subject, frame);
      const bytes = found?.lens === "keep" ? found.bytes : 0;
      if (bytes > MOST_BYTES) throw new Refusal("gone", tooLarge(subject.name, bytes));
      await this.#lenses.keep(subject, frame, { as: number });
      if (this.#isWanted(of)) {
        this.#giveBack(this.#now);
        this.#now = copy;
      } else this.#giveBack(copy);
    } catch (error) {
      this.#giveBack(copy);
      if (!(error instanceof Cancelled)) this.#trouble = failureOf(error).message;
    } finally {
      this.#isKeeping = false;
      const next = this.#next;
      this.#next = undefined;
      if (!contents.frame.over) await next?.();
    }
  }

  #isWanted(of: string): boolean {
    return this.#other.how === "last" && this.#of === of;
  }

  #last(subject: Subject, contents: Contents): Subject {
    const { frame } = contents;
    const of = valueOf(subject, contents);
    this.#of = of;
    if (this.#now !== undefined && this.#now.frame.stop !== frame.stop) this.#putBefore();
    const before = this.#before;
    if (of === undefined) {
      throw new Refusal("gone", l10n.t("“{0}” is reached by no expression at another stop", subject.name));
    }
    if (before === undefined || before.of !== of || before.frame.session !== frame.session) {
      throw new Refusal(
        "gone",
        l10n.t("There is no copy of an earlier stop yet: it is compared from the next stop on."),
      );
    }
    return { name: before.name, kept: before.number };
  }

  #keptOf({ name, expression }: Subject, session: Session): Compared["kept"] {
    return this.#questions.all.flatMap(({ lens, session: of, subjects: { a, b } }) => {
      const isOfIt = lens === "compare" && of === session && (b?.expression ?? b?.name) === (expression ?? name);
      return isOfIt && a?.kept !== undefined ? [{ number: a.kept, name: l10n.t("{0} at {1}", name, a.name) }] : [];
    });
  }

  #giveBackAll(): boolean {
    const had = this.#before !== undefined || this.#now !== undefined;
    this.#giveBack(this.#before);
    this.#giveBack(this.#now);
    this.#before = this.#now = this.#trouble = this.#of = undefined;
    return had;
  }

  #giveBack(copy: Copy | undefined): void {
    if (copy !== undefined) this.#questions.endKeeping(copy.number);
  }
}

function valueOf({ expression }: Subject, { frame }: Contents): string | undefined {
  return expression === undefined ? undefined : `${frame.place} ${expression}`;
}

function tooLarge(name: string, bytes: number): string {
  const [has, most] = [bytes, MOST_BYTES].map((amount) => String(Math.round(amount / MEGABYTE)));
  return l10n.t("“{0}” is not kept for the next stop: it has {1} MB, of {2} MB at most.", name, has ?? "", most ?? "");
}
