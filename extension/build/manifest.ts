// Writes what is made of tables into package.json and its texts: commands, menus, keys, and the tools for assistants.
import { readFile, writeFile } from "node:fs/promises";
import { format, resolveConfig } from "prettier";
import { commandTexts, contributedCommands } from "./commandsManifest.ts";
import { contributedTools, toolTexts } from "./toolsManifest.ts";

const root = new URL("../../", import.meta.url);

/** What package.json contributes of the tables. */
export const contributed = { ...contributedCommands, ...contributedTools };

/** The texts that it names, in English. */
export const texts: Readonly<Record<string, string>> = { ...commandTexts, ...toolTexts };

async function rewritten(name: string, change: (read: Record<string, unknown>) => unknown): Promise<void> {
  const file = new URL(name, root);
  const before = await readFile(file, "utf8");
  const text = JSON.stringify(change(JSON.parse(before) as Record<string, unknown>));
  const now = await format(text, { ...(await resolveConfig(file)), parser: "json-stringify" });
  if (now !== before) await writeFile(file, now);
}

export async function writeManifest(): Promise<void> {
  await rewritten("package.json", (manifest) => ({
    ...manifest,
    contributes: { ...(manifest["contributes"] as object), ...contributed },
  }));
  await rewritten("package.nls.json", (known) => {
    const others = Object.entries(known).filter(([key]) => !/^(?:command|tool)\./.test(key));
    return Object.fromEntries([...others, ...Object.entries(texts)]);
  });
}

if (import.meta.main) await writeManifest();
