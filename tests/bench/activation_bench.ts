/** How long the extension takes to start in real VS Code, and how big it is: `node tests/bench/activation_bench.ts`. */
import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { setUp } from "../../scripts/setup.mjs";
import { launchOptions } from "../vscode/bed/browser.ts";
import { packageExtension } from "../vscode/bed/package.ts";
import { exitOnSignals } from "../vscode/bed/processes.ts";
import { startServer } from "../vscode/bed/server.ts";
import { Workbench } from "../vscode/bed/workbench.ts";
import { Figures } from "./goals.ts";

const activation = { figure: "activation", most: 20, unit: " ms" };
const size = { figure: "the VSIX", most: 400, unit: " KB" };
const extension = "tensor-inspector.tensor-inspector";

/** One start in each of so many new windows: each has an extension host of its own. */
async function activations(vsix: string, rounds: number): Promise<number[]> {
  const server = await startServer({ vsix });
  const browser = await chromium.launch(launchOptions());
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const wb = await Workbench.open(browser, server);
    if (await wb.channel.isActive(extension)) throw new Error("the extension had started before it was needed");
    times.push(await wb.channel.activate(extension));
    await wb.close();
  }
  return times.toSorted((a, b) => a - b);
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { rounds: { type: "string", default: "7" } } });
  setUp("python", "browser", "code-server");
  exitOnSignals();
  const vsix = packageExtension();
  const times = await activations(vsix, Number(values.rounds));
  const median = times[Math.floor(times.length / 2)] ?? NaN;
  console.log(`${times.length} starts, ms: ${times.map((time) => time.toFixed(1)).join(" ")}`);
  const figures = new Figures([activation, size]);
  figures.note(activation, median);
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
