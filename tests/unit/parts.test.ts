/** How `npm test` runs its parts, and what its last lines say. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const module = new URL("../../scripts/parts.mjs", import.meta.url).href;

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
    { bad: part("bad", 3), worse: part("worse", 1) },
    { missing: ["no-such-program"] },
    { good: part("good", 0) },
  ]);
  expect(status).toBe(1);
  for (const name of ["bad", "worse", "good"]) expect(printed).toContain(`${name} 1`);
  for (const name of ["bad", "worse"]) {
    const repeated = after(`━━ ${name} failed`);
    expect([repeated[0], repeated[59], repeated[60]]).toEqual([`${name} 41`, `${name} 100`, ""]);
  }
  expect(after("━━ missing failed")[0]).toContain("ENOENT");
  const last = after("━━ all").map((line) => line.slice(0, 8));
  expect(last).toEqual(["✗ bad   ", "✗ worse ", "✗ missin", "✓ good  ", "1 passed", ""]);
});

test("where all parts pass nothing is said twice", () => {
  const { status, printed } = run([{ good: part("good", 0) }]);
  expect(status).toBe(0);
  expect(printed.filter((line) => line === "good 100")).toHaveLength(1);
});
