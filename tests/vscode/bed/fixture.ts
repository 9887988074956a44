/** The bed for vitest: one server for the run, a browser for each worker, and a window for each test or for all files of a worker. */
import { cpSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import { afterEach, expect, inject, test } from "vitest";
import { root } from "../../../scripts/paths.mjs";
import { asText } from "./pane.ts";
import { Workbench } from "./workbench.ts";
import type { WorkspaceOptions } from "./workbench.ts";

/** Gives a test a window of its own; if the test fails, test-results/ tells what the window showed. */
export async function withWorkbench(options: WorkspaceOptions, use: (wb: Workbench) => Promise<void>): Promise<void> {
  const { wb, close } = await openWindow(options);
  try {
    await use(wb);
    await expectUndisturbed(wb);
  } catch (error) {
    await report(wb);
    throw error;
  } finally {
    await close();
  }
}

/** The window that the files of a worker use, one after the other: each finds it as if it were new. */
class SharedWindow {
  #window: Window | undefined;

  async open(options: WorkspaceOptions): Promise<Workbench> {
    if (options.alone === true) await this.close();
    if (this.#window !== undefined) return this.#window.wb.renew(options);
    this.#window = await openWindow(options);
    return this.#window.wb;
  }

  /** The next file gets a new one. */
  async close(): Promise<void> {
    const window = this.#window;
    this.#window = undefined;
    await window?.close();
  }
}

const window = new SharedWindow();

// vitest makes the fixture for each file of a worker, and cleans it up once all have run.
// oxlint-disable-next-line no-empty-pattern -- vitest wants the pattern
const testInWorker = test.extend("window", { scope: "worker" }, ({}, { onCleanup }) => {
  onCleanup(() => window.close());
  return window;
});

/** `test` with a window `wb` that all tests of the file share. What a test leaves behind, a running session too, is there in the next. */
export function testIn(options: WorkspaceOptions) {
  let wb: Workbench | undefined;
  let hasFailed = false;
  afterEach(async ({ task }) => {
    if (wb === undefined) return;
    let disturbed = true;
    try {
      await expectUndisturbed(wb);
      disturbed = false;
    } finally {
      if (disturbed || task.result?.state === "fail") {
        hasFailed = true;
        await report(wb);
      }
    }
  });
  return testInWorker.extend("wb", { scope: "file" }, async ({ window }, { onCleanup }) => {
    // What has failed may have left the window in any state.
    onCleanup(() => (hasFailed || options.alone === true ? window.close() : undefined));
    wb = await window.open(options);
    return wb;
  });
}

interface Window {
  readonly wb: Workbench;
  readonly close: () => Promise<void>;
}

async function openWindow(options: WorkspaceOptions): Promise<Window> {
  const { browsers, server: shared } = inject("bed");
  const { server = shared } = options;
  const browser = await chromium.connect(browsers[Number(process.env["VITEST_POOL_ID"]) - 1]!);
  try {
    const wb = await Workbench.open(browser, server, options);
    const close = async (): Promise<void> => {
      try {
        await wb.close();
      } finally {
        await browser.close();
      }
    };
    return { wb, close };
  } catch (error) {
    await browser.close();
    throw error;
  }
}

/** What holds in every test: nothing has popped up, and the debugger was asked one thing at a time by us, and never to cancel. */
async function expectUndisturbed(wb: Workbench): Promise<void> {
  expect(await wb.notifications()).toEqual([]);
  expect(wb.recording.requests("cancel")).toEqual([]);
  expect(wb.recording.overlapping()).toEqual([]);
}

async function report(wb: Workbench): Promise<void> {
  try {
    await writeReport(wb, expect.getState().currentTestName ?? "unnamed");
  } catch (trouble) {
    console.error("no full report:", trouble);
  }
}

async function writeReport(wb: Workbench, test: string): Promise<void> {
  const folder = path.join(root, "test-results", test.replaceAll(/\W+/g, "-"));
  rmSync(folder, { recursive: true, force: true });
  await wb.screenshot(path.join(folder, "window.png"));
  writeFileSync(path.join(folder, "page.html"), await wb.page.content());

  const kept = {
    "dap.jsonl": path.join(wb.workspace.home, "dap.jsonl"),
    "hovers.jsonl": path.join(wb.workspace.home, "hovers.jsonl"),
    "extension-host.log": path.join(wb.channel.logs, "remoteexthost.log"),
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
