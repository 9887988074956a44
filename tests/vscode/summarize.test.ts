/** "Summarize Tensor", and what becomes of what was pinned. */
import { expect } from "vitest";
import { placeOf } from "./bed/editor.ts";
import { testIn } from "./bed/fixture.ts";
import { rowsBelow } from "./bed/rows.ts";
import type { Row } from "./bed/rows.ts";
import type { Workbench } from "./bed/workbench.ts";

const program = `\
import torch

calls = []


def model(x):
    calls.append(x)
    return torch.full((2, 2), float(len(calls)))


def epoch(number):
    images = torch.arange(6.0).reshape(2, 3) * number
    batch = {"image": images, "label": torch.tensor([number])}
    count = 42
    for step in range(2):
        images = images + 1  # STOP
    return batch["image"], count


epoch(1)
epoch(2)
print("calls", len(calls))
`;

const test = testIn({ files: { "summarize.py": program } });
const at = (text: string, on?: string) => placeOf(program, text, on);

test.beforeAll(async ({ wb }) => {
  await wb.debug.start("summarize.py");
});

test("summarizes the expression under the cursor", async ({ wb }) => {
  await wb.editor.choose(at('batch["image"]', '"image"'), "Summarize Tensor");
  await expectPinned(wb, 'batch["image"]', "float32[2, 3] · 0…5");
});

test("summarizes the selection", async ({ wb }) => {
  await wb.editor.select(at("images + 1"));
  await wb.editor.chooseForSelection("Summarize Tensor");
  await expectPinned(wb, "images + 1", "float32[2, 3] · 1…6");
});

test("summarizes a row of Variables and of Watch", async ({ wb }) => {
  await wb.variables.choose(["Locals", "images"], "Summarize Tensor");
  await expectPinned(wb, "images", "float32[2, 3] · 0…5");
  await wb.addWatch("batch");
  await wb.watch.choose(["batch"], "Summarize Tensor");
  await expectPinned(wb, "batch", "dict · 2: image, label");
});

test("is not offered for an int", async ({ wb }) => {
  expect(await wb.variables.menuItems("Locals", "count")).not.toContain("Summarize Tensor");
  expect(await wb.variables.menuItems("Locals", "images")).toContain("Summarize Tensor");
});

test("asks for an expression, runs it once and shows what came of it", async ({ wb }) => {
  await wb.quickInput.runCommand("Tensor Inspector: Summarize Expression");
  await wb.quickInput.answer("model(images)");
  await expectPinned(wb, "model(images)", "float32[2, 2] · all 1");
});

test("shows the error of a bad expression in its row", async ({ wb }) => {
  await wb.quickInput.runCommand("Tensor Inspector: Summarize Expression");
  await wb.quickInput.answer("images @ batch");
  await wb.inspector.rowsWhen("the error", (rows) =>
    rows.some(({ label, description }) => label === "images @ batch" && description.includes("TypeError")),
  );
});

test("what was run is not run again by stopping, but when asked to", async ({ wb }) => {
  await wb.debug.stepOver();
  await expectPinned(wb, "model(images)", "float32[2, 2] · all 1 · from an earlier stop");
  await wb.inspector.clickAction(["model(images)"], "Evaluate Again");
  await expectPinned(wb, "model(images)", "float32[2, 2] · all 2");
});

test("what is read without running anything is read anew at each stop", async ({ wb }) => {
  await wb.debug.stepOver();
  await expectPinned(wb, "images", "float32[2, 3] · 1…6");
});

test("a name that is absent from the frame is no error", async ({ wb }) => {
  await wb.selectFrame("<module>");
  const [row] = await wb.inspector.rowsWhen("the pins", (rows) => rows[0]?.description === "not in this frame");
  console.log(row);
  await wb.selectFrame("epoch");
});

test("running it was all that was done", async ({ wb }) => {
  await wb.debug.breakAt("summarize.py", []);
  await wb.debug.continueToEnd();
  expect(wb.recording.stdout()).toBe("calls 2\n");
});

/** The pin is at the top, open if it can be, selected, in sight, and has the keyboard. */
async function expectPinned(wb: Workbench, expression: string, summary: string): Promise<void> {
  const pinned = ({ label, level, icon, description }: Row): boolean =>
    label === expression && level === 1 && icon === "pinned" && description.startsWith(summary);
  const rows = await wb.inspector.rowsWhen(`the pin ${expression}`, (rows) => {
    const row = rows.find(pinned);
    return row !== undefined && rowsBelow(rows, row).length > 0;
  });
  const row = rows.find(pinned)!;
  console.log(row, rows.slice(0, row.index).map(({ icon, level, label }) => `${level} ${icon} ${label}`));
}
