import * as l10n from "@vscode/l10n";
import { COMMAND, type CommandId } from "../ids.ts";

/** A lens that is asked about the program as a whole, as the user meets it. */
interface ProgramLensDescription {
  /** The command that shows its row. */
  readonly command: CommandId;
  readonly icon: string;
  /** The name of its row in the tree. */
  readonly called: () => string;
  /** What the row says until there is an answer. */
  readonly working: () => string;
}

/** All of them, in the order of their rows. */
export const PROGRAM_LENSES = {
  memory: {
    command: COMMAND.showMemory,
    icon: "pie-chart",
    called: () => l10n.t("memory"),
    working: () => l10n.t("measuring the memory…"),
  },
  environment: {
    command: COMMAND.showEnvironment,
    icon: "server-environment",
    called: () => l10n.t("environment"),
    working: () => l10n.t("reading the settings…"),
  },
} as const satisfies Readonly<Record<string, ProgramLensDescription>>;

export type ProgramLens = keyof typeof PROGRAM_LENSES;

export function isProgramLens(name: string): name is ProgramLens {
  return Object.hasOwn(PROGRAM_LENSES, name);
}
