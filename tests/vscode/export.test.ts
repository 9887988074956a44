/** A value becomes a file: where VS Code runs, and where the program does. What was written is read back by Python. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { python as interpreter } from "../../scripts/paths.mjs";
import { DetailsPage } from "./bed/detailsPage.ts";
import { testIn } from "./bed/fixture.ts";
import { shot, tourOfPick } from "./bed/pictures.ts";
import { until } from "./bed/wait.ts";
import type { Workbench } from "./bed/workbench.ts";

const program = `\
import torch

weights = torch.linspace(-1, 1, 64 * 48).reshape(64, 48).t()
weights[3, 5] = float("nan")
half = weights.bfloat16()
model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1))
sparse = torch.eye(3).to_sparse()
large = torch.arange(60_000_000)
print("here")  # STOP
`;

const test = testIn({ files: { "exports.py": program } });
const HERE = "Where VS Code Runs…";
const THERE = "Where the Program Runs…";

test("writes a tensor as .npy where VS Code's dialog says", async ({ wb }) => {
  await wb.debug.start("exports.py");
  await wb.showOnly(wb.inspector.title);
  await wb.inspector.choose(["weights"], "Export Value…");
  await offered(wb, [".npy", ".safetensors", ".csv"]);
  await shot(wb, "export/formats");
  await wb.quickInput.pick(".npy");
  await offered(wb, [HERE, THERE]);
  await shot(wb, "export/places");
  await wb.quickInput.pick(HERE);
  const file = inFolder(wb, "weights.npy");
  await wb.quickInput.answerFile(file, "weights.npy");
  await said(wb, `“weights” is in ${file} (12.1 KiB).`);
  await shot(wb, "export/said");
  expect(python("import numpy; x = numpy.load(sys.argv[1]); print(x.shape, x.dtype, numpy.isnan(x).sum())", file)).toBe(
    "(48, 64) float32 1",
  );
});

test("writes a model's tensors as .safetensors where the program runs, and asks before it replaces a file", async ({
  wb,
}) => {
  await wb.inspector.choose(["model"], "Export Value…");
  await wb.quickInput.pick(".safetensors");
  await wb.quickInput.pick(THERE);
  const file = inFolder(wb, "model.safetensors");
  await wb.quickInput.answer(file);
  await said(wb, `“model” is in ${file} (`);
  const keys = "from safetensors.torch import load_file; print(*sorted(load_file(sys.argv[1])))";
  expect(python(keys, file)).toBe("0.bias 0.weight 1.bias 1.weight");

  writeFileSync(file, "mine");
  const again = async (answer: string): Promise<void> => {
    await wb.inspector.choose(["model"], "Export Value…");
    await wb.quickInput.pick(".safetensors");
    await wb.quickInput.pick(THERE);
    await wb.quickInput.answer(file);
    await answerBox(wb, "There is a file already. Replace it?", answer);
  };
  await again("Cancel");
  expect(readFileSync(file, "utf8")).toBe("mine");
  await again("Replace");
  await until("the file to be replaced", () => Promise.resolve(readFileSync(file, "utf8") !== "mine"));
  expect(python(keys, file)).toBe("0.bias 0.weight 1.bias 1.weight");
});

test("says what a format can't hold before anything is asked", async ({ wb }) => {
  await wb.inspector.choose(["half"], "Export Value…");
  await until("the note", async () => (await wb.quickInput.rows()).join().includes("numpy has no bfloat16"));
  await wb.page.keyboard.press("Escape");
  await wb.inspector.choose(["sparse"], "Export Value…");
  await wb.quickInput.pick(".npy");
  await said(wb, "“sparse” is not exported as .npy: no file of this Tensor: sparse_coo layout");
});

test("leaves nothing where the dialog is cancelled", async ({ wb }) => {
  const before = readdirSync(wb.workspace.folder);
  await wb.inspector.choose(["half"], "Export Value…");
  await wb.quickInput.pick(".csv");
  await wb.quickInput.pick(HERE);
  await until(
    "the dialog",
    async () => (await wb.page.locator(".quick-input-widget input").first().inputValue()) !== "",
  );
  await wb.page.keyboard.press("Escape");
  await wb.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  expect(readdirSync(wb.workspace.folder)).toEqual(before);
});

test("pickles a value as .pt once the user has agreed that its code runs", async ({ wb }) => {
  const file = inFolder(wb, "half.pt");
  const exporting = async (answer: string): Promise<void> => {
    await wb.inspector.choose(["half"], "Export Value…");
    await wb.quickInput.pick(".pt");
    await answerBox(wb, "Run torch.save on half?", answer);
  };
  await exporting("Cancel");
  await wb.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  await exporting("Run");
  await wb.quickInput.pick(THERE);
  await wb.quickInput.answer(file);
  await said(wb, `“half” is in ${file} (`);
  const load = "import torch; x = torch.load(sys.argv[1], weights_only=True); print(tuple(x.shape), x.dtype)";
  expect(python(load, file)).toBe("(48, 64) torch.bfloat16");
});

test("shows how far a large one is, and leaves nothing where it is cancelled then", async ({ wb }) => {
  const before = readdirSync(wb.workspace.folder);
  await wb.inspector.choose(["large"], "Export Value…");
  await wb.quickInput.pick(".csv");
  await wb.quickInput.pick(THERE);
  await wb.quickInput.answer(inFolder(wb, "large.csv"));
  const toast = wb.page.locator(".notifications-toasts .notification-list-item", {
    hasText: "Exporting “large” as .csv",
  });
  await toast.waitFor();
  expect(readdirSync(wb.workspace.folder).filter((name) => name.endsWith(".part"))).toHaveLength(1);
  await shot(wb, "export/progress");
  await toast.locator(".monaco-button", { hasText: "Cancel" }).click();
  await until("nothing to be left", () => Promise.resolve(readdirSync(wb.workspace.folder).length === before.length));
  await toast.waitFor({ state: "hidden" });
  expect(readdirSync(wb.workspace.folder)).toEqual(before);
  await wb.forgetNotifications(); // this one was asked for
});

test("is at hand in the details page and in VS Code's own views", async ({ wb }) => {
  await wb.inspector.choose(["half"], "Show Details");
  const page = new DetailsPage(wb);
  await page.textWith("bfloat16[48, 64]", "Export…");
  await (await page.locator("text=Export…")).click();
  await wb.quickInput.pick(".csv");
  await wb.quickInput.pick(HERE);
  const file = inFolder(wb, "half.csv");
  await wb.quickInput.answerFile(file, "half.csv");
  await until("the file", () => Promise.resolve(existsSync(file)));
  expect(readFileSync(file, "utf8").split("\n")).toHaveLength(49);
  await wb.showOnly(wb.variables.title);
  await wb.variables.expand("Locals");
  await wb.variables.choose(["Locals", "half"], "Export Value…");
  await offered(wb, [".npy", ".safetensors", ".csv", ".pt"]);
  await tourOfPick(wb, "export");
  await wb.page.keyboard.press("Escape");
});

function inFolder(wb: Workbench, name: string): string {
  return path.join(wb.workspace.folder, name);
}

async function offered(wb: Workbench, labels: readonly string[]): Promise<void> {
  let last: string[] = [];
  await until(`${labels.join(", ")} to be offered`, async () => {
    last = await wb.quickInput.rows();
    return last.length >= labels.length && labels.every((label) => last.some((row) => row.includes(label)));
  });
}

async function said(wb: Workbench, sentence: string): Promise<void> {
  await until(`it to say ${sentence}`, async () => (await wb.inspector.message()).includes(sentence));
}

async function answerBox(wb: Workbench, question: string, answer: string): Promise<void> {
  const box = wb.page.locator(".monaco-dialog-box");
  await box.waitFor();
  expect(await box.innerText()).toContain(question);
  await box.locator(".monaco-button", { hasText: answer }).click();
  await box.waitFor({ state: "hidden" });
}

function python(code: string, ...args: readonly string[]): string {
  return execFileSync(interpreter, ["-c", `import sys; ${code}`, ...args], { encoding: "utf8" }).trim();
}
