// How the extension and its page are bundled: each all in one file, so that activation reads one file and the package has no dependencies.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type BuildOptions, type Plugin } from "esbuild";

const both = {
  absWorkingDir: fileURLToPath(new URL("../../", import.meta.url)),
  bundle: true,
  // @vscode/l10n would fetch messages from an address, which it is never given: so it can't.
  define: { fetch: "undefined" },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
} satisfies BuildOptions;

export const options = {
  ...both,
  entryPoints: ["extension/src/extension.ts"],
  outfile: "dist/extension.cjs",
  external: ["vscode"],
  format: "cjs",
  platform: "node",
  target: "node20",
} satisfies BuildOptions;

const browser = {
  ...both,
  outdir: "dist",
  format: "iife",
  platform: "browser",
  target: "chrome130",
  minifyIdentifiers: true,
  jsx: "automatic",
  jsxImportSource: "preact",
} satisfies BuildOptions;

/** The details page, which VS Code's browser loads when it is opened. */
export const pageOptions = {
  ...browser,
  entryPoints: [
    { in: "extension/webview/main.tsx", out: "page" },
    { in: "extension/webview/page.css", out: "page" },
  ],
} satisfies BuildOptions;

/** What is imported as `script:` is the text of a script, of which a page makes a worker: it may load none from a file. */
const scripts: Plugin = {
  name: "scripts",
  setup(plugin) {
    plugin.onResolve({ filter: /^script:/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace(/^script:/, "")),
      namespace: "script",
    }));
    plugin.onLoad({ filter: /./, namespace: "script" }, async ({ path }) => {
      const { outputFiles } = await build({ ...browser, entryPoints: [path], write: false });
      return { contents: outputFiles[0]?.text ?? "", loader: "text" };
    });
  },
};

/** The page of a drawn graph, likewise. */
export const graphOptions = {
  ...browser,
  entryPoints: [
    { in: "extension/webview/graph/graphMain.tsx", out: "graph" },
    { in: "extension/webview/graph/graph.css", out: "graph" },
  ],
  plugins: [scripts],
} satisfies BuildOptions;
