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

const test = testIn({ files: { "trains.py": program }, alone: true });

test.afterEach(async ({ wb }) => {
  await wb.channel.stopDebugging();
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

async function narrow(wb: Workbench): Promise<void> {
  await wb.showOnly(wb.inspector.title);
  await wb.widenSideBar(300);
}

async function breakWhen(wb: Workbench, what: string): Promise<void> {
  await wb.quickInput.runCommand("Tensor Inspector: Break When NaN or Inf…");
  await wb.quickInput.pick(what);
}

async function launch(wb: Workbench): Promise<void> {
  const file = path.join(wb.workspace.folder, "trains.py");
  await wb.debug.breakAt("trains.py", []);
  await wb.debug.launch({
    type: "debugpy",
    request: "launch",
    name: "trains",
    program: file,
    cwd: wb.workspace.folder,
  });
}

async function described(wb: Workbench, text: string | RegExp, label = "NaN"): Promise<void> {
  const isAsWanted = (description: string): boolean =>
    typeof text === "string" ? description === text : text.test(description);
  await wb.inspector.rowsWhen(`${label}: ${text}`, (rows) =>
    rows.some((row) => row.level === 2 && row.label === label && isAsWanted(row.description)),
  );
}
