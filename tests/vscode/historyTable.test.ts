/** The history of a pin as a table with its curve. */
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
import { shot } from "./bed/pictures.ts";
import { TablePage } from "./bed/tablePage.ts";

const program = `\
import torch

for step in range(3):
    loss = torch.tensor(1.0 / (step + 1))
    print(step)  # STOP
`;

const test = testIn({ files: { "history.py": program } });

test("the history of a pin is a table with its curve", async ({ wb }) => {
  await wb.debug.start("history.py");
  await wb.showOnly(wb.inspector.title);
  await wb.inspector.choose(["loss"], "Pin");
  await wb.inspector.rowsWhen("the pin, which is read at this stop", (rows) => {
    const pins = rows.filter(({ label }) => label === "loss");
    return pins.length === 2 && pins[0]?.description.startsWith("f32[]") === true;
  });
  await wb.debug.continueToStop();
  await wb.inspector.rowsWhen("two numbers", (rows) => rows[0]?.description.startsWith("1 → 0.5") === true);
  await wb.inspector.expand("loss");
  await wb.inspector.choose(["loss", "History"], "Open as Table");
  const page = new TablePage(wb, "history of loss");
  const rows = await page.rowsWhen("two stops", (all) => all.length === 2);
  expect(rows.map(({ value }) => Number.parseFloat(value ?? ""))).toEqual([1, 0.5]);
  expect(await (await page.locator(".plot svg")).getAttribute("aria-label")).toMatch(
    /^value of 2 rows, from 0.5 to 1$/,
  );
  await shot(wb, "tables/history");
});
