/** The details page: facts, distribution, picture and numbers of a value, as they are in the program. */
import { expect } from "vitest";
import { DetailsPage } from "./bed/detailsPage.ts";
import { testIn } from "./bed/fixture.ts";
import { looks, tour } from "./bed/pictures.ts";
import { until } from "./bed/wait.ts";
import type { Workbench } from "./bed/workbench.ts";

const program = `\
import torch

weights = torch.linspace(-1, 1, 64 * 48).reshape(64, 48)
weights[:, 12] = float("nan")
weights[40, 30] = float("inf")
image = torch.zeros(3, 32, 32)
image[0, :16] = 1.0
image[2, 16:] = 1.0
heads = torch.softmax(torch.arange(2 * 4 * 16 * 16).reshape(2, 4, 16, 16) % 7 - 3.0, -1)
wave = torch.sin(torch.arange(5000) / 300)
labels = torch.arange(12).reshape(3, 4) % 3
large = torch.zeros(3000, 4000)
large[2999, 1234] = float("-inf")
scalar = torch.tensor(3.5)
config = {"lr": 0.1, "weights": weights}
for step in range(2):
    weights = weights * 2
    print("here", step)  # STOP
`;

const test = testIn({ files: { "details.py": program } });
const NAN = [255, 0, 255];
const INF = [0, 255, 0];
const NEG_INF = [0, 0, 0];

test("shows the row that is selected: facts, distribution, picture with NaN and Inf where they are", async ({ wb }) => {
  await wb.debug.start("details.py");
  await wb.showOnly(wb.inspector.title);
  const page = new DetailsPage(wb);
  await wb.inspector.choose(["weights"], "Show Details");
  await page.textWith("float32[64, 48]", "64 NaN", "1 Inf", "0 −Inf", "shape", "[64, 48]");
  await until("the picture", async () => (await (await page.locator(".canvas canvas")).count()) === 1);
  const stripe = 12.5 / 48;
  const [nan, inf, low, high] = await page.colours([
    [0.9, stripe],
    [40.5 / 64, 30.5 / 48],
    [0.01, 0.01],
    [0.99, 0.99],
  ]);
  expect(nan).toEqual(NAN);
  expect(inf).toEqual(INF);
  expect(low![2], "negative values are blue").toBeGreaterThan(low![0]);
  expect(high![0], "positive ones are orange").toBeGreaterThan(high![2]);
  const first = await page.locator("text=First Inf");
  await until("where the first Inf is, for which the first question may have no time", async () => {
    if ((await first.count()) > 0) return true;
    await (await page.locator("text=Refresh Now")).click();
    return false;
  });
  await first.click();
  await until(
    "the first Inf",
    async () => (await (await page.locator(".scroller .selected")).allInnerTexts()).join() === "inf",
  );
  await page.reveal("main");
  await tour(wb, "weights");
  await looks(wb, "details/weights");
});

test("keeps up with stops, and with what is selected unless it is locked", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await page.textWith("line 18", "−2 … 2");
  await (await page.locator("header input[type=checkbox]")).check();
  await wb.inspector.click("wave");
  await wb.debug.continueToStop();
  await page.textWith("weights", "−4 … 4");
  await (await page.locator("header input[type=checkbox]")).uncheck();
  await wb.inspector.click("labels");
  await page.textWith("int64[3, 4]", "0 ×4", "1 ×4", "2 ×4");
});

test("shows numbers of what is in sight, and copies those that are selected", async ({ wb }) => {
  const page = new DetailsPage(wb);
  const cells = await page.locator(".scroller tbody td");
  await until(
    "the numbers of labels",
    async () => (await cells.allInnerTexts()).join(" ") === "0 1 2 0 1 2 0 1 2 0 1 2",
  );
  await cells.nth(1).click();
  await cells.nth(6).click({ modifiers: ["Shift"] });
  await (await page.locator("text=Copy as Python")).click();
  await until("what was copied", async () => (await copied(wb)) === "[[1, 2],\n [2, 0]]");
});

test("goes to the greatest element, selects by keys, and colours the numbers on demand", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await wb.inspector.click("wave");
  await page.textWith("float32[5000]");
  await (await page.locator("text=Greatest")).click();
  const selected = await page.locator(".scroller .selected");
  const selectedText = async (): Promise<string> => (await selected.allInnerTexts()).join();
  await until("the top of a wave", async () => /^(1\.0|0\.9999\d+)$/.test(await selectedText()));
  const top = Number(await selected.first().getAttribute("aria-colindex")) - 1;
  expect(top, "by torch: argmax").toBe(4241);
  await (await page.locator(".scroller")).press("Control+ArrowLeft");
  await until("the first element", async () => (await selectedText()) === "0.0");
  await (await page.locator(".scroller")).press("Shift+ArrowRight");
  await until("two elements", async () => (await selected.count()) === 2);
  await (await page.locator(".scroller")).press("Control+c");
  await until("what was copied", async () => (await copied(wb)) === "0.0\t0.0033333271");
  await (await page.locator("label:has-text('Colours') input")).check();
  const cell = await page.locator("#cell-0-3");
  await until("a colour", async () => ((await cell.getAttribute("style")) ?? "").includes("background-color"));
  await (await page.locator("label:has-text('Colours') input")).uncheck();
});

test("plays the slices, and calls dimensions what the user calls them", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await wb.inspector.click("image");
  await page.textWith("float32[3, 32, 32]");
  await (await page.locator("summary:has-text('Name the dimensions')")).click();
  const name = await page.locator("input[aria-label='Name of dimension 0']");
  await name.fill("channel");
  await name.press("Enter");
  await (await page.locator("button[aria-label='Play 0: channel (3)']")).click();
  const typed = await page.locator("input[aria-label^='Typed index of 0']");
  await until("the last channel", async () => (await typed.inputValue()) === "2");
  await until(
    "an end of the player",
    async () => (await (await page.locator("button[aria-label='Play 0: channel (3)']")).count()) === 1,
  );
  await typed.fill("0");
  await typed.press("Enter");
});

test("draws a tensor of three dimensions at an index, side by side, and as an image", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await wb.inspector.click("image");
  await page.textWith("float32[3, 32, 32]");
  await (await page.locator("input[aria-label^='Typed index of 0']")).fill("2");
  await (await page.locator("input[aria-label^='Typed index of 0']")).press("Enter");
  const light = async (): Promise<boolean> => {
    const [above, below] = await page.colours([
      [0.2, 0.5],
      [0.8, 0.5],
    ]);
    return above![0] < below![0];
  };
  await until("channel 2, whose lower half is 1", light);
  await (await page.locator("label:has-text('As image') input")).check();
  await until("red above blue", async () => {
    const [above, below] = await page.colours([
      [0.2, 0.5],
      [0.8, 0.5],
    ]);
    return above!.join() === "255,0,0" && below!.join() === "0,0,255";
  });
  await page.reveal("main");
  await tour(wb, "image");
  await wb.inspector.click("heads");
  await page.textWith("float32[2, 4, 16, 16]");
  await (await page.locator("label:has-text('Side by side') select")).selectOption("1");
  await until(
    "four planes",
    async () => (await (await page.locator(".canvas canvas")).getAttribute("data-planes")) === "4",
  );
  await page.reveal("main");
  await tour(wb, "heads");
});

test("draws one dimension as a line, and tells the value under the mouse", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await wb.inspector.click("wave");
  await page.textWith("float32[5000]");
  const canvas = await page.locator(".canvas canvas");
  await canvas.hover({ position: { x: 60, y: 60 } });
  await page.textWith(/\[\d+:\d+\] range 0?\.?\d+/);
  for (const key of ["Shift+ArrowRight", "Shift+ArrowRight"]) await canvas.press(key);
  const cursor = await (await page.locator(".cursor")).innerText();
  await canvas.press("Shift+ArrowRight");
  await until("the next elements, by keys", async () => {
    const text = await (await page.locator(".cursor")).innerText();
    return text !== cursor && /\[\d+:\d+\] range/.test(text);
  });
  await page.reveal("main");
  await tour(wb, "wave");
});

test("shows one Inf of twelve million elements at every zoom", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await wb.inspector.click("large");
  await page.textWith("float32[3000, 4000]", "1 −Inf");
  const canvas = await page.locator(".canvas canvas");
  await until("all of it", async () => !(await (await page.locator(".legend")).innerText()).includes("≈"));
  const across = 1234.5 / 4000;
  // Its tile is a pixel or two wide.
  const lowest = [-1, 0, 1].flatMap((aside) =>
    Array.from({ length: 20 }, (_, at) => [0.98 + at / 1000, across + aside / 1000] as const),
  );
  expect(await page.colours(lowest)).toContainEqual(NEG_INF);
  const { width, height } = (await canvas.boundingBox())!;
  const position = { x: 44 + across * (width - 44), y: height - 3 };
  for (let times = 0; times < 15; times += 1) await canvas.dblclick({ position });
  for (let times = 0; times < 20; times += 1) await canvas.press("ArrowDown"); // a pixel stood for many rows
  const cursor = await page.locator(".cursor");
  await until("single elements of the last row", async () => {
    for (let x = 50; x < width; x += 30) {
      await canvas.hover({ position: { x, y: position.y } });
      if ((await cursor.innerText()) === "[2999, 1234] = −Inf") return true;
    }
    return false;
  });
  await page.reveal("main");
  await tour(wb, "zoomed");
});

test("says why there is no picture, and shows the facts of what is no tensor", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await wb.inspector.click("scalar");
  await page.textWith("float32[] 3.5", "a picture is of one dimension or two");
  await wb.inspector.click("config");
  await page.textWith("dict", "lr 0.1");
});

test("opens in the editor too, and shows the same there", async ({ wb }) => {
  await wb.inspector.click("weights");
  const page = new DetailsPage(wb);
  await page.textWith("weights", "float32[64, 48]");
  await wb.channel.execute("tensorInspector.openDetailsInEditor");
  await page.elsewhere();
  await page.textWith("weights", "float32[64, 48]", "64 NaN");
  await wb.channel.execute("workbench.action.closePanel");
  await page.textWith("weights", "float32[64, 48]", "64 NaN");
  await tour(wb, "editor");
  await looks(wb, "details/editor");
});

async function copied(wb: Workbench): Promise<string> {
  await wb.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  return wb.page.evaluate(() => navigator.clipboard.readText());
}
