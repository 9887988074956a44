import * as l10n from "@vscode/l10n";
import type { ModelFound, ModuleRow } from "../../protocol/generated.ts";
import type { RowPath } from "../rowPath.ts";
import { type Column, counted, leftOut, named, said, shared, sized, type Table, tableOf } from "./table.ts";

/** The modules of a model as a tree, with what they hold. */
export function layersTable(found: ModelFound, start: RowPath): Table {
  const columns: Column<ModuleRow>[] = [
    { name: l10n.t("layer"), kind: "text", cell: ({ name }) => named(name) ?? said(l10n.t("the model"), "quiet") },
    { name: l10n.t("type"), kind: "text", cell: ({ type }) => named(type) },
    { name: l10n.t("parameters"), kind: "bar", cell: (row) => counted(row.parameters) },
    {
      name: l10n.t("share"),
      title: l10n.t("Of the parameters of the model."),
      kind: "number",
      cell: (row) => shared(row.parameters, found.parameters),
    },
    { name: l10n.t("trainable"), kind: "number", cell: (row) => counted(row.trainable) },
    {
      name: l10n.t("buffers"),
      title: l10n.t("The elements of its buffers."),
      kind: "number",
      cell: (row) => counted(row.buffers),
    },
    { name: l10n.t("bytes"), kind: "number", cell: ({ bytes }) => sized(bytes) },
    { name: l10n.t("dtype"), kind: "text", cell: ({ dtypes }) => said(dtypes.join(", ")) },
    { name: l10n.t("device"), kind: "text", cell: ({ devices }) => said(devices.join(", ")) },
    {
      name: l10n.t("mode"),
      kind: "text",
      cell: ({ training }) => said(training === null ? "" : training ? l10n.t("train") : l10n.t("eval")),
    },
    { name: l10n.t("hooks"), kind: "number", cell: ({ hooks }) => counted(hooks) },
    { name: l10n.t("same as"), kind: "text", cell: ({ same_as: same }) => named(same) },
  ];
  return tableOf(columns, found.rows, {
    id: ({ name }) => name,
    depth: ({ name }) => keysOf(name).length,
    reveal: ({ name }) => ({ start, names: keysOf(name) }),
    notes: leftOut(found.rows.length, found.modules),
  });
}

/** The names on the way to a module: of `blocks.0.fc` three. */
export function keysOf(name: string): string[] {
  return name === "" ? [] : name.split(".");
}
