/** What lenses answer about values of the paused program, in the tree. */
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
import { areWanted, NOT_WANTED, looks } from "./bed/pictures.ts";
import type { Row } from "./bed/rows.ts";
import type { Workbench } from "./bed/workbench.ts";

const program = `\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        return torch.relu(self.fc(self.norm(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(6))
        self.head = nn.Linear(8, 2)
        self.unused = nn.Linear(8, 8)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def main():
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    batch = torch.linspace(-1, 1, 32).reshape(4, 8)
    target = torch.tensor([0, 1, 0, 1])
    for step in range(2):
        logits = model(batch)
        loss = nn.functional.cross_entropy(logits, target)
        broken = (logits[0] * 0 - 1).log().sum()
        print("before")  # STOP
        loss.backward()
        print("after")  # STOP
        optimizer.step()
        optimizer.zero_grad()
    return broken


main()
`;

const test = testIn({ files: { "lenses.py": program } });

test.beforeAll(async ({ wb }) => {
  await wb.debug.start("lenses.py");
  await wb.showOnly(wb.inspector.title);
  await wb.inspector.row("2 findings"); // which come on top, and move all others
});

/** Until an answer says so, and, where it was just asked for, has the keyboard: the rows then stand still. */
function said(wb: Workbench, label: string, text: RegExp, { selected = true } = {}): Promise<readonly Row[]> {
  return wb.inspector.rowsWhen(`${label}: ${text.source}`, (rows) =>
    rows.some((row) => row.label === label && text.test(row.description) && (row.selected || !selected)),
  );
}

test("Show Autograd Graph opens the graph of a tensor on top, with the parameters' names at its ends", async ({
  wb,
}) => {
  expect(await wb.inspector.menuItems("batch")).not.toContain("Show Autograd Graph");
  await wb.inspector.choose(["loss"], "Show Autograd Graph");
  await said(wb, "autograd of loss", /^28 ops · 26 parameters/);
  const rows = await wb.inspector.expand("autograd of loss");
  expect(rows.map(({ label }) => label)).toContain("× 5 alike"); // the first takes the batch, which has no graph
});

test("Where Did the NaN Begin? is offered on what holds NaN, and names the operation and the line", async ({ wb }) => {
  expect(await wb.inspector.menuItems("loss")).not.toContain("Where Did the NaN Begin?");
  await wb.inspector.choose(["broken"], "Where Did the NaN Begin?");
  await said(wb, "NaN origin: broken", /^Log, line \d+ · log of a negative number · /);
  await wb.inspector.choose(["NaN origin: broken"], "Remove");
});

test("Show Gradients opens the table of a model's gradients, the worst first", async ({ wb }) => {
  expect(await wb.inspector.menuItems("batch")).not.toContain("Show Gradients");
  await wb.inspector.choose(["model"], "Show Gradients");
  await said(wb, "gradients of model", /^28 None · /);
  await wb.debug.continueToStop();
  await said(wb, "gradients of model", /^2 None · 28 parameters · norm/, { selected: false });
  await said(wb, "autograd of loss", /freed by a backward/, { selected: false });
  const [depth, ...parameters] = await wb.inspector.expand("gradients of model");
  expect(depth).toMatchObject({ label: "along depth", description: expect.stringMatching(/^[▁-█]{7} · first /) });
  const worst = parameters.slice(0, 2).map(({ label, description }) => `${label} ${description}`);
  expect(worst).toEqual(["unused.weight None", "unused.bias None"]);
  expect(await wb.inspector.menuItems("optimizer")).toContain("Show Gradients");
});

test("Why No Gradient? on a parameter says where the path from the loss breaks", async ({ wb }) => {
  await wb.inspector.expand("gradients of model", "unused.weight");
  await wb.inspector.choose(["gradients of model", "unused.weight", "model.unused.weight"], "Why No Gradient?");
  const label = "no gradient? model…sed.weight";
  await said(wb, label, /not used in forward|the loss was not computed with it/);
  await wb.inspector.choose([label], "Remove");
});

test("they have pictures for people to look at, in a narrow side bar", async ({ wb, skip }) => {
  skip(!areWanted, NOT_WANTED);
  await wb.showOnly(wb.inspector.title);
  await wb.widenSideBar(300);
  await looks(wb, "lenses");
});
