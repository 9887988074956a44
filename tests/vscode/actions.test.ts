/** What can be done with the rows of the tree. */
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
import { rowsBelow } from "./bed/rows.ts";
import type { Workbench } from "./bed/workbench.ts";

const program = `\
import torch


def main():
    count, name = 42, "resnet"
    image = torch.linspace(-1, 1, 12).reshape(3, 4)
    numbers = list(range(250))
    batch = {"image": image, "label": torch.tensor([3, 1])}
    return batch, numbers  # STOP


main()
`;

const test = testIn({ files: { "actions.py": program } });

test.beforeAll(async ({ wb }) => {
  await wb.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await wb.debug.start("actions.py");
  await wb.inspector.row("image");
});

test("tensors and what holds them come first", async ({ wb }) => {
  const rows = await wb.inspector.rowsWhen("all rows", (rows) => rows.at(-1)?.label === "Program");
  expect(rows.map(({ label }) => label)).toEqual([
    "image",
    "batch",
    "count",
    "name",
    "numbers",
    "global variables",
    "Program",
  ]);
});

test("Copy Summary and Copy as Expression", async ({ wb }) => {
  await wb.inspector.expand("batch");
  await wb.inspector.choose(["batch", "'label'"], "Copy Summary");
  await expectClipboard(wb, "batch['label']: int64[2] [3, 1]");
  await wb.inspector.choose(["batch", "'label'"], "Copy as Expression");
  await expectClipboard(wb, "batch['label']");
});

test("a row's tooltip is the whole card, with the facts that its line has no room for", async ({ wb }) => {
  const tooltip = (): Promise<string> => wb.inspector.tooltip("image");
  // It is asked for when the mouse rests there.
  await expect.poll(tooltip).toMatch(/float32\[3, 4\] · −1…1[^]*memory\s+48 B[^]*0\.4545, 0\.6364/);
});

test("Add to Watch", async ({ wb }) => {
  await wb.inspector.choose(["batch", "'label'"], "Add to Watch");
  await expect.poll(() => wb.watch.row("batch['label']")).toMatchObject({ description: "int64[2] [3, 1]" });
});

test("Pin and Remove", async ({ wb }) => {
  await wb.inspector.clickAction(["batch", "'label'"], "Pin");
  await wb.inspector.rowsWhen(
    "the pin on top",
    ([first]) => first?.label === "batch['label']" && first.icon === "pinned",
  );
  await wb.inspector.choose(["batch['label']"], "Remove");
  await wb.inspector.rowsWhen("no pin", ([first]) => first?.label === "image");
});

test("Ctrl+C copies the summary of the row that the keyboard is on, selected or not", async ({ wb }) => {
  await wb.inspector.click("count");
  await wb.page.keyboard.press("Control+C");
  await expectClipboard(wb, "count: 42");
  await wb.page.keyboard.press("ArrowDown");
  await wb.page.keyboard.press("Control+C");
  await expectClipboard(wb, "name: 'resnet'");
  expect(await wb.inspector.row("count")).toMatchObject({ selected: true });
});

test("Delete takes a pin away, and nothing else", async ({ wb }) => {
  await wb.inspector.choose(["image"], "Pin");
  await wb.inspector.rowsWhen("the pin", ([first]) => first?.icon === "pinned");
  await wb.inspector.click("count");
  await wb.page.keyboard.press("Delete");
  await wb.page.keyboard.press("Home");
  await wb.page.keyboard.press("Delete");
  const rows = await wb.inspector.rowsWhen("no pin", ([first]) => first?.icon !== "pinned");
  expect(rows.map(({ label }) => label)).toContain("count");
});

test("keys pressed in the find box are the box's: Delete takes no pin away", async ({ wb }) => {
  await wb.inspector.choose(["image"], "Pin");
  await wb.inspector.rowsWhen("the pin", ([first]) => first?.icon === "pinned");
  await wb.inspector.click("image");
  await wb.page.keyboard.press("Control+Alt+F");
  const box = wb.inspector.root.locator(".monaco-tree-type-filter-input input");
  await box.fill("count");
  await wb.page.keyboard.press("Home");
  await wb.page.keyboard.press("Delete");
  await expect.poll(() => box.inputValue()).toBe("ount");
  await wb.page.keyboard.press("Escape");
  await box.waitFor({ state: "hidden" });
  expect(await wb.inspector.row("image")).toMatchObject({ icon: "pinned" });
  await wb.inspector.click("image");
  await wb.page.keyboard.press("Delete");
  await wb.inspector.rowsWhen("no pin", ([first]) => first?.icon !== "pinned");
});

test("Unpin All takes all pins away", async ({ wb }) => {
  for (const [at, name] of ["image", "numbers"].entries()) {
    await wb.inspector.choose([name], "Pin");
    await wb.inspector.rowsWhen("the pin", (rows) => rows[at]?.icon === "pinned"); // it moves the rows below it
  }
  await wb.quickInput.runCommand("Tensor Inspector: Unpin All");
  await wb.inspector.rowsWhen("no pins", ([first]) => first?.icon !== "pinned");
});

test("Show Tensors Only leaves tensors and what holds them", async ({ wb }) => {
  await wb.inspector.clickHeaderAction("Show Tensors Only");
  const rows = await wb.inspector.rowsWhen("the tensors", (rows) => rows.every(({ label }) => label !== "count"));
  expect(rows.filter(({ level }) => level === 1).map(({ label }) => label)).toEqual([
    "image",
    "batch",
    "global variables",
    "Program",
  ]);
  await wb.inspector.clickHeaderAction("Show All Values");
  await wb.inspector.row("count");
});

test("long lists come in pages, which load in place", async ({ wb }) => {
  await wb.inspector.expand("numbers");
  await wb.inspector.click("numbers", "next 100 of 150");
  await wb.inspector.click("numbers", "50 more");
  const rows = await wb.inspector.rowsWhen("all the numbers", (rows) => rows.some(({ label }) => label === "[249]"));
  const list = rows.find(({ label }) => label === "numbers")!;
  expect(rowsBelow(rows, list).map(({ label }) => label)).toEqual(Array.from({ length: 250 }, (_, at) => `[${at}]`));
});

async function expectClipboard(wb: Workbench, text: string): Promise<void> {
  await expect.poll(() => wb.page.evaluate(() => navigator.clipboard.readText())).toBe(text);
}
