/** Watchpoints: set before the program starts, hit in the user's line, changed, and gone when removed. */
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
import { looks, shot } from "./bed/pictures.ts";
import { until } from "./bed/wait.ts";
import type { Workbench } from "./bed/workbench.ts";

const program = `\
import os
import time

import torch


def normalized(x):
    return (x - x.mean()) / x.std()


def train(model):
    for number in range(8):
        x = torch.full((4, 2), 1.0) if number % 2 else torch.rand(4, 2)
        loss = model(normalized(x)).square().mean()
        print("trained", number, flush=True)


while os.path.exists("wait"):
    print("waits", flush=True)
    time.sleep(0.05)
train(torch.nn.Linear(2, 1))
while torch._C._len_torch_function_stack() > (not os.path.exists("unwatched")):
    time.sleep(0.01)
print("ends", flush=True)
`;
const FAULTY = program.split("\n").findIndex((line) => line.includes("/ x.std()")) + 1;
const MET = `NaN of div, in forward, step 0 · trains.py:${FAULTY} · went in: float32[4, 2] · all zeros, float32[] 0`;

/** Its steps take a while, as real ones do: what is set within one is in effect some milliseconds after it. */
const losing = `\
import time

import torch


def train(model, optimizer, losses):
    for step in range(6):
        time.sleep(0.2)
        optimizer.zero_grad()
        loss = model(torch.rand(8, 4)).square().mean() * 10.0**step
        loss.backward()
        if step == 4:
            model[2].bias.grad = None
        optimizer.step()
        losses.append(float((loss - loss) / 0))
    return losses


torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
losses = []
print("begins")
train(model, optimizer, losses)
print("ends")
`;
const lineOf = (text: string): number => losing.split("\n").findIndex((line) => line.includes(text)) + 1;

const dying = `\
import torch


def train(model, optimizer):
    for step in range(4):
        optimizer.zero_grad()
        if step == 2:
            model[0].bias.data.fill_(-100.0)
        model(torch.rand(8, 4)).square().mean().backward()
        optimizer.step()


model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
print("begins")
train(model, optimizer)
`;

const files = { "trains.py": program, "losing.py": losing, "dying.py": dying };
const test = testIn({ files, alone: true });

test.afterEach(async ({ wb }) => {
  await wb.debug.stop();
  await wb.channel.execute("tensorInspector.removeAllWatchpoints");
});

test("one that is set before the program starts stops it in the user's line, again and again, then logs", async ({
  wb,
}) => {
  await wb.openFile("trains.py", 1);
  await until("the offer", async () => (await wb.inspector.welcome()).includes("Break When NaN or Inf…"));
  await breakWhen(wb, "NaN");
  await until("that it is set", async () => (await wb.inspector.welcome()).includes("A watchpoint is set"));
  expect(await wb.debug.stopAfter(() => launch(wb))).toBe(FAULTY);
  await narrow(wb);
  await wb.inspector.expand("Watchpoints");
  expect(await wb.inspector.row("Watchpoints", "NaN")).toMatchObject({ description: `${MET} · 1 hit` });
  await looks(wb, "watchpoints/hit");
  expect(await wb.debug.continueToStop()).toBe(FAULTY);
  await described(wb, `${MET} · 2 hits`);
  await wb.inspector.clickAction(["Watchpoints", "NaN"], "Edit Watchpoint");
  await wb.quickInput.pick("Write a line into the debug console");
  await described(wb, /logs, does not stop$/);
  await shot(wb, "watchpoints/logs");
  await wb.page.keyboard.press("F5");
  await wb.debug.waitForEnd();
  expect(wb.recording.stdout()).toMatch(/trained 7\nends\n$/);
  const written = wb.recording.events("output").map(({ body }) => (body as { output: string }).output);
  expect(written.filter((text) => text.includes(MET)).length).toBe(2);
  // Where two of them follow each other, the console shows one, with their number.
  await until("the lines in the console", async () => (await wb.console.lines()).some((line) => line.includes(MET)));
});

test("one that is set while the program runs stops it, waits while it is off, and is gone once removed", async ({
  wb,
}) => {
  const wait = path.join(wb.workspace.folder, "wait");
  writeFileSync(wait, "");
  await launch(wb);
  await until("output", () => wb.recording.stdout().includes("waits"));
  await breakWhen(wb, "NaN or Inf");
  await until("that it is set", async () => (await wb.inspector.welcome()).includes("A watchpoint is set"));
  expect(await wb.debug.stopAfter(() => Promise.resolve(rmSync(wait)))).toBe(FAULTY + 6);
  await wb.inspector.expand("Watchpoints");
  await wb.inspector.clickUntil(["Watchpoints", "NaN or Inf"], "Disable Watchpoint", /^disabled/);
  await wb.inspector.clickUntil(["Watchpoints", "NaN or Inf"], "Enable Watchpoint", /^$/);
  await wb.debug.continueToStop();
  await described(wb, /1 hit$/, "NaN or Inf");
  await wb.inspector.choose(["Watchpoints", "NaN or Inf"], "Remove");
  await wb.inspector.rowsWhen("no watchpoints", (rows) => rows.every(({ label }) => label !== "Watchpoints"));
  writeFileSync(path.join(wb.workspace.folder, "unwatched"), "");
  await wb.page.keyboard.press("F5");
  await wb.debug.waitForEnd(); // which comes once torch has no mode any more
  expect(wb.recording.stdout()).toMatch(/trained 7\nends\n$/);
});

test("one thing is watched by a right click, and a late stop offers to break there the next time", async ({ wb }) => {
  await wb.debug.stopAfter(() => launch(wb, "losing", [lineOf("begins"), lineOf("ends")]));
  await wb.inspector.choose(["model"], "Break When…");
  await looks(wb, "watchpoints/conditions");
  await wb.quickInput.pick("a gradient that is None");
  await wb.inspector.expand("Watchpoints");
  await described(wb, "a gradient that is None · as it is used", "model");
  await wb.inspector.choose(["model"], "Break When…");
  await wb.quickInput.pick("a gradient norm above");
  await wb.quickInput.answer("10");
  await described(wb, "gradient norm > 10 · as it is used", "model");
  expect(await wb.debug.continueToStop()).toBe(lineOf("optimizer.step()"));
  await described(
    wb,
    /^gradient norm > 10 · large gradients: the norm .* > 10, in backward, step [123] .* · 1 hit/,
    "model",
  );
  await wb.inspector.choose(["loss"], "Break When…");
  await wb.quickInput.pick("a loss that rises");
  await wb.quickInput.answer("5");
  await described(wb, "rises to more than 5 times · at steps and returns of train", "loss");
  await narrow(wb);
  await looks(wb, "watchpoints/things");
  await removeAll(wb);
  await wb.inspector.choose(["loss"], "Break When…");
  await wb.quickInput.pick("a loss that rises");
  await wb.quickInput.answer("5");
  await described(wb, "rises to more than 5 times · at steps and returns of train", "loss");
  expect(await wb.debug.continueToStop()).toBe(lineOf("optimizer.step()"));
  await described(wb, /risen: loss, .* → .* · 1 hit/, "loss");
  await removeAll(wb);
  expect(await wb.debug.continueToStop()).toBe(lineOf("ends"));
  await wb.inspector.rowsWhen("all losses", (rows) =>
    rows.some(({ label, description }) => label === "losses" && description.includes("list · 6")),
  );
  await wb.inspector.choose(["losses"], "Break There Next Time");
  await wb.inspector.expand("Watchpoints");
  await described(wb, "", "NaN or Inf");
  await wb.channel.stopDebugging();
  await wb.debug.waitForEnd();
  expect(await wb.debug.stopAfter(() => launch(wb, "losing", []))).toBe(lineOf("/ 0"));
});

test("an optimizer is watched for gradients that are all zeros", async ({ wb }) => {
  const [begins, steps] = ['print("begins")', "optimizer.step()"].map(
    (text) => dying.split("\n").findIndex((line) => line.includes(text)) + 1,
  );
  await wb.debug.stopAfter(() => launch(wb, "dying", [begins!]));
  await wb.inspector.choose(["optimizer"], "Break When…");
  await wb.quickInput.pick("all zero");
  await wb.inspector.expand("Watchpoints");
  await described(wb, "all zero · as it is used", "optimizer");
  expect(await wb.debug.continueToStop()).toBe(steps);
  await described(wb, /^all zero · all zero: the gradient of .*weight, in backward, step 2 .* · 1 hit/, "optimizer");
});

/** Removes all of them, and waits until the program has been told. */
async function removeAll(wb: Workbench): Promise<void> {
  const told = (): number => wb.recording.responses("evaluate").filter(({ body }) => saysNone(body)).length;
  const before = told();
  await wb.channel.execute("tensorInspector.removeAllWatchpoints");
  await until("the program to have no watchpoints", () => told() > before);
}

function saysNone(body: unknown): boolean {
  return (body as { result?: string } | undefined)?.result === '{"op":"watch","watchpoints":[]}';
}

async function narrow(wb: Workbench): Promise<void> {
  await wb.showOnly(wb.inspector.title);
  await wb.widenSideBar(300);
}

async function breakWhen(wb: Workbench, what: string): Promise<void> {
  await wb.quickInput.runCommand("Tensor Inspector: Break When NaN or Inf…");
  await wb.quickInput.pick(what);
}

async function launch(wb: Workbench, name = "trains", lines: readonly number[] = []): Promise<void> {
  const file = path.join(wb.workspace.folder, `${name}.py`);
  await wb.debug.breakAt(`${name}.py`, [...lines]);
  await wb.debug.launch({
    type: "debugpy",
    request: "launch",
    name,
    program: file,
    cwd: wb.workspace.folder,
  });
}

async function described(wb: Workbench, text: string | RegExp, label = "NaN"): Promise<void> {
  const fits = (wanted: string | RegExp, found: string): boolean =>
    typeof wanted === "string" ? found === wanted : wanted.test(found);
  await wb.inspector.rowsWhen(`${label}: ${text}`, (rows) =>
    rows.some((row) => row.level === 2 && row.label === label && fits(text, row.description)),
  );
}
