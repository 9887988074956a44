/** A value becomes a run of TensorBoard, with its history. What was written is read back by TensorBoard's own reader. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { python as interpreter } from "../../scripts/paths.mjs";
import { testIn } from "./bed/fixture.ts";
import { looks, tourOfPick } from "./bed/pictures.ts";
import { until } from "./bed/wait.ts";
import type { Workbench } from "./bed/workbench.ts";

const program = `\
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
for step in range(3):
    weights = torch.randn(48, 64) * (step + 1)
    loss = 1 / (step + 1)
    score = model(torch.ones(2, 4)).mean()
    print("here")  # STOP
`;

const READ = `\
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1], size_guidance={"histograms": 0})
events.Reload()
tags = events.Tags()
print(*tags["histograms"], *tags["images"], *(f"{tag}:{[one.step for one in events.Scalars(tag)]}" for tag in tags["scalars"]))
print(*((one.step, int(one.histogram_value.num)) for tag in tags["histograms"] for one in events.Histograms(tag)))
`;

const READ_GRAPH = `\
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1])
events.Reload()
for node in events.Graph().node:
    print(node.name, "<-", *node.input)
`;

const isInstalled = isThere();
const MISSING = "tensorboard is not installed";
// Alone: stops are counted over all sessions of a window.
const test = testIn({ files: { "board.py": program }, alone: true });

test("writes a run where the program runs, once the user has agreed", async ({ wb, skip }) => {
  skip(!isInstalled, MISSING);
  await wb.debug.start("board.py");
  await wb.showOnly(wb.inspector.title);
  const run = path.join(wb.workspace.folder, "runs", "tensor-inspector", "weights");
  await choose(wb, "weights");
  await answerBox(wb, "Import tensorboard in the program?", "Cancel");
  await wb.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  await choose(wb, "weights");
  await shotOfBox(wb);
  await answerBox(wb, "Import tensorboard in the program?", "Run");
  await wb.quickInput.pick("Where the Program Runs…");
  await until("the path", async () => (await value(wb)) === "runs/tensor-inspector/weights");
  await wb.page.keyboard.press("Enter");
  await said(wb, `“weights” is in ${run} (`);
  expect(read(run)).toEqual(["weights weights/heatmap", "(1, 3072)"]);
  expect(readdirSync(run).some((name) => name.startsWith("embedding-1-"))).toBe(true);
});

test("adds the next stop to the run, after a question", async ({ wb, skip }) => {
  skip(!isInstalled, MISSING);
  const run = path.join(wb.workspace.folder, "runs", "tensor-inspector", "weights");
  await wb.debug.continueToStop();
  const before = readdirSync(run).length;
  await choose(wb, "weights");
  await answerBox(wb, "Import tensorboard in the program?", "Run");
  await wb.quickInput.pick("Where the Program Runs…");
  await wb.quickInput.answer("runs/tensor-inspector/weights");
  await answerBox(wb, "There is a folder already. Add the run to it?", "Add");
  await until("more files", () => Promise.resolve(readdirSync(run).length > before));
  await said(wb, `“weights” is in ${run} (`);
  expect(read(run)).toEqual(["weights weights/heatmap", "(1, 3072) (2, 3072)"]);
});

test("has the history of a pin, also where VS Code writes it", async ({ wb, skip }) => {
  skip(!isInstalled, MISSING);
  await wb.inspector.choose(["loss"], "Pin");
  await until("the pin to be read at this stop", async () => {
    const rows = await wb.inspector.rows();
    return rows.filter(({ label, description }) => label === "loss" && description.startsWith("0.5")).length === 2;
  });
  await wb.debug.continueToStop();
  await choose(wb, "loss");
  await answerBox(wb, "Import tensorboard in the program?", "Run");
  await wb.quickInput.pick("Where VS Code Runs…");
  const folder = wb.workspace.folder;
  await wb.quickInput.answerFile(folder, `${path.basename(folder)}/`);
  const run = path.join(folder, "loss");
  await until("the run", () => Promise.resolve(existsSync(run)));
  await said(wb, `“loss” is in ${run} (`);
  expect(read(run)[0]).toBe("loss:[2]");
  const history = readdirSync(run).find((name) => name.startsWith("history-2-")) ?? "";
  expect(read(path.join(run, history))[0]).toBe("loss/value_by_stop:[1, 2]");
});

test("a model has its graph in its run", async ({ wb, skip }) => {
  skip(!isInstalled, MISSING);
  const run = path.join(wb.workspace.folder, "runs", "tensor-inspector", "model");
  await wb.inspector.choose(["model"], "Export Value…");
  await until("what a run holds", async () => (await wb.quickInput.rows()).join().includes("the graph is of"));
  await looks(wb, "export/model");
  await wb.quickInput.pick("TensorBoard run");
  const box = wb.page.locator(".monaco-dialog-box");
  await box.waitFor();
  expect(await box.innerText(), "all of a note, which the list cuts").toContain(
    "the graph is of the operations by which a tensor in sight was computed; else of the modules alone",
  );
  await looks(wb, "export/model-notes");
  await answerBox(wb, "Import tensorboard in the program?", "Run");
  await wb.quickInput.pick("Where the Program Runs…");
  await until("the path", async () => (await value(wb)) === "runs/tensor-inspector/model");
  await wb.page.keyboard.press("Enter");
  await said(wb, `“model” is in ${run} (`);
  const edges = execFileSync(interpreter, ["-c", READ_GRAPH, run], { encoding: "utf8" }).trim().split("\n");
  expect(edges).toContain("model/Relu <- model/0/Addmm");
  expect(edges).toContain("Mean <- model/2/Addmm");
});

test("says how the program comes to tensorboard where it has none", async ({ wb, skip }) => {
  skip(isInstalled, "tensorboard is installed");
  await wb.debug.start("board.py");
  await wb.showOnly(wb.inspector.title);
  await choose(wb, "weights");
  await said(wb, "“weights” is not exported as a TensorBoard run: the program has no tensorboard");
});

async function choose(wb: Workbench, name: string): Promise<void> {
  await wb.inspector.choose([name], "Export Value…");
  await until("the run to be offered", async () => (await wb.quickInput.rows()).join().includes("TensorBoard run"));
  await tourOfPick(wb, "tensorboard");
  await wb.quickInput.pick("TensorBoard run");
}

async function shotOfBox(wb: Workbench): Promise<void> {
  await wb.page.locator(".monaco-dialog-box").waitFor();
  await looks(wb, "export/tensorboard");
}

function value(wb: Workbench): Promise<string> {
  return wb.page.locator(".quick-input-widget input[type=text]").first().inputValue();
}

async function said(wb: Workbench, sentence: string): Promise<void> {
  await until(`it to say ${sentence}`, async () => (await wb.inspector.message()).includes(sentence));
  await wb.forgetNotifications(); // on a slow machine it shows how far it is
}

async function answerBox(wb: Workbench, question: string, answer: string): Promise<void> {
  const box = wb.page.locator(".monaco-dialog-box");
  await box.waitFor();
  expect(await box.innerText()).toContain(question);
  await box.locator(".monaco-button", { hasText: answer }).click();
  await box.waitFor({ state: "hidden" });
}

function read(run: string): string[] {
  return execFileSync(interpreter, ["-c", READ, run], { encoding: "utf8" }).trim().split("\n");
}

function isThere(): boolean {
  const found = execFileSync(interpreter, [
    "-c",
    "import importlib.util as u; print(u.find_spec('tensorboard') is not None)",
  ]);
  return found.toString().trim() === "True";
}
