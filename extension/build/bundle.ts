// How the extension is bundled: all its code in one file, so that activation reads one file and the package has no dependencies.
import { fileURLToPath } from "node:url";
import type { BuildOptions } from "esbuild";

export const options = {
  absWorkingDir: fileURLToPath(new URL("../../", import.meta.url)),
  entryPoints: ["extension/src/extension.ts"],
  outfile: "dist/extension.cjs",
  bundle: true,
  external: ["vscode"],
  format: "cjs",
  platform: "node",
  target: "node20",
  // @vscode/l10n would fetch messages from an address, which it is never given: so it can't.
  define: { fetch: "undefined" },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
} satisfies BuildOptions;
