import * as l10n from "@vscode/l10n";
import type { FromTable, TableState, ToTable } from "../../protocol/table.ts";
import type { Contents } from "../contents.ts";
import { Emitter } from "../emitter.ts";
import type { Inspector } from "../inspector.ts";
import { ASK_DELAY_MS } from "../tasks.ts";
import type { TableSource } from "./sources.ts";
import type { Revealed, Table } from "./table.ts";

/** A table that is shown, and of what. */
interface DrawnTable {
  readonly of: object;
  readonly table: Table;
  readonly contents: Contents;
}

/** What the page of a table shows: what its source says, stop after stop. Nothing is asked while the page is out of sight. */
export class LiveTable {
  readonly source: TableSource;
  readonly #inspector: Inspector;
  readonly #told = new Emitter<ToTable>();
  readonly #subscriptions: readonly ({ dispose(): void } | undefined)[];
  #isVisible = false;
  /** Until there is another, the last one. */
  #shown: DrawnTable | undefined;
  #state: TableState | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Why what the user wanted was not done, until something else is shown. */
  #said: string | undefined;

  /** What the page is to be told. */
  readonly onDidTell = this.#told.event;

  constructor(source: TableSource, inspector: Inspector) {
    this.source = source;
    this.#inspector = inspector;
    const follow = (): void => this.#follow();
    this.#subscriptions = [inspector.onDidChange(follow), source.onDidChange?.(follow)];
  }

  /** Whether somebody sees the page. */
  setVisible(visible: boolean): void {
    if (this.#isVisible === visible) return;
    this.#isVisible = visible;
    clearTimeout(this.#timer);
    if (visible) this.#follow();
  }

  /** What a row reveals, and the contents that it is of. */
  revealed(row: string): { readonly revealed: Revealed; readonly contents: Contents } | undefined {
    const revealed = this.#shown?.table.reveals.get(row);
    return this.#shown && revealed && { revealed, contents: this.#shown.contents };
  }

  /** Has the page say why something that the user wanted was not done. */
  say(why: string): void {
    this.#said = why;
    this.#follow();
  }

  /** What the page says. `reveal` and `copy` are for the host alone. */
  receive(message: FromTable): void {
    switch (message.type) {
      case "ready":
        this.#state = undefined;
        if (this.#shown !== undefined) this.#tellTable(this.#shown);
        this.#follow();
        return;
      case "again":
        this.source.again();
        return;
      case "cancel":
        this.source.cancel?.();
        return;
      case "reveal":
      case "copy":
        return;
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.source.dispose?.();
    for (const one of this.#subscriptions) one?.dispose();
  }

  #follow(): void {
    if (!this.#isVisible) return;
    const { contents } = this.#inspector;
    if (contents === undefined) {
      this.#tellState(
        this.#shown === undefined
          ? l10n.t("No program is paused. Values are read at the next stop.")
          : l10n.t("No program is paused. This is from the last stop."),
      );
      return;
    }
    const { of, make, note, progress } = this.source.now(contents);
    if (of !== undefined && make !== undefined && (of !== this.#shown?.of || contents !== this.#shown.contents)) {
      this.#shown = { of, table: make(), contents };
      this.#said = undefined;
      this.#tellTable(this.#shown);
    }
    const isOld = of === undefined && this.#shown !== undefined && progress === undefined;
    const old = isOld ? l10n.t("This is from before. Refresh Now reads it again.") : undefined;
    this.#tellState(this.#said ?? note ?? old, progress);
    if (this.source.ask === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (contents === this.#inspector.contents && !contents.frame.over) this.source.ask?.(contents);
    }, ASK_DELAY_MS);
  }

  #tellTable({ table: { columns, rows, plot, notes }, contents }: DrawnTable): void {
    const { answer } = contents;
    const place = l10n.t("{0}, line {1}", answer.function, answer.line);
    const { name } = this.source;
    this.#told.fire({ type: "table", name, place, columns, rows, notes, ...(plot === undefined ? {} : { plot }) });
  }

  #tellState(note: string | undefined, progress?: number): void {
    const state: TableState = {
      type: "state",
      name: this.source.name,
      ...(note === undefined ? {} : { note }),
      ...(progress === undefined ? {} : { progress }),
    };
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#told.fire(state);
  }
}
