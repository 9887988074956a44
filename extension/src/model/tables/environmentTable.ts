import * as l10n from "@vscode/l10n";
import type { EnvironmentFound, EnvironmentSetting } from "../../protocol/generated.ts";
import type { RowPath } from "../rowPath.ts";
import { type Column, named, said, type Table, tableOf } from "./table.ts";

/** What the program runs with; first what is not as by default. */
export function environmentTable(found: EnvironmentFound, start: RowPath): Table {
  const columns: Column<EnvironmentSetting>[] = [
    { name: l10n.t("setting"), kind: "text", cell: ({ name }) => named(name) },
    {
      name: l10n.t("value"),
      kind: "text",
      cell: ({ value, differs }) => named(value, differs ? "warning" : undefined),
    },
    { name: l10n.t("default"), kind: "text", cell: (setting) => named(setting.default) },
    {
      name: l10n.t("differs"),
      kind: "text",
      cell: ({ differs }) => (differs ? said(l10n.t("not as by default"), "warning") : undefined),
    },
    { name: l10n.t("group"), kind: "text", cell: ({ group }) => said(GROUPS[group]()) },
  ];
  return tableOf(columns, found.settings, {
    id: ({ group, name }) => `${group} ${name}`,
    reveal: ({ name }) => ({ start, names: [name] }),
  });
}

const GROUPS: Record<EnvironmentSetting["group"], () => string> = {
  mode: () => l10n.t("mode"),
  flag: () => l10n.t("flag"),
  process: () => l10n.t("process"),
  variable: () => l10n.t("environment variable"),
  version: () => l10n.t("version"),
  device: () => l10n.t("device"),
};
