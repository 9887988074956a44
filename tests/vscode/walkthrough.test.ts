/** A person's first minutes: the walkthrough, and the sample on which it shows what there is. */
import { existsSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { DetailsPage } from "./bed/detailsPage.ts";
import { testIn } from "./bed/fixture.ts";
import { isDone } from "./bed/menu.ts";
import { looks, movingFrame } from "./bed/pictures.ts";
import { until } from "./bed/wait.ts";

const SAMPLE = "tensor_inspector_sample.py";
// In a window whose settings for AI have changed meanwhile, VS Code opens its own welcome page.
const test = testIn({ files: { "empty.py": "" }, alone: true });

test("has four steps, whose buttons are commands that are there", async ({ wb }) => {
  const steps = wb.page.locator(".getting-started-step");
  // Where VS Code has not read the walkthrough yet, it opens its own welcome page.
  await until("four steps", async () => {
    await wb.channel.execute("workbench.action.openWalkthrough", "tensor-inspector.tensor-inspector#start");
    return isDone(steps.nth(3).waitFor({ timeout: 5000 }));
  });
  expect(await steps.locator("h3").allInnerTexts()).toEqual([
    "Pause a program",
    "See what is wrong",
    "Look into a value",
    "Stop at the first NaN",
  ]);
  await wb.page.locator(".getting-started-step .monaco-button", { hasText: "Open Sample…" }).waitFor();
  await looks(wb, "walkthrough/steps");
});

test("writes the sample where the user says, with a breakpoint in it", async ({ wb }) => {
  await wb.page.locator(".getting-started-step .monaco-button", { hasText: "Open Sample…" }).click();
  await wb.quickInput.answerFile(path.join(wb.workspace.folder, SAMPLE), SAMPLE);
  await until("the sample", () => Promise.resolve(existsSync(path.join(wb.workspace.folder, SAMPLE))));
  await wb.page.locator(".editor-container .codicon-debug-breakpoint").first().waitFor();
});

test("the sample pauses with values and a finding", async ({ wb }) => {
  const program = path.join(wb.workspace.folder, SAMPLE);
  await wb.debug.stopAfter(() => wb.debug.launch({ type: "debugpy", request: "launch", name: SAMPLE, program }));
  await wb.showOnly(wb.inspector.title);
  await wb.inspector.rowsWhen("the finding", (rows) =>
    rows.some(({ label, description }) => `${label} ${description}`.includes("cross_entropy")),
  );
  await wb.inspector.rowsWhen("the images", (rows) => rows.some(({ label }) => label === "images"));
  await wb.widenSideBar(440);
  await movingFrame(wb, "1-paused");
});

test("the sample's values can be looked into", async ({ wb }) => {
  const hover = await wb.editor.hover({ line: 12, text: "probabilities" });
  expect(hover.text).toContain("float32[64, 10]");
  await movingFrame(wb, "2-hover");
  await wb.editor.leaveHover();
  await wb.inspector.choose(["probabilities"], "Show Details");
  const page = new DetailsPage(wb);
  await page.textWith("float32[64, 10]");
  await page.reveal(".canvas");
  await movingFrame(wb, "3-details");
});

test("stops the sample where its NaN arises", async ({ wb }) => {
  await wb.channel.execute("tensorInspector.breakAtNan");
  await wb.inspector.rowsWhen("the watchpoint", (rows) => rows.some(({ label }) => label === "Watchpoints"));
  await wb.debug.breakAt(SAMPLE, []);
  expect(await wb.debug.continueToStop()).toBe(13);
  await wb.inspector.rowsWhen("what was hit", (rows) =>
    rows.some(({ label, description }) => `${label} ${description}`.includes("Inf of log, which became NaN")),
  );
  await movingFrame(wb, "4-stopped");
});
