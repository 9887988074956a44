/** How `npm test` runs its parts, and what its last lines say. */
import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";

const module = pathToFileURL("scripts/parts.mjs").href;

/** A command that prints a hundred numbered lines, and ends with this status. */
function part(name: string, status: number): [string, string, string] {
  const program = `for (let i = 1; i <= 100; i++) console.log("${name}", i); process.exitCode = ${status}`;
  return [process.execPath, "-e", program];
}

function run(stages: Record<string, [string, ...string[]]>[]) {
  const program = `import { runAll } from "${module}"; await runAll("all", ${JSON.stringify(stages)});`;
  const ended = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  const lines = ended.stdout.split("\n");
  return { status: ended.status, printed: lines, after: (line: string) => lines.slice(lines.indexOf(line) + 1) };
}

test("a part that fails keeps no other from running, and its last lines come before the last words", () => {
  const { status, printed, after } = run([
    { bad: part("bad", 3), beside: part("beside", 0) },
    { good: part("good", 0) },
  ]);
  expect(status).toBe(1);
  for (const name of ["bad", "beside", "good"]) expect(printed).toContain(`${name} 1`);
  const repeated = after("━━ bad failed");
  expect(repeated[0]).toBe("bad 41");
  expect(repeated[59]).toBe("bad 100");
  expect(repeated.slice(60, 62)).toEqual(["", "━━ all"]);
  expect(repeated.slice(62).map((line) => line.slice(0, 8))).toEqual([
    "✗ bad   ",
    "✓ beside",
    "✓ good  ",
    "2 passed",
    "",
  ]);
});

test("where all parts pass nothing is said twice", () => {
  const { status, printed } = run([{ good: part("good", 0) }]);
  expect(status).toBe(0);
  expect(printed.filter((line) => line === "good 100")).toHaveLength(1);
});
