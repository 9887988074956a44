/** The item in the status bar. */
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
import { textNow } from "./bed/wait.ts";

const program = `\
import torch


def main():
    good = torch.ones(3)
    for bad in torch.tensor([1.0, float("nan")]), torch.tensor([float("inf"), 0.0]), good:
        kept = [bad]
        print(kept)  # STOP


main()
`;

const test = testIn({ files: { "status.py": program } });

test("says how many values hold NaN, and a click goes to the first, in a hidden side bar too", async ({ wb }) => {
  await wb.debug.start("status.py");
  await expect.poll(() => textNow(wb.status)).toBe("2 values with NaN"); // `bad`, and `kept`, which holds it
  await wb.showOnly("Call Stack");
  await wb.channel.execute("workbench.action.closeSidebar");
  await wb.status.click();
  const row = wb.inspector.root.locator(".monaco-list:focus .monaco-list-row.focused.selected");
  await row.filter({ hasText: /^bad/ }).waitFor();
});

test("says at the next stop what holds there", async ({ wb }) => {
  await wb.debug.continueToStop();
  await expect.poll(() => textNow(wb.status)).toBe("2 values with Inf");
});

test("says nothing where nothing is wrong, and its tooltip how long reading took", async ({ wb }) => {
  await wb.debug.continueToStop();
  await expect.poll(() => textNow(wb.status)).toBe("");
  await wb.status.hover();
  await expect.poll(() => textNow(wb.page.locator(".workbench-hover-container"))).toMatch(/Read in [\d.]+ ms\./);
});
