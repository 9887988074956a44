/** Pictures of masked and quantized values in the details page. */
import { expect } from "vitest";
import { DetailsPage } from "./bed/detailsPage.ts";
import { testIn } from "./bed/fixture.ts";
import { looksOfPanel, tour } from "./bed/pictures.ts";
import { until } from "./bed/wait.ts";

const program = `\
import warnings
import numpy as np
import torch

warnings.simplefilter("ignore")
lengths = np.array([9, 16, 4, 12, 7, 14, 11, 6])
steps = np.arange(16)
signal = np.sin(np.arange(8 * 16) / 6).reshape(8, 16)
signal[1, 4] = np.nan
padded = np.ma.masked_array(signal, steps[None, :] >= lengths[:, None])
guessed = np.nan_to_num(signal)
guessed[2, 1] += 3
codes = torch.quantize_per_channel(torch.linspace(-2, 2, 48).reshape(4, 12), torch.tensor([0.02, 0.05, 0.1, 0.2]), torch.zeros(4, dtype=torch.int64), 0, torch.qint8)
print("here")  # STOP
`;

const MASKED = [85, 0, 0];
const at = (row: number, column: number) => [(row + 0.15) / 8, (column + 0.3) / 16] as const;

const test = testIn({ files: { "masked.py": program } });

test("masked elements have a colour that no value has, and their count", async ({ wb }) => {
  await wb.debug.start("masked.py");
  await wb.showOnly(wb.inspector.title);
  const page = new DetailsPage(wb);
  await wb.inspector.choose(["padded"], "Show Details");
  await page.textWith("49 masked", "1 NaN", "Without 49 masked of 128.");
  await until("the picture", async () => (await (await page.locator(".canvas canvas")).count()) === 1);
  const [hidden, shown, nan] = await page.colours([at(0, 12), at(0, 3), at(1, 4)]);
  expect(hidden).toEqual(MASKED);
  expect(nan).toEqual([255, 0, 255]);
  expect(shown).not.toEqual(MASKED);
  await tour(wb, "masked");
  await looksOfPanel(wb, "details/masked");
});

test("what a mask of either hides is not compared, and marked among the differences", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await wb.inspector.click("padded");
  await (await page.locator("select.compare-with")).selectOption("expression");
  await (await page.locator("[name=expression]")).fill("guessed");
  await (await page.locator("[name=expression]")).press("Enter");
  await page.textWith("allclose: False. 2 of 79 are beyond the tolerance.", "masked, not compared\t49", "0 NaN");
  await until("three pictures", async () => (await (await page.locator(".canvas canvas")).count()) === 3);
  const [hidden, apart] = await page.colours([at(0, 12), at(2, 1)], { x: 44, y: 16 }, 2);
  expect(hidden).toEqual(MASKED);
  expect(apart).not.toEqual(MASKED);
  await looksOfPanel(wb, "details/masked-compared");
  await (await page.locator("select.compare-with")).selectOption("nothing");
});

test("a quantized tensor is drawn by the numbers that it stands for", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await wb.inspector.click("codes");
  const text = await page.textWith("qint8[4, 12]", "0 NaN", "The histogram as a table");
  expect(text).not.toContain("masked");
  await until("the picture", async () => (await (await page.locator(".canvas canvas")).count()) === 1);
  const [low, high] = await page.colours([
    [0.05, 0.02],
    [0.95, 0.98],
  ]);
  expect(low![2], "negative values are blue").toBeGreaterThan(low![0]);
  expect(high![0], "positive ones are orange").toBeGreaterThan(high![2]);
});
