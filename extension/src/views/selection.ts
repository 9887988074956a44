import * as vscode from "vscode";
import type { Contents } from "../model/contents.ts";
import type { Row, Scene } from "../model/row.ts";
import { findRow } from "../model/rows.ts";

/** Which row of the tree is selected, and which has the keyboard. */
export class Selection implements vscode.Disposable {
  readonly #view: vscode.TreeView<Row>;
  readonly #subscription: vscode.Disposable;
  readonly #selected = new vscode.EventEmitter<Row>();
  /** The row selected last in each function, by its place: a row that vanishes and returns has lost its selection. */
  readonly #last = new Map<string, string>();
  /** The id of that row, if it was in the tree when the tree was drawn last. */
  #drawn: string | undefined;
  /** The focused row is being looked for: once at a time, since that toggles the selection. */
  #focusing: Promise<Row | undefined> = Promise.resolve(undefined);
  /** We are toggling the selection. */
  #toggling = false;

  /** The user has selected a row; of several, the first. */
  readonly onDidSelect = this.#selected.event;

  constructor(view: vscode.TreeView<Row>) {
    this.#view = view;
    this.#subscription = view.onDidChangeSelection(({ selection: [row] }) => {
      if (!row || this.#toggling) return;
      this.#last.set(row.contents.place, row.id);
      this.#drawn = row.id;
      this.#selected.fire(row);
    });
  }

  /** The selected rows. */
  get rows(): readonly Row[] {
    return this.#view.selection;
  }

  /**
   * The row that the keyboard is on. Extensions are told what is selected, which the arrow keys don't change: so its
   * selection is toggled, to see which it is, and toggled back.
   */
  focused(): Promise<Row | undefined> {
    const find = (): Promise<Row | undefined> => this.#findFocused();
    return (this.#focusing = this.#focusing.then(find, find));
  }

  async #findFocused(): Promise<Row | undefined> {
    this.#toggling = true;
    try {
      const before = this.#view.selection;
      await vscode.commands.executeCommand("list.toggleSelection");
      const after = this.#view.selection;
      await vscode.commands.executeCommand("list.toggleSelection");
      const [longer, shorter] = after.length > before.length ? [after, before] : [before, after];
      return longer.find((row) => !shorter.some(({ id }) => id === row.id));
    } finally {
      this.#toggling = false;
    }
  }

  /** Notes whether the row that was selected last in this function is in the tree; returns it where it has just come back. */
  follow(contents: Contents | undefined, scene: Scene | undefined): Row | undefined {
    const id = contents && this.#last.get(contents.place);
    const row = scene === undefined || id === undefined ? undefined : findRow(scene, id);
    const before = this.#drawn;
    this.#drawn = row?.id;
    return before === row?.id ? undefined : row;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#selected.dispose();
  }
}
