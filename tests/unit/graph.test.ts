/** What the page of a drawn graph reckons: order, blocks, what is in sight, and where it stands. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { AutogradGraph } from "../../extension/src/protocol/generated.ts";
import { parseToGraph } from "../../extension/src/protocol/graph.ts";
import { type Block, blocksOf, blocksWithin, firstOpen } from "../../extension/webview/graph/blocks.ts";
import { nodesLike } from "../../extension/webview/graph/finding.ts";
import { BOX_HEIGHT, layOut, type Layout } from "../../extension/webview/graph/layout.ts";
import { countMarks, marksOf } from "../../extension/webview/graph/marks.ts";
import { GraphNodes } from "../../extension/webview/graph/nodes.ts";
import { boxAt, fitted, zoomedAt } from "../../extension/webview/graph/view.ts";
import { nodesIn, visibleGraph } from "../../extension/webview/graph/visible.ts";
import { factsOf, leafName, notesOf, operationName } from "../../extension/webview/graph/words.ts";

/** A node: its operation, what it takes, and of a leaf the parameter: `model.layers[0].weight` of `model.layers.0`. */
type Made = readonly [op: string, takes: readonly number[], leaf?: string, module?: string];

/** A graph of nodes that are given root first. */
function graphOf(made: readonly Made[], more: Partial<AutogradGraph> = {}): AutogradGraph {
  const names = [...new Set(made.map(([op]) => op))];
  return {
    ops: names.map((name) => ({ name, type: `${name}Backward0`, custom: false })),
    op: made.map(([op]) => names.indexOf(op)),
    results: [{ dtype: "float32", shape: [2, 3] }],
    result: made.map(() => 0),
    made: made.map(([, , leaf], at) => (leaf === undefined ? made.length - at : -1)),
    edges: made.flatMap(([, takes], at) => takes.flatMap((one) => [at, one])),
    leaves: made.flatMap(([, , leaf, module], node) =>
      leaf === undefined
        ? []
        : [{ node, name: leaf, path: leaf, module: module?.split(".") ?? [], parameter: module !== undefined }],
    ),
    values: [],
    lines: [],
    freed: [],
    hooked: [],
    modified: [],
    nan: null,
    broken: [],
    ...more,
  };
}

/** `count` residual blocks of two linear layers, then a loss. */
function transformer(count: number): AutogradGraph {
  const made: Made[] = [["Sum", [1]]];
  for (let layer = count - 1; layer >= 0; layer -= 1) {
    const at = made.length;
    const linear = (name: string, below: number): readonly Made[] => {
      const here = made.length;
      return [
        ["Addmm", [here + 1, below, here + 2]],
        ["AccumulateGrad", [], `model.layers[${layer}].${name}.bias`, `model.layers.${layer}.${name}`],
        ["T", [here + 3]],
        ["AccumulateGrad", [], `model.layers[${layer}].${name}.weight`, `model.layers.${layer}.${name}`],
      ];
    };
    made.push(["Add", [at + 1, at + 10]]);
    made.push(...linear("second", at + 5));
    made.push(["Relu", [at + 6]]);
    made.push(...linear("first", at + 10));
  }
  made.push(["AccumulateGrad", [], "x"]);
  return graphOf(made);
}

/** The shape of blocks: `model.layers.0 (first (…) …)`. */
function shapeOf(block: Block): string {
  const parts = block.parts.map((part) => (typeof part === "number" ? "." : shapeOf(part)));
  return `${block.name}${block.kind === "chain" ? "chain" : ""}(${parts.join("")})`;
}

describe("the order of nodes", () => {
  test.each([
    ["a transformer", transformer(4)],
    [
      "a chain",
      graphOf([
        ["A", [1]],
        ["B", [2]],
        ["C", []],
      ]),
    ],
    [
      "two ways of different length",
      graphOf([
        ["A", [1, 3]],
        ["B", [2]],
        ["C", [3]],
        ["D", []],
      ]),
    ],
  ])("has each before what it takes: %s", (_, graph) => {
    const { places, from, to, order } = new GraphNodes(graph);
    expect([...order].toSorted((a, b) => a - b)).toEqual([...order.keys()]);
    from.forEach((node, edge) => expect(places[node]).toBeLessThan(places[to[edge]!]!));
  });

  test("has what was made last first, and a parameter right below what takes it", () => {
    const graph = graphOf([
      ["A", [1, 2]],
      ["B", [3]],
      ["C", [4]],
      ["L", [], "w", "m"],
      ["L", [], "v", "m"],
    ]);
    expect([...new GraphNodes(graph).order]).toEqual([0, 1, 3, 2, 4]);
  });
});

describe("blocks", () => {
  test("are the modules of the parameters; what ends a layer of a list belongs to it", () => {
    const all = blocksOf(new GraphNodes(transformer(2)));
    // Whether the last addition still belongs to the model, nothing tells.
    expect(shapeOf(all)).toBe("(..model.layers(1(second(....).first(....))0(.second(....).first(....))).)");
  });

  test("of a module that is called twice are two, in the order of the calls", () => {
    const twice: Made[] = [
      ["Mul", [1, 8]],
      ["Mul", [2, 8]],
      ["Exp", [3, 9]],
      ["Mul", [4, 8]],
      ["Mul", [5, 8]],
      ["Input", []],
      ["X", []],
      ["X", []],
      ["L", [], "net.w", "net"],
      ["L", [], "other.w", "other"],
    ];
    const blocks = [...blocksWithin(blocksOf(new GraphNodes(graphOf(twice))))];
    expect(blocks.filter(({ name }) => name === "net").map(({ call, calls, key }) => [call, calls, key])).toEqual([
      [2, 2, "net#2"],
      [1, 2, "net#1"],
    ]);
  });

  test("are straight chains too, of four nodes at least, beside something else", () => {
    const all = blocksOf(
      new GraphNodes(
        graphOf([
          ["A", [1, 6]],
          ["B", [2]],
          ["C", [3]],
          ["D", [4]],
          ["E", [5]],
          ["F", []],
          ["G", []],
        ]),
      ),
    );
    expect(shapeOf(all)).toBe("(.chain(.....).)");
  });

  test("are what repeats too, each turn by itself, where many nodes stand beside each other", () => {
    const made: Made[] = [["Sum", [1]]];
    for (let turn = 0; turn < 30; turn += 1) {
      const at = made.length;
      made.push(["Add", [at + 1, at + 2]], ["Tanh", [at + 2]]);
    }
    made.push(["AccumulateGrad", [], "x"]);
    const all = blocksOf(new GraphNodes(graphOf(made)));
    expect(shapeOf(all)).toBe(`(.(${"(..)".repeat(30)}).)`);
    const [repeat] = blocksWithin(all);
    expect(repeat).toMatchObject({ kind: "repeat", start: 1, end: 61 });
    expect(new Set([...blocksWithin(all)].map(({ key }) => key)).size).toBe(31);
  });

  test("open first as far as few boxes are shown", () => {
    const all = blocksOf(new GraphNodes(transformer(12)));
    expect([...firstOpen(all, 20)]).toEqual(["", "model.layers"]);
    expect(firstOpen(all, 1000).size).toBe(1 + 1 + 12 * 3);
  });
});

describe("what is in sight", () => {
  const nodes = new GraphNodes(transformer(3));
  const all = blocksOf(nodes);
  const every = [...blocksWithin(all)];

  test.each([
    ["all folded", []],
    ["the list open", ["model.layers"]],
    ["a layer open", ["model.layers", "model.layers.1"]],
    ["all open", every.map(({ key }) => key)],
  ])("counts every node once, and has no edge within a box or upwards: %s", (_, open) => {
    const { items, from, to, itemOf } = visibleGraph(nodes, all, new Set(open));
    expect(items.reduce((sum, item) => sum + nodesIn(item), 0)).toBe(nodes.count);
    expect([...itemOf].every((item) => item < items.length)).toBe(true);
    from.forEach((item, edge) => expect(item).toBeLessThan(to[edge]!));
    expect(new Set([...from].map((item, edge) => `${item} ${to[edge]}`)).size).toBe(from.length);
  });

  test("is each node, where all is open", () => {
    const { items, from } = visibleGraph(nodes, all, new Set(every.map(({ key }) => key)));
    expect(items).toHaveLength(nodes.count);
    expect(from).toHaveLength(nodes.from.length);
  });

  test("is what is not reached as well, below the node that takes it", () => {
    const reason = {
      code: "detached",
      certain: true,
      count: 1,
      parameters: ["w"],
      at: null,
      file: null,
      line: null,
    } as const;
    const graph = { ...transformer(1), broken: [{ node: 1, reason: { ...reason, parameters: ["w"] } }] };
    const cut = new GraphNodes(graph);
    const { items, from, to } = visibleGraph(cut, blocksOf(cut), new Set());
    expect(items.at(-1)?.broken).toBe(graph.broken[0]);
    expect(to.at(-1)).toBe(items.length - 1);
    expect(from.at(-1)).toBe(1); // the block with the node
  });
});

/** Graphs of which each node takes some after it. */
const SHAPES: readonly (readonly [string, number, (at: number) => readonly number[]])[] = [
  ["nothing", 0, () => []],
  ["one box", 1, () => []],
  ["a chain", 50, (at) => [at + 1]],
  ["residual connections", 90, (at) => (at % 3 === 0 ? [at + 1, at + 3] : [at + 1])],
  ["a tree", 127, (at) => [2 * at + 1, 2 * at + 2]],
  ["a leaf that all take", 60, (at) => [at + 1, 59]],
  ["one that takes all", 60, (at) => (at === 0 ? Array.from({ length: 59 }, (_, one) => one + 1) : [])],
  ["boxes by themselves", 9, () => []],
  ["edges over many layers", 80, (at) => [at + 1, at + 30, at + 7]],
];

function laidOut(
  count: number,
  takes: (at: number) => readonly number[],
): { layout: Layout; from: Int32Array; to: Int32Array; widths: Float64Array } {
  const pairs = Array.from({ length: count }, (_, at) =>
    [...new Set(takes(at))].filter((one) => one > at && one < count).map((one) => [at, one] as const),
  ).flat();
  const from = Int32Array.from(pairs, ([one]) => one);
  const to = Int32Array.from(pairs, ([, other]) => other);
  const widths = Float64Array.from({ length: count }, (_, at) => 50 + ((at * 37) % 90));
  return { layout: layOut({ widths, from, to }), from, to, widths };
}

describe.each(SHAPES)("the layout of %s", (_, count, takes) => {
  const { layout, from, to, widths } = laidOut(count, takes);

  test("places every box within the picture", () => {
    expect(layout.x).toHaveLength(count);
    layout.x.forEach((x, at) => {
      expect(x - widths[at]! / 2).toBeGreaterThanOrEqual(-1e-6);
      expect(x + widths[at]! / 2).toBeLessThanOrEqual(layout.width + 1e-6);
      expect(layout.y[at]).toBeLessThanOrEqual(layout.height - BOX_HEIGHT / 2);
    });
  });

  test("has every edge point downward", () => {
    from.forEach((one, edge) => {
      expect(layout.y[to[edge]!]! - layout.y[one]!).toBeGreaterThan(BOX_HEIGHT);
      const bends = layout.bendY.subarray(layout.bends[edge], layout.bends[edge + 1]);
      const way = [layout.y[one]!, ...bends, layout.y[to[edge]!]!];
      expect(way).toEqual(way.toSorted((a, b) => a - b));
    });
  });

  test("has no two boxes over each other", () => {
    const boxes = [...layout.x.keys()].toSorted((a, b) => layout.y[a]! - layout.y[b]! || layout.x[a]! - layout.x[b]!);
    boxes.slice(1).forEach((box, at) => {
      const before = boxes[at]!;
      if (layout.y[box] !== layout.y[before]) return;
      const gap = layout.x[box]! - layout.x[before]! - widths[box]! / 2 - widths[before]! / 2;
      expect(gap).toBeGreaterThan(1);
    });
  });

  test("is the same each time", () => {
    expect(laidOut(count, takes).layout).toEqual(layout);
  });
});

test("a straight way stays straight, with the parameters beside it", () => {
  const takes = (at: number): readonly number[] =>
    at % 4 === 0 ? [at + 1, at + 2, at + 4] : at % 4 === 2 ? [at + 1] : [];
  const { layout } = laidOut(200, takes);
  expect(layout.width).toBeLessThan(1000);
});

describe("the view", () => {
  const { layout, widths, from, to } = laidOut(30, (at) => [at + 1]);
  const drawn = { layout, widths, boxes: [], graph: { items: [], from, to, itemOf: new Int32Array() } };

  test("that fits has all of it in sight", () => {
    const view = fitted(layout, 300, 200);
    expect(layout.height * view.scale).toBeLessThanOrEqual(200);
    expect(view.y).toBeLessThanOrEqual(0);
  });

  test("that is zoomed has the point under the pointer where it was", () => {
    const view = zoomedAt({ x: 10, y: 20, scale: 1 }, 2, 50, 60);
    expect([view.x + 50 / view.scale, view.y + 60 / view.scale]).toEqual([60, 80]);
  });

  test("knows which box is at a point", () => {
    const view = { x: layout.x[3]! - 5, y: layout.y[3]! - 5, scale: 2 };
    expect(boxAt(drawn, view, 10, 10)).toBe(3);
    expect(boxAt(drawn, view, 10, 100)).toBeUndefined();
  });
});

describe("marks and words", () => {
  test("where no node is marked with NaN, the page says why", () => {
    const origin = { lens: "nan_origin", where: "unknown", unknown: ["too_many"] } as unknown as NonNullable<
      AutogradGraph["nan"]
    >["origin"];
    const beyond = graphOf([["Add", []]], { nan: { node: null, origin } });
    expect(notesOf(beyond, false)).toEqual([
      "Only the first 1 nodes are followed.",
      "It holds NaN or Inf, which may have begun beyond the nodes that are followed: none is marked.",
    ]);
    const untold = graphOf([["Add", []]], { nan: { node: null, origin: { ...origin, unknown: ["freed"] } } });
    expect(notesOf(untold, true)).toEqual(["It holds NaN or Inf; where that began can't be told."]);
    expect(notesOf(graphOf([["Add", []]], { nan: { node: 0, origin } }), true)).toEqual([]);
  });

  const golden = JSON.parse(readFileSync("tests/contract/golden/lens_autograd.json", "utf8")).found
    .graph as AutogradGraph;

  test("of a reply of the helper are understood by the page", () => {
    expect(parseToGraph({ type: "graph", name: "loss", place: "", graph: golden, complete: true })).toBeDefined();
    expect(
      parseToGraph({ type: "graph", name: "loss", place: "", graph: { ...golden, op: "x" }, complete: true }),
    ).toBeUndefined();
  });

  test("are counted, the gravest first", () => {
    const marks = marksOf({ ...golden, nan: { node: 1, origin: {} as never } });
    expect([...marks]).toEqual([[1, ["nan", "freed"]]]);
    expect([...countMarks(marks, [0, 1, 2])]).toEqual([
      ["nan", 1],
      ["freed", 1],
    ]);
  });

  test.each([
    ["Addmm", false, "addmm"],
    ["LogSoftmax", false, "log_softmax"],
    ["NativeLayerNorm", false, "native_layer_norm"],
    ["MySquare", true, "MySquare"],
  ])("name %s as one writes it", (name, custom, said) => {
    expect(operationName({ name, custom, type: "" })).toBe(said);
  });

  test.each([
    ["model.layers[0].linear1.weight", ["model", "layers", "0", "linear1"], "linear1.weight"],
    ["model[0].weight", ["model", "0"], "0.weight"],
    ["w", [], "w"],
    ["model.weight", ["model"], "model.weight"],
  ])("name the leaf %s shortly", (name, module, said) => {
    expect(leafName({ node: 0, name, path: name, module, parameter: true })).toBe(said);
  });

  test("tell what a node is, makes, takes, and what is wrong with it", () => {
    const facts = Object.fromEntries(factsOf(new GraphNodes(golden), 1).map(({ label, text }) => [label, text]));
    expect(facts).toMatchObject({
      operation: "AddmmBackward0",
      makes: "float32[1, 2]",
      "is taken by": "sum, loss, float32[]",
      freed: "An earlier backward has freed what was saved: another one fails.",
    });
    expect(facts["takes"]).toContain("model[0].bias");
  });

  test.each([
    ["weight", 1],
    ["model[0]", 2],
    ["addmmbackward", 1],
    ["freed", 1],
    ["loss", 1],
    ["nothing", 0],
    ["  ", 0],
  ])("are found by %j", (text, count) => {
    expect(nodesLike(text, new GraphNodes(golden), marksOf(golden))).toHaveLength(count);
  });
});
