import { type FromGraph, parseToGraph, type ToGraph } from "../../src/protocol/graph.ts";
import type { View } from "./view.ts";

/** What the page remembers for itself while it is hidden. */
export interface RememberedGraph {
  /** The keys of the blocks that are open. */
  readonly open?: readonly string[];
  /** The key of the box that the user is at. */
  readonly selected?: string | undefined;
  readonly view?: View;
}

declare function acquireVsCodeApi(): {
  postMessage(message: FromGraph): void;
  getState(): RememberedGraph | undefined;
  setState(state: RememberedGraph): void;
};

const api = acquireVsCodeApi();

export function sayOfGraph(message: FromGraph): void {
  api.postMessage(message);
}

export function rememberedGraph(): RememberedGraph {
  return api.getState() ?? {};
}

export function rememberGraph(change: RememberedGraph): void {
  api.setState({ ...rememberedGraph(), ...change });
}

/** Calls back for each message that the contract knows. */
export function listenAsGraph(hear: (message: ToGraph) => void): () => void {
  const listener = ({ data }: MessageEvent<unknown>): void => {
    const message = parseToGraph(data);
    if (message !== undefined) hear(message);
  };
  window.addEventListener("message", listener);
  return () => window.removeEventListener("message", listener);
}
