// dist/extension.cjs: everything in one file, so that activation reads one file and the package has no dependencies.
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleHelper } from "./bundle-helper.ts";
import { writeMessages } from "./l10n.ts";
import { writeProtocol } from "./protocol.ts";

const root = new URL("../../", import.meta.url);
const path = (name: string): string => fileURLToPath(new URL(name, root));

await mkdir(path("dist"), { recursive: true });
await writeFile(path("dist/helper.json"), JSON.stringify(await bundleHelper()));
await writeProtocol();
await writeMessages();
await build({
  absWorkingDir: path("."),
  entryPoints: ["extension/src/extension.ts"],
  outfile: "dist/extension.cjs",
  bundle: true,
  external: ["vscode"],
  format: "cjs",
  platform: "node",
  target: "node20",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
});
