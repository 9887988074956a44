/** One pane of the side bar, such as Variables or Tensor Inspector, and the rows of its tree. */
import type { Locator, Page } from "playwright-core";
import { chooseIn, closeMenu, isDone, itemsOf, labelIn, menuAfterClick } from "./menu.ts";
import { findRow, readRows, rowsBelow, scrollToRow } from "./rows.ts";
import type { Row } from "./rows.ts";
import { leaveTooltip } from "./tooltip.ts";
import { textNow, until } from "./wait.ts";

/** The labels from a top-level row down to the row that is meant. */
export type RowPath = readonly string[];

/** What a row is called, in our tree and in the debugger's own views. */
const LABEL = ".label-name, .name, .label, .scope";

/** Milliseconds within which the mouse comes to rest on a row, where nothing lies over it. */
const HOVER_MS = 1000;

/** A row that is closed still so many milliseconds after a click has not taken it. */
const DROPPED_MS = 10_000;

export class Pane {
  readonly title: string;
  readonly root: Locator;
  readonly #page: Page;
  readonly #header: Locator;
  readonly #list: Locator;

  constructor(page: Page, title: string) {
    this.#page = page;
    this.title = title;
    const heading = page.locator(".pane-header h3.title").getByText(title, { exact: true });
    this.root = page.locator(".pane", { has: heading });
    this.#header = this.root.locator(".pane-header");
    this.#list = this.root.locator(".pane-body .monaco-list");
  }

  /** Expands the pane itself. */
  show(): Promise<void> {
    return this.#setExpanded(true);
  }

  /** Collapses the pane itself. */
  hide(): Promise<void> {
    return this.#setExpanded(false);
  }

  /** All rows of the tree as they are now; none when it shows a welcome text instead. */
  async rows(): Promise<Row[]> {
    await this.show();
    return until(`all rows of ${this.title}`, () => this.#list.evaluateAll(readRows));
  }

  /** The rows as soon as they are as wanted. */
  async rowsWhen(what: string, wanted: (rows: readonly Row[]) => boolean | Promise<boolean>): Promise<Row[]> {
    const last: { rows: Row[] } = { rows: [] };
    try {
      return await until(`${what} in ${this.title}`, async () => {
        last.rows = await this.rows();
        return (await wanted(last.rows)) && last.rows;
      });
    } catch (error) {
      throw new Error(`${String(error)}; it shows:\n${asText(last.rows)}`, { cause: error });
    }
  }

  /** Waits for a row, by the labels that lead to it; rows above must be expanded. */
  async row(...path: RowPath): Promise<Row> {
    const rows = await this.rowsWhen(`the row ${path.join(" › ")}`, (rows) => findRow(rows, path) !== undefined);
    return findRow(rows, path)!;
  }

  /**
   * Expands every row along the path, and returns the children of the last. A click that met another row, since this one
   * moved, is made once more where it stands now; so is one that VS Code has dropped.
   */
  async expand(...path: RowPath): Promise<Row[]> {
    if (path.length === 0) return [];
    const paths = path.map((_, at) => path.slice(0, at + 1));
    let [clicked, at] = ["", 0];
    const rows = await this.rowsWhen(`children of ${path.join(" › ")}`, async (rows) => {
      const closed = paths.map((one) => findRow(rows, one)).find((row) => row?.expanded === false);
      if (closed !== undefined) {
        const click = `${closed.index} ${closed.label}`;
        if (click !== clicked || Date.now() - at > DROPPED_MS) {
          await this.#clickTwistie(closed);
          [clicked, at] = [click, Date.now()];
        }
        return false;
      }
      const last = findRow(rows, path);
      return last !== undefined && rowsBelow(rows, last).length > 0;
    });
    const row = findRow(rows, path)!;
    return rowsBelow(rows, row).filter(({ level }) => level === row.level + 1);
  }

  async collapse(...path: RowPath): Promise<void> {
    const row = await this.row(...path);
    if (row.expanded === false) return;
    await this.#clickTwistie(row);
    await this.rowsWhen(`${path.join(" › ")} collapsed`, (rows) => findRow(rows, path)?.expanded === false);
  }

  /**
   * Clicks a row, which has the focus then, or is gone. A click that met another row, since this one moved, is made once
   * more where it stands now.
   */
  async click(...path: RowPath): Promise<void> {
    await until(`a click on ${path.join(" › ")} of ${this.title}`, async () => {
      await (await this.#uncovered(path)).click();
      return findRow(await this.rows(), path)?.focused !== false;
    });
  }

  async doubleClick(...path: RowPath): Promise<void> {
    await (await this.#uncovered(path)).dblclick();
  }

  /** Right-clicks a row and chooses an item, once the row has it: what a row can do may be told later than the row. */
  async choose(path: RowPath, item: string): Promise<void> {
    const menu = await until(`${item} in the menu of ${path.join(" › ")}`, async () => {
      const open = await this.#openMenu(path);
      if ((await labelIn(open, item).count()) > 0) return open;
      await closeMenu(open);
      return undefined;
    });
    await chooseIn(menu, item);
  }

  async menuItems(...path: RowPath): Promise<string[]> {
    return itemsOf(await this.#openMenu(path));
  }

  /**
   * Clicks one of the buttons that a row shows under the mouse. Rows that come and go above it move it meanwhile, so the
   * button is clicked as it is found, not where it was.
   */
  async clickAction(path: RowPath, action: string): Promise<void> {
    await until(`${action} on ${path.join(" › ")}`, () => this.#clickNow(path, action));
  }

  /** Clicks until the row says that it is so: VS Code drops a click on a row that it is drawing again. */
  async clickUntil(path: RowPath, action: string, description: RegExp): Promise<void> {
    await until(`${description} by ${action} on ${path.join(" › ")}`, async () => {
      if (description.test((await this.row(...path)).description)) return true;
      await this.#clickNow(path, action);
      return false;
    });
  }

  async #clickNow(path: RowPath, action: string): Promise<boolean> {
    const row = (await this.#element(path)).filter({ has: this.#page.getByText(path.at(-1)!, { exact: true }) });
    if ((await row.count()) === 0) return false;
    await leaveTooltip(this.#page);
    if (!(await isDone(row.hover({ timeout: HOVER_MS })))) return false; // something lies over it
    return row.locator(`.action-label[aria-label^="${action}"]`).evaluateAll(([button]: HTMLElement[]) => {
      button?.click();
      return button !== undefined;
    });
  }

  /** Clicks one of the buttons in the pane's header. */
  async clickHeaderAction(action: string): Promise<void> {
    await leaveTooltip(this.#page);
    await this.#header.hover();
    await this.#header.locator(`.action-label[aria-label^="${action}"]`).click();
  }

  /** What the pane shows under the mouse when it rests on a row. */
  async tooltip(...path: RowPath): Promise<string> {
    await (await this.#label(path)).hover();
    const hover = this.#page.locator(".workbench-hover-container .monaco-hover");
    return until(`a tooltip on ${path.join(" › ")}`, () => textNow(hover));
  }

  /** Types into the box that the pane shows in a row, to set a value or to add an expression. */
  async typeInRow(text: string): Promise<void> {
    const input = this.#list.locator(".inputBoxContainer input, .monaco-inputbox input").first();
    await input.waitFor();
    await input.fill(text);
    await input.press("Enter");
    await input.waitFor({ state: "hidden" });
  }

  /** The text that stands where there is no tree to show. */
  async welcome(): Promise<string> {
    await this.show();
    return (await this.root.locator(".welcome-view-content").allInnerTexts()).join("\n").trim();
  }

  /** The line above the tree. */
  async message(): Promise<string> {
    await this.show();
    return (await this.root.locator(".tree-explorer-viewlet-tree-view > .message").allInnerTexts()).join("\n").trim();
  }

  /** Rows that come on top move the others, in the middle of a click too: the row that the menu is about has the focus. */
  #openMenu(path: RowPath): Promise<Locator> {
    const focused = this.#list.locator(".monaco-list-row.focused").locator(LABEL).first();
    return until(`the menu of ${path.join(" › ")}`, async () => {
      const menu = await menuAfterClick(await this.#uncovered(path));
      if (menu === undefined) return undefined; // the row may stand elsewhere by now
      if ((await textNow(focused))?.replace(/\s*[=:]$/, "").trim() === path.at(-1)) return menu;
      await closeMenu(menu);
      return undefined;
    });
  }

  async #clickTwistie({ index }: Row): Promise<void> {
    await leaveTooltip(this.#page);
    if (!(await this.#list.evaluate(scrollToRow, index))) return;
    await this.#list.locator(`.monaco-list-row[data-index="${index}"] .monaco-tl-twistie`).click();
  }

  /** The row's element, scrolled into sight. */
  async #element(path: RowPath): Promise<Locator> {
    const index = await until(`the row ${path.join(" › ")} of ${this.title} in sight`, async () => {
      const { index } = await this.row(...path);
      return (await this.#list.evaluate(scrollToRow, index)) && index;
    });
    return this.#list.locator(`.monaco-list-row[data-index="${index}"]`);
  }

  async #label(path: RowPath): Promise<Locator> {
    const row = await this.#element(path);
    return row.locator(LABEL).first();
  }

  /** The row's label, to be clicked. */
  async #uncovered(path: RowPath): Promise<Locator> {
    await leaveTooltip(this.#page);
    return this.#label(path);
  }

  async #setExpanded(expanded: boolean): Promise<void> {
    // By keys, since a click toggles: it would close a pane that opens by itself at this moment.
    await until(`the pane ${this.title} ${expanded ? "open" : "closed"}`, async () => {
      if ((await this.#header.getAttribute("aria-expanded")) === String(expanded)) return true;
      await this.#header.press(expanded ? "ArrowRight" : "ArrowLeft");
      return false;
    });
  }
}

/** Rows as indented text, for people. */
export function asText(rows: readonly Row[]): string {
  const twistie = (row: Row): string => (row.expanded === undefined ? " " : row.expanded ? "▾" : "▸");
  return rows
    .map((row) => `${"  ".repeat(row.level - 1)}${twistie(row)} ${row.label}  ${row.description}`.trimEnd())
    .join("\n");
}
