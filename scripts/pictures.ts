/**
 * `npm run pictures`: takes the pictures of docs/tour.md and the README's moving one anew, in real VS Code. One that looks as
 * it did before stays as it is, so that a commit holds only what has changed on the screen. Where it fails, all do.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "./paths.mjs";

const tests = path.join(root, "tests", "vscode");
const TAKES = /\b(?:tour|tourOfPick|tourOfEditor|tourOfView|movingFrame)\(wb/;
const files = readdirSync(tests).filter(
  (name) => name.endsWith(".test.ts") && TAKES.test(readFileSync(path.join(tests, name), "utf8")),
);

function run(program: string, args: readonly string[]): void {
  const env = { ...process.env, PICTURES: "tour" };
  const { status } = spawnSync(program, args, { cwd: root, env, stdio: "inherit" });
  if (status !== 0) throw new Error(`${path.basename(program)} ${args[0]} failed`);
}

function copy(from: string, to: string): void {
  for (const folder of ["docs/tour", "media"])
    cpSync(path.join(from, folder), path.join(to, folder), { recursive: true });
}

const before = mkdtempSync(path.join(tmpdir(), "tensor-inspector-pictures-"));
try {
  copy(root, before);
  rmSync(path.join(root, "test-results", "moving"), { recursive: true, force: true });
  const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");
  run(process.execPath, [vitest, "run", "--config", "tests/vscode/vitest.config.ts", ...files]);
  run(process.execPath, ["scripts/in-venv.ts", "scripts/pictures.py", before]);
} catch (error) {
  copy(before, root); // some were taken, and others not
  throw error;
} finally {
  rmSync(before, { recursive: true, force: true });
}
