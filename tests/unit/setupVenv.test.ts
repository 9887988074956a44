/** How the set-up makes `.venv`, with a Python that only writes down what it is asked. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const fakePython = `#!/bin/sh
echo "$*" >> "$LOG"
case "$*" in
  "-m ensurepip"*) exit "\${NO_ENSUREPIP:-0}" ;;
  "-m venv"*) for folder; do :; done; mkdir -p "$folder/bin" && cp "$0" "$folder/bin/python" ;;
  "-m pip install"*) \${MEANWHILE:-exit "\${NO_NETWORK:-0}"} ;;
esac
`;

vi.setConfig({ testTimeout: 60_000 }); // a busy machine starts processes slowly

let clone: string;

beforeEach(() => {
  clone = mkdtempSync(path.join(tmpdir(), "a clone "));
  cpSync("scripts", path.join(clone, "scripts"), { recursive: true });
  cpSync("pyproject.toml", path.join(clone, "pyproject.toml"));
  mkdirSync(path.join(clone, "tools"));
  writeFileSync(path.join(clone, "tools", "python"), fakePython, { mode: 0o755 });
  writeFileSync(path.join(clone, "tools", "apt-get"), "#!/bin/sh\nexit 100\n", { mode: 0o755 });
});

afterEach(() => rmSync(clone, { recursive: true }));

/** Runs a step, and tells what Python was asked to make and install. */
function setUp(step: string, env: NodeJS.ProcessEnv = {}): { status: number | null; said: string; asked: string[] } {
  const log = path.join(clone, "log");
  const tools = path.join(clone, "tools");
  rmSync(log, { force: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/setup.mjs", step], {
    cwd: clone,
    encoding: "utf8",
    env: { PATH: `${tools}:/usr/bin:/bin`, PYTHON: path.join(tools, "python"), LOG: log, ...env },
  });
  const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
  const asked = lines
    .filter((line) => /^-m (venv|pip)/.test(line))
    .map((line) => (line.match(/(-m venv( --without-pip)?|pip install|\.\[\w+\]$)/g) ?? []).join(" "));
  return { status, said: stdout + stderr, asked };
}

const anew = ["-m venv", "pip install .[demo]"];

test("a fresh clone gets an environment with what the demo needs, and the set-up says what it downloads", () => {
  const { status, said, asked } = setUp("python-demo");
  expect({ status, asked }).toEqual({ status: 0, asked: anew });
  expect(said).toMatch(/^python-demo {2}torch, numpy and debugpy into \.venv \(220 MB\) … [\d.]+ s\n$/);
});

test("what is there is not made again", () => {
  setUp("python-demo");
  expect(setUp("python-demo")).toEqual({ status: 0, said: "", asked: [] });
});

test("the tests' packages come on top of the demo's, and the demo needs no more than the tests", () => {
  setUp("python-demo");
  expect(setUp("python").asked).toEqual(["pip install .[dev]"]);
  rmSync(path.join(clone, ".venv", ".set-up-python-demo"));
  expect(setUp("python-demo").asked).toEqual([]);
});

test("a failed download leaves the environment as it was, and is tried again", () => {
  setUp("python-demo");
  expect(setUp("python", { NO_NETWORK: "1" }).status).toBe(1);
  expect(setUp("python").asked).toEqual(["pip install .[dev]"]);
});

test.each([
  ["pip", "kill -9 $$"],
  ["the set-up", "kill -9 $PPID"],
])("an environment is made anew, which the set-up says, after %s was killed in the middle", (_, killed) => {
  expect(setUp("python-demo", { MEANWHILE: `eval ${killed}` }).status).not.toBe(0);
  const { said, asked } = setUp("python-demo");
  expect(asked).toEqual(anew);
  expect(said).toMatch(/^python {7}removing \.venv: its making was cut short … [\d.]+ s\npython-demo /);
});

describe("a .venv that can't be used is removed, and the set-up says why", () => {
  const inside = "import sys; sys.exit(sys.prefix == sys.base_prefix)";
  const version = "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))";

  test.each([
    ["no program", undefined, "it is no environment"],
    ["a Python of the system's", inside, "it is no environment"],
    ["an older Python", version, "its Python is not 3.11 to 3.14"],
    ["no pip", "import pip", "it has no pip"],
  ])("%s", (_, fails, why) => {
    const bin = path.join(clone, ".venv", "bin");
    mkdirSync(bin, { recursive: true });
    const unusable = `#!/bin/sh\n[ "$*" != "-c ${fails}" ]\n`;
    if (fails !== undefined) writeFileSync(path.join(bin, "python"), unusable, { mode: 0o755 });
    const { said, asked } = setUp("python-demo");
    expect(asked).toEqual(anew);
    expect(said).toMatch(new RegExp(`^python {7}removing \\.venv: ${why} … [\\d.]+ s\\npython-demo `));
  });

  test("one of the user's that can be used is kept", () => {
    const bin = path.join(clone, ".venv", "bin");
    mkdirSync(bin, { recursive: true });
    cpSync(path.join(clone, "tools", "python"), path.join(bin, "python"));
    expect(setUp("python-demo").asked).toEqual(["pip install .[demo]"]);
  });

  test("but it stays where no other Python is found", () => {
    mkdirSync(path.join(clone, ".venv"));
    expect(setUp("python-demo", { PYTHON: "/nowhere/python" }).status).toBe(1);
    expect(existsSync(path.join(clone, ".venv"))).toBe(true);
  });
});

test("an environment is not taken away from another set-up that is at work in it", () => {
  mkdirSync(path.join(clone, ".cache"));
  writeFileSync(path.join(clone, ".cache", "venv-unfinished"), String(process.pid));
  const { status, said, asked } = setUp("python-demo");
  expect({ status, asked }).toEqual({ status: 1, asked: [] });
  expect(said).toBe(`Another set-up, process ${process.pid}, is at work in .venv: wait for it.\n`);
});

test("where Python has no pip to give and Debian's can't be had, the sentence has the command to type", () => {
  const { status, said, asked } = setUp("python-demo", { NO_ENSUREPIP: "1" });
  expect({ status, asked }).toEqual({ status: 1, asked: ["-m venv --without-pip"] });
  expect(said).toContain(
    "\nPython can make no environment with pip: run `sudo apt-get install python3-venv`, and this again.\n",
  );
});

test("without a Python that torch is made for, the sentence says which to install", () => {
  const { status, said } = setUp("python-demo", { PYTHON: "/nowhere/python" });
  expect(status).toBe(1);
  expect(said).toContain(
    "\nNo Python 3.11 to 3.14 found (tried /nowhere/python): install one, or name its program in $PYTHON.\n",
  );
});
