/** VS Code for the browser, with folders of its own: nothing of the user's VS Code is read or written. */
import { execFile, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { codeServerEntry, python } from "../../../scripts/paths.mjs";
import { killProcessTree } from "./processes.ts";
import { until } from "./wait.ts";

export type Settings = Readonly<Record<string, unknown>>;

export interface ServerOptions {
  /** The extension under test, as a VSIX file; without it, VS Code has only the bed's debugger. */
  readonly vsix?: string | undefined;
  readonly settings?: Settings;
  /** Folders of further extensions, beside the bed's own. */
  readonly extensions?: readonly string[];
  /** Whether folders are trusted only when the user says so, as in VS Code by default; in the bed, all are. */
  readonly asksForTrust?: boolean;
  /** The language of the windows, of which the extension must have its texts before one is opened. */
  readonly locale?: string;
}

/** What a window needs to know of the server. */
export interface ServerAddress {
  readonly url: string;
  /** Where windows put their folders; removed at the end. */
  readonly home: string;
}

export interface Server extends ServerAddress {
  /** Ends all processes and removes all files; comes by itself when this process exits. */
  close(): void;
}

/** A quiet VS Code: nothing that pops up, asks, updates or reaches for the network. */
const quiet: Settings = {
  "chat.disableAIFeatures": true,
  "editor.hover.delay": 100,
  "editor.minimap.enabled": false,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "window.commandCenter": false,
  "remote.autoForwardPorts": false,
  "security.workspace.trust.banner": "never",
  "security.workspace.trust.startupPrompt": "never",
  "workbench.colorTheme": "Dark Modern",
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.tree.enableStickyScroll": false,
};

export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const home = mkdtempSync(path.join(tmpdir(), "tensor-inspector-"));
  const userData = path.join(home, "user-data");
  const extensions = path.join(home, "extensions");
  mkdirSync(path.join(userData, "User"), { recursive: true });
  writeFileSync(path.join(userData, "User", "settings.json"), JSON.stringify({ ...quiet, ...options.settings }));
  for (const folder of [path.join(import.meta.dirname, "debug-adapter"), ...(options.extensions ?? [])]) {
    cpSync(folder, path.join(extensions, `tensor-inspector-tests.${path.basename(folder)}-1.0.0`), { recursive: true });
  }

  const folders = [
    "--user-data-dir",
    userData,
    "--extensions-dir",
    extensions,
    "--config",
    path.join(home, "config.yaml"),
  ];
  const env = environment(home);
  if (options.vsix !== undefined) {
    await promisify(execFile)(process.execPath, [codeServerEntry, ...folders, "--install-extension", options.vsix], {
      env,
    });
  }

  const port = await freePort();
  const log = path.join(home, "server.log");
  const output = openSync(log, "w");
  const server = spawn(process.execPath, [codeServerEntry, ...folders, ...flags(port, options)], {
    env,
    detached: true, // Ctrl+C in the terminal is for us, not for all that we started
    stdio: ["ignore", output, output],
  });
  const close = (): void => {
    if (server.pid !== undefined) killProcessTree(server.pid);
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  process.once("exit", close);

  const url = `http://127.0.0.1:${port}`;
  await until("code-server to answer", () => {
    if (server.exitCode !== null) throw new Error(`code-server ended:\n${readFileSync(log, "utf8")}`);
    return fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return { url, home, close };
}

function flags(port: number, { asksForTrust = false, locale }: ServerOptions): string[] {
  return [
    ...(locale === undefined ? [] : [`--locale=${locale}`]),
    ...(asksForTrust ? [] : ["--disable-workspace-trust"]),
    "--auth=none",
    `--bind-addr=127.0.0.1:${port}`,
    "--reconnection-grace-time=5",
    "--disable-telemetry",
    "--disable-update-check",
    "--disable-getting-started-override",
    "--ignore-last-opened",
  ];
}

/** The user's environment without a VS Code that this may run in, and with a home of its own. */
function environment(home: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(VSCODE_|XDG_|ELECTRON_|NODE_OPTIONS|VITEST)/.test(name),
  );
  return {
    ...Object.fromEntries(inherited),
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, "config"),
    XDG_DATA_HOME: path.join(home, "data"),
    XDG_CACHE_HOME: path.join(home, "cache"),
    XDG_RUNTIME_DIR: home,
    EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: "" }),
    BED_PYTHON: python,
    // On a busy machine the debugger would notify of what took long.
    PYDEVD_WARN_SLOW_RESOLVE_TIMEOUT: "600",
    PYDEVD_WARN_EVALUATION_TIMEOUT: "600",
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
