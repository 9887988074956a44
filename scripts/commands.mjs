/** How the set-up does its work: commands that say what went wrong, and products that are made once. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root, venvBin } from "./paths.mjs";

/** A failure that its message explains: shown without a stack trace. */
export class SetUpError extends Error {}

/** A command was killed in the middle of its work. */
export class KilledError extends SetUpError {}

/** PATH with the project's own tools first. */
export function toolPath() {
  return [path.join(root, "node_modules", ".bin"), venvBin, process.env["PATH"]].join(path.delimiter);
}

/**
 * How to run npm without a shell, which would mind the blanks in a path: on Windows its command is a .cmd file, which
 * only a shell runs, so there Node runs npm's own script.
 * @param {NodeJS.Platform} platform
 * @param {string} node the program of Node
 * @param {string | undefined} running npm's script, where npm has started us
 * @returns {[program: string, ...args: string[]]}
 */
export function npmCommand(platform, node, running) {
  if (platform !== "win32") return ["npm"];
  const beside = path.win32.join(path.win32.dirname(node), "node_modules", "npm", "bin", "npm-cli.js");
  return [node, running?.endsWith("npm-cli.js") ? running : beside];
}

/** npm as it runs here. */
export const npm = npmCommand(process.platform, process.execPath, process.env["npm_execpath"]);

/**
 * Runs a command to its end, silently unless it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 */
export function run(command, args, { cwd = root, env = {} } = {}) {
  const [program, ...first] = command === "npm" ? npm : [command];
  const result = spawnSync(program, [...first, ...args], {
    cwd,
    env: { ...process.env, PATH: toolPath(), ...env },
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  if (result.status === 0) return result.stdout;
  const output = result.error?.message ?? `${result.stdout}${result.stderr}`.trim().split("\n").slice(-30).join("\n");
  const Failure = result.signal === null ? SetUpError : KilledError;
  throw new Failure(`\`${[command, ...args].join(" ")}\` failed:\n${output}`);
}

/**
 * Whether a command can be run and says that all is well.
 * @param {string} command
 * @param {string[]} args
 * @param {number} [limit] milliseconds that it may take
 */
export function succeeds(command, args, limit) {
  return spawnSync(command, args, { stdio: "ignore", timeout: limit }).status === 0;
}

/**
 * Says what is being done, does it, and says how long it took.
 * @param {string} step
 * @param {string} what
 * @param {() => void} work
 */
export function timed(step, what, work) {
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
 * A step's product: a folder that holds what was made of an input.
 * @typedef {{ step: string, folder: string, input: string }} Product
 */

/** @param {Product} product */
function stampOf({ step, folder }) {
  return path.join(folder, `.set-up-${step}`); // in the folder itself, and so gone with it
}

/** @param {string} input */
function digestOf(input) {
  return createHash("sha256").update(input).digest("hex");
}

/**
 * Whether the product is there, and was made of this very input.
 * @param {Product} product
 */
export function made(product) {
  const stamp = stampOf(product);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === digestOf(product.input);
}

/**
 * Makes a product unless it is there.
 * @param {Product} product
 * @param {string} what
 * @param {() => void} work
 */
export function make(product, what, work) {
  if (made(product)) return;
  timed(product.step, what, work);
  writeFileSync(stampOf(product), digestOf(product.input));
}

/** @param {string} name a file of the project */
export function read(name) {
  return readFileSync(path.join(root, name), "utf8");
}
