/** What is in the package, as it was installed. */
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, inject, test } from "vitest";
import { root } from "../../scripts/paths.mjs";

const repository = /^https:\/\/github\.com\/tensor-inspector\/tensor-inspector\/(?:blob|raw)\/HEAD\//;

test("every link and picture of the README leads to a file of the project, also from the installed extension", () => {
  const [readme = ""] = globSync("extensions/tensor-inspector.tensor-inspector-*/readme.md", {
    cwd: inject("bed").server.home,
  }).map((file) => readFileSync(path.join(inject("bed").server.home, file), "utf8"));
  const targets = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
  expect(targets.filter((target) => target.endsWith(".png"))).toHaveLength(1);
  for (const target of targets) {
    expect(target).toMatch(repository);
    expect(existsSync(path.join(root, target.replace(repository, ""))), target).toBe(true);
  }
});

test("the licences of the packages that are bundled travel with it", () => {
  const [notices = ""] = globSync("extensions/tensor-inspector.tensor-inspector-*/dist/NOTICES.txt", {
    cwd: inject("bed").server.home,
  }).map((file) => readFileSync(path.join(inject("bed").server.home, file), "utf8"));
  for (const name of ["@lezer/common", "@lezer/python", "@vscode/l10n", "valibot"])
    expect(notices).toContain(`${name} `);
  expect(notices.match(/Permission is hereby granted/g)).toHaveLength(5); // @vscode/l10n only names its licence
});
