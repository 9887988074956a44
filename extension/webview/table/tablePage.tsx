import * as l10n from "@vscode/l10n";
import { useEffect, useState } from "preact/hooks";
import type { WholeTable, TableState } from "../../src/protocol/table.ts";
import { listenAsTable, say } from "../host.ts";
import { shareText } from "../numbers.ts";
import { asTsv } from "./copied.ts";
import { Filtering } from "./filtering.tsx";
import { Plot } from "./plot.tsx";
import { useSorting } from "./sorting.ts";
import { TableGrid } from "./tableGrid.tsx";

/** The page of a table: it sorts, filters and draws what the extension tells, and says which row is to be shown. */
export function TablePage() {
  const [table, setTable] = useState<WholeTable>();
  const [state, setState] = useState<TableState>();
  const [selected, setSelected] = useState<string>();
  useEffect(() => {
    const end = listenAsTable((message) => {
      if (message.type === "table") setTable(message);
      else setState(message);
    });
    say({ type: "ready" });
    return end;
  }, []);
  const { shown, sort, text, onSort, onText } = useSorting(table);
  const select = (row: string): void => {
    setSelected(row);
    say({ type: "reveal", row });
  };
  if (state === undefined && table === undefined) return null;
  const copy = (): void => {
    if (table !== undefined && shown !== undefined) say({ type: "copy", text: asTsv(table.columns, shown.rows) });
  };
  return (
    <main class="table-page">
      <header>
        <h1>
          {table?.name ?? state?.name} <span class="place">{table?.place}</span>
        </h1>
        <div class="controls">
          {table !== undefined && shown !== undefined && (
            <>
              <Filtering text={text} onText={onText} shown={shown.rows.length} all={table.rows.length} />
              <button type="button" onClick={copy}>
                {l10n.t("Copy as TSV")}
              </button>
            </>
          )}
          <button type="button" onClick={() => say({ type: "again" })}>
            {l10n.t("Refresh Now")}
          </button>
          <Progress state={state} />
        </div>
        {state?.note !== undefined && (
          <p class="note" role="status">
            {state.note}
          </p>
        )}
        {table !== undefined && table.notes.length > 0 && <p class="note">{table.notes.join(" · ")}</p>}
      </header>
      {table !== undefined && shown !== undefined && (
        <>
          <Plot table={table} selected={selected} onSelect={select} />
          <TableGrid
            table={table}
            shown={shown}
            sort={sort}
            selected={selected}
            onSort={onSort}
            onSelect={setSelected}
            onReveal={select}
            onCopy={(copied) => say({ type: "copy", text: copied })}
          />
        </>
      )}
    </main>
  );
}

function Progress({ state }: { readonly state: TableState | undefined }) {
  if (state?.progress === undefined) return null;
  return (
    <span class="progress" role="status">
      {l10n.t("Reading… {0}", shareText(state.progress))}{" "}
      <button type="button" onClick={() => say({ type: "cancel" })}>
        {l10n.t("Cancel")}
      </button>
    </span>
  );
}
