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
  /** The part of it that the mouse points at; all of it when absent. */
  readonly on?: string | undefined;
}

/** A stretch of text on the screen, and the height of its middle. */
interface Stretch {
  readonly left: number;
  readonly right: number;
  readonly y: number;
}

/** Milliseconds to wait for a window to be idle: on a machine that is busy it may never be. */
const IDLE = 5000;
/**
 * Milliseconds after which a hover that does not show is asked for once more: VS Code may have dropped what it was asked. Where
 * it was only slow, its answer is known by then.
 */
const LOST = 5000;

export class Editor {
  readonly root: Locator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.root = page.locator(".editor-group-container.active .monaco-editor").first();
  }

  /** Rests the mouse on the text until a hover shows. */
  async hover(place: Place): Promise<Hover> {
    let pointed = 0;
    const hovered = until(`a hover on \`${place.text}\` in line ${place.line}`, async () => {
      if (Date.now() - pointed > LOST) {
        await this.pointAt(place);
        pointed = Date.now();
      }
      return this.shownHover();
    });
    return hovered.catch(async (error: Error) => {
      const seen = await this.#page.evaluate(describeMouse).catch(() => "the page does not answer");
      throw new Error(`${error.message}; ${seen}`, { cause: error });
    });
  }

  /**
   * Rests the mouse on the text. A word is hovered again only after the mouse has crossed another text, here what stands
   * left of it; and VS Code drops what it is asked while it paints a stop, so its window is idle before, if it ever is.
   */
  async pointAt(place: Place): Promise<void> {
    await this.leaveHover();
    const { left, right, y } = await this.#locate(place);
    await this.#page.evaluate((timeout) => new Promise((resolve) => requestIdleCallback(resolve, { timeout })), IDLE);
    const middle = (left + right) / 2;
    await this.#page.mouse.move(middle - 40, y);
    await this.#page.mouse.move(middle, y); // at once: where the mouse rests on its way, VS Code asks for a hover there
  }

  /** Moves the mouse from where it is straight to the text. */
  async moveTo(place: Place): Promise<void> {
    const { left, right, y } = await this.#locate(place);
    await this.#page.mouse.move((left + right) / 2, y);
  }

  /** Waits until the editor shows the exception at which the program has stopped: that moves the lines around it. */
  async exceptionShown(): Promise<void> {
    const widget = this.root.locator(".exception-widget").filter({ visible: true });
    await until("the exception below its line", async () => (await widget.count()) > 0);
  }

  /** The hover that is on the screen, once it has its content. */
  async shownHover(): Promise<Hover | undefined> {
    for (const [kind, selector] of [
      ["debug", ".debug-hover-widget"],
      ["language", ".monaco-resizable-hover .monaco-hover:not(.hidden)"],
    ] as const) {
      const widget = this.#page.locator(selector).filter({ visible: true }).first();
      // Read at once, since it may be gone at any moment.
      const [shown] = await widget.evaluateAll((found: HTMLElement[]) =>
        found.map((element) => ({ text: element.innerText, html: element.innerHTML })),
      );
      const text = clean(shown?.text ?? "");
      if (shown !== undefined && text !== "" && text !== "Loading...")
        return { kind, text, html: shown.html, element: widget };
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

  /** Selects the text with the mouse. */
  async select(place: Place): Promise<void> {
    const { left, right, y } = await this.#locate(place);
    await this.#page.mouse.move(left + 1, y);
    await this.#page.mouse.down();
    await this.#page.mouse.move(right - 1, y, { steps: 5 });
    await this.#page.mouse.up();
  }

  /** Right-clicks the selected text and chooses an item. */
  async chooseForSelection(item: string): Promise<void> {
    // The selection is painted behind the text.
    await chooseFromMenu(this.root.locator(".selected-text").first(), item, { force: true });
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

  async #putCursor(place: Place): Promise<void> {
    const { left, right, y } = await this.#locate(place);
    await this.#page.mouse.click((left + right) / 2, y);
  }

  /** The first occurrence of the text in the line. */
  #locate(place: Place): Promise<Stretch> {
    return until(`\`${place.text}\` in line ${place.line} on the screen`, () => this.root.evaluate(locateText, place));
  }
}

/** Runs in the page: what the mouse is on, and the hovers that there are. */
function describeMouse(): string {
  const named = (elements: Iterable<Element>): string =>
    [...elements].map((element) => element.getAttribute("class")).join(" > ");
  const hovers = document.querySelectorAll(".debug-hover-widget, .monaco-resizable-hover .monaco-hover");
  return `the mouse is on ${named([...document.querySelectorAll(":hover")].slice(-3))}, the hovers are ${named(hovers)}`;
}

/** Runs in the page: lines and their numbers are separate layers, joined by their height. */
function locateText(editor: Element, { line, text, on = text }: Place): Stretch | undefined {
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
  const from = start + text.lastIndexOf(on);
  const [first, last] = [characters[from], characters[from + on.length - 1]];
  if (start < 0 || first === undefined || last === undefined) return undefined;
  const range = document.createRange();
  range.setStart(first.node, first.offset);
  range.setEnd(last.node, last.offset + 1);
  const { left, right, top: upper, bottom } = range.getBoundingClientRect();
  return { left, right, y: (upper + bottom) / 2 };
}

/** Where a text stands in a source: in the last line that has it. */
export function placeOf(source: string, text: string, on?: string): Place {
  const line = source.split("\n").findLastIndex((candidate) => candidate.includes(text)) + 1;
  if (line === 0) throw new Error(`\`${text}\` is not in the source`);
  return { line, text, on };
}

function clean(text: string): string {
  return text.replaceAll("\u00a0", " ").trim();
}
