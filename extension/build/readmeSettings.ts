// Writes the table of settings in README.md from package.json and its texts.
import { readFile, writeFile } from "node:fs/promises";
import { format, resolveConfig } from "prettier";

const root = new URL("../../", import.meta.url);
export const readme = new URL("README.md", root);
const BEGIN = "<!-- settings: written by extension/build/readmeSettings.ts -->";
const END = "<!-- /settings -->";

interface Setting {
  readonly order: number;
  readonly default: unknown;
  readonly enum?: readonly string[];
  readonly markdownDescription: string;
  readonly markdownEnumDescriptions?: readonly string[];
}

/** README.md with the table as it must be now. */
export async function withSettings(): Promise<string> {
  const [text, manifest, texts] = await Promise.all(
    ["README.md", "package.json", "package.nls.json"].map((name) => readFile(new URL(name, root), "utf8")),
  );
  const { properties } = JSON.parse(manifest ?? "").contributes.configuration as {
    properties: Record<string, Setting>;
  };
  const said = JSON.parse(texts ?? "") as Record<string, string>;
  const say = (key: string): string => said[key.replaceAll("%", "")] ?? key;
  const rows = Object.entries(properties)
    .toSorted(([, a], [, b]) => a.order - b.order)
    .map(([name, setting]) => {
      const values = (setting.enum ?? []).map(
        (value, at) => `\`${value}\`: ${say(setting.markdownEnumDescriptions?.[at] ?? "")}`,
      );
      const what = [say(setting.markdownDescription), ...values].join(" ");
      const usual = typeof setting.default === "string" ? setting.default : JSON.stringify(setting.default);
      return `| \`${name}\` | \`${usual}\` | ${what} |`;
    });
  const table = ["| setting | default | what it does |", "| --- | --- | --- |", ...rows].join("\n");
  const [before = "", rest = ""] = (text ?? "").split(BEGIN);
  const [, after = ""] = rest.split(END);
  const options = await resolveConfig(readme);
  return format(`${before}${BEGIN}\n\n${table}\n\n${END}${after}`, { ...options, parser: "markdown" });
}

export async function writeSettings(): Promise<void> {
  const text = await withSettings();
  if ((await readFile(readme, "utf8")) !== text) await writeFile(readme, text);
}

if (import.meta.main) await writeSettings();
