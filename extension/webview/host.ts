import { type FromPage, parseToPage, type ToPage } from "../src/protocol/page.ts";
import { type FromTable, parseToTable, type ToTable } from "../src/protocol/table.ts";

/** What the page remembers for itself while it is hidden. */
export interface Remembered {
  /** Sections that are folded, by their names. */
  readonly folded: readonly string[];
  /** What the user calls the dimensions of values, by the names of these. */
  readonly names: Readonly<Record<string, readonly string[]>>;
}

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage | FromTable): void;
  getState(): Partial<Remembered> | undefined;
  setState(state: Remembered): void;
};

const api = acquireVsCodeApi();

export function say(message: FromPage | FromTable): void {
  api.postMessage(message);
}

export function remembered(): Remembered {
  return { folded: [], names: {}, ...api.getState() };
}

export function remember(change: Partial<Remembered>): void {
  api.setState({ ...remembered(), ...change });
}

/** Calls back for each message of the extension to the details page. */
export function listen(hear: (message: ToPage) => void): () => void {
  return listenFor(parseToPage, hear);
}

/** Calls back for each message of the extension to the page of a table. */
export function listenAsTable(hear: (message: ToTable) => void): () => void {
  return listenFor(parseToTable, hear);
}

/** Calls back for each message that the contract knows. */
function listenFor<T>(parse: (message: unknown) => T | undefined, hear: (message: T) => void): () => void {
  const listener = ({ data }: MessageEvent<unknown>): void => {
    const message = parse(data);
    if (message !== undefined) hear(message);
  };
  window.addEventListener("message", listener);
  return () => window.removeEventListener("message", listener);
}
