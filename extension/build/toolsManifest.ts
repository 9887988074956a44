// What package.json contributes for the tools for assistants, from the table of the code.
import { TOOLS } from "../src/model/assistant/tools.ts";

export const contributedTools = {
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
