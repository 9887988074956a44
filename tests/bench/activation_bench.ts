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
const size = { figure: "the VSIX", most: 850, unit: " KB" };
const ours = "tensor-inspector.tensor-inspector";
const empty = "tensor-inspector-tests.empty";

/**
 * How long each of the two took to start, in pairs of new windows: each window has an extension host of its own. Ours is first
 * in the one window of a pair and second in the other: what starts beside or after another takes another time.
 */
async function activations(vsix: string, pairs: number): Promise<{ ours: number; empty: number }[]> {
  const server = await startServer({ vsix, extensions: [path.join(import.meta.dirname, "empty")] });
  const browser = await chromium.launch(launchOptions());
  const windows: { ours: number; empty: number }[] = [];
  for (let window = 0; window < 2 * pairs; window++) {
    const wb = await Workbench.open(browser, server);
    for (const name of [ours, empty]) {
      if (await wb.channel.isActive(name)) throw new Error(`${name} had started before it was needed`);
    }
    const times = new Map<string, number>();
    for (const name of window % 2 === 0 ? [ours, empty] : [empty, ours])
      times.set(name, await wb.channel.activate(name));
    windows.push({ ours: times.get(ours) ?? NaN, empty: times.get(empty) ?? NaN });
    await wb.close();
  }
  return windows;
}

/** The middle of the pairs' differences. */
function medianBeyondEmpty(windows: readonly { ours: number; empty: number }[]): number {
  const beyond = windows.map((window) => window.ours - window.empty);
  const pairs = beyond.flatMap((first, at) => (at % 2 === 0 ? [(first + (beyond[at + 1] ?? NaN)) / 2] : []));
  return pairs.toSorted((a, b) => a - b)[Math.floor(pairs.length / 2)] ?? NaN;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { pairs: { type: "string", default: "7" } } });
  setUp("python", "browser", "code-server");
  exitOnSignals();
  const vsix = packageExtension();
  const windows = await activations(vsix, Number(values.pairs));
  for (const name of ["ours", "empty"] as const)
    console.log(`${name}, ms: ${windows.map((window) => window[name].toFixed(1)).join(" ")}`);
  const figures = new Figures([activation, size]);
  figures.note(activation, medianBeyondEmpty(windows));
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
