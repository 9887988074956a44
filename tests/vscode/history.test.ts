/** The history of pins: how numbers came to be, what changes size from batch to batch (scenario 21), and its export. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
import { looks, shot } from "./bed/pictures.ts";
import { until } from "./bed/wait.ts";
import type { Workbench } from "./bed/workbench.ts";

const program = `\
import torch


def train(model, losses):
    for step, value in enumerate(losses):
        batch = torch.ones(32, 17 + 6 * (step % 2))
        loss = torch.tensor(value)
        print("trained", step, flush=True)


train(torch.nn.LSTM(1, 2), [2.75, 2.5, 2.25, 1.5, float("nan"), 1.25])
`;
const stepped = `\
import torch
from torch.optim import optimizer as optimizers


def train(model, optimizer):
    print("begins")
    for step in range(5):
        optimizer.zero_grad()
        model(torch.ones(4, 2)).square().mean().backward()
        optimizer.step()
        optimizer.param_groups[0]["lr"] /= 2
    print("trained")
    optimizer.step()
    print("left", len(optimizers._global_optimizer_post_hooks))


model = torch.nn.Linear(2, 1)
train(model, torch.optim.SGD(model.parameters(), lr=0.5))
`;
const STEPPED = ["begins", "trained"].map(
  (word) => 1 + stepped.split("\n").findIndex((line) => line.includes(`"${word}"`)),
);
const STOP = program.split("\n").findIndex((line) => line.includes("print")) + 1;

const test = testIn({ files: { "trains.py": program, "steps.py": stepped }, alone: true });

test.afterEach(async ({ wb }) => {
  await wb.debug.stop();
  await wb.channel.execute("tensorInspector.removeAllWatchpoints");
});

test("says how a loss came to be, what has changed its size, lists the stops, is written as CSV, and is watched where it was NaN", async ({
  wb,
}) => {
  await wb.openFile("trains.py", 1);
  await wb.debug.stopAfter(() => launch(wb));
  await wb.showOnly(wb.inspector.title);
  await wb.widenSideBar(300);
  await wb.inspector.choose(["batch"], "Pin");
  await wb.inspector.choose(["loss"], "Pin");
  await described(wb, "loss", /^f32\[\] 2\.75$/);
  await wb.debug.continueToStop();
  await described(wb, "loss", /^2\.75 → 2\.5 █▁ · f32\[\] 2\.5$/);
  await described(wb, "batch", /^shape \[32, 17\] → \[32, 23\] · all 1/);
  for (const loss of [/→ 2\.25 /, /→ 1\.5 /]) {
    await wb.debug.continueToStop();
    await described(wb, "loss", loss); // a stop that ends before it was read is in no history
  }
  await wb.debug.continueToStop();
  await described(wb, "loss", /^1\.5 → NaN █▇▅▁ NaN · /);
  const below = await wb.inspector.expand("loss");
  expect(below[0]).toMatchObject({ label: "History", description: "5 stops · first NaN at stop 5" });
  const stops = await wb.inspector.expand("loss", "History");
  expect(stops.map(({ label, description }) => `${label} · ${description}`).slice(0, 2)).toEqual([
    `stop 5 · trains.py:${STOP} · NaN`,
    `stop 4 · trains.py:${STOP} · 1.5`,
  ]);
  await looks(wb, "history/stops");
  await wb.debug.continueToStop();
  await described(wb, "loss", /^NaN → 1\.25 █▇▆▂ NaN ▁ · /);
  await shot(wb, "history/after");
  await wb.inspector.choose(["loss"], "Export History…");
  const file = path.join(wb.workspace.folder, "loss.csv");
  await wb.quickInput.answerFile(file, "history.csv");
  const written = await until("the file", () => readIfThere(file));
  await wb.inspector.choose(["loss", "History"], "Break There Next Time");
  await wb.inspector.rowsWhen("the watchpoint with its trail", (rows) =>
    rows.some(({ label, description }) => label === "loss" && description.startsWith("NaN or Inf · NaN → 1.25 ")),
  );
  await shot(wb, "history/watched");
  const lines = written.trimEnd().split("\r\n");
  expect(lines).toHaveLength(7);
  expect(lines[0]).toMatch(/^expression,stop,time,file,line,value,/);
  expect(lines[1]).toMatch(
    new RegExp(String.raw`^loss,1,[\d:TZ.-]+,.*trains\.py,${STOP},2\.75,.*,\[\],float32,cpu,0,,,,,$`),
  );
});

test("records each step of an optimizer between two stops, until that is ended", async ({ wb }) => {
  await wb.debug.stopAfter(() => launch(wb, "steps.py", STEPPED));
  await wb.inspector.choose(["model"], "Pin");
  await wb.inspector.choose(["optimizer"], "Pin");
  await wb.inspector.choose(["model"], "Record at Each Step");
  await described(wb, "model", /records each step$/);
  await wb.inspector.choose(["optimizer"], "Record at Each Step");
  await described(wb, "optimizer", /records each step$/);
  await wb.debug.continueToStop();
  await described(wb, "optimizer", /^lr 0\.0625 → 0\.03125 █▄▂▁▁ · /);
  await described(wb, "model", /^‖grad‖ \S+ → \S+ [▁-█]+ · /);
  expect((await wb.inspector.expand("model"))[0]).toMatchObject({ label: "History", description: "5 steps" });
  await wb.inspector.expand("model", "History");
  await shot(wb, "history/steps");
  await wb.inspector.choose(["model"], "Stop Recording");
  await wb.inspector.choose(["optimizer"], "Stop Recording");
  await until("the program to be told so", () => wb.recording.recordedPins().length === 0);
  await wb.page.keyboard.press("F5");
  await wb.debug.waitForEnd();
  expect(wb.recording.stdout()).toContain("left 0");
});

async function launch(wb: Workbench, name = "trains.py", lines = [STOP]): Promise<void> {
  const file = path.join(wb.workspace.folder, name);
  await wb.debug.breakAt(name, lines);
  await wb.debug.launch({
    type: "debugpy",
    request: "launch",
    name: "trains",
    program: file,
    cwd: wb.workspace.folder,
  });
}

async function described(wb: Workbench, label: string, text: RegExp): Promise<void> {
  await wb.inspector.rowsWhen(`${label}: ${text}`, (rows) =>
    rows.some((row) => row.level === 1 && row.label === label && text.test(row.description)),
  );
}

function readIfThere(file: string): string | undefined {
  try {
    const text = readFileSync(file, "utf8");
    return text.length > 0 ? text : undefined;
  } catch {
    return undefined;
  }
}
