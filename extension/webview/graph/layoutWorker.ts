/** Lays out a graph beside the page, which stays responsive meanwhile. */
import { layOut, type ToLayOut } from "./layout.ts";

interface Asked {
  readonly id: number;
  readonly graph: ToLayOut;
}

self.addEventListener("message", ({ data: { id, graph } }: MessageEvent<Asked>) => {
  self.postMessage({ id, layout: layOut(graph) });
});
