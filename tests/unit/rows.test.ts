import { describe, expect, test } from "vitest";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { History } from "../../extension/src/model/history.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import { FrameResults } from "../../extension/src/model/results.ts";
import type { Action, Row } from "../../extension/src/model/row.ts";
import { childRows, frameRows } from "../../extension/src/model/rows.ts";
import { Questions } from "../../extension/src/model/questions.ts";
import { Contents } from "../../extension/src/model/contents.ts";
import type { FrameAnswer, Node } from "../../extension/src/protocol/generated.ts";
import { frame, frameAnswer, memory, node, nodeAnswer, session, tensor } from "./fixtures.ts";
import { Watchpoints } from "../../extension/src/model/watchpoints.ts";

const FAILED = { code: "raised" as const, message: "SyntaxError" };

function scene(nodes: Node[], more: { answer?: Partial<FrameAnswer>; pins?: string[]; stop?: number } = {}) {
  const pins = new Pins(memory({ pins: more.pins ?? [] }));
  const results = new FrameResults();
  const contents = new Contents(frame(more.stop), frameAnswer(nodes, more.answer), results);
  return {
    contents,
    pins,
    questions: new Questions(),
    watchpoints: new Watchpoints(memory()),
    history: new History(),
    expansion: new Expansion(),
    pageSize: 100,
    results,
  };
}

function only(rows: readonly Row[] | undefined): Row {
  expect(rows).toHaveLength(1);
  return rows?.[0] as Row;
}

const texts = (rows: readonly Row[]): string[] => rows.map(({ label, description }) => `${label}  ${description}`);

describe("a value's row", () => {
  test("shows name and summary line", () => {
    const row = only(frameRows(scene([tensor("x")])));
    expect(row).toMatchObject({
      label: "x",
      description: "float32[2, 3] · 0…1",
      icon: "symbol-array",
      expandable: true,
    });
    expect(row.tone).toBeUndefined();
  });

  test("shortens a long name in the middle, and speaks all of it", () => {
    const name = "model.transformer.h.11.mlp.c_fc.weight";
    const row = only(frameRows(scene([tensor(name)])));
    expect(row).toMatchObject({ name, label: "model.tr…mlp.c_fc.weight" });
    expect(row.speech).toContain(name);
    expect(only(frameRows(scene([tensor(name.slice(-24))])))).toMatchObject({ label: name.slice(-24) });
  });

  test("of two long names that are shown alike keeps an id of its own", () => {
    const names = ["encoder.layers.0.attention.query.weight", "encoder.layers.1.attention.query.weight"];
    const rows = frameRows(scene(names.map((name) => tensor(name))));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
  });

  test("speaks name, type and line to a screen reader", () => {
    expect(only(frameRows(scene([tensor("x")]))).speech).toBe("x, Tensor, float32[2, 3] · 0…1");
    expect(only(frameRows(scene([node("d", { kind: "mapping", type: "dict", line: "dict · 2" })]))).speech).toBe(
      "d, dict · 2",
    );
  });

  test("shows the line in short where there is one; the whole line is what is copied and spoken", () => {
    const row = only(frameRows(scene([tensor("x", { short: "1 NaN · f32[2,3]", line: "float32[2, 3] · 1 NaN" })])));
    expect(row).toMatchObject({ description: "1 NaN · f32[2,3]", summary: "float32[2, 3] · 1 NaN" });
    expect(row.speech).toContain("float32[2, 3] · 1 NaN");
  });

  test.each([
    ["nan", "alarm", "x, NaN, "],
    ["inf", "alarm", "x, Inf, "],
    ["freed", "alarm", "x, storage freed, "],
    ["zeros", "warning", "x, all zeros, "],
    ["constant", "warning", "x, constant, "],
    ["no_grad", "warning", "x, no grad, "],
    ["sampled", undefined, "x, Tensor, "],
    ["unread", undefined, "x, Tensor, "],
  ] as const)("with the badge %s is of tone %s, and spoken as %s…", (badge, tone, speech) => {
    const row = only(frameRows(scene([tensor("x", { badges: [badge] })])));
    expect(row.tone).toBe(tone);
    expect(row.speech.startsWith(speech)).toBe(true);
  });

  test("marks a cycle, first of all, and a shared value with the path", () => {
    const rows = frameRows(
      scene([
        node("a", { line: "Node", mark: { kind: "cycle", path: "root" } }),
        node("b", { line: "Node", mark: { kind: "shared", path: "root.x" } }),
      ]),
    );
    expect(texts(rows)).toEqual(["a  ↻ root · Node", "b  Node · ≡ root.x"]);
    expect(rows.map(({ speech }) => speech)).toEqual([
      "a, int, Node, contains itself, see root",
      "b, int, Node, same as root.x",
    ]);
  });

  test("of an unread property says what a click does, and does not stay open in the next answer", () => {
    const lazy = node("size", { kind: "property", lazy: true, children: null, line: "", type: "" });
    const [first, second] = [7, 8].map((snapshot) => {
      const from = scene([lazy], { answer: { snapshot } });
      from.expansion.open({ root: "frame /train.py:train", names: ["size"] });
      return only(frameRows(from));
    });
    expect(first).toMatchObject({ description: "property · click to read", open: false });
    expect(first?.id).not.toBe(second?.id);
  });

  test("offers what can be done with it", () => {
    const rows = frameRows(scene([tensor("x"), node("hidden"), node("group", { kind: "group", type: "", line: "" })]));
    expect(rows.map(({ can }) => can.join(" "))).toEqual([
      "copySummary copyExpression pin compare keep export",
      "copySummary copyExpression pin compare",
      "",
    ]);
  });

  test("offers the lenses that have something to say of its value, and that the tree knows; as a pin too", () => {
    const found = tensor("x", { lenses: ["autograd", "unheard-of"] });
    const rows = frameRows(scene([found], { pins: ["x"], answer: { pins: [{ expression: "x", node: found }] } }));
    expect(rows.map(({ can }) => can.join(" "))).toEqual([
      "copySummary copyExpression remove compare keep export autograd",
      "copySummary copyExpression pin compare keep export autograd",
    ]);
  });
});

describe("ids and expansion", () => {
  test("a row has the same id at every stop of its function, another in another function", () => {
    const ids = [1, 3].map((stop) => only(frameRows(scene([tensor("x")], { stop }))).id);
    expect(ids[0]).toBe(ids[1]);
    const elsewhere = {
      ...scene([tensor("x")]),
      contents: new Contents(frame(1, { place: "/train.py:test" }), frameAnswer([tensor("x")])),
    };
    expect(only(frameRows(elsewhere)).id).not.toBe(ids[0]);
  });

  test("names that look like paths do not collide", () => {
    const inner = { start: 0, total: 1, nodes: [node("b")] };
    const from = scene([node("a", { children: 1, page: inner }), node('a","b')]);
    const [a, odd] = frameRows(from);
    const b = only(childRows(from, a as Row));
    expect(new Set([a?.id, odd?.id, b.id]).size).toBe(3);
  });

  test("siblings of the same name have ids of their own, and the first keeps what it had", () => {
    const inner = (): Partial<Node> => ({ children: 1, page: { start: 0, total: 1, nodes: [node("c"), node("c")] } });
    const from = scene([node("a", inner()), node("a", inner()), node("a"), node("a (2)")]);
    const rows = frameRows(from);
    const all = [...rows, ...rows.flatMap((row) => (row.expandable ? (childRows(from, row) ?? []) : []))];
    expect(all).toHaveLength(8);
    expect(new Set(all.map(({ id }) => id)).size).toBe(8);
    expect(rows.map(({ label }) => label)).toEqual(["a", "a", "a", "a (2)"]);
    expect([rows[0]?.id, rows[3]?.id]).toEqual(frameRows(scene([node("a"), node("a (2)")])).map(({ id }) => id));
  });

  test("what was opened at an earlier stop is open", () => {
    const from = scene([tensor("x")]);
    from.expansion.open(only(frameRows(from)).path);
    expect(only(frameRows(from)).open).toBe(true);
  });
});

describe("pages", () => {
  const many = (count: number, start = 0): Node[] =>
    Array.from({ length: count }, (_, index) => node(`[${start + index}]`));

  test("a page that does not hold all ends with a row for the next", () => {
    const page = { start: 0, total: 100_000, nodes: many(100) };
    const from = scene([node("xs", { kind: "sequence", children: 100_000, page })]);
    const rows = childRows(from, only(frameRows(from))) ?? [];
    expect(rows).toHaveLength(101);
    expect(rows.at(-1)).toMatchObject({
      label: "next 100 of 99,900",
      next: { start: 100, count: 100 },
    });
  });

  test.each([
    [null, 100, "next 100"],
    [null, 37, "next 100"],
    [37, 37, "[36]"],
    [150, 100, "50 more"],
  ])("of a total of %s with %d rows at hand ends with %s", (total, count, last) => {
    const page = { start: 0, total, nodes: many(count) };
    const from = scene([node("xs", { kind: "group", children: null, page })]);
    expect(childRows(from, only(frameRows(from)))?.at(-1)?.label).toBe(last);
  });

  test("the row for the next page says why the last one ended early", () => {
    const page = { start: 0, total: 700, nodes: many(5), cut: "no time for more" };
    const from = scene([node("xs", { kind: "sequence", children: 700, page })]);
    const row = only(frameRows(from));
    expect(childRows(from, row)?.at(-1)).toMatchObject({
      label: "next 100 of 695",
      description: "no time for more",
      speech: "next 100 of 695, no time for more",
    });
    const whole = { start: 5, total: 700, nodes: many(100, 5) };
    from.contents.merge(
      { op: "children", snapshot: 7, ms: 1, node: row.value?.node.id ?? 0, page: whole, types: [] },
      row.value,
    );
    expect(childRows(from, row)?.at(-1)).toMatchObject({ label: "next 100 of 595", description: "" });
  });

  test("the next page joins the first", () => {
    const xs = node("xs", { kind: "sequence", children: 150, page: { start: 0, total: 150, nodes: many(100) } });
    const from = scene([xs]);
    const row = only(frameRows(from));
    const page = { start: 100, total: 150, nodes: many(50, 100) };
    from.contents.merge({ op: "children", snapshot: 7, ms: 1, node: xs.id, page, types: [] }, row.value);
    const rows = childRows(from, row) ?? [];
    expect(rows).toHaveLength(150);
    expect(rows.at(-1)?.label).toBe("[149]");
  });

  test("the frame's own rows have pages too", () => {
    const from = scene([], { answer: { rows: { start: 0, total: 500, nodes: many(100) } } });
    expect(frameRows(from).at(-1)).toMatchObject({ label: "next 100 of 400" });
    const page = { start: 100, total: 500, nodes: many(100, 100) };
    from.contents.merge({ op: "children", snapshot: 7, ms: 1, node: 0, page, types: [] }, undefined);
    expect(frameRows(from).at(-1)).toMatchObject({ label: "next 100 of 300", next: { start: 200, count: 100 } });
  });

  test("what the frame left out stays said when further rows come", () => {
    const from = scene([], { answer: { cut: "no time", rows: { start: 0, total: 500, nodes: many(100) } } });
    const page = { start: 100, total: 500, nodes: many(100, 100) };
    from.contents.merge({ op: "children", snapshot: 7, ms: 1, node: 0, page, types: [] }, undefined);
    expect(from.contents.answer.cut).toBe("no time");
  });

  test.each<[Partial<Node>, Action[]]>([
    [{ watched_as: "module", path: "model" }, ["breakWhen"]],
    [{ watched_as: "tensor", path: 'batch["x"][0]' }, ["breakWhen"]],
    [{ watched_as: "tensor", path: "next(batches)" }, []],
    [{ watched_as: "number" }, []],
    [{ kind: "sequence", badges: ["nan"], path: "losses" }, ["breakNextTime"]],
    [{ kind: "sequence", path: "losses" }, []],
  ])("of %j the menu offers to break: %j", (node, offered) => {
    const { path: _, ...bare } = tensor("x");
    const row = only(frameRows(scene([{ ...bare, ...node }])));
    expect(row.can.filter((action) => action.startsWith("break"))).toEqual(offered);
  });

  test("children that were not asked for are not known; a failure is a row where they would be", () => {
    const from = scene([tensor("x")]);
    const row = only(frameRows(from));
    expect(childRows(from, row)).toBeUndefined();
    from.contents.setFailure(row.value, { code: "raised", message: "storage freed" });
    expect(only(childRows(from, row))).toMatchObject({ label: "storage freed", icon: "error", tone: "alarm" });
  });
});

describe("pins", () => {
  test.each([
    ["__exception__[1]", "(exception)"],
    ["__exception__[1].args", "(exception).args"],
    ["__pydevd_ret_val_dict['double']", "(return) double"],
    ["x.grad", "x.grad"],
  ])("%s is called %s", (expression, label) => {
    const pins = [{ expression, node: tensor(expression) }];
    expect(only(frameRows(scene([], { pins: [expression], answer: { pins } })))).toMatchObject({ label, expression });
  });

  test("stand above all else, each with its own root", () => {
    const pinned = tensor("x");
    const from = scene([tensor("x")], { pins: ["x"], answer: { pins: [{ expression: "x", node: pinned }] } });
    const rows = frameRows(from);
    expect(rows.map(({ icon }) => icon)).toEqual(["pinned", "symbol-array"]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
    expect(rows[0]?.can).toEqual(["copySummary", "copyExpression", "remove", "compare", "keep", "export"]);
  });

  test("shorten a long expression", () => {
    const expression = "model.transformer.h[11].mlp.c_fc.weight";
    expect(only(frameRows(scene([], { pins: [expression] })))).toMatchObject({
      label: "model.tr…mlp.c_fc.weight",
      name: expression,
    });
  });

  test("say in their row what could not be read", () => {
    const pins = [
      { expression: "x", error: { code: "not_found" as const, message: "no x" } },
      { expression: "a.b", error: { code: "internal" as const, message: "it broke" } },
    ];
    const rows = frameRows(scene([], { pins: ["x", "a.b"], answer: { pins } }));
    expect(texts(rows)).toEqual(["x  not in this frame", "a.b  it broke"]);
    expect(rows.map(({ tone }) => tone)).toEqual(["quiet", "alarm"]);
  });

  test("of what must be run show its last result as text at later stops", () => {
    const from = scene([], { pins: ["model(x)"] });
    const { expression } = from.pins.all[0] as { expression: string };
    expect(texts(frameRows(from))).toEqual(["model(x)  not evaluated yet"]);
    from.pins.remember(expression, session("another"), "float32[3]");
    expect(texts(frameRows(from))).toEqual(["model(x)  not evaluated yet"]);
    from.pins.remember(expression, session(), "float32[2]");
    expect(texts(frameRows(from))).toEqual(["model(x)  float32[2] · from an earlier stop"]);
    expect(only(frameRows(from)).can).toEqual(["copyExpression", "remove", "evaluateAgain"]);
  });

  test("of what only looks static say no error: nobody asked for it to be run yet", () => {
    const error = { code: "not_static" as const, message: "'T' is computed by the program's code" };
    const from = scene([], { pins: ["x.T"], answer: { pins: [{ expression: "x.T", error }] } });
    expect(only(frameRows(from))).toMatchObject({
      description: "not evaluated yet",
      tone: "quiet",
      can: ["copyExpression", "remove", "evaluateAgain"],
    });
  });

  test("of what was run at this stop show the result, or why there is none", () => {
    const from = scene([], { pins: ["model(x)", "1 +"] });
    from.contents.results.set("model(x)", nodeAnswer("evaluate", tensor("model(x)")));
    from.contents.results.set("1 +", { code: "raised", message: "SyntaxError: invalid syntax" });
    expect(texts(frameRows(from))).toEqual(["model(x)  float32[2, 3] · 0…1", "1 +  SyntaxError: invalid syntax"]);
    from.contents.results.set("1 +", "running");
    expect(texts(frameRows(from))[1]).toBe("1 +  running…");
  });

  test("of what was run before something was changed or run say so, until they are run again", () => {
    const from = scene([], { pins: ["model(x)", "1 +"] });
    const results = { "model(x)": nodeAnswer("evaluate", tensor("model(x)")), "1 +": FAILED };
    const run = (): void =>
      Object.entries(results).forEach(([expression, result]) => from.contents.results.set(expression, result));
    run();
    const before = frameRows(from);
    from.results.markOld();
    const old = "from before the last change or run";
    const rows = frameRows(from);
    expect(texts(rows)).toEqual([`model(x)  float32[2, 3] · 0…1 · ${old}`, `1 +  SyntaxError · ${old}`]);
    expect(rows.map(({ tone }) => tone)).toEqual(["quiet", "alarm"]);
    expect(rows.map(({ speech }) => speech)).toEqual(before.map(({ speech }) => `${speech}, ${old}`));
    run();
    expect(frameRows(from)).toEqual(before);
  });

  test("that run are open already if what comes of them is to be", () => {
    const from = scene([], { pins: ["model(x)", "1 +"] });
    from.expansion.open({ root: "pin model(x)", names: [] });
    for (const { expression } of from.pins.all) from.contents.results.set(expression, "running");
    expect(frameRows(from).map(({ expandable, open }) => [expandable, open])).toEqual([
      [true, true],
      [false, false],
    ]);
    expect(childRows(from, frameRows(from)[0] as Row)).toEqual([]);
  });
});
