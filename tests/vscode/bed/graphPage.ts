/** A drawn graph in a tab of the editor. */
import type { Frame, Locator } from "playwright-core";
import { until } from "./wait.ts";
import type { Workbench } from "./workbench.ts";

export class GraphTab {
  readonly #wb: Workbench;
  readonly #name: string;

  /** The graph of this tensor. */
  constructor(wb: Workbench, name: string) {
    this.#wb = wb;
    this.#name = name;
  }

  async frame(): Promise<Frame> {
    return until(`the graph of ${this.#name}`, async () => {
      for (const frame of this.#wb.page.frames()) {
        const head = frame.locator(".graph-page h1");
        const isIt = (await head.isVisible().catch(() => false)) && (await head.innerText()).includes(this.#name);
        if (isIt) return frame;
      }
      return undefined;
    });
  }

  async locator(selector: string): Promise<Locator> {
    return (await this.frame()).locator(selector);
  }

  /** The text of the page, once it has all of the texts. */
  async textWith(...wanted: readonly (string | RegExp)[]): Promise<string> {
    let last = "";
    try {
      return await until(`the graph to say ${wanted.join(", ")}`, async () => {
        last = await (await this.locator("main")).innerText();
        return wanted.every((one) => (typeof one === "string" ? last.includes(one) : one.test(last))) && last;
      });
    } catch (error) {
      throw new Error(`${String(error)}; it says:\n${last}`, { cause: error });
    }
  }

  /** How many nodes there are, and how many boxes are drawn. */
  async counts(): Promise<readonly [number, number]> {
    const text = await this.textWith(/[\d,]+ nodes, [\d,]+ shown/);
    const [, nodes = "", shown = ""] = /([\d,]+) nodes, ([\d,]+) shown/.exec(text) ?? [];
    return [Number(nodes.replaceAll(",", "")), Number(shown.replaceAll(",", ""))];
  }

  /** Goes to the first node that is like a text. */
  async find(text: string): Promise<void> {
    const box = await this.locator("input.filter");
    await box.fill(text);
    await box.press("Enter");
  }

  /** What is known of the box that the user is at, by its labels. */
  async facts(): Promise<Record<string, string>> {
    const rows = await this.locator("section.node tr");
    const all = await rows.evaluateAll((some) =>
      some.map((row) => [...row.children].map((cell) => cell.textContent ?? "") as [string, string]),
    );
    return Object.fromEntries(all);
  }

  /** The same, as soon as its title is as wanted. */
  async factsOf(title: RegExp): Promise<Record<string, string>> {
    let last = "";
    try {
      await until(`the node ${title.source}`, async () => {
        const head = await this.locator("section.node h2");
        last = (await head.count()) > 0 ? await head.innerText() : "";
        return title.test(last);
      });
    } catch (error) {
      throw new Error(`${String(error)}; it is: ${last}`, { cause: error });
    }
    return this.facts();
  }
}
