/** Parts that are run, some beside one another: one that fails does not keep the next from running. */
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";

/** @typedef {Record<string, [program: string, ...args: string[]]>} Parts commands by their names */

/** How many lines of a part that failed are printed once more, where the end of a long run is what is looked at. */
const LAST_LINES = 60;

/**
 * Runs stages one after the other, the parts of a stage beside one another: all but the first take the time that it
 * leaves, and what they print comes after it. In the end come the last lines of each part that failed, where it did not print
 * to a terminal, then how each went and how long it took. Ends the process, with 1 where any failed.
 * @param {string} title
 * @param {readonly Parts[]} stages
 */
export async function runAll(title, stages) {
  const started = Date.now();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, (_, number) => process.exit(128 + number));
  const results = [];
  for (const stage of stages) {
    const parts = Object.entries(stage);
    console.log(`\n━━ ${parts.map(([name]) => name).join(", and beside it ")}`);
    const ended = await Promise.all(parts.map(([name, command], at) => run(name, command, at === 0)));
    for (const { name, printed } of ended.slice(1)) process.stdout.write(`\n━━ ${name}\n${printed}`);
    results.push(...ended);
  }

  for (const { name, ok, printed } of results) {
    if (!ok && printed !== "") console.log(`\n━━ ${name} failed\n${lastLines(printed)}`);
  }
  console.log(`\n━━ ${title}`);
  const width = Math.max(...results.map(({ name }) => name.length));
  for (const { name, ok, seconds } of results) console.log(`${ok ? "✓" : "✗"} ${name.padEnd(width)} ${seconds} s`);
  const failed = results.filter(({ ok }) => !ok).length;
  const total = secondsSince(started);
  console.log(`${results.length - failed} passed, ${failed} failed, in ${Math.floor(total / 60)} min ${total % 60} s`);
  process.exit(failed === 0 ? 0 : 1);
}

/**
 * @param {string} name
 * @param {Parts[string]} command
 * @param {boolean} isFirst whether it comes before what runs beside it: what it prints is seen at once. A terminal is left to it,
 *   as it may draw on that; then nothing of it is known here
 * @returns {Promise<{ name: string, ok: boolean, seconds: number, printed: string }>}
 */
function run(name, [program, ...args], isFirst) {
  const started = Date.now();
  const detached = !isFirst && hasAutogroups;
  const onTerminal = isFirst && process.stdout.isTTY;
  const part = spawn(program, args, { stdio: onTerminal ? "inherit" : ["ignore", "pipe", "pipe"], detached });
  if (!isFirst && part.pid !== undefined) giveWay(part, part.pid);
  let printed = "";
  for (const output of [part.stdout, part.stderr]) {
    output?.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
      printed += text;
      if (isFirst) process.stdout.write(text);
    });
  }
  return new Promise((resolve) => {
    const end = (/** @type {boolean} */ ok) => resolve({ name, ok, seconds: secondsSince(started), printed });
    part.on("error", (error) => {
      if (isFirst) console.error(String(error));
      printed += `${String(error)}\n`;
      end(false);
    });
    part.on("close", (status) => end(status === 0));
  });
}

/**
 * Whether this Linux shares the machine's time between sessions, and weighs priorities only within each: a part that gives
 * way then is in a session of its own, since a browser is in one of its own too.
 */
const hasAutogroups = existsSync("/proc/self/autogroup");

/**
 * Lets a part, and all that it starts, take the time that others leave.
 * @param {import("node:child_process").ChildProcess} part
 * @param {number} pid
 */
function giveWay(part, pid) {
  const priority = constants.priority.PRIORITY_BELOW_NORMAL;
  setPriority(pid, priority);
  if (!hasAutogroups) return;
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(priority));
  } catch {
    // not allowed here: then it takes its share
  }
  // The terminal's Ctrl+C does not reach it.
  const stop = () => {
    try {
      process.kill(-pid, "SIGTERM");
    } catch {
      // it has ended
    }
  };
  process.once("exit", stop);
  part.once("close", () => process.off("exit", stop));
}

/** @param {string} printed */
function lastLines(printed) {
  return printed.trimEnd().split("\n").slice(-LAST_LINES).join("\n");
}

/** @param {number} started */
function secondsSince(started) {
  return Math.round((Date.now() - started) / 1000);
}
