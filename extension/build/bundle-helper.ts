// Packs the Python helper's sources into dist/helper.json, which esbuild puts into the extension.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { type Bundle, packed } from "../src/helper/injection.ts";

const root = new URL("../../", import.meta.url);
const source = new URL("pyhelper/tensor_inspector/", root);

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
  const files = (await readdir(source, { recursive: true })).filter((file) => file.endsWith(".py")).toSorted();
  const modules: Record<string, string> = {};
  let loader = "";
  for (const file of files) {
    const text = (await readFile(new URL(file.replaceAll("\\", "/"), source), "utf8")).replaceAll("\r\n", "\n");
    if (file === "loader.py") loader = text;
    else modules[moduleName(file)] = text;
  }
  if (loader === "") throw new Error("pyhelper/tensor_inspector/loader.py is missing");
  const version = createHash("sha256").update(JSON.stringify({ loader, modules })).digest("hex").slice(0, 12);
  return { version, modules: packed(inAscii(modules)), loader: packed(loader) };
}

/** As JSON in ASCII alone: one other character would make Python keep the whole text in twice the memory. */
function inAscii(modules: Record<string, string>): string {
  return JSON.stringify(modules).replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

if (import.meta.main) {
  await mkdir(new URL("dist/", root), { recursive: true });
  await writeFile(new URL("dist/helper.json", root), JSON.stringify(await bundleHelper()));
}
