import type { Row } from "../model/row.ts";

/** The fields of a row that VS Code draws or its menus test; not whether it is open, which VS Code knows itself. */
const DRAWN = ["label", "description", "icon", "tone", "expandable", "changed", "speech", "can", "next"] as const;

/**
 * The rows that VS Code holds. It knows a row of its menu by the object that it was given, and forgets all of them when it
 * is told that the tree has changed: a command chosen at that moment would come without its row. So while one stop is
 * shown, a row stays one object, whatever it says, and VS Code is told only of the rows that say something else.
 */
export class Elements {
  /** By their ids. */
  readonly #held = new Map<string, Row>();
  /** The ids of the rows below each row, by that row's id; those of the top rows, by undefined. */
  readonly #below = new Map<string | undefined, readonly string[]>();

  /** Another stop is shown, or none: its rows are others. */
  forget(): void {
    this.#held.clear();
    this.#below.clear();
  }

  /** The objects of these rows, which VS Code is about to be given as those below `parent`. */
  hold(parent: Row | undefined, rows: readonly Row[]): Row[] {
    this.#below.set(
      parent?.id,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => this.#elementOf(row));
  }

  /**
   * Brings what VS Code holds up to date, and says which of its rows must be drawn again: "all", where other rows stand
   * on top. `below` gives the rows below a row, as far as they are known.
   */
  update(top: readonly Row[], below: (row: Row) => readonly Row[] | undefined): readonly Row[] | "all" {
    return this.#isSame(undefined, top) ? [...this.#changed(top, below)] : "all";
  }

  *#changed(rows: readonly Row[], below: (row: Row) => readonly Row[] | undefined): Generator<Row> {
    for (const row of rows) {
      const held = this.#held.get(row.id);
      if (held === undefined) continue;
      const isOther = DRAWN.some((field) => JSON.stringify(held[field]) !== JSON.stringify(row[field]));
      const element = this.#elementOf(row);
      const children = this.#below.has(row.id) ? below(row) : undefined;
      // VS Code asks anew for what is below a row that is drawn again.
      if (isOther || (children !== undefined && !this.#isSame(row.id, children))) yield element;
      else if (children !== undefined) yield* this.#changed(children, below);
    }
  }

  #isSame(parent: string | undefined, rows: readonly Row[]): boolean {
    const ids = this.#below.get(parent);
    return ids?.length === rows.length && rows.every(({ id }, at) => id === ids[at]);
  }

  /** The one object of a row, which says now what the row says. */
  #elementOf(row: Row): Row {
    const held = this.#held.get(row.id);
    if (held === undefined || held === row) {
      this.#held.set(row.id, row);
      return row;
    }
    for (const field of Object.keys(held)) if (!(field in row)) Reflect.deleteProperty(held, field);
    return Object.assign(held, row);
  }
}
