/** The active text editor: where its text stands on the screen, its hovers and its inline values. */
import type { Locator, Page } from "playwright-core";
import { chooseFromMenu, menuItems } from "./menu.ts";
import { until } from "./wait.ts";

export interface Hover {
  /** `debug`: VS Code's own, from the debugger. `language`: from hover providers. */
  readonly kind: "debug" | "language";
  readonly text: string;
  readonly html: string;
  /** To click on what it offers. */
  readonly element: Locator;
}

/** An expression in the text. */
export interface Place {
  readonly line: number;
  readonly text: string;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

export class Editor {
  readonly root: Locator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.root = page.locator(".editor-group-container.active .monaco-editor").first();
  }

  /** Rests the mouse on the text until a hover shows; what VS Code was asked while busy with a stop, it must be asked again. */
  async hover(place: Place, limit?: number): Promise<Hover> {
    const what = `a hover on \`${place.text}\` in line ${place.line}`;
    const ask = async (): Promise<Hover | undefined> => {
      await this.#approach(place);
      return until(what, () => this.shownHover(), 3000).catch(() => undefined);
    };
    return until(what, ask, limit);
  }

  /** The hover that is on the screen, once it has its content. */
  async shownHover(): Promise<Hover | undefined> {
    for (const [kind, selector] of [
      ["debug", ".debug-hover-widget"],
      ["language", ".monaco-resizable-hover .monaco-hover:not(.hidden)"],
    ] as const) {
      const widget = this.#page.locator(selector).filter({ visible: true }).first();
      if ((await widget.count()) === 0) continue;
      const text = clean(await widget.innerText());
      if (text !== "" && text !== "Loading...") return { kind, text, html: await widget.innerHTML(), element: widget };
    }
    return undefined;
  }

  /** Takes the mouse away, and waits until no hover is left. */
  async leaveHover(): Promise<void> {
    await this.#page.mouse.move(2, 2);
    await until("the hover to go", async () => (await this.shownHover()) === undefined);
  }

  async choose(place: Place, item: string): Promise<void> {
    await this.#putCursor(place);
    await chooseFromMenu(this.root.locator(".cursors-layer .cursor").first(), item);
  }

  async menuItems(place: Place): Promise<string[]> {
    await this.#putCursor(place);
    return menuItems(this.root.locator(".cursors-layer .cursor").first());
  }

  /** The inline values in sight: line number to text. */
  async inlineValues(): Promise<ReadonlyMap<number, string>> {
    const values = await this.root.evaluate((editor) => {
      const numbers = [...editor.querySelectorAll<HTMLElement>(".line-numbers")];
      const lineAt = new Map(
        numbers.map((element) => [Math.round(element.getBoundingClientRect().top), Number(element.textContent)]),
      );
      return [...editor.querySelectorAll(".view-line")].flatMap((line) => {
        const parts = [...line.querySelectorAll("[class*=debug-inline-value]")].map(({ textContent }) => textContent);
        const number = lineAt.get(Math.round(line.getBoundingClientRect().top));
        return number === undefined || parts.length === 0 ? [] : [[number, parts.join("")] as const];
      });
    });
    return new Map(values.map(([line, text]) => [line, clean(text)]));
  }

  /** The line where the chosen frame stands. */
  async markedLine(): Promise<number | undefined> {
    return this.root.evaluate((editor) => {
      // A frame below the top one has its own mark, beside the top one's.
      const mark =
        editor.querySelector(".debug-focused-stack-frame-line") ?? editor.querySelector(".debug-top-stack-frame-line");
      const height = mark?.getBoundingClientRect().top;
      const numbers = [...editor.querySelectorAll(".line-numbers")];
      const number = numbers.find(
        (element) => height !== undefined && Math.abs(element.getBoundingClientRect().top - height) < 2,
      );
      return number && Number(number.textContent);
    });
  }

  /** A word is hovered again only after the mouse has crossed another text, here what stands left of it. */
  async #approach(place: Place): Promise<void> {
    await this.leaveHover();
    const { x, y } = await this.#locate(place);
    await this.#page.mouse.move(x - 40, y);
    await this.#page.mouse.move(x, y, { steps: 8 });
  }

  async #putCursor(place: Place): Promise<void> {
    const { x, y } = await this.#locate(place);
    await this.#page.mouse.click(x, y);
  }

  /** The middle of the first occurrence of the text in the line. */
  #locate({ line, text }: Place): Promise<Point> {
    return until(`\`${text}\` in line ${line} on the screen`, () => this.root.evaluate(locateText, { line, text }));
  }
}

/** Runs in the page: lines and their numbers are separate layers, joined by their height. */
function locateText(editor: Element, { line, text }: Place): Point | undefined {
  const numbers = [...editor.querySelectorAll<HTMLElement>(".line-numbers")];
  const top = numbers.find(({ textContent }) => Number(textContent) === line)?.getBoundingClientRect().top;
  const lines = [...editor.querySelectorAll(".view-line")];
  const element = lines.find(
    (candidate) => top !== undefined && Math.abs(candidate.getBoundingClientRect().top - top) < 2,
  );
  if (element === undefined) return undefined;

  const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const characters: { node: Node; offset: number }[] = [];
  let content = "";
  for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
    for (let offset = 0; offset < (node.nodeValue ?? "").length; offset++) characters.push({ node, offset });
    content += (node.nodeValue ?? "").replaceAll("\u00a0", " ");
  }
  const word = /^\w/.test(text) ? String.raw`(?<![\w.])` : "";
  const escaped = text.replaceAll(/[^\w\s]/g, String.raw`\$&`);
  const start = new RegExp(`${word}${escaped}(?!\\w)`).exec(content)?.index ?? content.indexOf(text);
  const middle = characters[start + Math.floor((text.length - 1) / 2)];
  if (start < 0 || middle === undefined) return undefined;
  const range = document.createRange();
  range.setStart(middle.node, middle.offset);
  range.setEnd(middle.node, middle.offset + 1);
  const box = range.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
}

function clean(text: string): string {
  return text.replaceAll("\u00a0", " ").trim();
}
