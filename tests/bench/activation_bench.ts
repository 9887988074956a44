/** How long the extension takes to start in real VS Code, and how big it is: `node tests/bench/activation_bench.ts`. */
import { statSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { setUp } from "../../scripts/setup.mjs";
import { launchOptions } from "../vscode/bed/browser.ts";
import { packageExtension } from "../vscode/bed/package.ts";
import { exitOnSignals } from "../vscode/bed/processes.ts";
import { startServer } from "../vscode/bed/server.ts";
import { Workbench } from "../vscode/bed/workbench.ts";
import { Figures } from "./goals.ts";

const activation = { figure: "activation, beyond an empty extension's", most: 20, unit: " ms" };
const size = { figure: "the VSIX", most: 400, unit: " KB" };
const ours = "tensor-inspector.tensor-inspector";
const empty = "tensor-inspector-tests.empty";

/** The times of each extension's starts in so many new windows, in order of size: each window has an extension host of its own. */
async function activations(vsix: string, rounds: number): Promise<Map<string, number[]>> {
  const server = await startServer({ vsix, extensions: [path.join(import.meta.dirname, "empty")] });
  const browser = await chromium.launch(launchOptions());
  const times = new Map<string, number[]>([ours, empty].map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const wb = await Workbench.open(browser, server);
    if (await wb.channel.isActive(ours)) throw new Error("the extension had started before it was needed");
    // By turns: the first to start in a window takes longer.
    for (const name of round % 2 === 0 ? [ours, empty] : [empty, ours])
      times.get(name)?.push(await wb.channel.activate(name));
    await wb.close();
  }
  for (const all of times.values()) all.sort((a, b) => a - b);
  return times;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { rounds: { type: "string", default: "10" } } });
  setUp("python", "browser", "code-server");
  exitOnSignals();
  const vsix = packageExtension();
  const times = await activations(vsix, Number(values.rounds));
  for (const [name, all] of times) console.log(`${name}, ms: ${all.map((time) => time.toFixed(1)).join(" ")}`);
  const median = (name: string): number => times.get(name)?.at(Math.floor(Number(values.rounds) / 2)) ?? NaN;
  const figures = new Figures([activation, size]);
  figures.note(activation, median(ours) - median(empty));
  figures.note(size, statSync(vsix).size / 1024);
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
