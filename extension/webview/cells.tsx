import * as l10n from "@vscode/l10n";
import { useMemo, useState } from "preact/hooks";
import type { ElementWindow, ShownTable } from "../src/protocol/page.ts";
import type { TableColumn, TableRow, WholeTable } from "../src/protocol/table.ts";
import { say } from "./host.ts";
import { countText } from "./numbers.ts";
import { asTsv } from "./table/copied.ts";
import { Filtering } from "./table/filtering.tsx";
import { useSorting } from "./table/sorting.ts";
import { TableGrid } from "./table/tableGrid.tsx";

interface CellsProps {
  readonly name: string;
  readonly table: ShownTable;
}

/** The cells of a table of the program that were read: sorted and filtered among themselves, further ones on request. */
export function Cells({ name, table }: CellsProps) {
  const shownTable = useMemo(() => asTable(name, table), [name, table]);
  const { shown, sort, text, onSort, onText } = useSorting(shownTable);
  const [selected, setSelected] = useState<string>();
  const { columns, rows } = shownTable;
  const [top, bottom, left, right] = table.window;
  if (shown === undefined) return null;
  return (
    <div class="cells">
      <div class="controls">
        <Filtering text={text} onText={onText} shown={shown.rows.length} all={rows.length} />
        <button type="button" onClick={() => say({ type: "copy", text: asTsv(columns, shown.rows) })}>
          {l10n.t("Copy as TSV")}
        </button>
        <Part
          name={l10n.t("Rows")}
          from={top}
          to={bottom}
          all={table.shape[0]}
          onPart={(from, to) => ask(from, to, left, right)}
        />
        <Part
          name={l10n.t("Columns")}
          from={left}
          to={right}
          all={table.shape[1]}
          onPart={(from, to) => ask(top, bottom, from, to)}
        />
      </div>
      <TableGrid
        table={shownTable}
        shown={shown}
        sort={sort}
        selected={selected}
        onSort={onSort}
        onSelect={setSelected}
        onReveal={setSelected}
        onCopy={(text) => say({ type: "copy", text })}
      />
    </div>
  );
}

function ask(...window: ElementWindow): void {
  say({ type: "table", window });
}

interface PartProps {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly all: number;
  readonly onPart: (from: number, to: number) => void;
}

/** Which of the rows or columns are there, and buttons for those before and behind them. */
function Part({ name, from, to, all, onPart }: PartProps) {
  if (from === 0 && to === all) return null;
  const amount = Math.max(1, to - from);
  return (
    <span class="part">
      {l10n.t("{0} {1} to {2} of {3}", name, countText(from), countText(to - 1), countText(all))}{" "}
      <button
        type="button"
        disabled={from === 0}
        aria-label={l10n.t("{0} before these", name)}
        onClick={() => onPart(Math.max(0, from - amount), Math.max(0, from - amount) + Math.min(amount, all))}
      >
        ◀
      </button>
      <button
        type="button"
        disabled={to === all}
        aria-label={l10n.t("{0} behind these", name)}
        onClick={() => onPart(to, Math.min(all, to + amount))}
      >
        ▶
      </button>
    </span>
  );
}

function asTable(name: string, { labels, columns, window }: ShownTable): WholeTable {
  const heads: TableColumn[] = columns.map(({ name: head, dtype, numbers }) => ({
    name: head,
    title: `${head}: ${dtype}`,
    kind: numbers === undefined ? "text" : "number",
  }));
  const rows = labels.map((label, at): TableRow => ({
    id: String(window[0] + at),
    cells: [
      { text: label, foreign: true },
      ...columns.map(({ texts, numbers }) => {
        const value = numbers?.[at] ?? undefined;
        return { text: texts[at] ?? "", foreign: true as const, ...(value === undefined ? {} : { value }) };
      }),
    ],
  }));
  return {
    type: "table",
    name,
    columns: [{ name: "", title: l10n.t("Label of the row"), kind: "text" }, ...heads],
    rows,
    notes: [],
  };
}
