/** A table in a tab of the editor: a frame in a frame of the window. */
import type { Frame, Locator } from "playwright-core";
import { until } from "./wait.ts";
import type { Workbench } from "./workbench.ts";

export class TablePage {
  readonly #wb: Workbench;
  readonly #name: string;

  /** The table of this name. */
  constructor(wb: Workbench, name: string) {
    this.#wb = wb;
    this.#name = name;
  }

  async frame(): Promise<Frame> {
    return until(`the table ${this.#name}`, async () => {
      for (const frame of this.#wb.page.frames()) {
        const table = frame.locator(`table[role=grid][aria-label="${this.#name}"]`);
        if (await table.isVisible().catch(() => false)) return frame;
      }
      return undefined;
    });
  }

  async locator(selector: string): Promise<Locator> {
    return (await this.frame()).locator(selector);
  }

  /** The names of the columns, as they are sorted: `gradient ▼`. */
  async columns(): Promise<string[]> {
    return (await (await this.locator("thead th button")).allInnerTexts()).map((text) => text.trim());
  }

  /** The texts of the rows that are drawn, cell by cell, by their column's names. */
  async rows(): Promise<Record<string, string>[]> {
    return (await this.frame()).evaluate(() => {
      const heads = [...document.querySelectorAll("thead th button")].map((head) => head.firstChild?.textContent ?? "");
      return [...document.querySelectorAll("tbody tr:not(.spacer)")].map((row) =>
        Object.fromEntries([...row.children].map((cell, at) => [heads[at] ?? "", cell.textContent ?? ""])),
      );
    });
  }

  /** The rows as soon as they are as wanted. */
  async rowsWhen(
    what: string,
    wanted: (rows: readonly Record<string, string>[]) => boolean,
  ): Promise<Record<string, string>[]> {
    let last: Record<string, string>[] = [];
    try {
      return await until(`${what} in the table ${this.#name}`, async () => {
        last = await this.rows();
        return wanted(last) && last;
      });
    } catch (error) {
      throw new Error(`${String(error)}; it has:\n${last.map((row) => JSON.stringify(row)).join("\n")}`, {
        cause: error,
      });
    }
  }

  async sortBy(column: string): Promise<void> {
    await (await this.locator(`thead th button:text-is("${column}")`)).click();
  }

  async filter(text: string): Promise<void> {
    await (await this.locator("input.filter")).fill(text);
  }

  async count(): Promise<string> {
    return (await this.locator(".count")).innerText();
  }
}
