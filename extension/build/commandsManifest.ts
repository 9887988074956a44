// What package.json contributes for the commands: themselves, their places in menus, and their keys.
import { COMMAND, VIEW } from "../src/ids.ts";
import { COMMAND_TABLE, type CommandEntry } from "./commandTable.ts";

const names = Object.keys(COMMAND) as (keyof typeof COMMAND)[];

/** What `made` makes of each entry, with the command that it is for. */
function each<Item extends object>(made: (entry: CommandEntry) => readonly Item[]): (Item & { command: string })[] {
  return names.flatMap((name) => made(COMMAND_TABLE[name]).map((item) => ({ command: COMMAND[name], ...item })));
}

function all(...conditions: readonly (string | false | undefined)[]): string {
  return conditions.filter(Boolean).join(" && ");
}

const ofVariables = each(({ variables }) => (variables ? [variables] : []));

export const contributedCommands = {
  commands: names.map((name) => ({
    command: COMMAND[name],
    title: `%command.${name}%`,
    category: "Tensor Inspector",
    ...(COMMAND_TABLE[name].icon ? { icon: `$(${COMMAND_TABLE[name].icon})` } : {}),
  })),
  menus: {
    // Without an entry a command is in the palette always.
    commandPalette: each(({ palette = "false" }) => [{ when: palette }]),
    "view/title": each(({ view = [] }) =>
      view.map(({ view: id = VIEW, when, group }) => ({ when: all(`view == ${id}`, when), group })),
    ),
    "view/item/context": each(({ rows = [] }) =>
      rows.map(({ offers, isAlone, when, group }) => ({
        when: all(`view == ${VIEW}`, `viewItem =~ /\\b${offers}\\b/`, isAlone && "!listMultiSelection", when),
        group,
      })),
    ),
    "editor/context": each(({ editor }) => (editor ? [editor] : [])),
    "debug/variables/context": ofVariables,
    "debug/watch/context": ofVariables,
  },
  keybindings: each(({ keys = [] }) =>
    keys.map(({ when, ...key }) => ({
      ...key,
      when: all(`focusedView == ${VIEW}`, "listFocus", "!inputFocus", when),
    })),
  ),
};

/** The titles, in English. */
export const commandTexts: Readonly<Record<string, string>> = Object.fromEntries(
  names.map((name) => [`command.${name}`, COMMAND_TABLE[name].title]),
);
