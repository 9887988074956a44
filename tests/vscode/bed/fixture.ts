/** The bed for vitest: one server and one browser for the run, a window for each use. */
import { cpSync, globSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import { expect, inject } from "vitest";
import { root } from "../../setup.mjs";
import { asText } from "./pane.ts";
import { Workbench } from "./workbench.ts";
import type { WorkspaceOptions } from "./workbench.ts";

/** Gives a test a window of its own; if the test fails, test-results/ tells what the window showed. */
export async function withWorkbench(options: WorkspaceOptions, use: (wb: Workbench) => Promise<void>): Promise<void> {
  const { server, browser: endpoint } = inject("bed");
  const browser = await chromium.connect(endpoint);
  try {
    const wb = await Workbench.open(browser, server, options);
    try {
      await use(wb);
    } catch (error) {
      const test = expect.getState().currentTestName ?? "unnamed";
      await report(wb, server.home, test).catch((trouble: unknown) => console.error("no full report:", trouble));
      throw error;
    } finally {
      await wb.close();
    }
  } finally {
    await browser.close();
  }
}

async function report(wb: Workbench, serverHome: string, test: string): Promise<void> {
  const folder = path.join(root, "test-results", test.replaceAll(/\W+/g, "-"));
  rmSync(folder, { recursive: true, force: true });
  await wb.screenshot(path.join(folder, "window.png"));
  writeFileSync(path.join(folder, "page.html"), await wb.page.content());

  const logs = globSync("user-data/logs/*/exthost*/remoteexthost.log", { cwd: serverHome }).toSorted();
  const kept = {
    "dap.jsonl": path.join(wb.workspace.home, "dap.jsonl"),
    "extension-host.log": path.join(serverHome, logs.at(-1) ?? ""),
  };
  for (const [name, file] of Object.entries(kept)) {
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) cpSync(file, path.join(folder, name));
  }

  await wb.page.keyboard.press("Escape"); // an open menu is in the way of all else
  const panes: string[] = [];
  for (const pane of [wb.variables, wb.watch, wb.callStack, wb.inspector]) {
    if (await pane.root.isVisible()) panes.push(`${pane.title}\n${asText(await pane.rows())}\n${await pane.welcome()}`);
  }
  writeFileSync(path.join(folder, "panes.txt"), panes.join("\n\n"));
}
