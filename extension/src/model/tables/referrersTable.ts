import * as l10n from "@vscode/l10n";
import type { Referrer, ReferrersFound } from "../../protocol/generated.ts";
import type { RowPath } from "../rowPath.ts";
import { type Column, leftOut, named, said, type Table, tableOf } from "./table.ts";

/** Who keeps a value alive. */
export function referrersTable(found: ReferrersFound, start: RowPath): Table {
  const columns: Column<Referrer>[] = [
    { name: l10n.t("holder"), kind: "text", cell: ({ name }) => named(name) },
    { name: l10n.t("how"), kind: "text", cell: ({ how }) => said(HOW[how]()) },
  ];
  return tableOf(columns, found.referrers, {
    id: ({ how, name }) => `${how} ${name}`,
    reveal: ({ name }) => ({ start, names: [name] }),
    notes: [
      ...leftOut(found.referrers.length, found.count),
      ...(found.complete ? [] : [l10n.t("Not all ways were followed to their ends.")]),
    ],
  });
}

const HOW: Record<Referrer["how"], () => string> = {
  name: () => l10n.t("a name in sight"),
  memory: () => l10n.t("another one over its memory"),
  graph: () => l10n.t("saved for backward"),
  module: () => l10n.t("a module of Python"),
  class: () => l10n.t("a class"),
  function: () => l10n.t("a function"),
  frame: () => l10n.t("a frame"),
  generator: () => l10n.t("a generator"),
  cycle: () => l10n.t("a cycle, which the garbage collector frees"),
};
