/** A window on a paused program, in which one steps and waits until views show the new value. */
import { setTimeout as pause } from "node:timers/promises";
import type { Browser } from "playwright-core";
import type { ServerAddress } from "../vscode/bed/server.ts";
import { Workbench } from "../vscode/bed/workbench.ts";

/** Milliseconds between steps: somebody looks at what has changed. */
const LOOKING = 700;
/** The first value of the variable that changes, unlike any other number in sight. */
const START = 500;

/** What the paused function has beside the variable that changes, and how often one can step. */
interface Scene {
  readonly locals: string;
  readonly lines: number;
}

/** A function of so many lines that each add 1 to `a`, which stands first in every view. */
function program({ locals, lines }: Scene): string {
  const body = [locals, "a = a + 0  # STOP", ...Array.from({ length: lines }, () => "a = a + 1")];
  return `import torch\n\n\ndef step(a):\n    ${body.join("\n    ")}\n\n\nstep(torch.full((3,), ${START}.0))\n`;
}

/** Only these views are open in the side bar. */
export class Stepping {
  readonly #wb: Workbench;
  readonly #views: readonly string[];
  #value = START;

  private constructor(wb: Workbench, views: readonly string[]) {
    this.#wb = wb;
    this.#views = views;
  }

  static async begin(browser: Browser, server: ServerAddress, scene: Scene, views: readonly string[]) {
    const wb = await Workbench.open(browser, server, { files: { "step.py": program(scene) } });
    await wb.debug.start("step.py");
    await wb.showOnly(...views);
    await wb.debug.stepOver();
    return new Stepping(wb, views);
  }

  /** Opens the details page of a local. */
  async showDetails(name: string): Promise<void> {
    await this.#wb.inspector.choose([name], "Show Details");
    await this.#wb.webview("main h1");
  }

  /** Milliseconds from the key to the new value, in each view. */
  async step(): Promise<number[]> {
    const { page } = this.#wb;
    await page.bringToFront();
    await pause(LOOKING);
    this.#value += 1;
    const seen = await page.evaluateHandle(watch, { views: this.#views, text: String(this.#value) });
    await page.keyboard.press("F10");
    return seen.evaluate(({ times }) => times);
  }

  end(): Promise<void> {
    return this.#wb.close();
  }
}

/** Runs in the page: waits for a key, and then in each of the views for a row of `a` that has the text. */
function watch({ views, text }: { views: readonly string[]; text: string }): { times: Promise<number[]> } {
  const titles = [...document.querySelectorAll(".pane-header h3.title")];
  const panes = views.map((view) => titles.find(({ textContent }) => textContent === view)?.closest(".pane"));
  const isShown = (pane: Element | null | undefined): boolean =>
    [...(pane?.querySelectorAll(".monaco-list-row") ?? [])].some((row) => {
      const name = row.querySelector(".label-name, .expression .name")?.textContent ?? "";
      return /^a(?!\w)/.test(name) && row.textContent.includes(text);
    });
  const times = new Promise<number[]>((resolve) => {
    let pressed = 0;
    addEventListener("keydown", () => (pressed = performance.now()), { capture: true, once: true });
    const found = new Map<number, number>();
    const observer = new MutationObserver(() => {
      for (const [index, pane] of panes.entries()) {
        if (!found.has(index) && isShown(pane)) found.set(index, performance.now() - pressed);
      }
      if (found.size < panes.length) return;
      observer.disconnect();
      resolve(panes.map((_, index) => found.get(index) ?? NaN));
    });
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  return { times };
}
