import type { Frame } from "../debug/frame.ts";
import type { Session } from "../debug/session.ts";
import type { Address, LensAnswer, LensRequest } from "../protocol/generated.ts";
import type { Contents } from "./contents.ts";
import { Emitter } from "./emitter.ts";
import type { Failure } from "./failure.ts";
import { isProgramLens, PROGRAM_LENSES, type ProgramLens } from "./programLenses.ts";
import type { ValueLens } from "./valueLenses.ts";

/** A value that a question is about. */
export interface Subject {
  /** What it is called in the tree. */
  readonly name: string;
  /** The expression by which it is found at other stops. */
  readonly expression?: string;
  /** The number of a kept copy, which it is instead. */
  readonly kept?: number;
  /** Where it was shown, while that stop lasts: `Questions.sweep` takes it away. */
  at?: Shown | undefined;
}

/** A value where the tree showed it. */
interface Shown {
  readonly frame: Frame;
  readonly function: string;
  readonly address: Address;
}

/** A lens and the values that it is asked about, by the lens's names for them. */
export interface Inquiry {
  readonly lens: "compare" | ValueLens | ProgramLens;
  readonly subjects: Readonly<Record<string, Subject>>;
  readonly options?: NonNullable<LensRequest["options"]>;
}

/** An inquiry that the tree keeps in sight, with its answer. It ends with the session that was looked at. */
export interface Question extends Inquiry {
  readonly id: number;
  /** Undefined for one that is asked in any. */
  readonly session: Session | undefined;
}

/** The answer to a question at one stop, why there is none, or how far it is. */
export type State = LensAnswer | Failure | { readonly progress: number } | "cancelled";

/** A state, and how often something had been changed or run at this stop by then. */
interface DatedState {
  readonly state: State;
  readonly changes: number;
}

/** The questions that the user keeps in sight, and what is known of them in frames. */
export class Questions {
  /** The questions' states, by what they are true of: see `scopeOf`. */
  readonly #states = new WeakMap<object, Map<Question, DatedState>>();
  readonly #changed = new Emitter();
  /** Questions that the user has cancelled: they are not asked at later stops either, until Evaluate Again. */
  readonly #cancelled = new WeakSet<Question>();
  /** The questions about the program as a whole. They are always there, and asked while their group is open. */
  readonly ofProgram: readonly Question[] = Object.keys(PROGRAM_LENSES)
    .filter(isProgramLens)
    .map((lens, at) => ({ lens, subjects: {}, id: -1 - at, session: undefined }));
  #all: readonly Question[] = [];
  #last = 0;
  /** Copies that are being made, and the number of the last one. */
  readonly #keeping = new Set<number>();
  #lastKept = 0;
  #selected: { readonly subject: Subject; readonly session: Session } | undefined;

  readonly onDidChange = this.#changed.event;

  get all(): readonly Question[] {
    return this.#all;
  }

  /** A value that waits for another to be compared with, as VS Code does it with files. */
  get selected(): Subject | undefined {
    return this.#selected?.subject;
  }

  /** The copies that are still wanted: those that are asked about. Undefined where there has been none. */
  get kept(): readonly number[] | undefined {
    if (this.#lastKept === 0) return undefined;
    const asked = this.#all.flatMap(({ subjects }) => Object.values(subjects)).flatMap(({ kept }) => kept ?? []);
    return [...this.#keeping, ...asked];
  }

  /** The number of a copy that is made from now on, until `endKeeping`. */
  beginKeeping(): number {
    this.#lastKept += 1;
    this.#keeping.add(this.#lastKept);
    return this.#lastKept;
  }

  endKeeping(number: number): void {
    this.#keeping.delete(number);
  }

  /** Whether it can be compared with values of this session: another program has an address space of its own. */
  isSelectedIn(session: Session | undefined): boolean {
    return this.#selected !== undefined && this.#selected.session === session;
  }

  select(subject: Subject, session: Session): void {
    this.#selected = { subject, session };
    this.#changed.fire();
  }

  /** Adds a question; one that asks the same is replaced in its place, and keeps its session, with which it ends. */
  add(inquiry: Inquiry, session: Session): Question {
    const before = this.#all.find((one) => isSame(one, inquiry));
    this.#last += 1;
    const kept = Object.entries(before?.options ?? {}).filter(([name]) => OF_ROWS.has(name));
    const shown =
      kept.length === 0 ? inquiry : { ...inquiry, options: { ...Object.fromEntries(kept), ...inquiry.options } };
    const added = { ...shown, id: before?.id ?? this.#last, session: before?.session ?? session };
    this.#set(before ? this.#all.map((one) => (one === before ? added : one)) : [...this.#all, added]);
    return added;
  }

  /** The same question put otherwise, in its place. */
  change(question: Question, options: NonNullable<Inquiry["options"]>): Question {
    const changed = { ...question, options };
    this.#set(this.#all.map((one) => (one === question ? changed : one)));
    return changed;
  }

  /** Whether it is still kept. */
  has(question: Question): boolean {
    return this.#all.includes(question) || this.ofProgram.includes(question);
  }

  remove(question: Question): void {
    this.#set(this.#all.filter((one) => one !== question));
  }

  removeAll(): void {
    this.#set([]);
  }

  /** A session has ended. */
  forget(session: Session): void {
    if (this.#selected?.session === session) this.#selected = undefined;
    for (const question of this.ofProgram) this.resume(question); // the next program is another
    this.#set(this.#all.filter((one) => one.session !== session));
  }

  /** Forgets where values were shown at stops that are over. */
  sweep(): void {
    const subjects = this.#all.flatMap((question) => Object.values(question.subjects));
    for (const subject of [...subjects, ...(this.selected ? [this.selected] : [])]) {
      if (subject.at?.frame.over === true) subject.at = undefined;
    }
    if (this.selected && this.selected.at === undefined && this.selected.expression === undefined) {
      this.#selected = undefined;
      this.#changed.fire();
    }
  }

  state(contents: Contents, question: Question): State | undefined {
    const known = this.#states.get(scopeOf(contents, question))?.get(question);
    return known?.state ?? (this.#cancelled.has(question) ? "cancelled" : undefined);
  }

  /** Whether something was changed or run since it was answered. */
  isOld(contents: Contents, question: Question): boolean {
    const known = this.#states.get(scopeOf(contents, question))?.get(question);
    return known !== undefined && known.changes < contents.results.changes;
  }

  cancel(question: Question): void {
    this.#cancelled.add(question);
  }

  resume(question: Question): void {
    this.#cancelled.delete(question);
  }

  setState(contents: Contents, question: Question, state: State): void {
    const scope = scopeOf(contents, question);
    const states = this.#states.get(scope) ?? new Map<Question, DatedState>();
    this.#states.set(scope, states.set(question, { state, changes: contents.results.changes }));
  }

  /** It was given up before it was answered, and may be asked again. */
  giveUp(contents: Contents, question: Question): void {
    const state = this.state(contents, question);
    if (state !== undefined && isUnderWay(state)) this.#states.get(scopeOf(contents, question))?.delete(question);
  }

  #set(all: readonly Question[]): void {
    this.#all = all;
    this.#changed.fire();
  }
}

/** Whether asking it runs code of the program, to which the user has agreed. */
export function runsCode({ options }: Inquiry): boolean {
  return options?.["run"] === true;
}

/**
 * An answer is true of one reading of a frame. But where asking ran code, it holds for all readings at this stop: code is
 * not run again only because the frame is read again.
 */
function scopeOf(contents: Contents, question: Question): object {
  return runsCode(question) ? contents.results : contents;
}

export function isUnderWay(state: State): state is { readonly progress: number } {
  return state !== "cancelled" && !("code" in state) && !("op" in state);
}

/** Options that tell in which order the rows of an answer are, and how many of them come. */
const OF_ROWS: ReadonlySet<string> = new Set(["sort", "rows"]);

/** Whether both ask the same of the same values, in whatever order the answer is, and however much of it comes. */
function isSame(one: Inquiry, other: Inquiry): boolean {
  const [mine, theirs] = [one, other].map(({ options = {} }) =>
    JSON.stringify(Object.entries(options).filter(([name]) => !OF_ROWS.has(name))),
  );
  if (one.lens !== other.lens || mine !== theirs) return false;
  const names = Object.keys(other.subjects);
  if (names.length !== Object.keys(one.subjects).length) return false;
  return Object.entries(one.subjects).every(([name, subject]) => {
    const counterpart = other.subjects[name];
    return counterpart !== undefined && isSameSubject(subject, counterpart);
  });
}

/** Whether both are the same value: the same expression, unless in different frames, or else the same node. */
function isSameSubject(one: Subject, other: Subject): boolean {
  if (one.name !== other.name || one.expression !== other.expression || one.kept !== other.kept) return false;
  if (one.kept !== undefined) return true;
  const [here, there] = [one.at, other.at];
  if (here === undefined || there === undefined) return one.expression !== undefined;
  if (here.frame.key !== there.frame.key) return false;
  return one.expression !== undefined || isSameAddress(here.address, there.address);
}

export function isSameAddress(one: Address, other: Address): boolean {
  const isSameNode = one.snapshot === other.snapshot && one.node === other.node;
  return one.expression === other.expression && one.kept === other.kept && isSameNode;
}
