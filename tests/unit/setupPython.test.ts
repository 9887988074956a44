/** How the set-up makes `.venv`, with a Python that only writes down what it is asked. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const fakePython = `#!/bin/sh
echo "$*" >> "$LOG"
case "$*" in
  "-m ensurepip"*) exit "\${NO_ENSUREPIP:-0}" ;;
  "-m venv"*) for folder; do :; done; mkdir -p "$folder/bin" && cp "$0" "$folder/bin/python" ;;
  "-m pip install"*) exit "\${NO_NETWORK:-0}" ;;
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

test("an environment whose making was cut short is made anew", () => {
  expect(setUp("python-demo", { NO_NETWORK: "1" }).status).toBe(1);
  expect(setUp("python-demo").asked).toEqual(anew);
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
