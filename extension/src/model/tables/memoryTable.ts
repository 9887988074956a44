import * as l10n from "@vscode/l10n";
import type { MemoryBlock, MemoryFound, MemoryGroup, MemoryPart, MemoryShare } from "../../protocol/generated.ts";
import type { TableCell } from "../../protocol/table.ts";
import { numberOf } from "../measurements.ts";
import type { RowPath } from "../rowPath.ts";
import { countText } from "../words.ts";
import { type Column, counted, named, said, shared, sizeText, sized, type Table, tableOf } from "./table.ts";

/** What a row is of: a part of the memory, one of its largest pieces, or a variable. */
type MemoryRow =
  | { readonly what: "part"; readonly of: MemoryShare }
  | { readonly what: "piece"; readonly of: MemoryBlock }
  | { readonly what: "variable"; readonly of: MemoryGroup };

/** What takes memory: by variables, then by parts, each with its largest pieces. */
export function memoryTable(found: MemoryFound, start: RowPath): Table {
  const columns: Column<MemoryRow>[] = [
    { name: l10n.t("name"), kind: "text", cell: nameCell },
    { name: l10n.t("what"), kind: "text", cell: ({ what }) => said(WHAT[what]()) },
    { name: l10n.t("bytes"), kind: "bar", cell: ({ of }) => sized(of.bytes) },
    {
      name: l10n.t("share"),
      title: l10n.t("Of all that was found."),
      kind: "number",
      cell: ({ of }) => shared(of.bytes, found.bytes),
    },
    { name: l10n.t("device"), kind: "text", cell: ({ of }) => named("device" in of ? of.device : undefined) },
    {
      name: l10n.t("pieces"),
      kind: "number",
      cell: ({ of }) => counted("count" in of ? of.count : undefined),
    },
    {
      name: l10n.t("holders"),
      title: l10n.t("How many hold it."),
      kind: "number",
      cell: ({ of }) => counted("holders" in of ? of.holders : undefined),
    },
    {
      name: l10n.t("saved"),
      title: l10n.t("What of it is saved for a backward."),
      kind: "number",
      cell: ({ of }) => ("saved" in of && numberOf(of.saved) > 0 ? sized(of.saved) : undefined),
    },
    { name: l10n.t("also"), title: l10n.t("Its other names."), kind: "text", cell: alsoCell },
  ];
  return tableOf(columns, rowsOf(found), {
    id: ({ what, of }) => `${what} ${"part" in of ? of.part : ""} ${"device" in of ? of.device : ""} ${nameOf(of)}`,
    depth: ({ what }) => (what === "piece" ? 1 : 0),
    reveal: ({ what, of }) => ({ start, names: what === "variable" ? [nameOf(of)] : [] }),
    notes: [
      ...found.devices.map(deviceText),
      ...left(found.groups.length, found.variables, (count) => l10n.t("{0} smaller variables are not listed", count)),
      ...left(found.blocks.length, found.count, (count) => l10n.t("{0} smaller pieces are not listed", count)),
      ...(found.complete ? [] : [l10n.t("Not all was gone through: this is the least.")]),
      ...(found.uncounted.length === 0 ? [] : [l10n.t("not counted: {0}", found.uncounted.join(", "))]),
    ],
  });
}

/** What is said where the smaller ones are left out. */
function left(shown: number, all: MemoryFound["count"], text: (count: string) => string): string[] {
  const missing = numberOf(all) - shown;
  return missing > 0 ? [text(countText(missing))] : [];
}

function rowsOf({ groups, shares, blocks }: MemoryFound): MemoryRow[] {
  const parts = shares.flatMap((of): MemoryRow[] => [
    { what: "part", of },
    ...blocks
      .filter(({ part, device }) => part === of.part && device === of.device)
      .map((block): MemoryRow => ({ what: "piece", of: block })),
  ]);
  return [...groups.map((of): MemoryRow => ({ what: "variable", of })), ...parts];
}

function nameOf(of: MemoryRow["of"]): string {
  if ("names" in of) return of.names[0] ?? "";
  return "name" in of ? of.name : "";
}

function alsoCell({ of }: MemoryRow): TableCell | undefined {
  return named("names" in of ? of.names.slice(1).join(", ") : undefined);
}

function nameCell({ what, of }: MemoryRow): TableCell | undefined {
  return what === "part" ? said(PARTS[of.part]()) : (named(nameOf(of)) ?? said(PARTS.unnamed(), "quiet"));
}

function deviceText({ device, known, allocated, reserved, free }: MemoryFound["devices"][number]): string {
  const parts = [l10n.t("{0} found", sizeText(numberOf(known)))];
  if (allocated !== null) parts.push(l10n.t("{0} allocated", sizeText(numberOf(allocated))));
  if (reserved !== null) parts.push(l10n.t("{0} reserved", sizeText(numberOf(reserved))));
  if (free !== null) parts.push(l10n.t("{0} free", sizeText(numberOf(free))));
  return `${device}: ${parts.join(", ")}`;
}

const WHAT: Record<MemoryRow["what"], () => string> = {
  part: () => l10n.t("part"),
  piece: () => l10n.t("piece"),
  variable: () => l10n.t("variable"),
};

const PARTS: Record<MemoryPart, () => string> = {
  model: () => l10n.t("model"),
  gradients: () => l10n.t("gradients"),
  optimizer: () => l10n.t("optimizer state"),
  variables: () => l10n.t("other variables"),
  saved: () => l10n.t("saved for backward"),
  unnamed: () => l10n.t("no name in sight"),
};
