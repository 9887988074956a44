/**
 * Makes a fresh clone ready to build, test and demonstrate; needs nothing but Node 20 and npm, and is quick the second time.
 *
 *     node scripts/setup.mjs [node | python-demo | python | browser | code-server ...] [-- COMMAND ARGS...]
 *
 * Without a step, all of them. The command after `--` then runs with what was set up first on its PATH: a shell could not
 * do that, since it remembers the `node` that it started with.
 */
import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { setUpBrowser } from "./browser.mjs";
import { setUpCodeServer } from "./code-server.mjs";
import { make, read, run, SetUpError, toolPath } from "./commands.mjs";
import { root } from "./paths.mjs";
import { setUpPython } from "./venv.mjs";

function setUpNode() {
  const folder = path.join(root, "node_modules");
  make({ step: "node", folder, input: read("package-lock.json") }, "npm ci (170 MB)", () => {
    run("npm", ["ci"]);
  });

  // npm brings Node 24 where there is a package for the platform; elsewhere the user's own must run TypeScript.
  const version = run("node", ["--version"]).trim();
  const [major = 0, minor = 0] = version.slice(1).split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 18)) {
    throw new SetUpError(`Node 22.18 or newer is needed on this platform; this is ${version}.`);
  }
}

const steps = {
  node: setUpNode,
  "python-demo": () => setUpPython("demo"),
  python: () => setUpPython("dev"),
  browser: setUpBrowser,
  "code-server": setUpCodeServer,
};

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
function runWithTools(command, args) {
  const child = spawn(command, args, { cwd: root, env: { ...process.env, PATH: toolPath() }, stdio: "inherit" });
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
    const all = known.filter((name) => name !== "python-demo"); // a part of `python`
    setUp(...(named.length > 0 ? known.filter((name) => named.includes(name)) : all));
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
  if (command !== undefined) runWithTools(command, rest);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2));
}
