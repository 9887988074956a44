import * as l10n from "@vscode/l10n";
import { COMMAND, type CommandId } from "../ids.ts";

/** A lens that is asked about one value, as the user meets it. */
export interface ValueLensDescription {
  /** The lens's name for its value, as `LENSES` of the helper has it. */
  readonly value: string;
  /** The command by which the user asks it, about a row or a picked value. */
  readonly command: CommandId;
  /** The title of the box in which a value is picked. */
  readonly pick: () => string;
  /** The title of the box for further values, which the lens calls `input1`, `input2` …, if it takes any. */
  readonly inputs?: (name: string) => string;
  /** The title of the box for the number of an item, the lens's option `index`, if it has that. */
  readonly index?: (name: string) => string;
  /** What the user has to agree to, where code of the program runs for it. */
  readonly runs?: Agreement;
  readonly icon: string;
  /** The name of its row in the tree. */
  readonly called: (name: string) => string;
  /** The same in the row, where there is little room and the icon tells the rest. */
  readonly label?: (name: string) => string;
  /** What the row says until there is an answer. */
  readonly working: () => string;
}

/** What the user agrees to: the question, and what is run. What can't be undone is the same for all, so it is not here. */
interface Agreement {
  readonly question: (name: string) => string;
  readonly detail: () => string;
}

/** All of them. A node of the helper names those that have something to say of its value. */
export const VALUE_LENSES = {
  autograd: {
    value: "tensor",
    command: COMMAND.showAutogradGraph,
    pick: () => l10n.t("Show the autograd graph of…"),
    icon: "type-hierarchy-sub",
    called: (name) => l10n.t("autograd of {0}", name),
    working: () => l10n.t("following the graph…"),
  },
  no_gradient: {
    value: "parameter",
    command: COMMAND.showWhyNoGradient,
    pick: () => l10n.t("Show why there is no gradient in…"),
    icon: "question",
    called: (name) => l10n.t("why no gradient: {0}", name),
    label: (name) => l10n.t("no gradient? {0}", name),
    working: () => l10n.t("looking where the path breaks…"),
  },
  nan_origin: {
    value: "tensor",
    command: COMMAND.showNanOrigin,
    pick: () => l10n.t("Show where the NaN began in…"),
    icon: "search",
    called: (name) => l10n.t("where NaN began: {0}", name),
    label: (name) => l10n.t("NaN origin: {0}", name),
    working: () => l10n.t("following the graph…"),
  },
  gradients: {
    value: "model",
    command: COMMAND.showGradients,
    pick: () => l10n.t("Show the gradients of…"),
    icon: "graph",
    called: (name) => l10n.t("gradients of {0}", name),
    working: () => l10n.t("reading the gradients…"),
  },
  gradcheck: {
    value: "function",
    command: COMMAND.checkGradients,
    pick: () => l10n.t("Check the gradients of…"),
    inputs: (name) => l10n.t("Check the gradients of “{0}” at…", name),
    runs: {
      question: (name) => l10n.t("Run {0} to check its gradients?", name),
      detail: () =>
        l10n.t(
          "It runs many times, forward and backward, on small copies of these inputs and of what it holds, in double precision.",
        ),
    },
    icon: "beaker",
    called: (name) => l10n.t("gradcheck of {0}", name),
    label: (name) => l10n.t("gradcheck {0}", name),
    working: () => l10n.t("checking…"),
  },
  model: {
    value: "model",
    command: COMMAND.showLayers,
    pick: () => l10n.t("Show the layers of…"),
    icon: "layers",
    called: (name) => l10n.t("layers of {0}", name),
    working: () => l10n.t("reading the layers…"),
  },
  shapes: {
    value: "module",
    command: COMMAND.showShapes,
    pick: () => l10n.t("Show the shapes in…"),
    inputs: (name) => l10n.t("Show the shapes in “{0}” on…", name),
    runs: {
      question: (name) => l10n.t("Run {0} once?", name),
      detail: () =>
        l10n.t(
          "Its forward runs once, on copies of these inputs and of its parameters, buffers and attributes, without the program's hooks.",
        ),
    },
    icon: "symbol-ruler",
    called: (name) => l10n.t("shapes of {0}", name),
    label: (name) => name,
    working: () => l10n.t("running…"),
  },
  batch: {
    value: "batch",
    command: COMMAND.describeData,
    pick: () => l10n.t("Describe the data in…"),
    icon: "table",
    called: (name) => l10n.t("data in {0}", name),
    working: () => l10n.t("reading the data…"),
  },
  item: {
    value: "dataset",
    command: COMMAND.loadItem,
    pick: () => l10n.t("Load an item of…"),
    index: (name) => l10n.t("Load which item of “{0}”?", name),
    runs: {
      question: (name) => l10n.t("Load {0}?", name),
      detail: () =>
        l10n.t(
          "The code of the dataset runs as when the program takes this item, on a copy of what the dataset holds.",
        ),
    },
    icon: "symbol-field",
    called: (name) => l10n.t("item {0}", name),
    label: (name) => name,
    working: () => l10n.t("loading…"),
  },
  referrers: {
    value: "value",
    command: COMMAND.showReferrers,
    pick: () => l10n.t("Show who holds…"),
    icon: "references",
    called: (name) => l10n.t("who holds {0}", name),
    working: () => l10n.t("looking for who holds it…"),
  },
} as const satisfies Readonly<Record<string, ValueLensDescription>>;

export type ValueLens = keyof typeof VALUE_LENSES;

/** The commands by which these lenses are asked. */
export type ValueLensCommand = (typeof VALUE_LENSES)[ValueLens]["command"];

export function isValueLens(name: string): name is ValueLens {
  return Object.hasOwn(VALUE_LENSES, name);
}
