/** What is wrong with a training step: in the tree, the status bar, hovers, the editor and the Problems view. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect } from "vitest";
import { placeOf } from "./bed/editor.ts";
import { testIn } from "./bed/fixture.ts";
import { areWanted, NOT_WANTED, looks, shot, tourOfView } from "./bed/pictures.ts";
import { rowsBelow } from "./bed/rows.ts";
import type { Row } from "./bed/rows.ts";
import { textNow } from "./bed/wait.ts";
import type { Workbench } from "./bed/workbench.ts";

const wrong = `\
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import cross_entropy


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 3), nn.Softmax(1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    images, labels = torch.rand(8, 4), torch.arange(8) % 3
    images[2, 1] = float("nan")
    probabilities = model(images)
    loss = cross_entropy(probabilities, labels)
    loss.backward()  # STOP
    optimizer.step()
    print("done")  # STOP
    while not Path(__file__).with_name("go").exists():
        time.sleep(0.05)


main()
`;

const raises = `\
import torch
from torch import nn


def forward(inputs):
    head = nn.Linear(10, 5)
    outputs = head(inputs)
    return outputs


forward(torch.ones(32, 7))
`;

const healthy = `\
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(4, 3)

    def forward(self, inputs):
        print("forward", flush=True)
        return self.head(inputs)


model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.rand(8, 4)
loss = model(inputs).pow(2).mean()
loss.backward()  # STOP
optimizer.step()
print("done")
`;

/** Two things that nobody means: a layer that stands for three, and a generator that is used up. */
const odd = `\
import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList([nn.Linear(4, 3)] * 3)

    def forward(self, inputs):
        return torch.stack([head(inputs) for head in self.heads])


torch.manual_seed(0)
model = Heads()
weights = model.parameters()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
print(sum(weight.numel() for weight in weights))
for round in range(2):
    inputs, targets = torch.rand(8, 4), torch.rand(3, 8, 3)
    loss = nn.functional.mse_loss(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(weights, 1.0)
    optimizer.step()  # STOP
`;

/** A step in a file of its own, and the program that calls it: there the fault is made. */
const step = `\
from torch.nn.functional import cross_entropy


def step(model, images, labels):
    probabilities = model(images)
    loss = cross_entropy(probabilities, labels)
    return loss  # STOP
`;

const calling = `\
import torch
from step import step
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 3), nn.Softmax(1))
step(model, torch.rand(8, 4), torch.arange(8) % 3)
`;
const HERE = "# this is the file in the workspace";

const NAN = "images has 1 NaN";
const SOFTMAX = "cross_entropy was given probabilities";
const test = testIn({
  files: {
    "wrong.py": wrong,
    "raises.py": raises,
    "healthy.py": healthy,
    "odd.py": odd,
    "step.py": step,
    "calling.py": `${calling}${HERE}\n`,
  },
});

describe("a step with two faults", () => {
  test.beforeAll(async ({ wb }) => {
    await wb.debug.start("wrong.py");
    await wb.showOnly(wb.inspector.title);
  });

  test("begins the tree with what is wrong, the cause first, loud in words too", async ({ wb }) => {
    const rows = await found(wb, "2 findings");
    expect(rows[0]).toMatchObject({ label: "2 findings", level: 1, expanded: true });
    const [cause, other, ...more] = rowsBelow(rows, rows[0]!).filter(({ level }) => level === 2);
    expect(cause?.label).toMatch(NAN);
    expect(other?.label).toMatch(SOFTMAX);
    expect(cause?.ariaLabel).toContain("error");
    expect(more).toEqual([]);
  });

  test("each opens to what was seen, down to the value, why it matters and what to try", async ({ wb }) => {
    const softmax = (await found(wb, "2 findings")).find(({ label }) => label.startsWith(SOFTMAX));
    const below = await wb.inspector.expand("2 findings", softmax!.label);
    expect(below.map(({ label }) => label)).toEqual(["probabilities", "why", "try"]);
    const [value] = await wb.inspector.expand("2 findings", softmax!.label, "probabilities");
    expect(value?.description).toContain("f32[8,3]");
    await wb.inspector.collapse("2 findings", softmax!.label);
  });

  test("says so in the status bar, the Problems view and the hover of the value", async ({ wb }) => {
    await expect.poll(() => textNow(wb.status)).toContain("2 findings");
    await expect.poll(() => problems(wb)).toHaveLength(2);
    await wb.showOnly(wb.inspector.title);
    await wb.editor.hover(placeOf(wrong, "probabilities", "loss = "));
    // What is wrong with this line the editor says by itself, at once; the card comes after it.
    for (const part of [SOFTMAX, "float32[8, 3]"])
      await expect.poll(async () => (await wb.editor.shownHover())?.text).toContain(part);
    await wb.editor.leaveHover();
  });

  test("has pictures for people to look at, in a narrow side bar", async ({ wb, skip }) => {
    skip(!areWanted, NOT_WANTED);
    await wb.widenSideBar(300);
    await wb.inspector.expand("2 findings", (await found(wb, "2 findings"))[1]!.label);
    await looks(wb, "findings");
  });

  test("what is dismissed here is gone, and comes back", async ({ wb }) => {
    const softmax = (await found(wb, "2 findings")).find(({ label }) => label.startsWith(SOFTMAX));
    await wb.inspector.choose(["2 findings", softmax!.label], "Dismiss in This Function");
    const [only] = await found(wb, NAN);
    expect(only?.level).toBe(1);
    await expect.poll(() => problems(wb)).toHaveLength(1);
    await wb.showOnly(wb.inspector.title);
    await wb.inspector.choose([only!.label], "Dismiss in This Workspace");
    await wb.inspector.rowsWhen("no finding", ([first]) => first?.label !== undefined && !first.label.startsWith(NAN));
    await wb.channel.execute("tensorInspector.restoreDismissed");
    await found(wb, "2 findings");
  });

  test("is gone from the editor while the program runs, and is told anew at the next stop", async ({ wb }) => {
    await wb.debug.continueToStop();
    await found(wb, "findings");
    await expect.poll(async () => (await problems(wb)).length).toBeGreaterThan(0);
    await wb.debug.breakAt("wrong.py", []);
    await wb.page.keyboard.press("F5");
    await expect.poll(() => problems(wb)).toHaveLength(0); // it waits in its loop
    writeFileSync(path.join(wb.workspace.folder, "go"), "");
    await wb.debug.waitForEnd();
    expect(await wb.notifications()).toEqual([]);
  });
});

describe("an exception about shapes", () => {
  test.beforeAll(async ({ wb }) => {
    await wb.debug.breakAt("raises.py", []);
    await wb.showOnly(wb.inspector.title);
    const program = `${wb.workspace.folder}/raises.py`;
    await wb.debug.stopAfter(() => wb.debug.launch({ type: "debugpy", request: "launch", name: "raises", program }));
  });

  test("is explained first in the tree, by its operands", async ({ wb }) => {
    const [first] = await found(wb, "7 ≠ 10 · head");
    expect(first?.description).toBe(
      "line 7 · inputs is [32, 7], but head (Linear 10 → 5) wants a last dimension of 10",
    );
    const below = await wb.inspector.expand(first!.label);
    expect(below.map(({ label }) => label)).toEqual(["inputs", "head", "why", "try"]);
  });

  test("its operands stand at the end of the failing line, its explanation in the hover there", async ({ wb }) => {
    const line = raises.split("\n").findIndex((text) => text.includes("outputs = head")) + 1;
    await expect.poll(async () => (await wb.editor.inlineValues()).get(line)).toContain("inputs = all 1 f32[32,7]");
    expect((await wb.editor.inlineValues()).get(line)).toContain("head = ");
    await wb.editor.hover(placeOf(raises, "inputs", "outputs = "));
    await expect.poll(async () => (await wb.editor.shownHover())?.text).toContain("wants a last dimension of 10");
    await shot(wb, "exception");
    await wb.editor.leaveHover();
    await wb.debug.continueToEnd();
  });
});

describe("a healthy step", () => {
  test.beforeAll(async ({ wb }) => {
    await wb.debug.start("healthy.py");
    await wb.showOnly(wb.inspector.title);
    await wb.inspector.row("model");
  });

  test("has no row; a check that was asked for says how much was looked at", async ({ wb }) => {
    await wb.channel.execute("tensorInspector.checkStep");
    const [first] = await found(wb, "nothing found");
    expect(first?.label).toMatch(/^nothing found \(\d+ rules/);
    const [reason] = await wb.inspector.expand(first!.label);
    expect(reason?.label).toMatch(/^\d+ not checked$/);
    await wb.inspector.clickAction([first!.label], "Check by Running the Model…");
    await wb.page.getByRole("button", { name: "Run", exact: true }).click();
    const [ran] = await found(wb, "checked by running the models: nothing found");
    expect(rulesAsked(ran)).toBeGreaterThan(rulesAsked(first));
    await expect.poll(() => textNow(wb.status)).toBe("");
    expect(forwards(wb)).toBeGreaterThan(1);
  });

  test("whose models were run once by leave is checked without that a step later, and leave is asked anew", async ({
    wb,
  }) => {
    const before = forwards(wb);
    await wb.debug.stepOver();
    await wb.channel.execute("tensorInspector.checkStep");
    const isAnew = ({ label }: Row): boolean => label.startsWith("nothing found"); // not that of the step before
    const rows = await wb.inspector.rowsWhen("a check without running", (all) => all.some(isAnew));
    await wb.inspector.clickAction([rows.find(isAnew)!.label], "Check by Running the Model…");
    await wb.page.getByRole("button", { name: "Cancel", exact: true }).click();
    await wb.debug.stepOver();
    await wb.inspector.row("model");
    expect(forwards(wb)).toBe(before);
    await wb.debug.continueToEnd();
  });
});

describe("a step of which two things are worth a look", () => {
  const GROUP = "2 things worth a look";
  test.beforeAll(async ({ wb }) => {
    await wb.debug.start("odd.py");
    await wb.showOnly(wb.inspector.title);
    await wb.inspector.row("model");
  });

  test("tells them in a quiet group once a check was asked for, and nowhere else", async ({ wb }) => {
    await wb.channel.execute("tensorInspector.checkStep");
    await found(wb, "nothing found");
    const group = await wb.inspector.row(GROUP);
    expect(group).toMatchObject({ level: 1, expanded: false });
    await expect.poll(() => textNow(wb.status)).toBe("");
    expect(await problems(wb)).toEqual([]);
    await wb.showOnly(wb.inspector.title);
    const below = await wb.inspector.expand(GROUP);
    expect(below.map(({ label }) => label)).toEqual([
      expect.stringMatching(/^3 entries of model\.heads/),
      "weights is used up",
    ]);
    await tourOfView(wb, "worth-a-look");
  });

  test("each opens to what was seen, down to the value", async ({ wb }) => {
    const rows = await wb.inspector.expand(GROUP, "weights is used up");
    expect(rows.map(({ label }) => label)).toEqual(["weights", "why", "try"]);
    const [value] = await wb.inspector.expand(GROUP, "weights is used up", "weights");
    expect(value?.label).toBe("weights");
  });

  test("what is dismissed is gone, and the rest stays", async ({ wb }) => {
    await wb.inspector.choose([GROUP, "weights is used up"], "Dismiss in This Function");
    await wb.inspector.row("1 thing worth a look");
    await wb.channel.execute("tensorInspector.restoreDismissed");
    await wb.inspector.row(GROUP);
    await wb.debug.breakAt("odd.py", []);
    await wb.debug.continueToEnd();
  });
});

test("what is wrong stands in the files that the adapter shows, where the program's are elsewhere", async ({ wb }) => {
  const elsewhere = path.join(wb.workspace.home, "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(path.join(elsewhere, "step.py"), step);
  writeFileSync(path.join(elsewhere, "calling.py"), calling);
  await wb.debug.breakAt("step.py", [step.split("\n").findIndex((line) => line.includes("# STOP")) + 1]);
  const program = path.join(elsewhere, "calling.py");
  const pathMappings = [{ localRoot: wb.workspace.folder, remoteRoot: elsewhere }];
  const config = { type: "debugpy", request: "launch", name: "elsewhere", program, pathMappings } as const;
  await wb.debug.stopAfter(() => wb.debug.launch(config));
  await wb.showOnly(wb.inspector.title);
  const [first] = await found(wb, SOFTMAX);
  await expect.poll(() => problems(wb)).toHaveLength(1);
  await wb.showOnly(wb.inspector.title);
  await wb.inspector.clickAction([first!.label], "Go to Line");
  const editor = wb.page.locator(".editor-instance", { hasText: HERE.replaceAll(" ", "\u00A0") });
  await editor.locator(".squiggly-error").first().waitFor();
  await wb.debug.continueToEnd();
});

/** The rows, once the first one begins so, or has it in its label. */
function found(wb: Workbench, text: string): Promise<readonly Row[]> {
  return wb.inspector.rowsWhen(text, ([first]) => first?.label.includes(text) === true);
}

/** How often a model was run, as the program tells. */
function forwards(wb: Workbench): number {
  const told = wb.recording.events("output").map(({ body }) => (body as { output: string }).output);
  return told.join("").split("forward").length - 1;
}

/** Of how many rules this row says that they found nothing; none where it says something else. */
function rulesAsked(row: Row | undefined): number {
  return Number(/^(?:checked by running the models: )?nothing found \((\d+) rules/.exec(row?.label ?? "")?.[1] ?? 0);
}

/** What the Problems view lists of ours. */
async function problems(wb: Workbench): Promise<string[]> {
  const panel = wb.page.locator(".markers-panel");
  // Where it is shown and has the keyboard, the command would hide it.
  if (!(await panel.isVisible())) {
    await wb.channel.execute("workbench.actions.view.problems");
    await panel.waitFor();
  }
  const rows = panel.locator(".monaco-list-row", { hasText: "Tensor Inspector" });
  return rows.allInnerTexts();
}
