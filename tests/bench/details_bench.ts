/**
 * How soon the details page follows the user, in real VS Code: a click on a row, the slider, numbers that are scrolled to,
 * the mouse that pans, and whether steps take longer while the page is open.
 *
 *     node tests/bench/details_bench.ts [--rounds 7]
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Browser, chromium, type Frame, type JSHandle } from "playwright-core";
import { setUp } from "../../scripts/setup.mjs";
import { launchOptions } from "../vscode/bed/browser.ts";
import { DetailsPage } from "../vscode/bed/detailsPage.ts";
import { packageExtension } from "../vscode/bed/package.ts";
import { exitOnSignals } from "../vscode/bed/processes.ts";
import { type ServerAddress, startServer } from "../vscode/bed/server.ts";
import { Workbench } from "../vscode/bed/workbench.ts";
import { Figures } from "./goals.ts";
import { fastest, median, spread } from "./medians.ts";
import { Stepping } from "./stepping.ts";

const goals = {
  click: { figure: "from a click to the picture of 10⁶ elements", most: 150, unit: " ms" },
  expanded: { figure: "the same of 10¹⁰ expanded elements, to that", most: 2, unit: "×" },
  slider: { figure: "from the slider to the next slice", most: 60, unit: " ms" },
  numbers: { figure: "from a scroll to other 1,000 numbers", most: 50, unit: " ms" },
  panning: { figure: "script of a frame while panning, 95th percentile", most: 8, unit: " ms" },
  step: { figure: "F10 with the page open, to F10 without", most: 1.05, unit: "×" },
};

/** Milliseconds between two looks: nobody clicks faster. */
const LOOKING = 700;
const WARM_UP = 2;
/** Milliseconds after which something does not come any more. */
const LIMIT = 30_000;

const program = `\
import torch

first, second = torch.randn(1000, 1000), torch.randn(1000, 1000)
wide, broad = torch.randn(1, 1).expand(10**5, 10**5), torch.ones(1, 1).expand(10**5, 10**5)
stack = torch.randn(64, 256, 256)
print("here")  # STOP
`;

/** When, in milliseconds of the clock of the whole browser. */
type Moment = JSHandle<{ at: Promise<number> }>;

/** A window on the paused program, with the page below the editor. */
class Looking {
  readonly #wb: Workbench;
  readonly page: DetailsPage;

  private constructor(wb: Workbench) {
    this.#wb = wb;
    this.page = new DetailsPage(wb);
  }

  static async begin(browser: Browser, server: ServerAddress): Promise<Looking> {
    const wb = await Workbench.open(browser, server, { files: { "look.py": program } });
    await wb.debug.start("look.py");
    await wb.showOnly(wb.inspector.title);
    await wb.inspector.choose(["first"], "Show Details");
    const looking = new Looking(wb);
    await looking.page.textWith("float32[1000, 1000]");
    return looking;
  }

  /** Milliseconds from the click on a row until its picture is drawn. */
  async click(name: string): Promise<number> {
    await pause(LOOKING);
    const clicked = await this.#wb.page.evaluateHandle(whenPressed);
    const drawn = await (await this.page.frame()).evaluateHandle(whenDrawn, name);
    await this.#wb.inspector.click(name);
    return between(clicked, drawn, `the picture of ${name}`);
  }

  /** Milliseconds from the key on the slider until the next slice is drawn. */
  async slide(): Promise<number> {
    await pause(LOOKING);
    const frame = await this.page.frame();
    const slider = frame.locator("input[type=range]").first();
    await slider.focus();
    const pressed = await frame.evaluateHandle(whenPressed);
    const drawn = await frame.evaluateHandle(whenDrawn, "stack");
    await slider.press("ArrowRight");
    return between(pressed, drawn, "the next slice");
  }

  /** Milliseconds from scrolling to other numbers until these are there. */
  async scroll(): Promise<number> {
    await pause(LOOKING);
    const frame = await this.page.frame();
    const scrolled = await frame.evaluateHandle(scrollOn);
    const at = await scrolled.evaluateHandle(({ from }) => ({ at: from }));
    return between(at, scrolled, "numbers");
  }

  /** Milliseconds of script for each of so many moves of the mouse, over a picture that is zoomed into. */
  async pan(moves: number): Promise<number[]> {
    const frame: Frame = await this.page.frame();
    await frame.locator(".canvas canvas").focus();
    for (let zoom = 0; zoom < 3; zoom += 1) await frame.locator(".canvas canvas").press("+");
    await pause(LOOKING);
    return frame.evaluate(drag, moves);
  }

  /** Milliseconds from Enter in the debug console to the answer: what VS Code takes for an expression, without us. */
  async evaluate(): Promise<number> {
    const { page } = this.#wb;
    await page.locator(".repl .repl-input-wrapper .monaco-editor").click();
    const pressed = await page.evaluateHandle(whenPressed);
    const answered = await page.evaluateHandle(whenAnswered);
    await page.keyboard.insertText("1");
    await page.keyboard.press("Enter");
    return between(pressed, answered, "an answer in the console");
  }

  async showConsole(): Promise<void> {
    await this.#wb.channel.execute("workbench.panel.repl.view.focus");
  }

  end(): Promise<void> {
    return this.#wb.close();
  }
}

/** @throws Error where it does not come to the second */
async function between(from: Moment, to: Moment, what: string): Promise<number> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`waited ${LIMIT / 1000} s for ${what}`)), LIMIT).unref();
  });
  const moments = Promise.all([from, to].map((moment) => moment.evaluate(({ at }) => at)));
  const [start, end] = await Promise.race([moments, late]);
  return (end ?? NaN) - (start ?? NaN);
}

/** Runs in a page: when the mouse or Enter, or an arrow key, is pressed next. */
function whenPressed(): { at: Promise<number> } {
  const at = new Promise<number>((resolve) => {
    const press = (event: Event): void => {
      if (event instanceof KeyboardEvent && event.key.length === 1) return; // what is typed before Enter
      for (const type of ["pointerdown", "keydown"]) removeEventListener(type, press, { capture: true });
      resolve(performance.timeOrigin + performance.now());
    };
    for (const type of ["pointerdown", "keydown"]) addEventListener(type, press, { capture: true });
  });
  return { at };
}

/**
 * Runs in the details page: when the next picture of a value is on the screen. A window calls its listeners in the order
 * in which they came, so the page has often drawn a picture before it is heard of here.
 */
function whenDrawn(name: string): { at: Promise<number> } {
  const at = new Promise<number>((resolve) => {
    let drawn = -Infinity;
    let sent = Infinity;
    const { prototype } = CanvasRenderingContext2D;
    const draw = Object.getOwnPropertyDescriptor(prototype, "drawImage")
      ?.value as CanvasRenderingContext2D["drawImage"];
    const see = (): void => {
      if (drawn < sent) return;
      prototype.drawImage = draw;
      removeEventListener("message", told);
      requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())));
    };
    const told = (event: MessageEvent<{ type?: string; details?: { picture?: unknown } }>): void => {
      if (event.data.type !== "details" || event.data.details?.picture === undefined) return;
      sent = Math.min(sent, event.timeStamp);
      see();
    };
    addEventListener("message", told);
    prototype.drawImage = function drawAndTell(this: CanvasRenderingContext2D, ...given: unknown[]) {
      Reflect.apply(draw, this, given);
      if (document.querySelector("main h1 code")?.textContent !== name) return;
      drawn = performance.now();
      see();
    };
  });
  return { at };
}

/** Runs in the details page: scrolls to numbers further below, and says when, and when they are there. */
function scrollOn(): { from: Promise<number>; at: Promise<number> } {
  const scroller = document.querySelector(".values .scroller")!;
  const now = (): number => performance.timeOrigin + performance.now();
  const at = new Promise<number>((resolve) => {
    const told = ({ data }: MessageEvent<{ type?: string; details?: { values?: unknown } }>): void => {
      if (data.type !== "details" || data.details?.values === undefined) return;
      removeEventListener("message", told);
      requestAnimationFrame(() => setTimeout(() => resolve(now())));
    };
    addEventListener("message", told);
  });
  const from = Promise.resolve(now());
  scroller.scrollTop = (scroller.scrollTop + 4000) % 16_000;
  return { from, at };
}

/** Runs in the window: when the debug console shows another answer. */
function whenAnswered(): { at: Promise<number> } {
  const answers = (): number =>
    Math.max(
      -1,
      ...[...document.querySelectorAll<HTMLElement>(".repl .monaco-list-row:has(.evaluation-result)")].map((row) =>
        Number(row.dataset["index"]),
      ),
    );
  const before = answers();
  const at = new Promise<number>((resolve) => {
    const observer = new MutationObserver(() => {
      if (answers() <= before) return;
      observer.disconnect();
      resolve(performance.timeOrigin + performance.now());
    });
    observer.observe(document.body, { subtree: true, childList: true });
  });
  return { at };
}

/** Runs in the details page: what the script takes for each move, as far as the drawn canvas. */
async function drag(moves: number): Promise<number[]> {
  const canvas = document.querySelector(".canvas canvas")!;
  const times: number[] = [];
  for (let move = 0; move < moves; move += 1) {
    const [movementX, movementY] = move % 20 < 10 ? [3, 2] : [-3, -2];
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const started = performance.now();
    canvas.dispatchEvent(new PointerEvent("pointermove", { buttons: 1, movementX, movementY, bubbles: true }));
    canvas.dispatchEvent(new MouseEvent("mousemove", { buttons: 1, clientX: 200, clientY: 200, bubbles: true }));
    await Promise.resolve().then(() => undefined); // the page is drawn in a microtask
    times.push(performance.now() - started);
  }
  return times;
}

/** Repeats two things in turn, and returns what each took. */
async function inTurn(rounds: number, ways: readonly (() => Promise<number>)[]): Promise<number[][]> {
  const times: number[][] = ways.map(() => []);
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const [at, way] of ways.entries()) {
      const taken = await way();
      if (round >= 0) times[at]?.push(taken);
    }
  }
  return times;
}

async function measureLooks(browser: Browser, server: ServerAddress, rounds: number, figures: Figures): Promise<void> {
  const looking = await Looking.begin(browser, server);
  const [second = [], first = [], wide = [], broad = []] = await inTurn(
    rounds,
    ["second", "first", "wide", "broad"].map((name) => () => looking.click(name)),
  );
  await looking.click("stack");
  const [slides = []] = await inTurn(rounds, [() => looking.slide()]);
  const clicks = [...first, ...second];
  const expanded = [...wide, ...broad];
  await looking.click("first");
  const [scrolls = []] = await inTurn(rounds, [() => looking.scroll()]);
  const moves = (await looking.pan(100)).toSorted((a, b) => a - b);
  await looking.showConsole();
  const [evaluated = []] = await inTurn(rounds, [() => looking.evaluate()]);
  await looking.end();
  console.log(`click → picture of 10⁶ elements  ${spread(clicks)}`);
  console.log(`click → picture of 10¹⁰ expanded ${spread(expanded)}`);
  console.log(`slider → slice                   ${spread(slides)}`);
  console.log(`scroll → numbers                 ${spread(scrolls)}`);
  console.log(`an expression in the console     ${spread(evaluated)}`);
  console.log(`script of a move                 median ${median(moves).toFixed(1)} ms`);
  figures.note(goals.click, median(clicks));
  figures.note(goals.expanded, median(expanded) / median(clicks));
  figures.note(goals.slider, median(slides));
  figures.note(goals.numbers, median(scrolls));
  figures.note(goals.panning, moves[Math.floor(moves.length * 0.95)] ?? NaN);
}

async function measureSteps(browser: Browser, server: ServerAddress, steps: number, figures: Figures): Promise<void> {
  const locals = "weights = torch.randn(1000, 1000)";
  const views = ["Variables", "Tensor Inspector"];
  const withPage = await Stepping.begin(browser, server, { locals, lines: steps + WARM_UP + 1 }, views);
  const without = await Stepping.begin(browser, server, { locals, lines: steps + WARM_UP + 1 }, views);
  await withPage.showDetails("weights");
  const [open = [], closed = []] = await inTurn(
    steps,
    [withPage, without].map((one) => async () => Math.max(...(await one.step()))),
  );
  await Promise.all([withPage.end(), without.end()]);
  console.log(`F10 → all new values, page open   ${spread(open)}`);
  console.log(`F10 → all new values, page closed ${spread(closed)}`);
  figures.note(goals.step, Math.min(median(open) / median(closed), fastest(open) / fastest(closed)));
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { rounds: { type: "string", default: "7" } } });
  const rounds = Number(values.rounds);
  setUp("python", "browser", "code-server");
  exitOnSignals();
  const server = await startServer({ vsix: packageExtension() });
  const browser = await chromium.launch(launchOptions());
  const figures = new Figures(Object.values(goals));
  await measureLooks(browser, server, rounds, figures);
  await measureSteps(browser, server, rounds * 2, figures);
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
