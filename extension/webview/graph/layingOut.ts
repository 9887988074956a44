import script from "script:./layoutWorker.ts";
import { type Layout, layOut, type ToLayOut } from "./layout.ts";

/** A graph that is being laid out. */
interface LayoutTask {
  readonly id: number;
  readonly graph: ToLayOut;
  readonly done: (layout: Layout) => void;
}

/** Lays graphs out in a worker; in the page itself where it can't have one. */
export class LayingOut {
  #worker: Worker | undefined;
  #task: LayoutTask | undefined;

  constructor() {
    this.#worker = startWorker();
    this.#worker?.addEventListener("message", ({ data }: MessageEvent<{ id: number; layout: Layout }>) => {
      if (data.id === this.#task?.id) this.#finish(data.layout);
    });
    this.#worker?.addEventListener("error", () => {
      this.#worker = undefined;
      if (this.#task !== undefined) this.#finish(layOut(this.#task.graph));
    });
  }

  /** Calls back with the layout, unless another is asked for meanwhile. */
  ask(graph: ToLayOut, done: (layout: Layout) => void): void {
    const id = (this.#task?.id ?? 0) + 1;
    this.#task = { id, graph, done };
    if (this.#worker === undefined) this.#finish(layOut(graph));
    else this.#worker.postMessage({ id, graph });
  }

  dispose(): void {
    this.#worker?.terminate();
  }

  #finish(layout: Layout): void {
    this.#task?.done(layout);
  }
}

/** A page of VS Code can load a worker only from its own memory. */
function startWorker(): Worker | undefined {
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  try {
    return new Worker(address);
  } catch {
    return undefined;
  }
}
