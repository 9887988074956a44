/** The details page on each kind of tensor: its numbers are torch's, its picture shows what it says, and it is never blank. */
import { expect } from "vitest";
import { DetailsPage } from "./bed/detailsPage.ts";
import { testIn } from "./bed/fixture.ts";
import { looksOfPanel } from "./bed/pictures.ts";
import { until } from "./bed/wait.ts";

const program = `\
import json

import torch

mask = torch.zeros(16, 16).masked_fill(torch.ones(16, 16).triu(1).bool(), float("-inf"))
flags = torch.arange(64).reshape(8, 8) % 3 == 0
spectrum = torch.polar(torch.linspace(0.5, 2, 64).reshape(8, 8), torch.linspace(-3, 3, 64).reshape(8, 8))
small = torch.linspace(-2, 2, 64).reshape(8, 8).to(torch.float8_e4m3fn)
activations = torch.arange(2.0 * 3 * 8 * 8).reshape(2, 3, 8, 8)
sparse = torch.eye(6).to_sparse()
deep = torch.arange(2.0**12).reshape([2] * 12)
empty = torch.zeros(0, 4)
shapeless = torch.zeros(3, 3, device="meta")
ragged = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
rows = {"mask": mask[0], "flags": flags[0] * 1.0, "spectrum": spectrum[0].real, "small": small[0].float()}
rows |= {"activations": activations[0, 0, 0], "deep": deep.flatten()[:2]}
print(json.dumps({name: [str(one) for one in row.tolist()] for name, row in rows.items()}), flush=True)
print("here")  # STOP
`;

/** What the page says of each, and why it draws nothing of those that have no elements here. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  mask: ["float32[16, 16]", "120 −Inf"],
  flags: ["bool[8, 8]", "22 of 64 True"],
  spectrum: ["complex64[8, 8]", "|z| 0.5…2", "Of the magnitudes |z| of complex numbers."],
  small: ["float8_e4m3fn[8, 8]", "−2…2"],
  activations: ["float32[2, 3, 8, 8]", "view of [384]"],
  deep: ["2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]", "0…4095"],
  sparse: ["sparse_coo", "nnz 6 of 36", "no picture of this Tensor: sparse_coo layout"],
  empty: ["float32[0, 4]", "a picture is of elements: shape [0, 4] has none"],
  shapeless: ["float32[3, 3] meta", "no picture of this Tensor: meta tensor: no values"],
  ragged: ["float32 nested[2, *]", "no picture of this Tensor: nested"],
};
/** Rounded for the page to as many digits as the dtype has. */
const NEAR = 0.03;

const test = testIn({ files: { "kinds.py": program } });
const NEG_INF = [0, 0, 0];

test("each kind has its line, and a picture or the reason why there is none", async ({ wb }) => {
  await wb.debug.start("kinds.py");
  await wb.showOnly(wb.inspector.title);
  await wb.inspector.choose(["mask"], "Show Details");
  const page = new DetailsPage(wb);
  for (const [name, texts] of Object.entries(KINDS)) {
    await wb.inspector.click(name);
    await page.textWith(...texts);
    expect(await (await page.locator("h1 code")).innerText()).toBe(name);
  }
  await looksOfPanel(wb, "details/refused");
});

test("their numbers are those that torch tells", async ({ wb }) => {
  const page = new DetailsPage(wb);
  const line =
    wb.recording
      .stdout()
      .split("\n")
      .find((text) => text.startsWith("{")) ?? "{}";
  const rows = JSON.parse(line) as Record<string, readonly string[]>;
  expect(Object.keys(rows)).toHaveLength(6);
  for (const [name, wanted] of Object.entries(rows)) {
    await wb.inspector.click(name);
    await page.textWith(...(KINDS[name] ?? []));
    const numbers = wanted.map(numberOf);
    await until(`the first row of ${name}`, async () => {
      const cells = await (await page.locator("[id^='cell-0-']")).allInnerTexts();
      const seen = cells.map(numberOf); // of the columns in sight
      return seen.length >= 2 && seen.every((one, at) => isNear(one, numbers[at] ?? Number.NaN));
    });
  }
});

test("an attention mask is black where it is −Inf, and nowhere else", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await wb.inspector.click("mask");
  await page.textWith("120 −Inf");
  await until("the triangle", async () => {
    const [above, below, diagonal] = await page.colours([
      [0.15 / 16, 15.15 / 16], // beside the glyph
      [15.15 / 16, 0.15 / 16],
      [8.15 / 16, 8.15 / 16],
    ]);
    return above!.join() === NEG_INF.join() && below!.join() !== NEG_INF.join() && diagonal!.join() === below!.join();
  });
  await looksOfPanel(wb, "details/mask");
});

test("booleans have two colours, and a legend that names them", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await wb.inspector.click("flags");
  await page.textWith("22 of 64 True");
  await until("True, False, False, True", async () => {
    const places = [0, 1, 2, 3].map((column) => [0.5 / 8, (column + 0.5) / 8] as const);
    const [first, second, third, fourth] = (await page.colours(places)).map((colour) => colour.join());
    return first === fourth && second === third && first !== second;
  });
  expect(await (await page.locator(".legend")).innerText()).toMatch(/True[\s\S]*False|False[\s\S]*True/);
});

test("complex numbers are drawn by magnitude, and by angle on demand", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await wb.inspector.click("spectrum");
  await page.textWith("complex64[8, 8]");
  const corners = [
    [0.5 / 8, 0.5 / 8],
    [7.5 / 8, 7.5 / 8],
  ] as const;
  const [low, high] = await until("two magnitudes", async () => {
    const colours = await page.colours(corners);
    return colours[0]!.join() !== colours[1]!.join() && colours;
  });
  await (await page.locator("label:has-text('Phase') input")).check();
  await until("angles in the place of magnitudes", async () => {
    const [first, last] = await page.colours(corners);
    return first!.join() !== low!.join() && last!.join() !== high!.join();
  });
  await looksOfPanel(wb, "details/phase");
  await (await page.locator("label:has-text('Phase') input")).uncheck();
});

test("of twelve dimensions two are drawn, and each other has an index", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await wb.inspector.click("deep");
  await page.textWith("0…4095");
  const indices = await page.locator("input[aria-label^='Typed index of']");
  await until("ten indices", async () => (await indices.count()) === 10);
  await indices.first().fill("1");
  await indices.first().press("Enter");
  await until("the second half of the numbers", async () => {
    const [first] = await (await page.locator("#cell-0-0")).allInnerTexts();
    return first === "2048.0";
  });
});

/** The number in a text of Python, where it is complex its real part. */
function numberOf(text: string): number {
  if (text === "True" || text === "False") return text === "True" ? 1 : 0;
  if (/^-?inf/.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  return Number.parseFloat(text);
}

function isNear(one: number, other: number): boolean {
  return one === other || Math.abs(one - other) <= NEAR * Math.max(Math.abs(one), Math.abs(other));
}
