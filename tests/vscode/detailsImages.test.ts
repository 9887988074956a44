/** Images on the details page: batches with labels, masks and boxes over them. */
import { expect } from "vitest";
import { DetailsPage } from "./bed/detailsPage.ts";
import { testIn } from "./bed/fixture.ts";
import { looksOfPanel, tour } from "./bed/pictures.ts";
import { until } from "./bed/wait.ts";

const program = `\
import torch

image = torch.zeros(3, 40, 60)
image[2] = 0.5
mask = torch.zeros(40, 60, dtype=torch.bool)
mask[10:20, 30:50] = True
boxes = torch.tensor([[5.0, 5.0, 25.0, 35.0, 0.9, 2.0], [40.0, 22.0, 55.0, 38.0, 0.4, 1.0]])
segments = torch.zeros(40, 60, dtype=torch.int64)
segments[:, 20:40] = 1
segments[:, 40:] = 2
torch.manual_seed(0)
batch = torch.rand(6, 3, 24, 24)
labels = torch.tensor([3, 1, 4, 1, 5, 9])
wrong = torch.zeros(7, 7)
print("here")  # STOP
`;

const test = testIn({ files: { "images.py": program } });
const BLUE = [0, 0, 128];

async function lay(page: DetailsPage, expression: string): Promise<void> {
  const over = await page.locator("label:has-text('Over it') input");
  await over.fill(expression);
  await over.press("Enter");
}

test("lays a mask over an image, where it is true", async ({ wb }) => {
  await wb.debug.start("images.py");
  await wb.showOnly(wb.inspector.title);
  await wb.inspector.choose(["image"], "Show Details");
  const page = new DetailsPage(wb);
  await page.textWith("float32[3, 40, 60]");
  await (await page.locator("label:has-text('As image') input")).check();
  const [inside, outside] = [
    [15 / 40, 40 / 60],
    [15 / 40, 20 / 60],
  ] as const;
  await until("a plain blue image", async () => {
    const [colour] = await page.colours([inside]);
    return colour!.join() === BLUE.join();
  });
  await lay(page, "mask");
  await until("the mask", async () => {
    const [over, beside] = await page.colours([inside, outside]);
    return over![0] > 100 && beside!.join() === BLUE.join();
  });
});

test("draws boxes with their scores, and a map of labels", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await lay(page, "boxes");
  await page.textWith("Boxes are");
  const edge = [20 / 40, 5 / 60] as const;
  await until("the left side of the first box", async () => {
    const [colour] = await page.colours([edge]);
    return colour!.join() !== BLUE.join();
  });
  expect(await page.colours([[15 / 40, 40 / 60]]), "no mask any more").toEqual([BLUE]);
  await page.reveal("main");
  await tour(wb, "boxes");
  await looksOfPanel(wb, "details/boxes");
  await lay(page, "segments");
  await until("three segments, the first of which is clear", async () => {
    const [first, second, third] = await page.colours([
      [0.5, 0.1],
      [0.5, 0.5],
      [0.5, 0.9],
    ]);
    return first!.join() === BLUE.join() && new Set([first, second, third].map((colour) => colour!.join())).size === 3;
  });
});

test("says what can't lie over an image, and lays nothing over it", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await lay(page, "wrong");
  await page.textWith("“wrong” has the shape [7, 7]: it is no mask of 40 × 60");
  await lay(page, "missing");
  await page.textWith("missing");
  await lay(page, "mask.float()");
  await page.textWith("“mask.float()” has to be run to be read");
  await lay(page, "");
  await until(
    "no reason any more",
    async () => !(await (await page.locator("main")).innerText()).includes("has to be run"),
  );
});

test("shows a batch as a contact sheet with its labels", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await wb.inspector.click("batch");
  await page.textWith("float32[6, 3, 24, 24]");
  await (await page.locator("label:has-text('As image') input")).check();
  await until(
    "six images",
    async () => (await (await page.locator(".canvas canvas")).getAttribute("data-planes")) === "6",
  );
  const over = await page.locator("label:has-text('Over it') input");
  await over.fill("lab");
  await wb.channel.execute("tensorInspector.refresh"); // the page hears of other contents meanwhile
  await page.textWith("float32[6, 3, 24, 24]");
  expect(await over.inputValue()).toBe("lab");
  await lay(page, "labels");
  await until("labels for eyes that do not see the canvas", async () =>
    (await (await page.locator(".canvas canvas")).getAttribute("aria-label"))?.includes("3, 1, 4, 1, 5, 9"),
  );
  await page.reveal("main");
  await tour(wb, "batch");
});
