/** Answers and variables as tables: sorted, filtered, and each row shows what it is of. */
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
import { areWanted, NOT_WANTED, looks, shot, tourOfEditor } from "./bed/pictures.ts";
import { TablePage } from "./bed/tablePage.ts";
import { until } from "./bed/wait.ts";

const program = `\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(16)
        self.fc = nn.Linear(16, 16)

    def forward(self, x):
        return x + torch.tanh(self.fc(self.norm(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(30))
        self.head = nn.Linear(16, 2)
        self.unused = nn.Linear(16, 16)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def main():
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    batch = torch.linspace(-1, 1, 64).reshape(4, 16)
    target = torch.tensor([0, 1, 0, 1])
    scores = torch.tensor([[0.5, float("nan")], [float("inf"), -2.0]])
    counts = torch.arange(6)
    lr = 0.001
    name = "run 7"
    for step in range(3):
        loss = nn.functional.cross_entropy(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        norms = {name: p.grad.norm().item() for name, p in model.named_parameters() if p.grad is not None}
        largest = " ".join(sorted(norms, key=norms.get, reverse=True)[:3])
        print(largest)  # STOP
        optimizer.step()


main()
`;

const test = testIn({ files: { "tables.py": program } });

/** The names of the parameters with the largest gradients, by torch. */
let largest = "";

test.beforeAll(async ({ wb }) => {
  await wb.debug.start("tables.py");
  await wb.variables.expand("Locals");
  largest = (await wb.variables.row("Locals", "largest")).description;
  await wb.showOnly(wb.inspector.title);
  await wb.inspector.row("model");
  await wb.channel.execute("workbench.action.closePanel");
});

test("Open as Table shows the gradients of a model along depth, all of them", async ({ wb }) => {
  await wb.inspector.choose(["model"], "Show Gradients");
  await wb.inspector.rowsWhen("the gradients", (rows) =>
    rows.some(({ label, description }) => label === "gradients of model" && description.includes("norm")),
  );
  await wb.inspector.choose(["gradients of model"], "Open as Table");
  const page = new TablePage(wb, "gradients of model");
  await until("all rows", async () => (await page.count()) === "124 rows");
  const [first] = await page.rows();
  expect(first).toMatchObject({ parameter: "model.blocks[0].norm.weight", depth: "0" });
  expect(await (await page.locator(".plot svg")).getAttribute("aria-label")).toMatch(/^gradient of 124 rows, from /);
  await tourOfEditor(wb, "table");
  await looks(wb, "tables/gradients");
});

test("is sorted by a click on a column's name, as torch sorts", async ({ wb }) => {
  const page = new TablePage(wb, "gradients of model");
  await page.sortBy("gradient");
  const rows = await page.rowsWhen("sorted rows", ([first]) => first?.["parameter"] !== "model.blocks[0].norm.weight");
  const names = rows
    .slice(0, 3)
    .map(({ parameter = "" }) => parameter.replace("model.", "").replaceAll(/\[(\d+)\]/g, ".$1"));
  expect(`'${names.join(" ")}'`).toBe(largest);
  expect(await (await page.locator("thead th[aria-sort=descending] button")).innerText()).toMatch(/^gradient/);
});

test("is filtered by words and conditions, and says how many rows are left", async ({ wb }) => {
  const page = new TablePage(wb, "gradients of model");
  await page.filter("unused");
  expect(await page.count()).toBe("2 of 124 rows");
  expect((await page.rows()).map(({ gradient }) => gradient)).toEqual(["None", "None"]);
  await page.filter("bias depth < 4");
  expect((await page.rows()).map(({ parameter }) => parameter)).toEqual(
    expect.arrayContaining(["model.blocks[0].norm.bias", "model.blocks[0].fc.bias"]),
  );
  expect(await page.count()).toBe("2 of 124 rows");
});

test("Enter shows the row's value: in the tree, and on the details page", async ({ wb }) => {
  const page = new TablePage(wb, "gradients of model");
  await page.filter("blocks[29].fc.weight");
  const grid = await page.locator("table[role=grid]");
  await grid.press("ArrowDown");
  await grid.press("Enter");
  await wb.inspector.rowsWhen("the parameter's row", (rows) =>
    rows.some(({ label, selected }) => selected && label.endsWith("[29].fc.weight")),
  );
  const details = await wb.webview("main h1 code");
  await until("its details", async () =>
    (await details.locator("main h1").innerText()).includes("model.blocks[29].fc.weight"),
  );
  await shot(wb, "tables/revealed");
});

test("Open Variables as Table shows the frame: ranges, NaN, gradients, and what has changed", async ({ wb }) => {
  await wb.channel.execute("workbench.action.closePanel");
  await wb.channel.execute("tensorInspector.openFrameAsTable");
  const page = new TablePage(wb, "variables");
  const rows = await page.rowsWhen("the variables", (all) => all.some(({ name }) => name === "scores"));
  const of = (name: string) => rows.find((row) => row["name"] === name);
  expect(of("scores")).toMatchObject({ shape: "[2, 2]", dtype: "float32", min: "−2", max: "0.5", NaN: "1", Inf: "1" });
  expect(of("counts")).toMatchObject({ shape: "[6]", dtype: "int64", min: "0", max: "5", mean: "2.5", NaN: "" });
  expect(of("loss")?.["gradient"]).toMatch(/^← NllLoss/);
  await page.filter("nan > 0");
  expect((await page.rows()).map(({ name }) => name)).toEqual(["scores"]);
  await page.filter("");
  await wb.debug.continueToStop();
  await page.rowsWhen("what has changed", (all) =>
    all.some(({ name, changed }) => name === "loss" && changed === "changed"),
  );
  await tourOfEditor(wb, "variables");
  await looks(wb, "tables/variables");
});

test("layers and shapes are tables of the model's tree, and a row leads to its layer", async ({ wb }) => {
  await wb.channel.execute("workbench.action.closeAllEditors");
  await wb.showOnly(wb.inspector.title);
  await wb.inspector.choose(["model"], "Show Layers");
  await wb.inspector.rowsWhen("the layers", (rows) => rows.some(({ label }) => label === "layers of model"));
  await wb.inspector.choose(["layers of model"], "Open as Table");
  const page = new TablePage(wb, "layers of model");
  const rows = await page.rowsWhen("layers", ([first]) => first?.["layer"] === "the model");
  expect(rows[0]).toMatchObject({ type: "Net", share: "100%", mode: "train" });
  await page.filter("blocks.17.fc");
  expect(await page.rows()).toMatchObject([{ layer: "blocks.17.fc", type: "Linear", parameters: "272" }]);
  await (await page.locator("tbody tr")).click();
  await wb.inspector.rowsWhen("the row of the layer", (all) =>
    all.some(({ label, selected, level }) => selected && label === "fc" && level > 2),
  );
  await page.filter("");
  await shot(wb, "tables/layers");
});

test("memory, environment and findings are tables too", async ({ wb }) => {
  await wb.channel.execute("workbench.action.closeAllEditors");
  await wb.channel.execute("tensorInspector.showMemory");
  await wb.inspector.rowsWhen("the memory", (rows) =>
    rows.some(({ label, description }) => label === "memory" && description.includes("KiB")),
  );
  await wb.inspector.choose(["Program", "memory"], "Open as Table");
  const memory = new TablePage(wb, "memory");
  const rows = await memory.rowsWhen("variables", (all) => all.some(({ what }) => what === "variable"));
  expect(rows[0]?.["bytes"]).toMatch(/ KiB$/);
  expect(rows.map(({ name }) => name)).toContain("gradients");
  await shot(wb, "tables/memory");
  await wb.channel.execute("tensorInspector.showEnvironment");
  await wb.inspector.rowsWhen("the environment", (all) =>
    all.some(({ label, selected }) => label === "environment" && selected),
  );
  await wb.inspector.choose(["Program", "environment"], "Open as Table");
  const environment = new TablePage(wb, "environment");
  await environment.filter("version torch");
  await environment.rowsWhen("torch's version", (all) => all.some(({ setting }) => setting === "torch"));
  await shot(wb, "tables/environment");
  await wb.inspector.choose(["model.unused took no part in the forward"], "Open as Table");
  const findings = new TablePage(wb, "findings");
  const [finding] = await findings.rowsWhen("the finding", (all) => all.length === 1);
  expect(finding).toMatchObject({ severity: "warning", file: "tables.py", line: "20" });
  await (await findings.locator("tbody tr")).click();
  await until("the cursor at the finding's line", async () =>
    (await wb.page.locator(".part.statusbar").innerText()).includes("Ln 20"),
  );
  await shot(wb, "tables/findings");
});

test("it has pictures for people to look at, 300 pixels wide", async ({ wb, skip }) => {
  skip(!areWanted, NOT_WANTED);
  await wb.inspector.rowsWhen("the gradients", (rows) =>
    rows.some(({ label, description }) => label === "gradients of model" && description.includes("norm")),
  );
  await wb.inspector.choose(["gradients of model"], "Open as Table");
  const page = new TablePage(wb, "gradients of model");
  await page.frame();
  const size = wb.page.viewportSize()!;
  await wb.page.setViewportSize({ width: 980, height: size.height });
  await shot(wb, "tables/narrow");
  await wb.page.setViewportSize(size);
});
