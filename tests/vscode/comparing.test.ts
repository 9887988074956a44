/** Comparing two values of the paused program in the tree. */
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
import { areWanted, NOT_WANTED, looks } from "./bed/pictures.ts";
import type { Row } from "./bed/rows.ts";
import type { Workbench } from "./bed/workbench.ts";

const program = `\
import torch


def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 2)
    copy = torch.nn.Linear(3, 2)
    same = torch.nn.Linear(3, 2)
    same.load_state_dict(model.state_dict())
    image = torch.linspace(-1, 1, 12).reshape(3, 4)
    batch = {frozenset([1]): image}
    many, more = ([torch.ones(4) for _ in range(30_000)] for _ in range(2))
    for step in range(2):
        print("step", step)  # STOP
    del copy
    print("done")  # STOP
    return model, same, batch


main()
`;

const test = testIn({ files: { "comparing.py": program } });

test.beforeAll(async ({ wb }) => {
  await wb.debug.start("comparing.py");
  await wb.showOnly(wb.inspector.title);
  await wb.inspector.row("model");
});

/** Until a comparison says so, and, where it was just asked for, has the keyboard: the rows then stand still. */
async function said(wb: Workbench, label: string, text: string, { selected = true } = {}): Promise<readonly Row[]> {
  return wb.inspector.rowsWhen(`${label}: ${text}`, (rows) =>
    rows.some((row) => row.label.startsWith(label) && row.description.includes(text) && (row.selected || !selected)),
  );
}

test("Select for Compare, then Compare with Selected: a row on top opens to the differences and their values", async ({
  wb,
}) => {
  expect(await wb.inspector.menuItems("model")).not.toContain("Compare with Selected");
  await wb.inspector.choose(["model"], "Select for Compare");
  await wb.inspector.choose(["copy"], "Compare with Selected");
  const rows = await said(wb, "model ↔ copy", "2 differences · ");
  expect(rows[0]?.icon).toBe("diff");
  const differences = await wb.inspector.expand("model ↔ copy");
  expect(differences.map(({ label }) => label)).toEqual([".weight", ".bias"]);
  const values = await wb.inspector.expand("model ↔ copy", ".weight");
  expect(values.map(({ label }) => label)).toEqual(["model.weight", "copy.weight"]);
  expect(values[0]?.description).toContain("f32[2,3]");
});

test("Copy copies the differences too", async ({ wb }) => {
  await wb.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await wb.inspector.choose(["model ↔ copy"], "Copy Summary");
  const copied = (): Promise<string> => wb.page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toMatch(/^model ↔ copy: 2 differences · .*\n {2}\.weight: .*\n {4}model\.weight: .*\n/);
});

test("the rows of unequal values are loud, in words for a screen reader too; those of equal ones are not", async ({
  wb,
}) => {
  await wb.inspector.choose(["model"], "Select for Compare");
  await wb.inspector.choose(["same"], "Compare with Selected");
  const rows = await said(wb, "model ↔ same", "equal · ");
  const [unequal, equal] = ["model ↔ copy", "model ↔ same"].map((name) => rows.find(({ label }) => label === name));
  expect(unequal?.ariaLabel).toContain("differs");
  expect(equal?.iconColor).not.toBe(unequal?.iconColor);
  expect(equal?.ariaLabel).not.toContain("differs");
});

test("Compare Selected is offered on two rows", async ({ wb }) => {
  await wb.inspector.click("step"); // a click opens no row there, so that the others stand still
  await wb.page.keyboard.down("Control");
  await wb.inspector.click("image");
  await wb.page.keyboard.up("Control");
  await wb.inspector.rowsWhen("two rows selected", (rows) => rows.filter(({ selected }) => selected).length === 2);
  await wb.inspector.choose(["image"], "Compare Selected");
  await said(wb, "step ↔ image", "1 difference · ");
});

test("Compare with… takes a value of the frame, or an expression, which is run once", async ({ wb }) => {
  await wb.inspector.choose(["image"], "Compare with…");
  await wb.quickInput.answer("image * 1");
  await said(wb, "image ↔ image * 1", "equal · ");
  const [item] = await wb.inspector.expand("batch");
  await wb.inspector.choose(["batch", item!.label], "Compare with…");
  await wb.quickInput.pick("image");
  await said(wb, "‹froz", "equal · ");
});

test("Cancel ends a long one until Evaluate Again", async ({ wb }) => {
  await wb.inspector.choose(["many"], "Select for Compare");
  await wb.inspector.choose(["more"], "Compare with Selected");
  await said(wb, "many ↔ more", "%");
  await wb.inspector.clickAction(["many ↔ more"], "Cancel");
  await said(wb, "many ↔ more", "cancelled");
  await wb.inspector.choose(["many ↔ more"], "Evaluate Again");
  await wb.inspector.rowsWhen("it to compare again", (rows) =>
    rows.some(({ label, description }) => label === "many ↔ more" && !description.includes("cancelled")),
  );
  await wb.inspector.choose(["many ↔ more"], "Remove");
});

test("they have pictures for people to look at, in a narrow side bar", async ({ wb, skip }) => {
  skip(!areWanted, NOT_WANTED);
  await wb.widenSideBar(300);
  await looks(wb, "comparing");
});

test("at the next stop they are asked again; what is gone says so", async ({ wb }) => {
  await wb.debug.continueToStop();
  const anywhere = { selected: false };
  await said(wb, "model ↔ copy", "2 differences", anywhere);
  await said(wb, "image ↔ image * 1", "run only when you ask", anywhere);
  await said(wb, "‹froz", "is gone: no expression reaches it", anywhere);
  await wb.inspector.choose(["image ↔ image * 1"], "Evaluate Again");
  await said(wb, "image ↔ image * 1", "equal", anywhere);
  await wb.debug.continueToStop();
  await said(wb, "model ↔ copy", "there is no 'copy' in this frame", anywhere);
});

test("Delete takes a comparison away, and Remove too", async ({ wb }) => {
  await wb.inspector.click("model ↔ copy");
  await wb.page.keyboard.press("Delete");
  await wb.inspector.rowsWhen("it gone", (rows) => rows.every(({ label }) => label !== "model ↔ copy"));
  await wb.inspector.choose(["model ↔ same"], "Remove");
  await wb.inspector.rowsWhen("it gone", (rows) => rows.every(({ label }) => label !== "model ↔ same"));
});
