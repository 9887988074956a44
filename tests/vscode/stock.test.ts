/** VS Code's own views of the debugger, and the ends of the lines: the same summaries and finite rows in them. */
import { describe, expect } from "vitest";
import { placeOf } from "./bed/editor.ts";
import { testIn } from "./bed/fixture.ts";
import { until } from "./bed/wait.ts";
import type { Workbench } from "./bed/workbench.ts";

const program = `\
import torch
from torch import nn


def train(steps, images):
    torch.manual_seed(0)
    images[0, 0] = float("nan")
    model = nn.Sequential(nn.Linear(4, 2), nn.ReLU())
    loss = model(images[1:]).sum()
    batch = {"image": images, "label": 3}
    name, plain = "run", [1, 2.5, "three"]
    doubled = [images * 2 for images in images]
    print(steps, name, plain)  # STOP
    print("after", loss.item() > 0)
    return batch, doubled


train(3, torch.linspace(-1, 1, 2400).reshape(600, 4))
`;

const test = testIn({ files: { "stock.py": program } });
const IMAGES = "float32[600, 4] · −0.9992…1 · μ 0.000417 σ 0.577 · 1 NaN · view of [2400]";

test.beforeAll(async ({ wb }) => {
  await wb.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await wb.debug.start("stock.py");
  await wb.variables.expand("Locals");
});

/** The Variables view's rows below Locals, by name. */
async function locals(wb: Workbench): Promise<Map<string, string>> {
  const rows = await wb.variables.rows();
  return new Map(rows.map(({ label, description }) => [label.replace(/[:=\s]+$/, ""), description]));
}

/** What Watch says of an expression, which it evaluates once its row is there. */
async function watched(wb: Workbench, expression: string): Promise<string> {
  return (await wb.watch.row(expression)).description;
}

/** How many values Variables marks as changed since the last stop. */
function markedAsChanged(wb: Workbench): Promise<number> {
  return wb.page.locator(".debug-variables .value.changed").count();
}

describe("at the first stop", () => {
  test("Variables shows our lines", async ({ wb }) => {
    await wb.variables.rowsWhen("our line", (rows) => rows.some(({ description }) => description === IMAGES));
    const shown = await locals(wb);
    expect(shown.get("model")).toBe("Sequential(2) · 10 params · train · grads None");
    expect(shown.get("batch")).toBe("dict · NaN in image · 2: image f32[600,4], label 3");
    expect(shown.get("plain")).toBe("[1, 2.5, 'three']");
    await expect.poll(() => markedAsChanged(wb)).toBe(0);
  });

  test("a tensor opens to rows that end", async ({ wb }) => {
    await wb.variables.expand("Locals", "images");
    const labels = [...(await locals(wb)).keys()];
    expect(labels).toEqual(expect.arrayContaining(["values", "stats", "base"]));
    expect(labels.filter((label) => ["T", "H", "mT", "data", "special variables"].includes(label))).toEqual([]);
  });

  test("Add to Watch and Copy as Expression work from a child", async ({ wb }) => {
    await wb.variables.expand("Locals", "images", "values");
    await wb.variables.choose(["Locals", "images", "values", "[2]"], "Copy as Expression");
    await expect.poll(() => wb.page.evaluate(() => navigator.clipboard.readText())).toBe("images[2]");
    await wb.variables.choose(["Locals", "images", "values", "[2]"], "Add to Watch");
    await expect.poll(() => watched(wb, "images[2]")).toMatch(/^float32\[4\] · −0\.9933…/);
  });

  test("Copy Value gives all of the value", async ({ wb }) => {
    await wb.variables.choose(["Locals", "images"], "Copy Value");
    await expect.poll(() => wb.page.evaluate(() => navigator.clipboard.readText())).toMatch(/^tensor\(\[\[ +nan,/);
    await wb.variables.collapse("Locals", "images");
  });

  test("Watch shows our lines", async ({ wb }) => {
    await wb.addWatch("images[1:] * 2");
    await expect.poll(() => watched(wb, "images[1:] * 2")).toMatch(/^float32\[599, 4\] · −1\.993…2 /);
  });

  test("the console prints our line and the first values", async ({ wb }) => {
    const printed = await wb.console.run("images[:2]");
    expect(printed.split(/\s*\n\s*/)).toEqual([
      "float32[2, 4] · −0.9992…−0.9942 · μ −0.997 σ 0.0018 · 1 NaN · view of [2400]",
      "[NaN, −0.9992, −0.9983, −0.9975]",
      "[−0.9967, −0.9958, −0.995, −0.9942]",
    ]);
  });

  test("Set Value answers with our line", async ({ wb }) => {
    await wb.setValue(["Locals", "loss"], "torch.zeros(2)");
    await wb.variables.rowsWhen("what was set", (rows) =>
      rows.some(({ description }) => description === "float32[2] · all zeros"),
    );
  });
});

describe("inline values", () => {
  test("stand at the ends of the lines above the stop", async ({ wb }) => {
    const last = placeOf(program, "loss =").line; // asked for anew since a value was set
    await until("inline values", async () => (await wb.editor.inlineValues()).has(last));
    const values = await wb.editor.inlineValues();
    const line = (text: string): string | undefined => values.get(placeOf(program, text).line);
    expect(line("def train")).toBe("steps = 3, images = 1 NaN f32[600,4] μ 0.000417");
    expect(line("model = nn")).toBe("model = Sequential(2) 10 params");
    expect(line("name, plain =")).toBe("name = 'run', plain = [1, 2.5, 'three']");
    expect(line("doubled = ")).toBe("doubled = NaN in [0] · list of 600 [f32[4] ×12, …]");
    expect(Math.max(...values.keys())).toBeLessThan(placeOf(program, "# STOP").line);
  });

  test("can be switched off and on, also while the program is paused", async ({ wb }) => {
    for (const enabled of [false, true]) {
      wb.changeSettings({ "tensorInspector.inlineValues.enabled": enabled });
      const what = enabled ? "inline values" : "no inline values";
      await until(what, async () => (await wb.editor.inlineValues()).size > 0 === enabled);
    }
  });
});

describe("settings take effect at once", () => {
  test("the debug hover shows our line where our own hover is off", async ({ wb }) => {
    // Nothing on the screen says that hovers are off: the order of the rows, changed with them, says that it was heard.
    wb.changeSettings({ "tensorInspector.hover.enabled": false, "tensorInspector.tensorsFirst": false });
    await wb.inspector.rowsWhen("the order of the function", ([first]) => first?.label === "steps");
    const hover = await wb.editor.hover(placeOf(program, "return batch", "batch"));
    expect(hover.kind).toBe("debug");
    expect(hover.text).toContain("dict · NaN in image · 2: image f32[600,4], label 3");
    await wb.editor.leaveHover();
    wb.changeSettings({ "tensorInspector.hover.enabled": true, "tensorInspector.tensorsFirst": true });
    await wb.inspector.rowsWhen("tensors first", ([first]) => first?.label !== "steps");
  });

  test("the stock views are as without us when they are switched off", async ({ wb }) => {
    wb.changeSettings({ "tensorInspector.stockViews.enabled": false });
    await wb.variables.rowsWhen("the debugger's own text", (rows) =>
      rows.some(({ description }) => description.startsWith("tensor([[")),
    );
    await expect.poll(() => markedAsChanged(wb)).toBe(0);
    wb.changeSettings({ "tensorInspector.stockViews.enabled": true });
    await wb.variables.rowsWhen("our line", (rows) => rows.some(({ description }) => description === IMAGES));
    await expect.poll(() => markedAsChanged(wb)).toBe(0);
  });

  test("statistics, precision and order", async ({ wb }) => {
    wb.changeSettings({ "tensorInspector.statistics": "metadataOnly" });
    await wb.inspector.rowsWhen("no statistics", (rows) =>
      rows.some(({ label, description }) => label === "images" && description === "f32[600,4] · view of [2400]"),
    );
    wb.changeSettings({ "tensorInspector.statistics": "exact", "tensorInspector.precision": 6 });
    await wb.inspector.rowsWhen("six digits", (rows) =>
      rows.some(
        ({ label, description }) => label === "images" && description.startsWith("1 NaN · f32[600,4] · −0.999166…1"),
      ),
    );
    const hover = await wb.editor.hover(placeOf(program, "images[1:]", "images"));
    expect(hover.text).toMatch(/range\s+−0\.999166 … 1\s/);
    wb.changeSettings({ "tensorInspector.tensorsFirst": false });
    await wb.inspector.rowsWhen("the order of the function", ([first]) => first?.label === "steps");
  });
});
