/** What the set-up decides, for machines that no test runs on. */
import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { browserAdvice, browserSource } from "../../scripts/browser.mjs";
import { npmCommand } from "../../scripts/commands.mjs";
import { requirements, torchIndex } from "../../scripts/venv.mjs";

const machine = { platform: "linux", arch: "x64", distribution: "", administrator: false } as const;

describe("a browser comes from where this account may have it, and if it can't, the sentence has the command to type", () => {
  test.each([
    ["Debian, as root", { distribution: "debian", administrator: true }, "apt", "run `sudo apt-get install chromium`"],
    ["Debian", { distribution: "debian" }, "npm", "run `sudo apt-get install chromium`"],
    ["Ubuntu, whose package is a snap", { distribution: "ubuntu" }, "npm", "run `sudo snap install chromium`"],
    ["Ubuntu, as root", { distribution: "ubuntu", administrator: true }, "npm", "run `sudo snap install chromium`"],
    ["Fedora", { distribution: "fedora" }, "npm", "run `sudo dnf install chromium`"],
    ["another Linux", { distribution: "void" }, "npm", "install Chromium or Google Chrome"],
    ["Linux on ARM", { arch: "arm64", distribution: "ubuntu" }, "playwright", "run `sudo snap install chromium`"],
    ["macOS", { platform: "darwin", arch: "arm64" }, "playwright", "run `brew install --cask google-chrome`"],
    ["Windows", { platform: "win32" }, "playwright", "run `winget install Google.Chrome`"],
  ] as const)("%s", (_, differs, source, install) => {
    expect(browserSource({ ...machine, ...differs })).toBe(source);
    expect(browserAdvice({ ...machine, ...differs })).toBe(
      `No Chromium found: ${install}, or name its program in $CHROMIUM.`,
    );
  });
});

describe("torch comes without CUDA where it can", () => {
  const index = ["--extra-index-url", "https://download.pytorch.org/whl/cpu"];

  test.each([
    ["Linux, torch's own index answers", "linux", true, index, ""],
    ["Linux, it does not", "linux", false, [], "torch's own index does not answer; with CUDA it is up to 3 GB more"],
  ] as const)("%s", (_, platform, answers, options, warning) => {
    expect(torchIndex(platform, () => answers)).toEqual({ options, warning });
  });

  test.each(["darwin", "win32"] as const)("%s: PyPI's has none, and nothing is asked", (platform) => {
    const ask = (): boolean => expect.unreachable();
    expect(torchIndex(platform, ask)).toEqual({ options: [], warning: "" });
  });
});

describe("npm runs without a shell, which would mind the blanks in a path", () => {
  const node = "C:\\Program Files\\nodejs\\node.exe";
  const npm = "C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npm-cli.js";

  test.each([
    ["Linux", "linux", "/usr/bin/node", "/usr/lib/npm-cli.js", ["npm"]],
    ["Windows", "win32", node, undefined, [node, npm]],
    [
      "Windows, started by an npm of the user's",
      "win32",
      node,
      "D:\\my npm\\npm-cli.js",
      [node, "D:\\my npm\\npm-cli.js"],
    ],
    ["Windows, started by another program's script", "win32", node, "D:\\pnpm.cjs", [node, npm]],
  ] as const)("%s", (_, platform, program, running, command) => {
    expect(npmCommand(platform, program, running)).toEqual(command);
  });

  test("no script starts a shell", () => {
    const scripts = globSync([
      "scripts/*.{mjs,ts}",
      "tests/vscode/**/*.ts",
      "tests/bench/*.ts",
      "extension/build/*.ts",
    ]);
    expect(scripts).toContain("scripts/test.mjs");
    expect(scripts.filter((file) => /\bshell:/.test(readFileSync(file, "utf8")))).toEqual([]);
  });
});

test("only what pyproject.toml requires makes the environment be installed again", () => {
  const file = (version: string, torch: string): string =>
    `[project]\nversion = "${version}"\n\n[project.optional-dependencies]\ndemo = ["torch==${torch}"]\n\n[tool.ruff]\n`;
  expect(requirements(file("2", "1"))).toBe(requirements(file("1", "1")));
  expect(requirements(file("1", "2"))).not.toBe(requirements(file("1", "1")));
  expect(requirements(file("1", "1"))).toContain("torch==1");
});
