import type { Found, LensAnswer } from "../../protocol/generated.ts";
import type { RowPath } from "../rowPath.ts";
import { batchTable } from "./batchTable.ts";
import { compareTable } from "./compareTable.ts";
import { environmentTable } from "./environmentTable.ts";
import { gradcheckTable } from "./gradcheckTable.ts";
import { gradientsTable } from "./gradientsTable.ts";
import { layersTable } from "./layersTable.ts";
import { memoryTable } from "./memoryTable.ts";
import { referrersTable } from "./referrersTable.ts";
import { shapesTable } from "./shapesTable.ts";
import type { Table } from "./table.ts";

/** How the answer of each lens is a table; `start` is the row of the question, below which its rows stand. */
const LENS_TABLES: { readonly [Lens in Found["lens"]]?: (found: Found & { lens: Lens }, start: RowPath) => Table } = {
  gradients: gradientsTable,
  model: layersTable,
  shapes: shapesTable,
  memory: memoryTable,
  environment: environmentTable,
  batch: batchTable,
  referrers: referrersTable,
  compare: compareTable,
  gradcheck: gradcheckTable,
};

/** Whether its answers are tables. */
export function hasTable(lens: Found["lens"]): boolean {
  return Object.hasOwn(LENS_TABLES, lens);
}

/** An answer as a table; undefined where it is none. */
export function lensTable({ found }: LensAnswer, start: RowPath): Table | undefined {
  if (found === undefined) return undefined;
  const make = LENS_TABLES[found.lens] as ((found: Found, start: RowPath) => Table) | undefined;
  return make?.(found, start);
}

/** Whether an answer has fewer rows than there are, since it was asked for so many. */
export function isCut({ found }: LensAnswer): boolean {
  if (found?.lens === "gradients") return found.rows.length < Number(found.parameters);
  if (found?.lens === "memory") return found.blocks.length < Number(found.count);
  if (found?.lens === "referrers") return found.referrers.length < Number(found.count);
  return found?.lens === "model" && found.rows.length < Number(found.modules);
}
