import { useMemo, useState } from "preact/hooks";
import type { WholeTable } from "../../src/protocol/table.ts";
import { filterOf, keysOf, nextSort, type Ordered, ordered, type Sort } from "./order.ts";

/** How the user sorts and filters a table. */
export interface Sorting {
  readonly shown: Ordered | undefined;
  readonly sort: Sort | undefined;
  readonly text: string;
  readonly onSort: (column: number) => void;
  readonly onText: (text: string) => void;
}

/** The rows of a table as the user sorts and filters them, which stays so while other tables come in its place. */
export function useSorting(table: Pick<WholeTable, "columns" | "rows"> | undefined): Sorting {
  /** The key of the column, which may have another place at the next stop. */
  const [sorted, setSorted] = useState<{ readonly key: string; readonly descending: boolean }>();
  const [text, setText] = useState("");
  const sort = useMemo((): Sort | undefined => {
    const column = sorted === undefined || table === undefined ? -1 : keysOf(table.columns).indexOf(sorted.key);
    return sorted === undefined || column < 0 ? undefined : { column, descending: sorted.descending };
  }, [table, sorted]);
  const shown = useMemo(
    () => table && ordered(table.columns, table.rows, sort, filterOf(text, table.columns)),
    [table, sort, text],
  );
  const onSort = (column: number): void => {
    const next = nextSort(table?.columns ?? [], sort, column);
    const key = next && keysOf(table?.columns ?? [])[next.column];
    setSorted(next === undefined || key === undefined ? undefined : { key, descending: next.descending });
  };
  return { shown, sort, text, onSort, onText: setText };
}
