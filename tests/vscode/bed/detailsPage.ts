/** The details page, in the panel or a tab: a frame in a frame of the window. */
import type { Frame, Locator } from "playwright-core";
import { textNow, until } from "./wait.ts";
import type { Workbench } from "./workbench.ts";

export type Rgb = readonly [number, number, number];

export class DetailsPage {
  readonly #wb: Workbench;

  constructor(wb: Workbench) {
    this.#wb = wb;
  }

  /** The page's own frame, once it has been told of a value. */
  async frame(): Promise<Frame> {
    return until("the details page", async () => {
      for (const frame of this.#wb.page.frames()) {
        const head = frame.locator("main h1");
        const isThere = await head.isVisible().catch(() => false);
        if (isThere) return frame;
      }
      return undefined;
    });
  }

  /** Waits until a page says that the value is shown by another. */
  async elsewhere(): Promise<void> {
    await until("a page that says where the details are", async () => {
      const texts = await Promise.all(
        this.#wb.page.frames().map((frame) => textNow(frame.locator("main .welcome")).catch(() => "")),
      );
      return texts.some((text) => text?.includes("in the tab of the editor") === true);
    });
  }

  async locator(selector: string): Promise<Locator> {
    return (await this.frame()).locator(selector);
  }

  /** The text of the page, once it has all of the texts. */
  async textWith(...wanted: readonly (string | RegExp)[]): Promise<string> {
    let last = "";
    const has = (text: string, one: string | RegExp): boolean =>
      typeof one === "string" ? text.includes(one) : one.test(text);
    try {
      return await until(`the page to say ${wanted.join(", ")}`, async () => {
        last = await (await this.locator("main")).innerText();
        return wanted.every((one) => has(last, one)) && last;
      });
    } catch (error) {
      throw new Error(`${String(error)}; it says:\n${last}`, { cause: error });
    }
  }

  /** Scrolls to a part of the page, for a picture of it. */
  async reveal(selector: string): Promise<void> {
    await (await this.locator(selector)).first().evaluate((element) => element.scrollIntoView({ block: "start" }));
  }

  /** Colours of a canvas at places, as shares of a plane: (down, across) from its top left corner. */
  async colours(places: readonly (readonly [number, number])[], plane = { x: 44, y: 16 }, at = 0): Promise<Rgb[]> {
    const canvas = (await this.locator(".canvas canvas")).nth(at);
    return canvas.evaluate(
      (element, { places, plane }) => {
        const drawn = element as HTMLCanvasElement;
        const context = drawn.getContext("2d")!;
        const sharpness = window.devicePixelRatio;
        const { width, height } = drawn.getBoundingClientRect();
        return places.map(([down, across]) => {
          const x = Math.round((plane.x + across * (width - plane.x)) * sharpness);
          const y = Math.round((plane.y + down * (height - plane.y)) * sharpness);
          const [red = 0, green = 0, blue = 0] = context.getImageData(x, y, 1, 1).data;
          return [red, green, blue] as const;
        });
      },
      { places, plane },
    );
  }
}
