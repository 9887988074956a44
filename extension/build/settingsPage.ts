// Writes the tables of docs/settings.md from package.json and its texts: settings, commands, colours.
import { readFile, writeFile } from "node:fs/promises";
import { format, resolveConfig } from "prettier";

const root = new URL("../../", import.meta.url);
const page = new URL("docs/settings.md", root);

interface Setting {
  readonly order: number;
  readonly default: unknown;
  readonly enum?: readonly string[];
  readonly markdownDescription: string;
  readonly markdownEnumDescriptions?: readonly string[];
}

interface MenuEntry {
  readonly command: string;
  readonly when: string;
  readonly group?: string;
}

interface Key {
  readonly command: string;
  readonly key: string;
  readonly mac?: string;
  readonly when: string;
}

interface Contributions {
  readonly configuration: { readonly properties: Record<string, Setting> };
  readonly commands: readonly { readonly command: string; readonly title: string }[];
  readonly colors: readonly { readonly id: string; readonly description: string }[];
  readonly menus: Record<string, readonly MenuEntry[]>;
  readonly keybindings: readonly Key[];
}

/** What people call the menus of package.json. */
const MENUS: Record<string, (entry: MenuEntry) => string | undefined> = {
  commandPalette: ({ when }) => (when === "false" ? undefined : "palette"),
  "view/title": ({ when, group }) => {
    const view = when.includes("tensorInspector.details") ? "details page" : "view";
    return group?.startsWith("navigation") ? `title of the ${view}` : `… menu of the ${view}`;
  },
  "view/item/context": ({ group }) => (group?.startsWith("inline") ? "button of a row" : "menu of a row"),
  "editor/context": () => "menu of the editor",
  "debug/variables/context": () => "menu of Variables",
  "debug/watch/context": () => "menu of Watch",
};

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function keyCap(key: string): string {
  return key
    .split("+")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("+");
}

/** docs/settings.md as it must be now, and as it is. */
export async function settingsPage(): Promise<{ now: string; written: string }> {
  const [written = "", manifest = "", texts = ""] = await Promise.all(
    ["docs/settings.md", "package.json", "package.nls.json"].map((name) => readFile(new URL(name, root), "utf8")),
  );
  const contributes = JSON.parse(manifest).contributes as Contributions;
  const said = JSON.parse(texts) as Record<string, string>;
  const say = (key: string): string => said[key.replaceAll("%", "")] ?? key;

  const settings = Object.entries(contributes.configuration.properties)
    .toSorted(([, a], [, b]) => a.order - b.order)
    .map(([name, setting]) => {
      const values = (setting.enum ?? []).map(
        (value, at) => `\`${value}\`: ${say(setting.markdownEnumDescriptions?.[at] ?? "")}`,
      );
      const usual = typeof setting.default === "string" ? setting.default : JSON.stringify(setting.default);
      return [`\`${name}\``, `\`${usual}\``, [say(setting.markdownDescription), ...values].join(" ")];
    });
  const commands = contributes.commands.map(({ command, title }) => {
    const places = Object.entries(contributes.menus).flatMap(([menu, entries]) =>
      entries.filter((entry) => entry.command === command).map((entry) => MENUS[menu]?.(entry)),
    );
    const keys = contributes.keybindings.filter((key) => key.command === command);
    const caps = keys.map(({ key, mac }) => keyCap(key) + (mac === undefined ? "" : ` (macOS ${keyCap(mac)})`));
    const where = [...new Set(places.filter((place) => place !== undefined))];
    return [say(title), `\`${command}\``, where.join(", ") || "a click on its row", caps.join(", ")];
  });
  const colors = contributes.colors.map(({ id, description }) => [`\`${id}\``, say(description)]);

  const tables = {
    settings: table(["setting", "default", "what it does"], settings),
    commands: table(["command", "id", "where it is offered", "keys in the view"], commands),
    colors: table(["color", "of what"], colors),
  };
  let now = written;
  for (const [name, text] of Object.entries(tables)) {
    const [before = "", rest = ""] = now.split(`<!-- ${name} -->`);
    const [, after = ""] = rest.split(`<!-- /${name} -->`);
    now = `${before}<!-- ${name} -->\n\n${text}\n\n<!-- /${name} -->${after}`;
  }
  return { now: await format(now, { ...(await resolveConfig(page)), parser: "markdown" }), written };
}

export async function writeSettingsPage(): Promise<void> {
  const { now, written } = await settingsPage();
  if (now !== written) await writeFile(page, now);
}

if (import.meta.main) await writeSettingsPage();
