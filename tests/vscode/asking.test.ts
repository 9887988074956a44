/**
 * Situations in which people ask the program something: each answer is two clicks away, in a side bar of 300 pixels; a
 * third agrees to what is run. One session runs all the programs, one after the other, in the order of the tests.
 */
import { describe, expect } from "vitest";
import type { Row } from "./bed/rows.ts";
import { looks, shot, stopIn, testOfPrograms } from "./bed/programs.ts";
import { until } from "./bed/wait.ts";
import type { Workbench } from "./bed/workbench.ts";

const BY_HAND = "s08_manual_linear.py";
const DATA = "s03_dataset_batch.py";
const MEMORY = "s14_memory.py";
const NO_MEMORY = "s15_out_of_memory.py";
const BACKWARD = "s19_custom_function.py";
const SHAPES = "s20_layer_shapes.py";

const test = testOfPrograms([MEMORY, NO_MEMORY, BACKWARD, SHAPES, DATA, BY_HAND]);

describe("14: what holds the memory", () => {
  test("the last row opens to the memory and the environment, each in one line", async ({ wb }) => {
    await stopIn(wb, MEMORY);
    await wb.inspector.rowsWhen("the program", (all) => all.some(({ label }) => label === "Program"));
    await wb.inspector.collapse("Program"); // an earlier file of this window may have left it open
    const rows = await wb.inspector.rowsWhen("the program", (all) => all.at(-1)?.label === "Program");
    expect(rows.at(-1)).toMatchObject({ description: "", expanded: false });
    await wb.inspector.expand("Program");
    const memory = await said(wb, ["Program", "memory"], /^[\d.]+ MiB/);
    expect(memory.description).toContain("trainer.loss_history");
    await said(wb, ["Program", "environment"], /^(?!reading the settings)./);
    await wb.inspector.expand("Program", "memory");
    await said(wb, ["Program", "memory", "by variable"], /^trainer.debug 8.0 MiB, trainer.loss_history [\d.]+ MiB, /);
    await said(wb, ["Program", "memory", "largest"], /^8.0 MiB trainer.debug\["first_batch"\], /);
    await looks(wb, MEMORY, "open");
  });

  test("the row of the list that collects losses says how many graphs it keeps", async ({ wb }) => {
    await wb.inspector.expand("trainer");
    await said(wb, ["trainer", "loss_history"], /^list · (holds )?6 graphs · /);
    await shot(wb, MEMORY, "graphs");
    await wb.inspector.collapse("trainer");
  });

  test("a right click on the tensor says who keeps it alive", async ({ wb }) => {
    await wb.inspector.choose(["forgotten"], "Who Keeps This Alive?");
    await said(wb, ["who holds forgotten"], /trainer/);
    await wb.inspector.expand("who holds forgotten");
    await shot(wb, MEMORY, "held");
  });
});

describe("15: no memory left", () => {
  test("the group that is open already says what was asked for and what is the largest", async ({ wb }) => {
    await stopIn(wb, NO_MEMORY);
    await wb.debug.continueToStop();
    await wb.inspector.row("(exception)");
    await wb.inspector.rowsWhen(
      "what was asked for",
      ([top]) => top?.label === "out of memory" && / asked for in embeddings/.test(top.description),
    );
    await said(wb, ["Program", "memory"], /embeddings 39/);
    await wb.inspector.expand("Program", "memory");
    await shot(wb, NO_MEMORY, "failed");
    await wb.inspector.collapse("Program");
  });
});

describe("19: a backward of one's own", () => {
  test("two clicks and the user's agreement say that it is wrong, and by how much", async ({ wb }) => {
    await stopIn(wb, BACKWARD);
    await wb.inspector.expand("function variables");
    await wb.inspector.choose(["function variables", "clipped"], "Check Gradients (gradcheck)…");
    await wb.quickInput.pick("x");
    await agree(wb, "Run clipped(x) to check its gradients?");
    await said(wb, ["gradcheck clipped(x)"], /disagree|wrong/);
    await wb.inspector.expand("gradcheck clipped(x)");
    await looks(wb, BACKWARD, "wrong");
    const printed = wb.recording.events("output").map(({ body }) => (body as { output: string }).output);
    expect(printed.filter((text) => text.includes("WARNING"))).toEqual([]);
    await stopIn(wb, SHAPES);
    await said(wb, ["gradcheck clipped(x)"], /^not asked yet at this stop/);
  });
});

describe("20: the shapes of layers", () => {
  test("of every layer, on an input that is picked", async ({ wb }) => {
    await stopIn(wb, SHAPES);
    await wb.inspector.choose(["model"], "Show Shapes…");
    await wb.quickInput.pick("images");
    await agree(wb, "Run model(images) once?");
    await said(wb, ["model(images)"], /^(?!running)./);
    await wb.inspector.expand("model(images)");
    await looks(wb, SHAPES, "model");
  });

  test("of a network that fails, up to the layer that does", async ({ wb }) => {
    await wb.inspector.choose(["broken"], "Show Shapes…");
    await wb.quickInput.pick("images");
    await agree(wb, "Run broken(images) once?");
    const row = await said(wb, ["broken(images)"], /head/);
    expect(row.iconColor).toBeDefined();
    await wb.inspector.expand("broken(images)");
    await shot(wb, SHAPES, "broken");
  });

  test("the table of its layers, sorted as wanted, is copied as text", async ({ wb }) => {
    await wb.inspector.choose(["model"], "Show Layers");
    await said(wb, ["layers of model"], /params/);
    await wb.inspector.expand("layers of model");
    await shot(wb, SHAPES, "layers");
    await wb.inspector.clickAction(["layers of model"], "Sort Layers By…");
    await wb.quickInput.pick("bytes");
    await said(wb, ["layers of model"], /params/);
    await wb.inspector.choose(["layers of model"], "Copy Summary");
    await expect
      .poll(() => copied(wb))
      .toMatch(/^layer +parameters +trainable +buffers +bytes .*\n─+\nNet +3,978 +3,978 +17 +15\.6 KiB /);
    expect(await copied(wb)).toContain("├─ head: Linear(256 → 10)");
    await shot(wb, SHAPES, "sorted");
  });
});

describe("what is in the data", () => {
  test("a batch, part by part", async ({ wb }) => {
    await stopIn(wb, DATA);
    await wb.inspector.choose(["batch"], "Describe Data");
    await said(wb, ["data in batch"], /4/);
    await wb.inspector.expand("data in batch");
    await shot(wb, DATA, "batch");
  });

  test("one item of a dataset, when the user agrees", async ({ wb }) => {
    await wb.inspector.choose(["dataset"], "Load One Item…");
    await wb.quickInput.answer("3");
    await agree(wb, "Load dataset[3]?");
    await said(wb, ["dataset[3]"], /^(?!loading)./);
    await wb.inspector.expand("dataset[3]");
    await shot(wb, DATA, "item");
  });
});

describe("in place", () => {
  test("a layer's output against the same by hand, which is typed", async ({ wb }) => {
    await stopIn(wb, BY_HAND);
    await wb.inspector.choose(["y"], "Compare with…");
    await wb.quickInput.pick("(x @ layer.weight.T + layer.bias).detach()");
    await wb.inspector.rowsWhen("the comparison", (rows) =>
      rows.some((row) => row.label.startsWith("y ↔ (x") && /^(equal|close) /.test(row.description)),
    );
    await shot(wb, BY_HAND, "typed");
  });

  test("a bug report is copied by its command", async ({ wb }) => {
    await wb.quickInput.runCommand("Tensor Inspector: Copy Bug Report");
    await until("the message", async () => (await wb.inspector.message()).startsWith("Copied: a bug report"));
    const report = await copied(wb);
    for (const told of ["### Stopped at", "s08_manual_linear.py", "### Environment", "torch: "]) {
      expect(report).toContain(told);
    }
    await shot(wb, BY_HAND, "report");
  });

  test("Show Environment in the palette leads to its row", async ({ wb }) => {
    await wb.quickInput.runCommand("Tensor Inspector: Show Environment");
    await wb.inspector.rowsWhen("the environment selected", (rows) =>
      rows.some(({ label, selected, expanded }) => label === "environment" && selected && expanded === true),
    );
    await looks(wb, BY_HAND, "environment");
    await wb.inspector.collapse("Program"); // what is open is asked at every stop, in the files after this one too
  });
});

/** The row, once it says so. */
async function said(wb: Workbench, row: readonly string[], text: RegExp): Promise<Row> {
  await until(`${row.join(" › ")}: ${text.source}`, async () =>
    text.test((await wb.inspector.row(...row)).description),
  );
  return wb.inspector.row(...row);
}

/** Reads the box that says what will run, and agrees. */
async function agree(wb: Workbench, question: string): Promise<void> {
  const box = wb.page.locator(".monaco-dialog-box");
  await box.waitFor();
  expect(await box.innerText()).toContain(question);
  await box.locator(".monaco-button", { hasText: "Run" }).click();
  await box.waitFor({ state: "hidden" });
}

async function copied(wb: Workbench): Promise<string> {
  await wb.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  return wb.page.evaluate(() => navigator.clipboard.readText());
}
