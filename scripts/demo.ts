/**
 * `npm run demo`: VS Code with the packaged extension, paused in a sample training script.
 *
 *     npm run demo                        in your browser, until Ctrl+C
 *     npm run demo -- --desktop           in your own VS Code
 *     npm run demo -- --screenshot FILE   headless: saves a picture, prints the rows, fails if one is missing
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { launchOptions } from "../tests/vscode/bed/browser.ts";
import { Channel } from "../tests/vscode/bed/channel.ts";
import { markedLines } from "../tests/vscode/bed/debugging.ts";
import { packageExtension } from "../tests/vscode/bed/package.ts";
import { asText } from "../tests/vscode/bed/pane.ts";
import { exitOnSignals } from "../tests/vscode/bed/processes.ts";
import { Recording } from "../tests/vscode/bed/recording.ts";
import type { Row } from "../tests/vscode/bed/rows.ts";
import { startServer } from "../tests/vscode/bed/server.ts";
import type { Server } from "../tests/vscode/bed/server.ts";
import { until } from "../tests/vscode/bed/wait.ts";
import { createWorkspace, Workbench } from "../tests/vscode/bed/workbench.ts";
import type { Workspace, WorkspaceOptions } from "../tests/vscode/bed/workbench.ts";
import { python, root } from "./paths.mjs";
import { setUp } from "./setup.mjs";

const program = "demo_training.py";
const source = path.join(root, "tests", "programs", program);
const launch = { name: "Demo", type: "debugpy", request: "launch", program: `\${workspaceFolder}/${program}` } as const;
const settings = { "debug.internalConsoleOptions": "neverOpen" };

/** Makes room for the view, once: the user's own layout stays as it is after that. */
const layout = [
  "tensorInspector.tree.focus",
  "workbench.debug.breakPointsView.removeView",
  "workbench.debug.watchExpressionsView.removeView",
  "workbench.action.focusActiveEditorGroup",
  ...Array.from({ length: 3 }, () => "workbench.action.decreaseViewWidth"),
];

/** The rows that the picture must show, the first of them on top, and what their summaries must contain. */
const required: Readonly<Record<string, string>> = {
  "images has 3,072 NaN": "line 41",
  model: "",
  images: "f32[",
  loss: "f32[",
};

/** The rows that the picture shows open: the upper one last, so that it stays in sight. */
const opened = ["model", "images has 3,072 NaN"];

const workspaceOptions: WorkspaceOptions = {
  name: "tensor-inspector-demo",
  programs: [program],
  files: { ".vscode/launch.json": launchFile(launch) },
  settings,
};

function launchFile(configuration: object): string {
  return JSON.stringify({ version: "0.2.0", configurations: [configuration] }, undefined, 2);
}

/** Serves VS Code to the user's browser until interrupted; every window that opens is paused at the breakpoint. */
async function serve(server: Server): Promise<never> {
  const workspace = createWorkspace(server, workspaceOptions);
  console.log(`\nVS Code with Tensor Inspector: ${workspace.url}\nCtrl+C ends it.\n`);
  openBrowser(workspace.url);
  for (;;) await pause(workspace);
}

/** Waits for a window and starts the program in it. */
async function pause(workspace: Workspace): Promise<void> {
  const channel = await Channel.open(workspace.home, Infinity);
  const recording = new Recording(workspace.home);
  const stops = recording.events("stopped").length;
  const file = path.join(workspace.folder, program);
  const lines = markedLines(file);
  try {
    await channel.execute("workbench.view.debug");
    await channel.open(file, lines[0] ?? 1);
    await channel.setBreakpoints(lines.map((line) => ({ file, line })));
    await channel.startDebugging(launch);
    await until("the program to stop", () => recording.events("stopped").length > stops, 60_000);
    for (const command of layout) await channel.execute(command);
    layout.length = 0;
    console.log("Paused: see Tensor Inspector in the side bar.");
  } catch (error) {
    console.error(`This window did not get to the breakpoint: ${String(error)}`); // closed or reloaded early, perhaps
  }
}

function openBrowser(url: string): void {
  const opener = process.platform === "darwin" ? "open" : "xdg-open";
  const browser = spawn(opener, [url], { detached: true, stdio: "ignore" });
  browser.on("error", () => {}); // the address is on the terminal
  browser.unref();
}

/** The same without a user: saves what the window shows, and fails if something is missing in it. */
async function takePicture(server: Server, file: string): Promise<void> {
  const browser = await chromium.launch(launchOptions());
  const wb = await Workbench.open(browser, server, workspaceOptions);
  await wb.debug.start(program);
  await wb.widenSideBar(480);
  await wb.showOnly("Call Stack", wb.inspector.title);
  const complete = (rows: readonly Row[]): boolean => missingRows(rows).length === 0;
  const rows = await wb.inspector.rowsWhen("the required rows", complete).catch(() => wb.inspector.rows());
  for (const label of opened) if (rows.some((row) => row.label === label)) await wb.inspector.expand(label);
  console.log(asText(await wb.inspector.rows()));
  await wb.editor.leaveHover();
  await wb.screenshot(file);
  const missing = missingRows(rows);
  if (missing.length > 0) throw new Error(`Missing in the Tensor Inspector view: ${missing.join("; ")}`);
}

function missingRows(rows: readonly Row[]): string[] {
  const shown = (label: string, summary: string): boolean =>
    rows.some((row) => row.level === 1 && row.label === label && row.description.includes(summary));
  const [first = ""] = Object.keys(required);
  const missing = Object.entries(required).filter(([label, summary]) => !shown(label, summary));
  const texts = missing.map(([label, summary]) => `${label} ${summary}`.trim());
  return rows[0]?.label === first ? texts : [...texts, `${first}, as the first row`];
}

/** Opens the user's own VS Code, where breakpoints are the user's to set. */
function openDesktop(vsix: string): void {
  const folder = path.join(root, ".cache", "demo");
  mkdirSync(path.join(folder, ".vscode"), { recursive: true });
  cpSync(source, path.join(folder, program));
  writeFileSync(
    path.join(folder, ".vscode", "launch.json"),
    launchFile({ ...launch, python, console: "internalConsole" }),
  );
  const line = markedLines(source)[0];
  code("--install-extension", vsix, "--force");
  code(folder, "--goto", `${path.join(folder, program)}:${line}`);
  console.log(
    `In VS Code, with the Python Debugger extension: F9 sets a breakpoint on line ${line}, F5 starts the program.`,
  );
}

function code(...args: string[]): void {
  // On Windows it is a .cmd file, which only a shell runs, and a shell minds blanks.
  const shell = process.platform === "win32";
  const { status, error } = spawnSync("code", shell ? args.map((arg) => `"${arg}"`) : args, {
    stdio: "inherit",
    shell,
  });
  if (error) throw new Error("There is no `code` on the PATH; VS Code's palette has “Install 'code' command in PATH”.");
  if (status !== 0) throw new Error(`\`code ${args.join(" ")}\` failed.`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { desktop: { type: "boolean" }, screenshot: { type: "string" } } });
  setUp("python-demo");
  if (values.desktop || process.platform === "win32") return openDesktop(packageExtension()); // no code-server there
  setUp("code-server");
  if (values.screenshot === undefined) {
    exitOnSignals(0); // the usual end
    await serve(await startServer({ vsix: packageExtension() }));
  } else {
    exitOnSignals();
    setUp("browser");
    await takePicture(await startServer({ vsix: packageExtension() }), values.screenshot);
  }
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
