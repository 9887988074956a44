/** What a batch holds, who keeps a value alive, and what differs, as tables. */
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
import { looks } from "./bed/pictures.ts";
import { TablePage } from "./bed/tablePage.ts";
import { until } from "./bed/wait.ts";
import type { Workbench } from "./bed/workbench.ts";

const program = `\
import torch

torch.manual_seed(0)
images = torch.linspace(-1, 1, 8 * 3 * 4 * 4).reshape(8, 3, 4, 4)
images[0, 0, 0, 0] = float("nan")
batch = {"image": images, "target": torch.tensor([0, 0, 0, 0, 0, 0, 1, 2])}
cache = [images]
before = {"weight": torch.ones(4, 5), "bias": torch.zeros(5)}
after = {"weight": torch.ones(4, 5), "bias": torch.zeros(6)}
after["weight"][1, 2] = 3.0
print("here")  # STOP
`;

const test = testIn({ files: { "lenses.py": program } });

test.beforeAll(async ({ wb }) => {
  await wb.debug.start("lenses.py");
  await wb.showOnly(wb.inspector.title);
  await wb.inspector.row("batch");
  await wb.channel.execute("workbench.action.closePanel");
});

test("the parts of a batch, and what does not fit", async ({ wb }) => {
  const page = await tableOf(wb, ["batch"], "Describe Data", "data in batch");
  const rows = await page.rowsWhen("both parts", (all) => all.length === 2);
  expect(rows[0]).toMatchObject({ part: "['image']", shape: "[8, 3, 4, 4]", NaN: "1", min: "−0.9948", max: "1" });
  expect(rows[1]).toMatchObject({ part: "['target']", dtype: "int64", labels: "0 ×6, 1 ×1, 2 ×1", imbalance: "6" });
  await looks(wb, "tables/batch");
});

test("the differences of two values, the worst first", async ({ wb }) => {
  await wb.inspector.choose(["before"], "Select for Compare");
  const page = await tableOf(wb, ["after"], "Compare with Selected", "before ↔ after");
  const rows = await page.rowsWhen("both differences", (all) => all.length === 2);
  expect(rows[0]).toMatchObject({ where: "['bias']", "in what": "shape" });
  expect(rows[1]).toMatchObject({
    where: "['weight']",
    "in what": "elements",
    different: "1",
    share: "5%",
    largest: "2",
  });
});

test("who keeps a value alive", async ({ wb }) => {
  const page = await tableOf(wb, ["images"], "Who Keeps This Alive?", "who holds images");
  const rows = await page.rowsWhen("the holders", (all) => all.length >= 2);
  expect(rows.map(({ holder }) => holder)).toEqual(expect.arrayContaining(['batch["image"]', "cache[0]"]));
  expect(rows[0]?.["how"]).toBe("a name in sight");
});

async function tableOf(wb: Workbench, row: readonly string[], command: string, answer: string): Promise<TablePage> {
  await wb.inspector.choose([...row], command);
  await until(`the answer ${answer}`, async () =>
    (await wb.inspector.rows()).some(({ label, description }) => label === answer && description !== ""),
  );
  await wb.inspector.choose([answer], "Open as Table");
  return new TablePage(wb, answer);
}
