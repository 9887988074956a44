/** When the page of a graph is told of what, and which row of the tree a node leads to. */
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Cancelled } from "../../extension/src/debug/queue.ts";
import { Refusal } from "../../extension/src/helper/refusal.ts";
import { Contents } from "../../extension/src/model/contents.ts";
import { Emitter } from "../../extension/src/model/emitter.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { LiveGraph } from "../../extension/src/model/graph/liveGraph.ts";
import { History } from "../../extension/src/model/history.ts";
import type { Inspector } from "../../extension/src/model/inspector.ts";
import type { Lenses } from "../../extension/src/model/lenses.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import { Questions } from "../../extension/src/model/questions.ts";
import type { Row, Scene } from "../../extension/src/model/row.ts";
import { rowOf } from "../../extension/src/model/rows.ts";
import { Watchpoints } from "../../extension/src/model/watchpoints.ts";
import type { LensAnswer, Node } from "../../extension/src/protocol/generated.ts";
import { parseToGraph, type ToGraph } from "../../extension/src/protocol/graph.ts";
import { frame, frameAnswer, memory, node } from "./fixtures.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const answer = JSON.parse(readFileSync("tests/contract/golden/lens_autograd.json", "utf8")) as LensAnswer;

/** A page that is in sight, of a graph in a program that stops and runs. */
function looking() {
  const told: ToGraph[] = [];
  const changed = new Emitter();
  const state: { contents: Contents | undefined } = { contents: undefined };
  const inspector = {
    onDidChange: changed.event,
    get contents() {
      return state.contents;
    },
  } as unknown as Inspector;
  const asked = vi.fn<Lenses["graph"]>(async () => answer);
  const graph = new LiveGraph({ name: "loss", expression: "loss" }, inspector, { graph: asked });
  graph.onDidTell((message) => {
    expect(parseToGraph(message), JSON.stringify(message)).toEqual(message);
    told.push(message);
  });
  const put = async (contents: Contents | undefined): Promise<void> => {
    state.contents = contents;
    changed.fire();
    await vi.advanceTimersByTimeAsync(500);
  };
  const stop = (number: number): Promise<void> => put(new Contents(frame(number), frameAnswer()));
  const run = (): Promise<void> => put(undefined);
  const graphs = () => told.filter((message) => message.type === "graph");
  const said = () => told.findLast((message) => message.type === "state");
  graph.setVisible(true);
  return { graph, asked, stop, run, graphs, said };
}

describe("the page of a graph", () => {
  test("is told of the graph at each stop, and asks once at each", async () => {
    const { asked, stop, run, graphs, said } = looking();
    await stop(1);
    expect(graphs()).toHaveLength(1);
    expect(graphs()[0]).toMatchObject({ name: "loss", complete: true });
    expect(said()?.note).toBeUndefined();
    await run();
    expect(said()?.note).toBe("No program is paused. This is from the last stop.");
    await stop(2);
    expect([asked.mock.calls.length, graphs().length]).toEqual([2, 2]);
  });

  test("is not asked for while nobody sees it, and is told all once it is made anew", async () => {
    const { graph, asked, stop, graphs } = looking();
    graph.setVisible(false);
    await stop(1);
    expect(asked).not.toHaveBeenCalled();
    graph.setVisible(true);
    await vi.advanceTimersByTimeAsync(500);
    expect(asked).toHaveBeenCalledOnce();
    graph.receive({ type: "ready" });
    expect([asked.mock.calls.length, graphs().length]).toEqual([1, 2]);
  });

  test("says how far it is, and that it was cancelled; Refresh Now asks again", async () => {
    const { graph, asked, stop, graphs, said } = looking();
    asked.mockImplementationOnce(
      (_, __, { signal, onProgress }) =>
        new Promise((_resolve, reject) => {
          onProgress?.(0.25);
          signal?.addEventListener("abort", () => reject(new Cancelled()));
        }),
    );
    await stop(1);
    expect(said()).toMatchObject({ progress: 0.25 });
    graph.receive({ type: "cancel" });
    await vi.advanceTimersByTimeAsync(0);
    expect(said()).toEqual({ type: "state", name: "loss", note: "Cancelled. Refresh Now reads it again." });
    graph.receive({ type: "again" });
    await vi.advanceTimersByTimeAsync(500);
    expect(graphs()).toHaveLength(1);
  });

  test("is asked for when it is seen again, where it was hidden before it was asked", async () => {
    const { graph, asked, stop, graphs } = looking();
    const stopped = stop(1);
    graph.setVisible(false);
    await stopped;
    expect(asked).not.toHaveBeenCalled();
    graph.setVisible(true);
    await vi.advanceTimersByTimeAsync(500);
    expect(graphs()).toHaveLength(1);
  });

  test("is cancelled also where its last slice was on its way", async () => {
    const { graph, asked, stop, graphs, said } = looking();
    asked.mockImplementationOnce(async (_, __, { onProgress }) => {
      onProgress?.(0.9);
      graph.receive({ type: "cancel" });
      return answer;
    });
    await stop(1);
    expect(graphs()).toHaveLength(0);
    expect(said()).toEqual({ type: "state", name: "loss", note: "Cancelled. Refresh Now reads it again." });
  });

  test("says why there is none", async () => {
    const { asked, stop, said } = looking();
    asked.mockRejectedValueOnce(new Refusal("not_found", "name 'loss' is not defined"));
    await stop(1);
    expect(said()?.note).toBe("name 'loss' is not defined");
  });

  test("knows the expressions of leaves and of what variables hold", async () => {
    const { graph, stop } = looking();
    await stop(1);
    expect([0, 1, 2].map((one) => graph.pathOf(one))).toEqual(["loss", undefined, "model[0].bias"]);
  });
});

describe("the row of an expression", () => {
  /** The rows that each row has below it, by their expressions; of one without, which stands for several, by its name. */
  const tree: Record<string, readonly string[]> = {
    model: ["model.layers", "model.head"],
    "model.layers": ["× 3"],
    "× 3": ["model.layers[0]", "model.layers[1]", "model.layers[10]"],
    "model.layers[10]": ["model.layers[10].weight", "model.layers[10].weight_scale"],
  };

  test.each([
    ["model", "model"],
    ["model.head", "model.head"],
    ["model.layers[10].weight", "model.layers[10].weight"],
    ["model.layers[1].bias", "model.layers[1]"],
    ["model_two", undefined],
  ])("of %s is that of %s", async (expression, expected) => {
    const ids = new Map<number, string>();
    const made = (name: string): Node => {
      ids.set(ids.size + 1, name);
      const { path: _path, ...one } = node(name, { id: ids.size, kind: "module" });
      const below = tree[name]?.length ?? 0;
      return { ...one, ...(name === "× 3" ? {} : { path: name }), ...(below > 0 ? { children: below } : {}) };
    };
    const contents = new Contents(frame(), frameAnswer([made("model")]));
    const scene: Scene = {
      contents,
      pins: new Pins(memory()),
      questions: new Questions(),
      watchpoints: new Watchpoints(memory()),
      history: new History(),
      expansion: new Expansion(),
      pageSize: 10,
    };
    const load = async (row: Row): Promise<void> => {
      const nodes = (tree[ids.get(row.value!.node.id) ?? ""] ?? []).map(made);
      const page = { start: 0, total: nodes.length, nodes };
      contents.merge({ op: "children", snapshot: 7, ms: 0, node: row.value!.node.id, page, types: [] }, row.value);
    };
    expect((await rowOf(scene, expression, load))?.expression).toBe(expected);
  });
});
