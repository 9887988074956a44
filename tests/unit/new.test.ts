/** `npm run new`: what it lays fits into the project as it is now. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { lay } from "../../scripts/new.ts";
import { python } from "../../scripts/paths.mjs";

const read = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, "utf8") : undefined);

const LAID: readonly (readonly [what: string, name: string])[] = [
  ["kind", "calendar.Calendar"],
  ["lens", "holds"],
  ["rule", "loss/always-zero"],
];

describe("what is laid", () => {
  test.each(LAID)("for a %s, %s, is new files, and rows in files that keep all else", (what, name) => {
    const { files, next } = lay(what, name, read);
    expect(next.length).toBeGreaterThanOrEqual(3);
    for (const [file, text] of files) {
      const lines = text.split("\n");
      const lost = (read(file) ?? "").split("\n").filter((line) => !lines.includes(line));
      // One row takes a name in, or a comma since another follows it.
      expect(lost.length, `${file} loses ${lost.join("\n")}`).toBeLessThanOrEqual(1);
    }
  });

  test("leaves the wire contract one that can be read, with the answer of the lens in it", () => {
    const schema = JSON.parse(lay("lens", "holds", read).files.get("pyhelper/protocol.schema.json") ?? "");
    expect(schema.definitions.HoldsFound.properties.lens).toEqual({ const: "holds" });
    expect(schema.definitions.Found.oneOf).toContainEqual({ $ref: "#/definitions/HoldsFound" });
  });

  test.each([
    ["a place", "x", "no “a place”"],
    ["kind", "Quantity", "as pint.Quantity"],
    ["lens", "Holds", "as nan_origin"],
    ["lens", "model", "there is a lens model already"],
    ["rule", "always-zero", "as loss/always-zero"],
    ["rule", "losses/always-zero", "one of call, data, graph"],
    ["rule", "loss/double-softmax", "there is a rule double-softmax already"],
  ])("a name that does not fit is refused: %s %s, %s", (what, name, said) => {
    expect(() => lay(what, name, read)).toThrow(said);
  });
});

test("the imports that are laid are sorted, and in the form that ruff wants", ({ skip }) => {
  skip(!existsSync(python), "npm run setup makes the .venv");
  const folder = mkdtempSync(path.join(tmpdir(), "laid-"));
  try {
    const laid = LAID.flatMap(([what, name]) => [...lay(what, name, read).files]).filter(([file]) =>
      file.endsWith(".py"),
    );
    for (const [file, text] of laid) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
    cpSync("pyproject.toml", path.join(folder, "pyproject.toml"));
    const { stdout, status } = spawnSync(python, ["-m", "ruff", "check", "--select", "I", "."], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(status, stdout).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a kind, a lens and a rule that were laid are asked at once", ({ skip }) => {
  skip(!existsSync(python), "npm run setup makes the .venv");
  const folder = mkdtempSync(path.join(tmpdir(), "laid-"));
  try {
    cpSync("pyhelper", path.join(folder, "pyhelper"), { recursive: true });
    const laid = new Map<string, string>();
    for (const [what, name] of LAID)
      for (const [file, text] of lay(what, name, (file) => laid.get(file) ?? read(file)).files) laid.set(file, text);
    for (const [file, text] of laid) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
    const program = [
      "import calendar, torch, tensor_inspector as ti",
      "from tensor_inspector.lenses.findings.rules.registry import RULES",
      "print(ti.summarize(calendar.Calendar()), ti.holds([1]), RULES[-1].id, sep=', ')",
    ].join("\n");
    const env = { ...process.env, PYTHONPATH: path.join(folder, "pyhelper") };
    const { stdout, stderr } = spawnSync(python, ["-c", program], { env, encoding: "utf8" });
    expect(stdout.trim(), stderr).toBe("Calendar · 1 attributes, list, always-zero");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
