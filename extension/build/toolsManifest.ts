// Writes the tools for assistants into package.json and its texts, from the table of the code.
import { readFile, writeFile } from "node:fs/promises";
import { format, resolveConfig } from "prettier";
import { TOOLS } from "../src/model/assistant/tools.ts";

const root = new URL("../../", import.meta.url);

/** What package.json contributes for them. */
export const contributed = {
  languageModelTools: TOOLS.map(({ name, modelDescription, inputSchema, ...more }) => ({
    name,
    toolReferenceName: name,
    displayName: `%tool.${name}.title%`,
    userDescription: `%tool.${name}.description%`,
    modelDescription,
    canBeReferencedInPrompt: true,
    icon: "$(symbol-array)",
    // What reads can't answer while the program runs; a watchpoint can be set then.
    when: `${"changesRun" in more ? "inDebugMode" : "debugState == 'stopped'"} && config.tensorInspector.assistants.enabled`,
    tags: ["debug", "pytorch", "tensor"],
    inputSchema,
  })),
  chatSkills: [{ path: "./extension/skills/paused-tensors/SKILL.md" }],
};

/** The texts that it names, in English. */
export const toolTexts: Readonly<Record<string, string>> = Object.fromEntries(
  TOOLS.flatMap(({ name, title, userDescription }) => [
    [`tool.${name}.title`, title],
    [`tool.${name}.description`, `${userDescription}.`],
  ]),
);

async function rewritten(name: string, change: (read: Record<string, unknown>) => unknown): Promise<void> {
  const file = new URL(name, root);
  const before = await readFile(file, "utf8");
  const text = JSON.stringify(change(JSON.parse(before) as Record<string, unknown>));
  const now = await format(text, { ...(await resolveConfig(file)), parser: "json-stringify" });
  if (now !== before) await writeFile(file, now);
}

export async function writeToolsManifest(): Promise<void> {
  await rewritten("package.json", (manifest) => ({
    ...manifest,
    contributes: { ...(manifest["contributes"] as object), ...contributed },
  }));
  await rewritten("package.nls.json", (texts) => {
    const others = Object.entries(texts).filter(([key]) => !key.startsWith("tool."));
    return Object.fromEntries([...others, ...Object.entries(toolTexts)]);
  });
}

if (import.meta.main) await writeToolsManifest();
