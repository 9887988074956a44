/** A copy that is kept of a value at one stop is compared with it at the next: what did this step change? */
import path from "node:path";
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
import { looks, shot } from "./bed/pictures.ts";
import { until } from "./bed/wait.ts";
import type { Workbench } from "./bed/workbench.ts";

const program = `\
import torch


def train(model, optimizer, lines):
    for step in range(3):
        print("before", step)
        optimizer.zero_grad()
        model(torch.ones(4, 2)).square().mean().backward()
        optimizer.step()


model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
model[0].requires_grad_(False)
optimizer = torch.optim.Adam(model[1].parameters(), lr=0.5)
train(model, optimizer, (line for line in []))
`;
const STOP = program.split("\n").findIndex((line) => line.includes("print")) + 1;

const test = testIn({ files: { "steps.py": program }, alone: true });

test.afterEach(async ({ wb }) => wb.debug.stop());

test("keeps a model as a copy and an optimizer by checksums, and tells what a step changes in them", async ({ wb }) => {
  await wb.debug.breakAt("steps.py", [STOP]);
  const file = path.join(wb.workspace.folder, "steps.py");
  const launched = {
    type: "debugpy",
    request: "launch" as const,
    name: "steps",
    program: file,
    cwd: wb.workspace.folder,
  };
  await wb.debug.stopAfter(() => wb.debug.launch(launched));
  await wb.showOnly(wb.inspector.title);
  await wb.inspector.choose(["model"], "Keep for Compare…");
  await until("both ways to keep it", async () => (await wb.quickInput.rows()).length === 2);
  await shot(wb, "keep/choice");
  await wb.quickInput.pick("Copy");
  const kept = `model since line ${STOP}`;
  await described(wb, kept, /^equal · \d+ values compared/);
  await wb.inspector.choose(["optimizer"], "Keep for Compare…");
  await wb.quickInput.pick("Statistics and Checksums");
  await described(wb, `optimizer since line ${STOP}`, /^equal · /);

  await wb.debug.continueToStop();
  await described(wb, kept, /^4 differences · /);
  await described(wb, `optimizer since line ${STOP}`, /^\d+ differences · /);
  const changed = await wb.inspector.expand(kept);
  expect(changed.map(({ label }) => label).toSorted()).toEqual([
    "[1].bias",
    "[1].bias.grad",
    "[1].weight",
    "[1].weight.grad",
  ]);
  await looks(wb, "keep/changed");

  await wb.inspector.choose(["lines"], "Keep for Compare…");
  await until("why it is not kept", async () =>
    (await wb.inspector.message()).startsWith("lines can't be kept: a generator"),
  );
  await wb.inspector.choose([kept], "Remove");
  await wb.debug.continueToStop();
  await wb.inspector.rowsWhen("without what was removed", (rows) => rows.every(({ label }) => label !== kept));
});

async function described(wb: Workbench, label: string, text: RegExp): Promise<void> {
  await wb.inspector.rowsWhen(`${label}: ${text}`, (rows) =>
    rows.some((row) => row.level === 1 && row.label === label && text.test(row.description)),
  );
}
