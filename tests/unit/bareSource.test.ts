import { execFileSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { bareSource } from "../../extension/build/bareSource.ts";
import { python } from "../../scripts/paths.mjs";

const helper = new URL("../../pyhelper/tensor_inspector/", import.meta.url);

/** Of pairs of sources, those that Python does not compile to the same code on the same lines. */
const COMPARE = `
import json, sys

def known(code):
    if not hasattr(code, "co_code"):
        return repr(code)
    return code.co_code, code.co_names, code.co_varnames, [*map(known, code.co_consts)], [line for *_, line in code.co_lines()]

compiled = lambda text: known(compile(text, "", "exec", optimize=2))
print(json.dumps([name for name, (one, other) in json.load(sys.stdin).items() if compiled(one) != compiled(other)]))
`;

test.for([
  ["def f():  # why\n    return 1\n", "def f():\n    return 1\n"],
  [
    'def f():\n    """What\n\n    for."""\n    return "# no comment"\n',
    'def f():\n    ""\n\n\n    return "# no comment"\n',
  ],
  ['# at the top\n"""A module."""\n\nx = """no docstring"""\n', '\n""\n\nx = """no docstring"""\n'],
  ['class A:\n    # a word\n    """All there is."""\n', 'class A:\n\n    ""\n'],
  ['if x:\n    "no docstring"\n', 'if x:\n    "no docstring"\n'],
])("%j goes as %j", ([whole, bare]) => {
  expect(bareSource(whole ?? "")).toBe(bare);
});

test("every module of the helper compiles to the same code on the same lines", async () => {
  const files = (await readdir(helper, { recursive: true })).filter((file) => file.endsWith(".py"));
  const read = async (file: string) => readFile(new URL(file.replaceAll("\\", "/"), helper), "utf8");
  const texts = await Promise.all(files.map(async (file) => [file, await read(file)] as const));
  const pairs = Object.fromEntries(texts.map(([file, text]) => [file, [text, bareSource(text)]]));
  const output = execFileSync(python, ["-c", COMPARE], { input: JSON.stringify(pairs), encoding: "utf8" });
  expect(files.length).toBeGreaterThan(100);
  expect(JSON.parse(output)).toEqual([]);
});
