/** "Summarize Tensor", and what becomes of what was pinned. */
import { expect } from "vitest";
import { placeOf } from "./bed/editor.ts";
import { testIn } from "./bed/fixture.ts";
import type { Row } from "./bed/rows.ts";
import { until } from "./bed/wait.ts";
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
  await wb.variables.expand("Locals");
});

test("summarizes the expression under the cursor", async ({ wb }) => {
  await wb.editor.choose(at('batch["image"]', '"image"'), "Summarize Tensor");
  await expectPinned(wb, 'batch["image"]', "f32[2,3] · 0…5");
});

test("summarizes the selection", async ({ wb }) => {
  await wb.editor.select(at("images + 1"));
  await wb.editor.chooseForSelection("Summarize Tensor");
  await expectPinned(wb, "images + 1", "f32[2,3] · 1…6");
});

test("summarizes a variable", async ({ wb }) => {
  await wb.variables.choose(["Locals", "images"], "Summarize Tensor");
  await expectPinned(wb, "images", "f32[2,3] · 0…5");
});

test("summarizes a watched expression", async ({ wb }) => {
  await wb.addWatch("batch");
  await wb.watch.choose(["batch"], "Summarize Tensor");
  await expectPinned(wb, "batch", "dict · 2: image f32[2,3], label i64[1]");
});

test("is not offered for an int", async ({ wb }) => {
  expect(await wb.variables.menuItems("Locals", "images")).toContain("Summarize Tensor");
  expect(await wb.variables.menuItems("Locals", "count")).not.toContain("Summarize Tensor");
});

test("asks for an expression, runs it once and shows what came of it", async ({ wb }) => {
  await wb.quickInput.runCommand("Tensor Inspector: Summarize Expression");
  await wb.quickInput.answer("model(images)");
  await expectPinned(wb, "model(images)", "all 1 · f32[2,2]");
});

test("shows the error of a bad expression in its row", async ({ wb }) => {
  await wb.quickInput.runCommand("Tensor Inspector: Summarize Expression");
  await wb.quickInput.answer("images @ batch");
  await pin(wb, "images @ batch", "TypeError: unsupported operand");
});

test("what was run is run again only when asked to", async ({ wb }) => {
  await wb.debug.stepOver();
  await pin(wb, "model(images)", "all 1 · f32[2,2] · from an earlier stop");
  await wb.inspector.clickAction(["model(images)"], "Evaluate Again");
  await pin(wb, "model(images)", "all 2 · f32[2,2]");
  const runs = wb.recording.valueRequests().filter((request) => request === "evaluate model(images)");
  expect(runs).toHaveLength(2);
});

test("what was run before something was changed in the console says so", async ({ wb }) => {
  await wb.console.run("count + 1");
  await pin(wb, "model(images)", "all 2 · f32[2,2] · μ 1 → 2 ▁█ · from before the last change or run");
});

test("what can be read is read anew at each stop", async ({ wb }) => {
  await wb.debug.stepOver();
  await pin(wb, "images", "f32[2,3] · 1…6");
  await pin(wb, "model(images)", "all 2 · f32[2,2] · from an earlier stop");
});

test("a name that this frame has not is no error", async ({ wb }) => {
  await wb.selectFrame("<module>");
  const absent = await pin(wb, "batch", "not in this frame");
  expect(absent).toMatchObject({ expanded: undefined, iconColor: expect.stringContaining("0.5)") });
  await wb.selectFrame("epoch");
  await pin(wb, "batch", "dict · 2: image f32[2,3], label i64[1]");
});

test("a pin can be taken away", async ({ wb }) => {
  await wb.inspector.clickAction(["model(images)"], "Remove");
  await wb.inspector.rowsWhen("one pin less", (rows) => rows.every(({ label }) => label !== "model(images)"));
});

test("all else is shown while an expression runs, and unpinning ends it", async ({ wb }) => {
  await runForEver(wb);
  await wb.selectFrame("<module>");
  await pin(wb, "batch", "not in this frame");
  await wb.selectFrame("epoch");
  await pin(wb, "batch", "dict · 2: image f32[2,3], label i64[1]");
  await wb.inspector.clickAction([endless], "Remove");
  await wb.inspector.rowsWhen("one pin less", (rows) => rows.every(({ label }) => label !== endless));
  await until("images + 1 to be evaluated again", async () => {
    await wb.inspector.clickAction(["images + 1"], "Evaluate Again"); // VS Code drops a click on what it is drawing again
    const isThere = async (): Promise<boolean> =>
      find(await wb.inspector.rows(), "images + 1", "f32[2,3] · 2…7") !== undefined;
    return until("its value", isThere, CLICK_MS).catch(() => false);
  });
});

test("going on ends what runs for ever, and nothing was run but what was asked for", async ({ wb }) => {
  await runForEver(wb);
  await wb.debug.continueToEnd();
  expect(wb.recording.stdout()).toBe("calls 2\n");
});

/** After so many milliseconds without an effect, a click was dropped. */
const CLICK_MS = 10_000;

const endless = "[0 for _ in iter(int,1)]";

async function runForEver(wb: Workbench): Promise<void> {
  await wb.quickInput.runCommand("Tensor Inspector: Summarize Expression");
  await wb.quickInput.answer(endless);
  await pin(wb, endless, "running…");
}

/** Waits until the pin says this. */
async function pin(wb: Workbench, expression: string, summary: string): Promise<Row> {
  const rows = await wb.inspector.rowsWhen(
    `${expression} pinned`,
    (rows) => find(rows, expression, summary) !== undefined,
  );
  return find(rows, expression, summary)!;
}

function find(rows: readonly Row[], expression: string, summary: string): Row | undefined {
  const first = rows.findIndex(({ level, icon }) => level === 1 && icon !== "pinned"); // pins stand on top
  const pins = rows.slice(0, first).filter(({ level }) => level === 1);
  return pins.find(({ label, description }) => label === expression && description.startsWith(summary));
}

/** The pin is there, open, selected and in sight, and the keyboard is on it: the arrow keys go on from there. */
async function expectPinned(wb: Workbench, expression: string, summary: string): Promise<void> {
  const focused = wb.inspector.root.locator(".monaco-list:focus .monaco-list-row.focused.selected");
  const row = focused.filter({ has: wb.page.getByText(expression, { exact: true }) });
  await row.waitFor();
  await until(`${expression} in sight`, () => row.evaluate(isInSight));
  expect(await pin(wb, expression, summary)).toMatchObject({ expanded: true, selected: true });
}

/** Runs in the page. */
function isInSight(row: Element): boolean {
  const { top, bottom } = row.getBoundingClientRect();
  const list = row.closest(".monaco-list")!.getBoundingClientRect();
  return top >= list.top && bottom <= list.bottom && bottom > top;
}
