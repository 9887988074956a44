/**
 * Watchpoints in the situations people pause in: set by a right click, hit in the user's line with the reason and what
 * went before, turned into a log, and gone without a trace when removed.
 */
import path from "node:path";
import { expect } from "vitest";
import { placeOf } from "./bed/editor.ts";
import { testIn } from "./bed/fixture.ts";
import { looks } from "./bed/pictures.ts";
import { sourceOf } from "./bed/programs.ts";
import { until } from "./bed/wait.ts";
import type { Workbench } from "./bed/workbench.ts";

const DIVERGES = "s05_sgd_diverges.py";
const GRADIENTS = "s09_gradients.py";

const sizes = `\
import torch
from torch import nn


def train(model, optimizer, lengths):
    for step, length in enumerate(lengths):
        batch = torch.rand(4, length, 1)
        loss = model(batch)[0].square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("trained")


torch.manual_seed(0)
model = nn.LSTM(1, 2, batch_first=True)
train(model, torch.optim.SGD(model.parameters(), lr=0.1), [17, 17, 17, 23])
`;

const epochs = `\
import torch
from torch import nn


def normalized(batch):
    shares = batch / batch.sum(1, keepdim=True)
    return shares.sqrt()


def train(model, optimizer, data):
    for epoch in range(5):
        for batch in data[epoch]:
            loss = model(normalized(batch)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("epoch", epoch, flush=True)


print("begins")
torch.manual_seed(0)
data = torch.rand(5, 4, 8, 3)
data[3, 2, 5] = 0
model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, data)
print("left", torch._C._len_torch_function_stack())
`;

const test = testIn({
  files: {
    [DIVERGES]: sourceOf(DIVERGES),
    [GRADIENTS]: sourceOf(GRADIENTS),
    "sizes.py": sizes,
    "epochs.py": epochs,
  },
  alone: true,
});

test.afterEach(async ({ wb }) => {
  await wb.debug.stop();
  await wb.channel.execute("tensorInspector.removeAllWatchpoints");
});

test("5: a loss that diverges stops the program at its step, then only logs", async ({ wb }) => {
  const source = sourceOf(DIVERGES);
  await launch(wb, DIVERGES, [lineOf(source, "losses.append")]);
  await wb.debug.breakAt(DIVERGES, [lineOf(source, "# STOP")]);
  await wb.inspector.choose(["loss"], "Break When…");
  await wb.quickInput.pick("NaN or Inf");
  await narrow(wb);
  await wb.inspector.expand("Watchpoints");
  await described(wb, "loss", /at steps and returns of main/);
  expect(await wb.debug.continueToStop()).toBe(lineOf(source, "optimizer.step()"));
  await described(wb, "loss", /^NaN or Inf · 1\.675 → Inf .* · Inf, in forward, step 5 · noticed in loss .* · 1 hit/);
  await wb.inspector.expand("Watchpoints", "loss");
  await wb.inspector.expand("Watchpoints", "loss", "History");
  await looks(wb, "watchpoints/s05");
  await wb.inspector.clickAction(["Watchpoints", "loss"], "Edit Watchpoint");
  await wb.quickInput.pick("Write a line into the debug console");
  await described(wb, "loss", /logs, does not stop$/);
  expect(await wb.debug.continueToStop()).toBe(lineOf(source, "# STOP"));
  const written = wb.recording.events("output").map(({ body }) => (body as { output: string }).output);
  expect(written.filter((text) => text.includes("noticed in loss"))).not.toHaveLength(0);
  await wb.inspector.choose(["Watchpoints", "loss"], "Remove");
  await wb.inspector.rowsWhen("no watchpoints", (rows) => rows.every(({ label }) => label !== "Watchpoints"));
});

test("5: a model that diverges stops the program, and the good step before is told", async ({ wb }) => {
  const source = sourceOf(DIVERGES);
  await launch(wb, DIVERGES, [lineOf(source, "losses.append")]);
  await wb.debug.breakAt(DIVERGES, []);
  await wb.inspector.choose(["model"], "Break When…");
  await wb.quickInput.pick("NaN or Inf");
  await narrow(wb);
  await wb.inspector.expand("Watchpoints");
  await described(wb, "model", /as it is used/);
  await wb.debug.continueToStop();
  await described(wb, "model", /^NaN or Inf · .*in .*, step \d+ · .*1 hit/);
  const below = await wb.inspector.expand("Watchpoints", "model");
  const step = below.find(({ label }) => /^before: step \d+$/.test(label));
  expect(step?.description).toMatch(/^gradient norm \d.*e\d+ · lr 1e3$/);
  await looks(wb, "watchpoints/s05-model");
});

test("9: gradients over a bound stop the program before they are taken over", async ({ wb }) => {
  const source = sourceOf(GRADIENTS);
  await launch(wb, GRADIENTS, [lineOf(source, "model, head =")]);
  await wb.debug.breakAt(GRADIENTS, []);
  const told = wb.recording.answered("watch");
  await wb.quickInput.runCommand("Tensor Inspector: Break When NaN or Inf…");
  await wb.quickInput.pick("a gradient norm above");
  await wb.quickInput.answer("1000");
  await narrow(wb);
  await wb.inspector.expand("Watchpoints");
  await until("the program to watch", () => Promise.resolve(wb.recording.answered("watch") > told));
  expect(await wb.debug.continueToStop()).toBe(lineOf(source, "optimizer.step()"));
  const reason =
    /^large gradients: the norm \d\.\d+e\+\d+ > 1000, in backward, step 0 · s09_gradients\.py:41 · 1 hit · at/;
  await described(wb, "gradient norm > 1000", reason);
  await looks(wb, "watchpoints/s09");
});

test("21: a batch of another size than the one before stops the program, and both sizes are told", async ({ wb }) => {
  await launch(wb, "sizes.py", [lineOf(sizes, "loss.backward")]);
  await wb.debug.breakAt("sizes.py", [lineOf(sizes, '"trained"')]);
  await wb.inspector.choose(["batch"], "Break When…");
  await wb.quickInput.pick("another shape");
  await narrow(wb);
  await wb.inspector.expand("Watchpoints");
  await described(wb, "batch", /at steps and returns of train/);
  expect(await wb.debug.continueToStop()).toBe(lineOf(sizes, "optimizer.step()"));
  await described(
    wb,
    "batch",
    /shape \[4, 17, 1\] → \[4, 23, 1\] · .*float32\[4, 23, 1\] cpu, in forward, step 3 · .* 1 hit/,
  );
  await wb.inspector.expand("Watchpoints", "batch");
  await wb.inspector.expand("Watchpoints", "batch", "History");
  await looks(wb, "watchpoints/s21");
  expect(await wb.debug.continueToStop()).toBe(lineOf(sizes, '"trained"'));
});

test("22: NaN at some step of epoch 3 stops the program in the user's line, then is logged, and nothing is left", async ({
  wb,
}) => {
  await wb.openFile("epochs.py", 1);
  await wb.quickInput.runCommand("Tensor Inspector: Break When NaN or Inf…");
  await wb.quickInput.pick("NaN");
  await launch(wb, "epochs.py", [lineOf(epochs, "begins")]);
  await narrow(wb);
  await wb.inspector.expand("Watchpoints");
  expect(await wb.debug.continueToStop()).toBe(lineOf(epochs, "shares ="));
  await described(wb, "NaN", /^NaN of div, in forward, step 14 · epochs\.py:6 · went in: .* · 1 hit$/);
  const below = await wb.inspector.expand("Watchpoints", "NaN");
  expect(below[0]).toMatchObject({ label: "before: step 13" });
  await looks(wb, "watchpoints/s22");
  await wb.inspector.clickAction(["Watchpoints", "NaN"], "Edit Watchpoint");
  await wb.quickInput.pick("Write a line into the debug console");
  await described(wb, "NaN", /logs, does not stop$/);
  await wb.debug.breakAt("epochs.py", [lineOf(epochs, '"left"')]);
  expect(await wb.debug.continueToStop()).toBe(lineOf(epochs, '"left"'));
  await wb.inspector.choose(["Watchpoints", "NaN"], "Remove");
  await wb.inspector.rowsWhen("no watchpoints", (rows) => rows.every(({ label }) => label !== "Watchpoints"));
  await wb.page.keyboard.press("F5");
  await wb.debug.waitForEnd();
  expect(wb.recording.stdout()).toMatch(/epoch 4\nleft 0\n$/);
});

async function described(wb: Workbench, label: string, text: RegExp): Promise<void> {
  await wb.inspector.rowsWhen(`${label}: ${text}`, (rows) =>
    rows.some((row) => row.level === 2 && row.label === label && text.test(row.description)),
  );
}

function lineOf(source: string, text: string): number {
  return placeOf(source, text).line;
}

async function narrow(wb: Workbench): Promise<void> {
  await wb.showOnly(wb.inspector.title);
  await wb.widenSideBar(300);
}

/** Launches a program, and waits until it has stopped. */
async function launch(wb: Workbench, name: string, lines: readonly number[]): Promise<void> {
  await wb.debug.breakAt(name, [...lines]);
  const program = path.join(wb.workspace.folder, name);
  await wb.debug.stopAfter(() =>
    wb.debug.launch({ type: "debugpy", request: "launch", name, program, cwd: wb.workspace.folder }),
  );
}
