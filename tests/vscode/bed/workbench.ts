/** One VS Code window in the browser: what tests do in it and read from it. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser, Frame, Locator, Page } from "playwright-core";
import { root } from "../../../scripts/paths.mjs";
import { windowSize } from "./browser.ts";
import { Channel } from "./channel.ts";
import { DebugConsole } from "./console.ts";
import { Debugging } from "./debugging.ts";
import { Editor } from "./editor.ts";
import { QuickInput } from "./menu.ts";
import { Pane } from "./pane.ts";
import { Recording } from "./recording.ts";
import type { ServerAddress, Settings } from "./server.ts";
import { patience, until } from "./wait.ts";

export interface WorkspaceOptions {
  /** Files to put into the workspace: name to text. */
  readonly files?: Readonly<Record<string, string>>;
  /** Programs to copy into it, by their names in tests/programs/. */
  readonly programs?: readonly string[];
  readonly settings?: Settings;
  /** The server of the window; without it, that of all tests. */
  readonly server?: ServerAddress;
  /** The folder's name, which the window's title shows. */
  readonly name?: string;
  /** Whether the window must be new, and is not used again. */
  readonly alone?: boolean;
}

/** A window's folders: `home` holds the workspace beside what the bed's extension writes. */
export interface Workspace {
  readonly home: string;
  /** Where the programs are: the workspace's folder, or one in it. */
  readonly folder: string;
  readonly url: string;
  /** The workspace's settings. */
  readonly settings: string;
}

export const themes = {
  dark: "Dark Modern",
  light: "Light Modern",
  "high-contrast": "Default High Contrast",
  "high-contrast-light": "Default High Contrast Light",
} as const;

export function createWorkspace(server: ServerAddress, options: WorkspaceOptions): Workspace {
  const home = mkdtempSync(path.join(server.home, "window-"));
  const folder = path.join(home, options.name ?? "workspace");
  const settings = path.join(folder, ".vscode", "settings.json");
  mkdirSync(path.dirname(settings), { recursive: true });
  writeFileSync(settings, JSON.stringify(options.settings ?? {}));
  fill(folder, options);
  return { home, folder, settings, url: `${server.url}/?folder=${encodeURIComponent(folder)}` };
}

function fill(folder: string, options: WorkspaceOptions): void {
  for (const program of options.programs ?? [])
    cpSync(path.join(root, "tests", "programs", program), path.join(folder, program));
  for (const [name, text] of Object.entries(options.files ?? {})) writeFileSync(path.join(folder, name), text);
}

/** Commands that take away all that a test file may leave in its window. */
const cleaning = [
  "tensorInspector.unpinAll",
  "tensorInspector.removeAllAnswers",
  "tensorInspector.removeAllWatchpoints",
  "tensorInspector.restoreDismissed",
  "tensorInspector.showAll",
  "workbench.debug.viewlet.action.removeAllWatchExpressions",
  "workbench.action.closeAllEditors",
  "workbench.debug.panel.action.clearReplAction",
  "workbench.panel.repl.view.focus", // where a window's first session leads, and no later one
  "workbench.view.debug",
];

export class Workbench {
  readonly page: Page;
  readonly workspace: Workspace;
  readonly channel: Channel;
  readonly recording: Recording;
  readonly editor: Editor;
  readonly debug: Debugging;
  readonly console: DebugConsole;
  readonly quickInput: QuickInput;
  readonly variables: Pane;
  readonly watch: Pane;
  readonly callStack: Pane;
  /** The view of the extension under test. */
  readonly inspector: Pane;
  /** The item in the status bar of the extension under test. */
  readonly status: Locator;

  private constructor(page: Page, workspace: Workspace, channel: Channel) {
    this.page = page;
    this.workspace = workspace;
    this.channel = channel;
    this.recording = new Recording(workspace.home);
    this.editor = new Editor(page);
    this.debug = new Debugging(page, channel, this.recording, this.editor, workspace.folder);
    this.console = new DebugConsole(page);
    this.quickInput = new QuickInput(page);
    this.variables = this.pane("Variables");
    this.watch = this.pane("Watch");
    this.callStack = this.pane("Call Stack");
    this.inspector = this.pane("Tensor Inspector");
    this.status = page.locator('[id="tensor-inspector.tensor-inspector.tensorInspector.status"]');
  }

  /** Opens a window on a new workspace, with Run and Debug in the side bar, and waits until its extension host runs. */
  static async open(browser: Browser, server: ServerAddress, options: WorkspaceOptions = {}): Promise<Workbench> {
    const workspace = createWorkspace(server, options);
    const page = await browser.newPage({ viewport: windowSize });
    page.setDefaultTimeout(patience);
    await page.addInitScript(collectNotifications);
    await page.goto(workspace.url);
    await page.locator(".monaco-workbench").waitFor();
    const channel = await Channel.open(workspace.home);
    // VS Code expands Locals by itself only if the view is there before the first stop.
    await channel.execute("workbench.view.debug");
    return new Workbench(page, workspace, channel);
  }

  /** The window on other files, as if it were new. */
  async renew(options: WorkspaceOptions): Promise<Workbench> {
    await this.debug.stop();
    await this.channel.setBreakpoints([]);
    for (const command of cleaning) await this.channel.execute(command);
    const kept = Object.keys(JSON.parse(readFileSync(this.workspace.settings, "utf8")) as Settings);
    await this.channel.changeSettings({ ...Object.fromEntries(kept.map((name) => [name, null])), ...options.settings });
    await this.page.mouse.move(2, 2);
    await this.forgetNotifications();
    const folder = mkdtempSync(path.join(path.dirname(this.workspace.settings), "..", "files-"));
    fill(folder, options);
    return new Workbench(this.page, { ...this.workspace, folder }, this.channel);
  }

  /** Ends the debug sessions and closes the window. */
  async close(): Promise<void> {
    await this.channel.stopDebugging();
    await this.page.goto("about:blank"); // leaving the page ends its extension host at once
    await this.page.context().close();
  }

  pane(title: string): Pane {
    return new Pane(this.page, title);
  }

  /** Shows a workspace file with the cursor at a line. */
  openFile(name: string, line: number): Promise<void> {
    return this.channel.open(path.join(this.workspace.folder, name), line);
  }

  /** Expands these panes of the side bar and collapses the others. */
  async showOnly(...titles: string[]): Promise<void> {
    const headings = this.page.locator(".sidebar .pane-header h3.title");
    await headings.first().waitFor();
    for (const title of titles) await this.pane(title).show();
    for (const title of await headings.allInnerTexts()) if (!titles.includes(title)) await this.pane(title).hide();
  }

  /** Drags the edge of the side bar. */
  async widenSideBar(width: number): Promise<void> {
    const box = await this.page.locator(".part.sidebar").boundingBox();
    if (box === null) throw new Error("the side bar is hidden");
    const edge = box.x + box.width;
    const y = box.y + box.height / 2;
    await this.page.mouse.move(edge, y);
    await this.page.mouse.down();
    await this.page.mouse.move(box.x + width, y, { steps: 5 });
    await this.page.mouse.up();
  }

  async addWatch(expression: string): Promise<void> {
    await this.watch.show();
    await this.watch.clickHeaderAction("Add Expression");
    await this.watch.typeInRow(expression);
    await this.watch.row(expression);
  }

  /** Changes a variable of the paused program in the Variables view. */
  async setValue(variable: readonly string[], value: string): Promise<void> {
    await this.variables.choose(variable, "Set Value");
    await this.variables.typeInRow(value);
  }

  /** Clicks a frame in the call stack, and waits until its line is marked. */
  async selectFrame(name: string): Promise<void> {
    const { description } = await this.callStack.row(name);
    await this.callStack.click(name);
    const line = Number.parseInt(description, 10);
    await until(`line ${line} of ${name} to be marked`, async () => (await this.editor.markedLine()) === line);
  }

  /** Changes settings of the workspace; VS Code picks them up by itself. */
  changeSettings(settings: Settings): void {
    const { settings: file } = this.workspace;
    const current = JSON.parse(readFileSync(file, "utf8")) as Settings;
    writeFileSync(file, JSON.stringify({ ...current, ...settings }));
  }

  async switchTheme(theme: keyof typeof themes): Promise<void> {
    this.changeSettings({ "workbench.colorTheme": themes[theme] });
    const classes = { dark: "vs-dark", light: "vs", "high-contrast": "hc-black", "high-contrast-light": "hc-light" };
    await this.page.locator(`.monaco-workbench.${classes[theme]}`).waitFor();
  }

  /** Every notification that has popped up in this window. */
  notifications(): Promise<string[]> {
    return this.page.evaluate(() => [...((globalThis as { bedNotifications?: Set<string> }).bedNotifications ?? [])]);
  }

  /** Those so far were asked for. */
  async forgetNotifications(): Promise<void> {
    await this.page.evaluate(() => (globalThis as { bedNotifications?: Set<string> }).bedNotifications?.clear());
  }

  /** The frame of the webview that holds an element. */
  webview(selector: string): Promise<Frame> {
    return until(`a webview with ${selector}`, async () => {
      for (const frame of this.page.frames().slice(1)) if (await holds(frame, selector)) return frame;
      return undefined;
    });
  }

  /** Of the window or an element, no more than `height` pixels of it. */
  async screenshot(file: string, of?: Locator, height = Infinity): Promise<void> {
    mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
    await of?.waitFor();
    const box = await of?.boundingBox();
    if (box === null) throw new Error("what the picture is to be of has gone");
    const clip = box === undefined ? {} : { clip: { ...box, height: Math.min(box.height, height) } };
    await this.page.screenshot({ path: file, animations: "disabled", caret: "hide", ...clip });
  }
}

/** Whether an element is in a frame now; in one that has gone meanwhile there is none. */
async function holds(frame: Frame, selector: string): Promise<boolean> {
  try {
    return (await frame.locator(selector).count()) > 0;
  } catch (error) {
    if (frame.isDetached()) return false;
    throw error;
  }
}

/** Runs in the page from its start: notifications come and go. */
function collectNotifications(): void {
  const texts = new Set<string>();
  Object.assign(globalThis, { bedNotifications: texts });
  const collect = (): void => {
    for (const { textContent } of document.querySelectorAll(".notification-list-item-message")) texts.add(textContent);
  };
  new MutationObserver(collect).observe(document, { childList: true, subtree: true, characterData: true });
}
