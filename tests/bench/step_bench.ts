/**
 * What a step takes until its values are on the screen, in real VS Code: from the key F10 to the new value in our tree and
 * in Variables, and to that in the Variables of a VS Code without us. The two windows take turns.
 *
 *     node tests/bench/step_bench.ts [--steps 20]
 */
import { parseArgs } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { setUp } from "../../scripts/setup.mjs";
import { launchOptions } from "../vscode/bed/browser.ts";
import { packageExtension } from "../vscode/bed/package.ts";
import { exitOnSignals } from "../vscode/bed/processes.ts";
import { type ServerAddress, startServer } from "../vscode/bed/server.ts";
import { Figures } from "./goals.ts";
import { median, spread } from "./medians.ts";
import { Stepping } from "./stepping.ts";

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

function names(count: number): string {
  return Array.from({ length: count }, (_, index) => `t${index}`).join(", ");
}

/** Prints what the steps of one scene took, and returns the median of our tree's. */
async function measure(
  browser: Browser,
  ours: ServerAddress,
  bare: ServerAddress,
  scene: Scene,
  steps: number,
): Promise<number> {
  const shown = { locals: scene.locals, lines: warmUp + steps + 1 };
  const withUs = await Stepping.begin(browser, ours, shown, ["Variables", "Tensor Inspector"]);
  const without = await Stepping.begin(browser, bare, shown, ["Variables"]);
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
