/**
 * Whether hundreds of stops leave nothing behind: the heap of the extension host, and the memory of the program, in real
 * VS Code with all views open, pins, findings, line ends and the details page.
 *
 *     node tests/bench/soak_bench.ts [--stops 500]
 */
import { parseArgs } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { setUp } from "../../scripts/setup.mjs";
import { launchOptions } from "../vscode/bed/browser.ts";
import { packageExtension } from "../vscode/bed/package.ts";
import { exitOnSignals } from "../vscode/bed/processes.ts";
import { type ServerAddress, startServer } from "../vscode/bed/server.ts";
import { until } from "../vscode/bed/wait.ts";
import { Workbench } from "../vscode/bed/workbench.ts";
import { Figures } from "./goals.ts";

/** A fifth of the stops warms up what is kept on purpose: bounded caches and histories. */
const goals = {
  heap: { figure: "the extension host's heap, beside that of the first fifth", most: 1.1, unit: "×" },
  program: { figure: "the program's peak of memory, beside that of the first fifth", most: 1.05, unit: "×" },
};

/** It prints the most memory that it has taken so far, in kilobytes (on macOS in bytes). */
const program = `\
import resource
import torch

model = torch.nn.Sequential(*(torch.nn.Linear(64, 64) for _ in range(20)), torch.nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters())
while True:
    batch, target = torch.randn(32, 64), torch.randn(32, 1)
    loss = torch.nn.functional.mse_loss(model(batch), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, flush=True)
    step = optimizer.state[next(model.parameters())]["step"]  # STOP
`;

/** Goes from stop to stop, each once it is read and checked; heap and peak after a fifth of them, and at the end. */
async function soak(browser: Browser, server: ServerAddress, stops: number): Promise<readonly [number, number]> {
  const wb = await Workbench.open(browser, server, { files: { "soak.py": program } });
  try {
    await wb.debug.start("soak.py");
    await wb.showOnly(wb.inspector.title);
    await wb.inspector.choose(["loss"], "Pin");
    await wb.inspector.choose(["model"], "Show Details");
    const [heap, peaks]: [number[], number[]] = [[], []];
    for (let stop = 1; stop <= stops; stop += 1) {
      await wb.debug.continueToStop();
      await until("the step to be checked", () => wb.recording.isChecked());
      if (stop !== Math.floor(stops / 5) && stop !== stops) continue;
      const used = await wb.channel.heap();
      const peak = Number(/peak (\d+)\s*$/.exec(wb.recording.stdout())?.[1]);
      console.log(`stop ${stop}: heap ${(used / 1e6).toFixed(1)} MB, the program's peak ${peak}`);
      heap.push(used);
      peaks.push(peak);
    }
    return [growth(heap), growth(peaks)];
  } finally {
    await wb.close();
  }
}

/** The last figure, beside the first. */
function growth([first = NaN, last = NaN]: readonly number[]): number {
  return last / first;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { stops: { type: "string", default: "500" } } });
  setUp("python", "browser", "code-server");
  exitOnSignals();
  const server = await startServer({ vsix: packageExtension() });
  const browser = await chromium.launch(launchOptions());
  const figures = new Figures(Object.values(goals));
  const [heap, memory] = await soak(browser, server, Number(values.stops));
  figures.note(goals.heap, heap);
  figures.note(goals.program, memory);
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
