/** Debugging without a launch.json. */
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
import { until } from "./bed/wait.ts";

const STEP = `import os
import torch
weights = torch.rand(4, 4)
print(os.environ.get("RANK"))  # STOP
`;
const test = testIn({ files: { "train.py": STEP } });
const WAYS = ["Training Script: Current File", "torchrun on Two Processes: Current File", "pytest: Current File"];

test("VS Code lists a script, torchrun and pytest, and starts what is picked", async ({ wb }) => {
  await wb.openFile("train.py", 1);
  await wb.debug.breakAt("train.py", [4]);
  await wb.channel.execute("workbench.action.debug.selectandstart");
  await wb.page.locator(".quick-input-widget .monaco-list-row", { hasText: "Python Debugger..." }).click();
  const rows = await until("the ways to start", async () => {
    const shown = await wb.quickInput.rows();
    return shown.some((row) => row.includes("torchrun")) && shown;
  });
  expect(WAYS.filter((way) => !rows.some((row) => row.startsWith(way)))).toEqual([]);
  await wb.debug.stopAfter(() => wb.quickInput.pick(WAYS[0]!));
  await wb.showOnly(wb.inspector.title);
  expect(await wb.inspector.row("weights")).toMatchObject({
    description: expect.stringContaining("f32[4,4]") as string,
  });
  await wb.debug.continueToEnd();
});
