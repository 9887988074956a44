// Writes l10n/bundle.l10n.json: every message in the extension's code, as VS Code's translations look it up.
// With --check it writes nothing, and fails where the file is not what it would write.
import { globSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { getL10nJson } from "@vscode/l10n-dev";

const root = new URL("../../", import.meta.url);
const messagesFile = new URL("l10n/bundle.l10n.json", root);

/** The text that bundle.l10n.json must have for the code as it is now. */
async function messages(): Promise<string> {
  const folder = fileURLToPath(root);
  const scripts = globSync(["extension/src/**/*.ts", "extension/webview/**/*.{ts,tsx}"], { cwd: folder }).map(
    async (path) => ({
      contents: await readFile(join(folder, path), "utf8"),
      extension: extname(path),
    }),
  );
  const found = Object.entries(await getL10nJson(await Promise.all(scripts)));
  return `${JSON.stringify(Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1))), undefined, 2)}\n`;
}

/** The file as it is, empty where there is none. */
export function writtenMessages(): Promise<string> {
  return readFile(messagesFile, "utf8").catch(() => "");
}

export async function writeMessages(): Promise<void> {
  await mkdir(new URL(".", messagesFile), { recursive: true });
  await writeFile(messagesFile, await messages());
}

if (import.meta.main) {
  if (!process.argv.includes("--check")) await writeMessages();
  else if ((await writtenMessages()) !== (await messages())) {
    console.error("l10n/bundle.l10n.json is not what the code says: run node extension/build/l10n.ts");
    process.exitCode = 1;
  }
}
