/** The Debug Console. */
import type { Locator, Page } from "playwright-core";
import { until } from "./wait.ts";

export class DebugConsole {
  readonly #page: Page;
  readonly #root: Locator;

  constructor(page: Page) {
    this.#page = page;
    this.#root = page.locator(".repl");
  }

  /** Types an expression or a statement, and returns what the debugger answers: nothing for a statement. */
  async run(code: string): Promise<string> {
    await this.#root.locator(".repl-input-wrapper .monaco-editor").click();
    const before = await this.#lastIndex(".monaco-list-row");
    await this.#page.keyboard.insertText(code);
    await this.#page.keyboard.press("Enter");
    const answer = ".monaco-list-row:has(.evaluation-result)";
    await until(`an answer to ${code}`, async () => (await this.#lastIndex(answer)) > before);
    return clean(await this.#root.locator(answer).last().innerText());
  }

  /** The lines in sight: input, answers and the program's output. */
  async lines(): Promise<string[]> {
    return (await this.#root.locator(".monaco-list-row").allInnerTexts()).map(clean);
  }

  async #lastIndex(rows: string): Promise<number> {
    const indices = await this.#root.locator(rows).evaluateAll((all) => all.map((row) => Number(row.dataset["index"])));
    return Math.max(-1, ...indices);
  }
}

function clean(text: string): string {
  return text.replaceAll("\u00a0", " ").trim();
}
