/**
 * What a step takes until its values are on the screen, in real VS Code: from the key F10 to the new value in our tree and
 * in Variables, and to that in the Variables of a VS Code without us. The two windows take turns.
 *
 *     node tests/bench/step_bench.ts [--steps 20]
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { setUp } from "../../scripts/setup.mjs";
import { launchOptions } from "../vscode/bed/browser.ts";
import { packageExtension } from "../vscode/bed/package.ts";
import { exitOnSignals } from "../vscode/bed/processes.ts";
import { type ServerAddress, startServer } from "../vscode/bed/server.ts";
import { Workbench } from "../vscode/bed/workbench.ts";
import { Figures } from "./goals.ts";

/** What the paused function has beside the variable that changes, and how soon our tree has to follow. */
const scenes = [
  {
    goal: { figure: "from F10 to the new value in our tree, 50 tensors", most: 130, unit: " ms" },
    locals: `${names(49)} = (torch.randn(1000) for _ in range(49))`,
  },
  {
    goal: { figure: "from F10 to the new value in our tree, 25 M parameters", most: 110, unit: " ms" },
    locals: "model = torch.nn.Sequential(*(torch.nn.Linear(1000, 1000) for _ in range(25)))",
  },
];
type Scene = (typeof scenes)[number];

/** Steps that do not count: the first ones ask what every class is. */
const warmUp = 3;
/** Milliseconds between steps: somebody looks at what has changed. */
const looking = 700;
/** The first value of the variable that changes, unlike any other number in sight. */
const start = 500;

function names(count: number): string {
  return Array.from({ length: count }, (_, index) => `t${index}`).join(", ");
}

/** A function of so many lines that each add 1 to `a`, which stands first in every view. */
function program({ locals }: Scene, lines: number): string {
  const body = [locals, "a = a + 0  # STOP", ...Array.from({ length: lines }, () => "a = a + 1")];
  return `import torch\n\n\ndef step(a):\n    ${body.join("\n    ")}\n\n\nstep(torch.full((3,), ${start}.0))\n`;
}

/** A window on the paused program in which nothing but these views is open in the side bar. */
class Stepping {
  readonly #wb: Workbench;
  readonly #views: readonly string[];
  #value = start;

  private constructor(wb: Workbench, views: readonly string[]) {
    this.#wb = wb;
    this.#views = views;
  }

  static async begin(browser: Browser, server: ServerAddress, text: string, views: readonly string[]) {
    const wb = await Workbench.open(browser, server, { files: { "step.py": text } });
    await wb.debug.start("step.py");
    await wb.showOnly(...views);
    await wb.debug.stepOver();
    return new Stepping(wb, views);
  }

  /** Milliseconds from the key to the new value, in each view. */
  async step(): Promise<number[]> {
    const { page } = this.#wb;
    await page.bringToFront();
    await pause(looking);
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

/** Prints what the steps of one scene took, and returns the median of our tree's. */
async function measure(
  browser: Browser,
  ours: ServerAddress,
  bare: ServerAddress,
  scene: Scene,
  steps: number,
): Promise<number> {
  const text = program(scene, warmUp + steps + 1);
  const withUs = await Stepping.begin(browser, ours, text, ["Variables", "Tensor Inspector"]);
  const without = await Stepping.begin(browser, bare, text, ["Variables"]);
  const [tree, variables, stock]: [number[], number[], number[]] = [[], [], []];
  for (let turn = -warmUp; turn < steps; turn += 1) {
    const [inVariables = NaN, inTree = NaN] = await withUs.step();
    const [inStock = NaN] = await without.step();
    if (turn < 0) continue;
    tree.push(inTree);
    variables.push(inVariables);
    stock.push(inStock);
  }
  await Promise.all([withUs.end(), without.end()]);
  const ratio = (times: number[]): string => `${(median(times) / median(stock)).toFixed(2)} of stock`;
  console.log(`${scene.goal.figure}, ${steps} steps: median (least)`);
  console.log(`  our tree             ${spread(tree)}, ${ratio(tree)}`);
  console.log(`  Variables, with us   ${spread(variables)}, ${ratio(variables)}`);
  console.log(`  Variables, without   ${spread(stock)}`);
  return median(tree);
}

function spread(times: readonly number[]): string {
  return `${median(times).toFixed(0)} ms (${Math.min(...times).toFixed(0)})`;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { steps: { type: "string", default: "20" } } });
  setUp("python", "browser", "code-server");
  exitOnSignals();
  const ours = await startServer({ vsix: packageExtension() });
  const bare = await startServer();
  const browser = await chromium.launch(launchOptions());
  const figures = new Figures(scenes.map(({ goal }) => goal));
  for (const scene of scenes) {
    figures.note(scene.goal, await measure(browser, ours, bare, scene, Number(values.steps)));
  }
  for (const line of figures.lines()) console.log(line);
  return figures.status();
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
