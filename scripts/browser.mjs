/** The Chromium in which the tests, and the demo's picture, look at VS Code. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { run, SetUpError, succeeds, timed } from "./commands.mjs";
import { cache, root } from "./paths.mjs";

/** Chromium for x64 Linux in a package of npm's, with the libraries that a machine without a desktop lacks. */
const inNpm = {
  name: "@sparticuz/chromium@153.0.0",
  integrity: "sha512-jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA==",
};
const home = path.join(cache, "browser");
const own = path.join(home, "chromium");

/**
 * What decides where a browser can come from.
 * @typedef {{ platform: NodeJS.Platform, arch: string, distribution: string, administrator: boolean }} Machine
 */

/** @returns {Machine} */
function thisMachine() {
  const { platform, arch } = process;
  const release = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
  const distribution = /^ID="?([\w-]+)/m.exec(release)?.[1] ?? "";
  return { platform, arch, distribution, administrator: process.getuid?.() === 0 };
}

/**
 * Where this machine's browser comes from. Ubuntu's own package is an empty one that asks for a snap.
 * @param {Machine} machine
 * @returns {"apt" | "npm" | "playwright"}
 */
export function browserSource({ platform, arch, distribution, administrator }) {
  if (distribution === "debian" && administrator) return "apt";
  return platform === "linux" && arch === "x64" ? "npm" : "playwright";
}

/**
 * The sentence for a machine where no browser was found and none could be had.
 * @param {Machine} machine
 */
export function browserAdvice({ platform, distribution }) {
  /** @type {Partial<Record<string, string>>} */
  const commands = {
    darwin: "brew install --cask google-chrome",
    win32: "winget install Google.Chrome",
    debian: "sudo apt-get install chromium",
    ubuntu: "sudo snap install chromium",
    fedora: "sudo dnf install chromium",
  };
  const command = commands[platform] ?? commands[distribution];
  const install = command === undefined ? "install Chromium or Google Chrome" : `run \`${command}\``;
  return `No Chromium found: ${install}, or name its program in $CHROMIUM.`;
}

/** The program of Chromium or Chrome, if there is one; playwright finds what it has brought itself. */
export function findBrowser() {
  const named = process.env["CHROMIUM"];
  if (named) return existsSync(named) ? named : undefined;
  const fixed = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
    own,
  ];
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  const onPath = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  const isFile = (/** @type {string} */ file) => existsSync(file) && statSync(file).isFile();
  // Ubuntu's program of that name may only ask for a snap.
  return onPath.find((file) => isFile(file) && succeeds(file, ["--version"])) ?? fixed.find(isFile);
}

export function setUpBrowser() {
  if (findBrowser() !== undefined) return;
  const machine = thisMachine();
  try {
    if (process.env["CHROMIUM"]) throw new SetUpError(`There is no ${process.env["CHROMIUM"]}.`);
    bring[browserSource(machine)]();
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    throw new SetUpError(`${error.message}\n${browserAdvice(machine)}`);
  }
}

const bring = {
  apt() {
    timed("browser", "apt-get install chromium (100 MB)", () => {
      run("apt-get", ["update"]);
      run("apt-get", ["install", "-y", "--no-install-recommends", "chromium"], {
        env: { DEBIAN_FRONTEND: "noninteractive" },
      });
    });
  },
  npm() {
    timed("browser", `${inNpm.name} from npm (70 MB)`, unpackBrowser);
  },
  playwright() {
    const cli = path.join(root, "node_modules", "playwright-core", "cli.js");
    const args = ["install", "chromium-headless-shell"];
    timed("browser", `playwright-core ${args.join(" ")} (100 MB, once)`, () => run(process.execPath, [cli, ...args]));
  },
};

/** Unpacks npm's package, and writes the script that starts what is in it. */
function unpackBrowser() {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const [packed] = JSON.parse(run("npm", ["pack", "--json", inNpm.name], { cwd: home }));
  if (packed.integrity !== inNpm.integrity)
    throw new SetUpError(`${inNpm.name} is not what it was: ${packed.integrity}.`);
  run("tar", ["-xf", packed.filename], { cwd: home });
  const inflate = (/** @type {string} */ name) =>
    brotliDecompressSync(readFileSync(path.join(home, "package", "bin", `${name}.br`)));
  writeFileSync(path.join(home, "headless-shell"), inflate("chromium"), { mode: 0o755 });
  for (const name of ["al2023.tar", "fonts.tar"]) {
    writeFileSync(path.join(home, name), inflate(name));
    run("tar", ["-xf", name], { cwd: home });
    rmSync(path.join(home, name));
  }
  rmSync(path.join(home, "package"), { recursive: true });
  rmSync(path.join(home, packed.filename));
  writeFileSync(path.join(home, "fonts.conf"), `<fontconfig><dir prefix="relative">fonts</dir></fontconfig>`);
  writeFileSync(own, start, { mode: 0o755 });
}

/** With the package's own libraries; its fonts are for a machine that has none. */
const start = `#!/bin/sh
here=$(dirname "$0")
[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_PATH="$here"
LD_LIBRARY_PATH="$here/lib" exec "$here/headless-shell" "$@"
`;
