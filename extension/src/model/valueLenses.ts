import * as l10n from "@vscode/l10n";
import { COMMAND, type CommandId } from "../ids.ts";

/** A lens that is asked about one value, as the user meets it. */
export interface ValueLensDescription {
  /** What the lens calls its value. */
  readonly value: string;
  /** By which the user asks it, of a row or of a value that is picked. */
  readonly command: CommandId;
  /** What the box says in which a value is picked: the value's name follows. */
  readonly pick: () => string;
  readonly icon: string;
  /** The name of its row in the tree. */
  readonly called: (name: string) => string;
  /** What the row says until there is an answer. */
  readonly working: () => string;
}

/** All of them: the helper says of which it has something to say of a value. */
export const VALUE_LENSES = {
  autograd: {
    value: "tensor",
    command: COMMAND.showAutogradGraph,
    pick: () => l10n.t("Show the autograd graph of"),
    icon: "type-hierarchy-sub",
    called: (name) => l10n.t("autograd of {0}", name),
    working: () => l10n.t("following the graph…"),
  },
  no_gradient: {
    value: "parameter",
    command: COMMAND.showWhyNoGradient,
    pick: () => l10n.t("Show why there is no gradient in"),
    icon: "question",
    called: (name) => l10n.t("no gradient: {0}", name),
    working: () => l10n.t("looking where the path breaks…"),
  },
  nan_origin: {
    value: "tensor",
    command: COMMAND.showNanOrigin,
    pick: () => l10n.t("Show where the NaN began in"),
    icon: "search",
    called: (name) => l10n.t("NaN origin: {0}", name),
    working: () => l10n.t("following the graph…"),
  },
  gradients: {
    value: "model",
    command: COMMAND.showGradients,
    pick: () => l10n.t("Show the gradients of"),
    icon: "graph",
    called: (name) => l10n.t("gradients of {0}", name),
    working: () => l10n.t("reading the gradients…"),
  },
} as const satisfies Readonly<Record<string, ValueLensDescription>>;

export type ValueLens = keyof typeof VALUE_LENSES;

/** The commands by which these lenses are asked. */
export type ValueLensCommand = (typeof VALUE_LENSES)[ValueLens]["command"];

export function isValueLens(name: string): name is ValueLens {
  return Object.hasOwn(VALUE_LENSES, name);
}
