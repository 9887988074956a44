/** Two values on the details page: how close they are, where they are farthest apart, both pictures and their differences. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { python as interpreter } from "../../scripts/paths.mjs";
import { DetailsPage } from "./bed/detailsPage.ts";
import { testIn } from "./bed/fixture.ts";
import { looksOfPanel, shot, tour } from "./bed/pictures.ts";
import { until } from "./bed/wait.ts";

const program = `\
import torch

torch.manual_seed(0)
before = torch.linspace(-1, 1, 64 * 48).reshape(64, 48)
after = before.clone()
after[40, 30] += 0.5
after[:20, 5] = float("nan")
after[50] += 0.01
narrow = before[:, :10]
settings = {"lr": 0.1}
weight = torch.zeros(4, 6)
largest = (after.nan_to_num() - torch.where(after.isnan(), 0.0, before)).abs().max().item()
for step in range(4):
    weight = weight + step
    weight[2, 3] += 10 ** step
    print("here", step)  # STOP
`;

const test = testIn({ files: { "compared.py": program } });
const NAN = [255, 0, 255];
/** The size of a picture, and the columns that have the colour of NaN. */
const STRIPES = `\
import sys
from PIL import Image
image = Image.open(sys.argv[1]).convert("RGB")
wide, high = image.size
pixels = image.load()
print(wide, high, *(x for x in range(wide) if any(pixels[x, y] == (255, 0, 255) for y in range(high))))
`;

test("compares with another expression: verdict, largest difference, and the map of the differences", async ({
  wb,
}) => {
  await wb.debug.start("compared.py");
  await wb.showOnly(wb.inspector.title);
  const page = new DetailsPage(wb);
  await wb.inspector.choose(["before"], "Show Details");
  await page.textWith("before", "float32[64, 48]");
  await compareWith(page, "after");
  const text = await page.textWith("allclose: False. 69 of 3,072 are beyond the tolerance.", "|before − after|");
  const largest = (await wb.inspector.rows()).find(({ label }) => label === "largest")!.description;
  expect(Number(largest)).toBeCloseTo(0.5, 6);
  expect(text).toMatch(/\|a − b\|\s+0\.5\d*\s+\[40, 30\]/);
  expect(text).toMatch(/NaN in one alone\s+20/);
  const canvases = await page.locator(".canvas canvas");
  await until("three pictures", async () => (await canvases.count()) === 3);
  const places = [
    [40.5 / 64, 30.5 / 48],
    [10.5 / 64, 5.5 / 48],
    [0.95, 0.5],
  ] as const;
  const [apart, nan, same] = await page.colours(places, { x: 44, y: 16 }, 2);
  expect(light(apart!), "the largest difference is lightest").toBeGreaterThan(light(same!) + 100);
  expect(nan).toEqual(NAN);
  const [one, other] = await Promise.all([0, 1].map((at) => page.colours([[0.95, 0.5]], { x: 44, y: 16 }, at)));
  expect(one, "both are of one scale").toEqual(other);
});

test("reads both values and their difference under one cursor", async ({ wb }) => {
  const page = new DetailsPage(wb);
  const canvas = (await page.locator(".canvas canvas")).nth(1);
  const { width, height } = (await canvas.boundingBox())!;
  const position = { x: 44 + (30.5 / 48) * (width - 44), y: 16 + (40.5 / 64) * (height - 16) };
  await canvas.hover({ position });
  await page.textWith(/before \[40, 30\] = \S+ · after \[40, 30\] = \S+ · \|before − after\| \[40, 30\] = 0\.5/);
  await page.reveal("main");
  await tour(wb, "comparison");
  await looksOfPanel(wb, "details/comparison");
});

test("saves the pictures as they are seen, side by side", async ({ wb }) => {
  const page = new DetailsPage(wb);
  const canvases = await page.locator(".canvas canvas");
  const boxes = await Promise.all([0, 1, 2].map((at) => canvases.nth(at).boundingBox()));
  await (await page.locator("text=Save PNG…")).click();
  const file = path.join(wb.workspace.folder, "compared.png");
  await wb.quickInput.answerFile(file, "before.png");
  await until("the file", () => Promise.resolve(existsSync(file)));
  const [width = 0, height = 0, ...columns] = execFileSync(interpreter, ["-c", STRIPES, file], { encoding: "utf8" })
    .trim()
    .split(" ")
    .map(Number);
  const area = boxes.reduce((sum, box) => sum + box!.width * box!.height, 0);
  expect(width * height, "room for all three").toBeGreaterThan(area);
  const [other, errors] = [boxes[1]!, boxes[2]!].map(({ x, width: wide }) => x - boxes[0]!.x + (wide * 5.5) / 48 + 40);
  const near = (place: number): boolean => columns.some((column) => Math.abs(column - place) < 30);
  expect([near(other!), near(errors!)], "NaN in the second and in the differences").toEqual([true, true]);
});

test("goes by the tolerances that one sets", async ({ wb }) => {
  const page = new DetailsPage(wb);
  const [rtol, atol] = ["rtol", "atol"].map((name) => page.locator(`label:has-text('${name}') input`));
  await (await atol!).fill("0.6");
  await (await atol!).press("Enter");
  await page.textWith("allclose: False. 20 of 3,072 are beyond the tolerance.");
  await (await rtol!).fill("-1");
  await (await rtol!).press("Enter");
  await until("the tolerance of before", async () => (await (await rtol!).inputValue()) === "0.00001");
});

test("says in a sentence why there is nothing to compare", async ({ wb }) => {
  const page = new DetailsPage(wb);
  for (const [expression, sentence] of [
    ["gone", "gone"],
    ["settings", "settings: a comparison is of a tensor, an array or lists of numbers, not of dict"],
    ["narrow", "the shapes [64, 48] and [64, 10] are different"],
    ["torch.ones(3)", "has to be run to be read"],
  ] as const) {
    await compareWith(page, expression);
    await page.textWith(sentence, "float32[64, 48]");
  }
});

test("compares with the last stop: what did the step change?", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await wb.inspector.click("weight");
  await page.textWith("float32[4, 6]");
  await (await page.locator("select.compare-with")).selectOption("last");
  await page.textWith("from the next stop on");
  await wb.debug.continueToStop();
  await page.textWith(
    "weight as last seen, line 16",
    "allclose: False. 24 of 24 are beyond the tolerance.",
    /11\s+\[2, 3\]\s+12\.0\s+1\.0/,
  );
  await wb.debug.continueToStop();
  await page.textWith(/102\s+\[2, 3\]\s+114\.0\s+12\.0/);
  await shot(wb, "details/last-stop");
});

test("compares with a copy that was kept", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await wb.inspector.choose(["weight"], "Keep for Compare…");
  await until("both ways to keep it", async () => (await wb.quickInput.rows()).length === 2);
  await wb.quickInput.pick("Copy");
  const kept = "weight at line 16";
  const select = await page.locator("select.compare-with");
  await until("the copy among the choices", async () => (await select.innerText()).includes(kept));
  await select.selectOption({ label: kept });
  await page.textWith("allclose: True. All 24 are equal.");
  await wb.debug.continueToStop();
  await page.textWith(kept, "allclose: False. 24 of 24 are beyond the tolerance.", /1,?003\s+\[2, 3\]/);
  await select.selectOption("nothing");
  await until("one picture", async () => (await (await page.locator(".canvas canvas")).count()) === 1);
});

async function compareWith(page: DetailsPage, expression: string): Promise<void> {
  await (await page.locator("select.compare-with")).selectOption("expression");
  await (await page.locator("input[name=expression]")).fill(expression);
  await (await page.locator("input[name=expression]")).press("Enter");
}

function light([red, green, blue]: readonly number[]): number {
  return (red ?? 0) + (green ?? 0) + (blue ?? 0);
}
