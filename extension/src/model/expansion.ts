import type { Expanded } from "../protocol/generated.ts";
import type { RowPath } from "./rowPath.ts";

interface Branch {
  open: boolean;
  /** How many children were shown. */
  count: number | undefined;
  readonly rows: Map<string, Branch>;
}

/** The branch of this name, a new one if there was none. */
function grown(branches: Map<string, Branch>, name: string): Branch {
  const found = branches.get(name) ?? { open: false, count: undefined, rows: new Map<string, Branch>() };
  branches.set(name, found);
  return found;
}

/** Which rows are open, from stop to stop. */
export class Expansion {
  readonly #roots = new Map<string, Branch>();

  open(path: RowPath, count?: number): void {
    let at = grown(this.#roots, path.root);
    for (const name of path.names) at = grown(at.rows, name);
    at.open = true;
    if (count !== undefined) at.count = count;
  }

  /** What was open below stays known, for when it is opened again. */
  close(path: RowPath): void {
    const found = this.#find(path);
    if (found) found.open = false;
  }

  isOpen(path: RowPath): boolean {
    return this.#find(path)?.open ?? false;
  }

  /** What is open below a root, for the helper. */
  below(root: string): Expanded {
    return expanded(this.#roots.get(root)?.rows ?? new Map());
  }

  /** How many children a row shows, if it is open and they are known. */
  count(path: RowPath): number | undefined {
    const found = this.#find(path);
    return found?.open === true ? found.count : undefined;
  }

  #find(path: RowPath): Branch | undefined {
    let at = this.#roots.get(path.root);
    for (const name of path.names) at = at?.rows.get(name);
    return at;
  }
}

function expanded(branches: ReadonlyMap<string, Branch>): Expanded {
  const open = [...branches].filter(([, { open }]) => open);
  // fromEntries, since `object["__proto__"] = …` would not make an entry of that name.
  return Object.fromEntries(
    open.map(([name, { count, rows }]) => {
      const below = expanded(rows);
      const some = Object.keys(below).length > 0;
      return [name, { ...(count === undefined ? {} : { count }), ...(some ? { rows: below } : {}) }];
    }),
  );
}
