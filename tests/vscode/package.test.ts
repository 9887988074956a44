/** What is in the package, as it was installed. */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, inject, test } from "vitest";
import { root } from "../../scripts/paths.mjs";
import { vsix } from "./bed/package.ts";

/** Links that lead to no file: to the issues, and within the README. */
const elsewhere = /^(?:#|https:\/\/github\.com\/tensor-inspector\/tensor-inspector\/issues$)/;
const repository = /^https:\/\/github\.com\/tensor-inspector\/tensor-inspector\/(?:blob|raw)\/HEAD\//;

test("every link and picture of the README leads to a file of the project, also from the installed extension", () => {
  const [readme = ""] = globSync("extensions/tensor-inspector.tensor-inspector-*/readme.md", {
    cwd: inject("bed").server.home,
  }).map((file) => readFileSync(path.join(inject("bed").server.home, file), "utf8"));
  const targets = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
  expect(targets.filter((target) => target.endsWith(".png"))).toHaveLength(6);
  for (const target of targets.filter((one) => !elsewhere.test(one))) {
    expect(target).toMatch(repository);
    expect(existsSync(path.join(root, target.replace(repository, "").replace(/#.*/, ""))), target).toBe(true);
  }
});

test("the licences of the packages that are bundled travel with it", () => {
  const [notices = ""] = globSync("extensions/tensor-inspector.tensor-inspector-*/dist/NOTICES.txt", {
    cwd: inject("bed").server.home,
  }).map((file) => readFileSync(path.join(inject("bed").server.home, file), "utf8"));
  for (const name of ["@lezer/common", "@lezer/python", "@vscode/l10n", "d3-array", "d3-scale", "preact", "valibot"])
    expect(notices).toContain(`${name} `);
  expect(notices.match(/Permission is hereby granted/g)).toHaveLength(6); // @vscode/l10n only names its licence
  expect(notices.match(/Permission to use, copy, modify/g)).toHaveLength(5); // d3's
});

test("is the same, byte by byte, when it is packaged again", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tensor-inspector-"));
  try {
    const again = path.join(folder, "again.vsix");
    execFileSync(process.execPath, [path.join(root, "scripts", "vsix.mjs"), again], { stdio: "ignore" });
    expect(readFileSync(again).equals(readFileSync(vsix))).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
