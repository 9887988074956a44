// Packs the Python helper's sources into dist/helper.json, which the extension reads when the first session begins.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { type Bundle, packed } from "../src/helper/injection.ts";
import { bareSource } from "./bareSource.ts";

const root = new URL("../../", import.meta.url);
const source = new URL("pyhelper/tensor_inspector/", root);

/** Of the wheel alone. */
const COMMAND_LINE = "__main__.py";

/** Module names below the package, "" for the package itself: kinds/torch/tensor.py is `kinds.torch.tensor`. */
function moduleName(file: string): string {
  return file
    .replace(/\.py$/, "")
    .split(/[\\/]/)
    .filter((part) => part !== "__init__")
    .join(".");
}

/** The helper as it is in the working tree. Its version is a hash of everything that is injected. */
export async function bundleHelper(): Promise<Bundle> {
  const all = (await readdir(source, { recursive: true })).filter((file) => file.endsWith(".py"));
  const files = all.filter((file) => file !== COMMAND_LINE).toSorted();
  const folders = new Map<string, Map<string, string>>();
  let loader = "";
  let timeOuts = "";
  for (const file of files) {
    const whole = await readFile(new URL(file.replaceAll("\\", "/"), source), "utf8");
    const text = bareSource(whole.replaceAll("\r\n", "\n"));
    if (file === "time_outs.py") timeOuts = text; // among the modules too
    if (file === "loader.py") loader = text;
    else folders.set(folderOf(file), (folders.get(folderOf(file)) ?? new Map()).set(moduleName(file), text));
  }
  if (!loader || !timeOuts) throw new Error("pyhelper/tensor_inspector lacks loader.py or time_outs.py");
  const texts = [...folders.values()];
  const modules = Object.fromEntries(texts.flatMap((folder, at) => [...folder.keys()].map((name) => [name, at])));
  const sources = texts.map((folder) => [...folder.values()].join("\0"));
  const version = createHash("sha256").update(JSON.stringify({ loader, modules, sources })).digest("hex").slice(0, 12);
  return {
    version,
    modules: packed(JSON.stringify(modules)),
    folders: sources.map(packed),
    loader: packed(loader),
    timeOuts: packed(timeOuts),
  };
}

/** The folder whose sources are packed together: at most two deep. */
function folderOf(file: string): string {
  return file.split(/[\\/]/).slice(0, -1).slice(0, 2).join("/");
}

export async function writeHelper(): Promise<void> {
  await mkdir(new URL("dist/", root), { recursive: true });
  await writeFile(new URL("dist/helper.json", root), JSON.stringify(await bundleHelper()));
}

if (import.meta.main) await writeHelper();
