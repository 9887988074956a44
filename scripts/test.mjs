/**
 * `npm test`: every part of the tests, one after the other, each also to be run alone as `npm run PART`. A part that fails
 * does not keep the next from running; the last lines say how each went.
 */
import { spawnSync } from "node:child_process";
import { npm } from "./commands.mjs";

const parts = ["check", "test:unit", "test:python", "test:debugpy", "bench:quick", "test:vscode"];

const [program, ...first] = npm;
const results = parts.map((part) => {
  console.log(`\n━━ npm run ${part}`);
  const started = Date.now();
  const { status } = spawnSync(program, [...first, "run", "--silent", part], { stdio: "inherit" });
  return { part, ok: status === 0, seconds: Math.round((Date.now() - started) / 1000) };
});

console.log("\n━━ npm test");
for (const { part, ok, seconds } of results) console.log(`${ok ? "✓" : "✗"} ${part.padEnd(14)} ${seconds} s`);
const failed = results.filter(({ ok }) => !ok).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
