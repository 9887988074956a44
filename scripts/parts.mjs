/** Parts that are run one after the other: one that fails does not keep the next from running. */
import { spawnSync } from "node:child_process";

/**
 * Runs all parts; the last lines say how each went and how long it took. Ends the process, with 1 where any failed.
 * @param {string} title
 * @param {Record<string, [program: string, ...args: string[]]>} parts commands by their names
 */
export function runAll(title, parts) {
  const results = Object.entries(parts).map(([name, [program, ...args]]) => {
    console.log(`\n━━ ${name}`);
    const started = Date.now();
    const { status } = spawnSync(program, args, { stdio: "inherit" });
    return { name, ok: status === 0, seconds: Math.round((Date.now() - started) / 1000) };
  });

  console.log(`\n━━ ${title}`);
  const width = Math.max(...results.map(({ name }) => name.length));
  for (const { name, ok, seconds } of results) console.log(`${ok ? "✓" : "✗"} ${name.padEnd(width)} ${seconds} s`);
  const failed = results.filter(({ ok }) => !ok).length;
  const total = results.reduce((sum, { seconds }) => sum + seconds, 0);
  console.log(`${results.length - failed} passed, ${failed} failed, in ${Math.floor(total / 60)} min ${total % 60} s`);
  process.exit(failed === 0 ? 0 : 1);
}
