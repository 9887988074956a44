import * as l10n from "@vscode/l10n";
import { Cancelled } from "../../debug/queue.ts";
import type { Session } from "../../debug/session.ts";
import type { Node } from "../../protocol/generated.ts";
import type { Contents } from "../contents.ts";
import { Emitter } from "../emitter.ts";
import { failureOf } from "../failure.ts";
import { findingsOf } from "../findingRows.ts";
import type { History } from "../history.ts";
import type { Inspector } from "../inspector.ts";
import type { Lenses } from "../lenses.ts";
import { lensWords } from "../lensWords.ts";
import { isUnderWay, type Question, type Questions } from "../questions.ts";
import { questionPath, type RowPath } from "../rowPath.ts";
import { findingsTable } from "./findingsTable.ts";
import { frameTable } from "./frameTable.ts";
import { historyTable } from "./historyTable.ts";
import { isCut, lensTable } from "./lensTables.ts";
import type { Table } from "./table.ts";

/** What a source says of one reading of a frame. */
export interface TableReading {
  /** What the table is made of: as long as it is the same object, the table is the same. */
  readonly of?: object;
  readonly make?: () => Table;
  /** Why there is no table, or what must be said of it. */
  readonly note?: string | undefined;
  readonly progress?: number;
}

/** Where a table comes from, stop after stop. */
export interface TableSource {
  /** Two of one key are one tab. */
  readonly key: string;
  readonly name: string;
  /** Other than what the inspector tells of. */
  readonly onDidChange?: (hear: () => void) => { dispose(): void };
  now(contents: Contents): TableReading;
  /** Asks for what `now` has not got, where that is not asked for anyway. */
  ask?(contents: Contents): void;
  /** The user wants it read again. */
  again(): void;
  /** The user does not wait any more. */
  cancel?(): void;
  /** The tab is closed: what was asked for it alone is not wanted any more. */
  dispose?(): void;
}

/** So many rows of a lens are asked for, at most. */
const MOST_ROWS = 10_000;

/** The answers to a question of the tree, which is asked at each stop. */
export class AnswerTable implements TableSource {
  readonly key: string;
  readonly name: string;
  readonly #id: number;
  readonly #questions: Questions;
  readonly #lenses: Pick<Lenses, "askAgain" | "askWith" | "cancel">;

  constructor(question: Question, questions: Questions, lenses: Pick<Lenses, "askAgain" | "askWith" | "cancel">) {
    this.#id = question.id;
    this.#questions = questions;
    this.#lenses = lenses;
    this.key = `question ${question.id}`;
    this.name = lensWords(question).name;
  }

  now(contents: Contents): TableReading {
    const question = this.#question;
    if (question === undefined) return { note: l10n.t("It was removed from the tree. This is from before.") };
    const state = this.#questions.state(contents, question);
    if (state === undefined) return {};
    if (state === "cancelled") return { note: l10n.t("Cancelled. Refresh Now asks again.") };
    if ("code" in state) return { note: state.message };
    if (isUnderWay(state)) return state;
    const isOld = this.#questions.isOld(contents, question);
    return {
      of: state,
      make: () => lensTable(state, questionPath(question)) ?? { columns: [], rows: [], notes: [], reveals: new Map() },
      note: isOld ? l10n.t("This is from before the last change or run.") : undefined,
    };
  }

  /** Asks for all rows, where the tree wanted only the first: from then on at each stop. */
  ask(contents: Contents): void {
    const question = this.#question;
    const state = question && this.#questions.state(contents, question);
    if (question === undefined || typeof state !== "object" || !("op" in state) || !isCut(state)) return;
    if (question.options?.["rows"] !== MOST_ROWS) {
      void this.#lenses.askWith(question, { ...question.options, rows: MOST_ROWS });
    }
  }

  again(): void {
    if (this.#question !== undefined) void this.#lenses.askAgain(this.#question);
  }

  cancel(): void {
    if (this.#question !== undefined) this.#lenses.cancel(this.#question);
  }

  /** Put otherwise, it is another object of the same number. */
  get #question(): Question | undefined {
    return [...this.#questions.all, ...this.#questions.ofProgram].find(({ id }) => id === this.#id);
  }
}

/** The facts of a frame's variables, as far as they are read. */
interface FrameFacts {
  readonly nodes: Node[];
  total: number | undefined;
  done: boolean;
  /** Why not all is read. */
  note?: string;
}

/** So many variables are read at once, and in all. */
const AT_ONCE = 50;
const MOST_VARIABLES = 5000;

/** The variables of the frame that is looked at. */
export class FrameTable implements TableSource {
  readonly key = "frame";
  readonly name = l10n.t("variables");
  readonly #inspector: Pick<Inspector, "facts" | "readAgain">;
  readonly #facts = new WeakMap<Contents, FrameFacts>();
  readonly #changed = new Emitter();
  #abort = new AbortController();

  readonly onDidChange = this.#changed.event;

  constructor(inspector: Pick<Inspector, "facts" | "readAgain">) {
    this.#inspector = inspector;
  }

  now(contents: Contents): TableReading {
    const facts = this.#facts.get(contents);
    if (facts === undefined) return {};
    if (!facts.done) return { progress: facts.total === undefined ? 0 : facts.nodes.length / Math.max(1, facts.total) };
    return {
      of: facts,
      make: () => frameTable(facts.nodes, contents),
      note: facts.note,
    };
  }

  ask(contents: Contents): void {
    if (!this.#facts.has(contents)) void this.#read(contents);
  }

  again(): void {
    void this.#inspector.readAgain();
  }

  cancel(): void {
    this.#abort.abort();
  }

  dispose(): void {
    this.#abort.abort();
  }

  async #read(contents: Contents): Promise<void> {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const facts: FrameFacts = { nodes: [], total: undefined, done: false };
    this.#facts.set(contents, facts);
    try {
      while (!facts.done) {
        const page = await this.#inspector.facts(contents, facts.nodes.length, AT_ONCE, signal);
        facts.nodes.push(...page.nodes);
        facts.total = page.total ?? undefined;
        const isLast =
          page.nodes.length === 0 || facts.nodes.length >= Math.min(page.total ?? Infinity, MOST_VARIABLES);
        facts.done = isLast;
        this.#changed.fire();
      }
    } catch (error) {
      facts.note =
        error instanceof Cancelled ? l10n.t("Not all is read. Refresh Now reads it again.") : failureOf(error).message;
      facts.done = true;
      this.#changed.fire();
    }
  }
}

/** What is wrong with the step. */
export class FindingsTable implements TableSource {
  readonly key = "findings";
  readonly name = l10n.t("findings");
  readonly #inspector: Pick<Inspector, "readAgain">;

  constructor(inspector: Pick<Inspector, "readAgain">) {
    this.#inspector = inspector;
  }

  now(contents: Contents): TableReading {
    const { result } = contents.check;
    const found = findingsOf(contents);
    if (found === undefined || result === undefined) return {};
    const names = (result.answer.node?.page?.nodes ?? []).map(({ name }) => name);
    return { of: result, make: () => findingsTable(found, names) };
  }

  again(): void {
    void this.#inspector.readAgain();
  }
}

/** What was recorded of an expression. */
export class HistoryTable implements TableSource {
  readonly key: string;
  readonly name: string;
  readonly #expression: string;
  /** The path of the row whose history it is. */
  readonly #row: RowPath;
  readonly #session: Session;
  readonly #history: Pick<History, "records">;
  readonly #inspector: Pick<Inspector, "readAgain">;

  constructor(
    expression: string,
    row: RowPath,
    session: Session,
    history: Pick<History, "records">,
    inspector: Pick<Inspector, "readAgain">,
  ) {
    this.#expression = expression;
    this.#row = row;
    this.#session = session;
    this.#history = history;
    this.#inspector = inspector;
    this.key = `history ${session.number} ${expression}`;
    this.name = l10n.t("history of {0}", expression);
  }

  now(contents: Contents): TableReading {
    if (contents.frame.session !== this.#session) return { note: l10n.t("This is of another debug session.") };
    const records = this.#history.records(this.#session, this.#expression);
    // Each reading of a frame may have added to them.
    return { of: contents, make: () => historyTable(records, this.#row) };
  }

  again(): void {
    void this.#inspector.readAgain();
  }
}
