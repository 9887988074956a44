/** The autograd graph as a picture: folded blocks, marks, and each leaf shows its value. */
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
import { GraphTab } from "./bed/graphPage.ts";
import { areWanted, looks, shot, tourOfEditor } from "./bed/pictures.ts";
import { until } from "./bed/wait.ts";

const program = `\
import torch
from torch import nn


def walk(tensor):
    waiting, seen = [tensor.grad_fn], {}
    while waiting:
        node = waiting.pop()
        if node is not None and id(node) not in seen:
            seen[id(node)] = node
            waiting.extend(below for below, _ in node.next_functions)
    return len(seen)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(16, 16)
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True) for _ in range(4))
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        x = self.embed(x)
        for layer in self.layers:
            x = layer(x)
        return self.head(x.mean(1))


def main():
    torch.manual_seed(0)
    model = Net()
    teacher = nn.Linear(16, 2)
    batch = torch.randn(4, 6, 16)
    scores = model(batch)
    hidden = teacher(batch.mean(1))
    goal = hidden.detach()
    scale = scores.exp()
    loss = ((scores - goal) * goal * scale).mean()
    with torch.no_grad():
        scale.add_(1)
    count = f"{walk(loss)} nodes"
    print(count)  # STOP

    weight = torch.tensor([-1.0, 2.0], requires_grad=True)
    loss = weight.log().sum()
    print("NaN")  # STOP

    loss = weight.exp().sum()
    loss.backward()
    print("freed")  # STOP

    wave = torch.zeros(4, requires_grad=True)
    loss = wave
    for _ in range(1700):
        loss = loss + loss.tanh() * 0.5
    loss = loss.sum()
    count = f"{walk(loss)} nodes"
    print("large")  # STOP


main()
`;

const test = testIn({ files: { "graph.py": program } });

function lineOf(text: string): number {
  return program.split("\n").findIndex((line) => line.includes(text)) + 1;
}

test.beforeAll(async ({ wb }) => {
  await wb.debug.start("graph.py");
  await wb.showOnly(wb.inspector.title);
  await wb.inspector.row("loss");
  await wb.channel.execute("workbench.action.closePanel");
});

test("Open as Graph draws the graph of a loss: as many nodes as torch has, its modules folded", async ({ wb }) => {
  await wb.inspector.choose(["loss"], "Open as Graph");
  const graph = new GraphTab(wb, "loss");
  const [nodes, shown] = await graph.counts();
  const counted = (await wb.inspector.row("count")).description;
  expect(counted).toContain(`${nodes} nodes`);
  expect(shown).toBeLessThan(80);
  expect(shown).toBeGreaterThan(5);
  await (await graph.locator("canvas")).waitFor();
  await looks(wb, "graph/transformer");
});

test("its layout is made in a worker", async ({ wb }) => {
  const graph = new GraphTab(wb, "loss");
  const at = (await graph.frame()).url();
  expect(wb.page.workers().map((worker) => worker.url())).toContainEqual(
    expect.stringMatching(new RegExp(`^blob:${new URL(at).origin === "null" ? ".*" : new URL(at).origin}`)),
  );
});

test("a saved tensor that was modified is marked, with its name and the line that changed it", async ({ wb }) => {
  const graph = new GraphTab(wb, "loss");
  await (await graph.locator("button.mark.modified")).click();
  await graph.factsOf(/^mul/); // which has saved it too
  await (await graph.locator("button.mark.modified")).click();
  const facts = await graph.factsOf(/^exp, scale/);
  expect(facts["operation"]).toBe("ExpBackward0");
  expect(facts["modified"]).toBe(`scale: saved “result” at version 0, now 1, line ${lineOf("scale.add_(1)")}`);
  await tourOfEditor(wb, "graph");
  await shot(wb, "graph/modified");
  await (await graph.locator("section.node button.link")).last().click();
  await wb.page.locator(".statusbar-item", { hasText: `Ln ${lineOf("scale.add_(1)")}, Col 1` }).waitFor();
});

test("parameters that are cut off are drawn, with the reason", async ({ wb }) => {
  const graph = new GraphTab(wb, "loss");
  await (await graph.locator("button.mark.broken")).first().click();
  const facts = await graph.factsOf(/^(mul|sub)/);
  expect(facts["broken"]).toMatch(/^detached, line \d+: /);
  expect(facts["parameters"]).toBe("teacher.weight, teacher.bias");
});

test("a leaf that is found is unfolded, and Enter selects its value in the tree", async ({ wb }) => {
  const graph = new GraphTab(wb, "loss");
  await graph.find("layers[2].linear1.weight");
  await graph.factsOf(/^model\.layers\[2\]\.linear1\.weight/);
  const canvas = await graph.locator("canvas");
  await canvas.focus();
  await canvas.press("Enter");
  await wb.inspector.rowsWhen("the parameter's row", (rows) =>
    rows.some(({ label, selected }) => selected && label.endsWith("weight")),
  );
  await until("an unfolded block", async () => (await graph.counts())[1] > 25);
  const before = (await graph.counts())[1];
  await shot(wb, "graph/leaf");
  await canvas.press("Backspace");
  await until("a folded block", async () => (await graph.counts())[1] < before);
});

test("the keyboard follows the edges from the loss down", async ({ wb }) => {
  const graph = new GraphTab(wb, "loss");
  const canvas = await graph.locator("canvas");
  await canvas.press("Home");
  await graph.factsOf(/^mean, loss/);
  await canvas.press("ArrowDown");
  await graph.factsOf(/^mul/);
  await canvas.press("ArrowUp");
  await graph.factsOf(/^mean, loss/);
});

test("all can be unfolded, and is a table too", async ({ wb }) => {
  const graph = new GraphTab(wb, "loss");
  const [nodes] = await graph.counts();
  await (await graph.locator("button:text-is('Unfold All')")).click();
  await until("all nodes", async () => (await graph.counts())[1] >= nodes);
  await (await graph.locator("button:text-is('Fit')")).click();
  await shot(wb, "graph/unfolded");
  await (await graph.locator("details.as-table summary")).click();
  const grid = await graph.locator("table[role=grid]");
  expect(await grid.getAttribute("aria-rowcount")).toBe(String(nodes + 1));
  await shot(wb, "graph/table");
  await (await graph.locator("details.as-table summary")).click();
});

test("follows the program: where NaN began, and what a backward has freed", async ({ wb }) => {
  await wb.debug.continueToStop();
  const graph = new GraphTab(wb, "loss");
  await graph.textWith(/3 nodes, 3 shown/);
  await (await graph.locator("button.mark.nan")).click();
  const facts = await graph.factsOf(/^log/);
  expect(facts["NaN begins"]).toContain("log of a negative number");
  await shot(wb, "graph/nan");
  await wb.debug.continueToStop();
  await until("freed", async () => (await (await graph.locator("button.mark.freed")).count()) === 1);
  await shot(wb, "graph/freed");
});

test("a graph of 5,000 nodes is drawn, and panned", async ({ wb }) => {
  await wb.debug.continueToStop();
  const graph = new GraphTab(wb, "loss");
  await graph.textWith(/5,\d\d\d nodes/);
  const counted = (await wb.inspector.row("count")).description;
  expect(counted).toContain(`${(await graph.counts())[0]} nodes`);
  await (await graph.locator("button:text-is('Unfold All')")).click();
  await until("all nodes", async () => (await graph.counts())[1] > 5000);
  const canvas = await graph.locator("canvas");
  await canvas.press("0");
  await canvas.press("Home");
  if (areWanted) {
    const spent = await canvas.evaluate(timeOfPanning);
    console.log(`panning 5,000 nodes: ${JSON.stringify(spent)}`);
    await canvas.press("0");
    console.log(`the same, all in sight: ${JSON.stringify(await canvas.evaluate(timeOfPanning))}`);
  }
  await graph.find("tanh");
  await graph.factsOf(/^tanh/);
  await shot(wb, "graph/large");
});

/** How many milliseconds of script a frame of panning takes: median and 95th percentile. */
async function timeOfPanning(canvas: Element): Promise<readonly [number, number]> {
  const times: number[] = [];
  const own = window.requestAnimationFrame;
  window.requestAnimationFrame = (draw) =>
    own((time) => {
      const start = performance.now();
      draw(time);
      times.push(performance.now() - start);
    });
  for (let step = 0; step < 60; step += 1) {
    const key = step % 2 === 0 ? "ArrowDown" : "ArrowRight";
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey: true, bubbles: true }));
    await new Promise((resolve) => own(() => setTimeout(resolve)));
  }
  window.requestAnimationFrame = own;
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(10 * (sorted[Math.floor(share * sorted.length)] ?? 0)) / 10;
  return [at(0.5), at(0.95)];
}

test("of a tensor without a graph it says why", async ({ wb }) => {
  await wb.quickInput.runWith("Tensor Inspector: Open as Graph", "batch");
  const graph = new GraphTab(wb, "batch");
  await graph.textWith("batch has no graph: it requires no gradient.");
});
