/** The virtual environment `.venv`: for the demo only what its program needs, for the tests all of it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { KilledError, made, make, read, run, SetUpError, succeeds, timed } from "./commands.mjs";
import { cache, python, venv } from "./paths.mjs";

/** What each of pyproject.toml's extras brings. */
const extras = {
  demo: "torch, numpy and debugpy into .venv (220 MB)",
  dev: "torch, jax, pandas and all else that the tests look at into .venv (480 MB)",
};

/** torch's own index, with its build without CUDA. */
const cpuIndex = "https://download.pytorch.org/whl/cpu";

/** For a Python that is older or newer than those for which there is the torch of pyproject.toml, this fails. */
const versionCheck = "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))";

/** A file that is there while a process changes `.venv`, with its id; it stays where that process was killed. */
const unfinished = path.join(cache, "venv-unfinished");

/**
 * Brings what an extra names into `.venv`.
 * @param {keyof typeof extras} extra
 */
export function setUpPython(extra) {
  if (existsSync(unfinished)) removeUnfinished();
  const input = requirements(read("pyproject.toml"));
  const product = (/** @type {string} */ name) => ({ step: `python-${name}`, folder: venv, input });
  if (made(product(extra)) || (extra === "demo" && made(product("dev")))) return;
  removeUnusable();
  make(product(extra), extras[extra], () => {
    mkdirSync(cache, { recursive: true });
    writeFileSync(unfinished, String(process.pid));
    try {
      if (!existsSync(venv)) makeVenv();
      install(extra);
    } catch (error) {
      if (!(error instanceof KilledError)) rmSync(unfinished); // what failed by itself has left no halves
      throw error;
    }
    rmSync(unfinished);
  });
}

/** @param {keyof typeof extras} extra */
function install(extra) {
  const index = torchIndex(process.platform, cpuIndexAnswers);
  const options = ["--quiet", "--disable-pip-version-check", ...index.options];
  if (index.warning !== "") process.stdout.write(`(${index.warning}) `);
  run(python, ["-m", "pip", "install", ...options, "--editable", `.[${extra}]`]);
}

/** Removes a `.venv` whose making was cut short. */
function removeUnfinished() {
  const worker = readFileSync(unfinished, "utf8");
  if (isAlive(Number(worker)))
    throw new SetUpError(`Another set-up, process ${worker}, is at work in .venv: wait for it.`);
  removeVenv("its making was cut short");
}

/** Removes a `.venv` that can't be used, which the user may have made. */
function removeUnusable() {
  if (!existsSync(venv)) return;
  const checks = [
    { code: "import sys; sys.exit(sys.prefix == sys.base_prefix)", fault: "it is no environment" },
    { code: versionCheck, fault: "its Python is not 3.11 to 3.14" },
    { code: "import pip", fault: "it has no pip" },
  ];
  const failed = checks.find(({ code }) => !succeeds(python, ["-c", code]));
  if (failed === undefined) return;
  findPython(); // without one, what is there stays
  removeVenv(failed.fault);
}

/** @param {string} why */
function removeVenv(why) {
  timed("python", `removing .venv: ${why}`, () => rmSync(venv, { recursive: true, force: true }));
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * The extras in pyproject.toml: what changes nothing in them needs no new installation.
 * @param {string} text
 */
export function requirements(text) {
  const [, section = ""] = text.split("[project.optional-dependencies]\n");
  return section.split(/^\[/m)[0] ?? "";
}

/**
 * Where pip looks for torch: PyPI's build for Linux brings CUDA, which nothing here uses.
 * @param {NodeJS.Platform} platform
 * @param {() => boolean} answers whether torch's own index can be reached
 */
export function torchIndex(platform, answers) {
  if (platform !== "linux") return { options: [], warning: "" };
  if (answers()) return { options: ["--extra-index-url", cpuIndex], warning: "" };
  return { options: [], warning: "torch's own index does not answer; with CUDA it is up to 3 GB more" };
}

/** Whether it answers. Python asks, since it uses the same proxies as pip. */
function cpuIndexAnswers() {
  const ask = `import urllib.request; urllib.request.urlopen("${cpuIndex}/torch/", timeout=5)`;
  return succeeds(python, ["-c", ask], 8_000);
}

/** Makes an empty `.venv` with pip. */
function makeVenv() {
  const base = findPython();
  const complete = succeeds(base, ["-m", "ensurepip", "--version"]);
  run(base, ["-m", "venv", ...(complete ? [] : ["--without-pip"]), venv]);
  if (!complete) seedPip();
}

/** Debian keeps pip for new environments in a package of its own; everybody may download it, though not install it. */
function seedPip() {
  const folder = path.join(venv, "pip");
  const wheels = path.join(folder, "usr", "share", "python-wheels");
  mkdirSync(folder);
  try {
    run("apt-get", ["download", "python3-pip-whl"], { cwd: folder });
    run("dpkg-deb", ["--extract", ...readdirSync(folder), "."], { cwd: folder });
    const wheel = path.join(wheels, readdirSync(wheels).find((name) => name.startsWith("pip-")) ?? "");
    run(python, [path.join(wheel, "pip"), "install", "--quiet", "--no-index", wheel]);
    rmSync(folder, { recursive: true });
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    throw new SetUpError(
      "Python can make no environment with pip: run `sudo apt-get install python3-venv`, and this again.",
    );
  }
}

/** A Python for which there is the torch of pyproject.toml. */
function findPython() {
  const names = ["python3.14", "python3.13", "python3.12", "python3.11", "python3", "python", "py"];
  const candidates = process.env["PYTHON"] ? [process.env["PYTHON"]] : names;
  const found = candidates.find((candidate) => succeeds(candidate, ["-c", versionCheck]));
  if (found !== undefined) return found;
  throw new SetUpError(
    `No Python 3.11 to 3.14 found (tried ${candidates.join(", ")}): install one, or name its program in $PYTHON.`,
  );
}
