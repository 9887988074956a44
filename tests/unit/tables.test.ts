/** Answers of lenses as tables, and how the page sorts, filters and copies them. */
import { describe, expect, test } from "vitest";
import { Contents } from "../../extension/src/model/contents.ts";
import { historyPath } from "../../extension/src/model/rowPath.ts";
import { batchTable } from "../../extension/src/model/tables/batchTable.ts";
import { compareTable } from "../../extension/src/model/tables/compareTable.ts";
import { environmentTable } from "../../extension/src/model/tables/environmentTable.ts";
import { findingsTable } from "../../extension/src/model/tables/findingsTable.ts";
import { frameTable } from "../../extension/src/model/tables/frameTable.ts";
import { gradcheckTable } from "../../extension/src/model/tables/gradcheckTable.ts";
import { gradientsTable } from "../../extension/src/model/tables/gradientsTable.ts";
import { historyTable } from "../../extension/src/model/tables/historyTable.ts";
import { layersTable } from "../../extension/src/model/tables/layersTable.ts";
import { isCut } from "../../extension/src/model/tables/lensTables.ts";
import { memoryTable } from "../../extension/src/model/tables/memoryTable.ts";
import { referrersTable } from "../../extension/src/model/tables/referrersTable.ts";
import { shapesTable } from "../../extension/src/model/tables/shapesTable.ts";
import { sizeText, type Table } from "../../extension/src/model/tables/table.ts";
import type {
  BatchPart,
  CompareFound,
  Finding,
  GradcheckFound,
  GradientRow,
  GradientsFound,
  LayerCall,
  LensAnswer,
  MemoryFound,
  ModuleRow,
} from "../../extension/src/protocol/generated.ts";
import type { HistoryRecord } from "../../extension/src/model/history.ts";
import { parseFromTable, parseToTable, type TableCell, type TableColumn } from "../../extension/src/protocol/table.ts";
import { asTsv } from "../../extension/webview/table/copied.ts";
import { filterOf, keysOf, nextSort, ordered, type Sort } from "../../extension/webview/table/order.ts";
import { marksOf } from "../../extension/webview/table/marks.ts";
import { limitsOf, shareOf } from "../../extension/webview/table/scale.ts";
import { widthsOf } from "../../extension/webview/table/widths.ts";
import { frame, frameAnswer, node } from "./fixtures.ts";

const start = { root: "question 1", names: [] };

/** The texts of a table's cells by the names of the columns, without the empty ones. */
function texts({ columns, rows }: Pick<Table, "columns" | "rows">): Record<string, string>[] {
  return rows.map(({ cells }) =>
    Object.fromEntries(columns.flatMap(({ name }, at) => (cells[at]?.text ? [[name, cells[at].text]] : []))),
  );
}

function gradient(name: string, depth: number, more: Partial<GradientRow> = {}): GradientRow {
  const row = {
    name,
    path: `model.${name}`,
    depth,
    state: "fine",
    norm: 1,
    weight_norm: 2,
    update_norm: null,
  } as const;
  return { ...row, nan: 0, inf: 0, ...more };
}

const gradients: GradientsFound = {
  lens: "gradients",
  parameters: 5,
  trainable: 4,
  none: 1,
  zero: 0,
  nan: 1,
  inf: 0,
  unread: 0,
  empty: 0,
  norm: null,
  rule: "AdamW",
  by_depth: [],
  rows: [
    gradient("b", 1, { state: "nan", norm: null, nan: 3 }),
    gradient("d", 3, { state: "none", norm: null }),
    gradient("c", 2, { norm: 1e-9 }),
    gradient("a", 0, { norm: 4 }),
  ],
};

describe("the table of gradients", () => {
  const table = gradientsTable(gradients, start);

  test("has the parameters along depth, with what each has instead of a norm", () => {
    expect(texts(table)).toEqual([
      { parameter: "a", gradient: "4", "of weight": "200%", weight: "2", depth: "0" },
      { parameter: "b", gradient: "NaN", weight: "2", NaN: "3", depth: "1" },
      { parameter: "c", gradient: "1e-9", "of weight": "5e-8%", weight: "2", depth: "2" },
      { parameter: "d", gradient: "None", weight: "2", depth: "3" },
    ]);
  });

  test("draws the norms on a logarithmic scale, and says how many parameters are left out", () => {
    expect(table.plot).toEqual({ column: 1, how: "log" });
    expect(table.notes).toEqual(["updates by AdamW", "1 more are not listed"]);
  });

  test("leaves out columns that say nothing", () => {
    expect(table.columns.map(({ name }) => name)).not.toContain("update");
  });

  test("leads from each row to the parameter below its row of the tree", () => {
    expect(table.reveals.get("b")).toEqual({ start, names: ["b", "model.b"] });
  });

  test("goes to the page as a message that is understood there", () => {
    const { reveals: _, ...rest } = table;
    const message = { type: "table", name: "gradients of model", ...rest };
    expect(parseToTable(JSON.parse(JSON.stringify(message)))).toEqual(message);
  });
});

describe("the table of layers", () => {
  const layer = (name: string, more: Partial<ModuleRow> = {}): ModuleRow => ({
    name,
    type: "Linear",
    parameters: 10,
    trainable: 10,
    buffers: 0,
    bytes: 2048,
    dtypes: ["float32"],
    devices: ["cpu"],
    training: true,
    hooks: 0,
    same_as: null,
    ...more,
  });
  const table = layersTable(
    {
      lens: "model",
      modules: 3,
      tensors: 4,
      parameters: 40,
      trainable: 40,
      buffers: 0,
      bytes: 4096,
      uninitialized: 0,
      unknown: 0,
      dtypes: ["float32"],
      devices: ["cpu"],
      tied: [],
      rows: [layer("", { parameters: 40 }), layer("blocks.0"), layer("head", { training: false, same_as: "blocks.0" })],
    },
    start,
  );

  test("is a tree whose rows say what they hold", () => {
    expect(table.rows.map(({ depth = 0 }) => depth)).toEqual([0, 2, 1]);
    expect(texts(table)[1]).toMatchObject({ layer: "blocks.0", parameters: "10", share: "25%", bytes: "2 KiB" });
    expect(texts(table)[2]).toMatchObject({ mode: "eval", "same as": "blocks.0" });
  });

  test("leads to each layer by the names on the way", () => {
    expect(table.reveals.get("blocks.0")?.names).toEqual(["blocks", "0"]);
    expect(table.reveals.get("")?.names).toEqual([]);
  });
});

test("the table of shapes has what each call took and gave, and where NaN begins", () => {
  const tensor = { place: "", name: "", dtype: "float32", device: "cpu", low: -1, high: "#inf", nan: 0, inf: 0 };
  const call: LayerCall = {
    name: "fc",
    call: 2,
    type: "Linear",
    depth: 1,
    inputs: [{ ...tensor, shape: [4, 16] }],
    outputs: [{ ...tensor, shape: [4, "s0"] }],
    more_inputs: 0,
    more_outputs: 0,
    nan: 7,
    inf: 0,
    returned: "Tensor",
    parameters: 272,
    ms: 0.25,
    state: "done",
    begins: true,
  };
  const whole: LayerCall = { ...call, name: "", call: 1, depth: 0, begins: false };
  const rows = [whole, { ...call, name: "blocks.0", call: 1 }, { ...call, name: "blocks.0.fc", depth: 2 }, call];
  const table = shapesTable({ lens: "shapes", calls: 4, ms: 1, hooks: 0, error: null, rows }, start);
  const ways = [...table.reveals.values()].map((revealed) => revealed.names);
  expect(ways).toEqual([[], ["blocks.0"], ["blocks.0", "fc (call 2)"], ["fc (call 2)"]]);
  expect(texts(table).slice(3)).toEqual([
    {
      layer: "fc",
      type: "Linear",
      call: "2",
      input: "[4, 16]",
      output: "[4, s0]",
      dtype: "float32",
      min: "−1",
      max: "Inf",
      NaN: "7",
      ms: "0.25",
      parameters: "272",
      state: "NaN or Inf begins here",
    },
  ]);
});

test("the table of memory has variables, then parts with their largest pieces", () => {
  const found: MemoryFound = {
    lens: "memory",
    bytes: 3072,
    count: 5,
    variables: 1,
    resident: null,
    devices: [
      {
        device: "cpu",
        known: 3072,
        allocated: null,
        rounding: null,
        reserved: null,
        peak: null,
        fragmented: null,
        free: 2 ** 30,
        total: null,
      },
    ],
    shares: [
      { part: "model", device: "cpu", bytes: 2048, count: 1 },
      { part: "variables", device: "cpu", bytes: 1024, count: 1 },
    ],
    groups: [{ name: "model", bytes: 2048, count: 1, graphs: 0, saved: 0 }],
    blocks: [
      { part: "variables", device: "cpu", bytes: 1024, names: ["x", "y"], holders: 2 },
      { part: "model", device: "cpu", bytes: 2048, names: ["model.weight"], holders: 1 },
    ],
    uncounted: [],
    hooked: 0,
    complete: true,
  };
  const table = memoryTable(found, start);
  expect(texts(table).map(({ name, what, bytes }) => [name, what, bytes])).toEqual([
    ["model", "variable", "2 KiB"],
    ["model", "part", "2 KiB"],
    ["model.weight", "piece", "2 KiB"],
    ["other variables", "part", "1 KiB"],
    ["x", "piece", "1 KiB"],
  ]);
  expect(texts(table).at(-1)).toMatchObject({ also: "y", holders: "2" });
  expect(table.notes).toEqual(["cpu: 3 KiB found, 1 GiB free", "3 smaller pieces are not listed"]);
  const more = memoryTable({ ...found, variables: 1201 }, start);
  expect(more.notes).toContain("1,200 smaller variables are not listed");
  expect(isCut({ found } as LensAnswer)).toBe(true);
});

describe("the table of a batch", () => {
  const part: BatchPart = {
    path: "['image']",
    type: "Tensor",
    values: 1,
    shape: [32, 3, null],
    dtype: "float32",
    device: "cpu",
    min: -2,
    max: 2.5,
    mean: 0.125,
    nan: 3,
    inf: 0,
    missing: 0,
    exact: false,
    unread: null,
    distinct: null,
    labels: null,
    imbalance: null,
    duplicates: 2,
    constant_columns: [],
  };
  const labels = [
    { label: 0, count: 30 },
    { label: 1, count: 2 },
  ];
  const target: BatchPart = { ...part, path: "['target']", nan: 0, exact: true, duplicates: 0, labels, imbalance: 15 };
  const table = batchTable(
    {
      lens: "batch",
      of: "batch",
      size: 32,
      parts: [part, target],
      problems: [{ code: "dtype", text: "target is float32", paths: ["['target']"] }],
      settings: [["batch_size", "32"]],
      complete: false,
    },
    start,
  );

  test("has a row for each part, with ≈ where not all of it was read", () => {
    const [image, classes] = texts(table);
    expect(image).toMatchObject({ part: "['image']", shape: "[32, 3, ?]", mean: "≈0.125", NaN: "3", duplicates: "2" });
    expect(classes).toMatchObject({ part: "['target']", mean: "0.125", labels: "0 ×30, 1 ×2", imbalance: "15" });
    expect(table.reveals.get("['target']")).toEqual({ start, names: ["['target']"] });
  });

  test("says what does not fit, and what is not listed", () => {
    expect(table.notes).toEqual(["target is float32", "batch_size: 32", "There is more, or deeper, than is listed."]);
  });
});

test("the table of what keeps a value alive says how, and how many are not listed", () => {
  const referrers = [
    { how: "name", name: "cache['x']" },
    { how: "graph", name: "loss" },
  ] as const;
  const table = referrersTable({ lens: "referrers", count: 5, referrers: [...referrers], complete: false }, start);
  expect(texts(table)).toEqual([
    { holder: "cache['x']", how: "a name in sight" },
    { holder: "loss", how: "saved for backward" },
  ]);
  expect(table.notes).toEqual(["3 more are not listed", "Not all ways were followed to their ends."]);
  expect(table.reveals.get("graph loss")).toEqual({ start, names: ["loss"] });
});

describe("the table of a comparison", () => {
  const found: CompareFound = {
    lens: "compare",
    same: false,
    close: false,
    differences: 12,
    compared: 40,
    by_line: 0,
    not_compared: 1,
    cached: [],
    complete: true,
    worst: [
      { path: ".bias", what: "only in a", text: "only in a: float32[2]" },
      {
        path: "",
        what: "values",
        text: "3 of 12 differ",
        different: 3,
        read: 12,
        max_abs: "#inf",
        relative: 0.5,
      },
    ],
  };

  test("has the worst difference first, counted and measured", () => {
    const table = compareTable(found, start);
    expect(texts(table)).toEqual([
      { where: ".bias", "in what": "only in a", difference: "only in a: float32[2]" },
      {
        where: "the two",
        "in what": "elements",
        different: "3",
        share: "25%",
        largest: "Inf",
        relative: "0.5",
        difference: "3 of 12 differ",
      },
    ]);
    expect(table.notes).toEqual(["10 more are not listed", "1 not compared"]);
    expect(table.reveals.get(".bias only in a")).toEqual({ start, names: [".bias"] });
  });

  test("says that all is the same where it is", () => {
    expect(compareTable({ ...found, same: true, differences: 0, not_compared: 0, worst: [] }, start).notes).toEqual([
      "All is the same.",
    ]);
  });
});

test("the table of a gradient check has the inputs, each with its entries that disagree", () => {
  const input = { parameter: false, entries: 4, looked_at: 4, kinks: 0, unsure: 0, without: false, ratio: null };
  const entry = { part: null, output: 0, output_index: [2], analytic: 4, numeric: 2 };
  const found: GradcheckFound = {
    lens: "gradcheck",
    state: "disagrees",
    why: null,
    doubt: null,
    error: null,
    entries: 8,
    looked_at: 8,
    wrong: 3,
    kinks: 0,
    unsure: 0,
    calls: 17,
    inputs: [
      { ...input, name: "x", wrong: 3, ratio: 2 },
      { ...input, name: "w", wrong: 0, without: true },
    ],
    not_asked: ["mask"],
    worst: [{ ...entry, input: "x", index: [0, 1] }],
  };
  const table = gradcheckTable(found, start);
  expect(texts(table)).toEqual([
    { input: "x", entries: "4", "looked at": "4", wrong: "3", ratio: "2" },
    { input: "x[0, 1]", backward: "4", differences: "2", output: "0[2]" },
    { input: "w", entries: "4", "looked at": "4", gradient: "none at all" },
  ]);
  expect(table.rows.map(({ depth = 0 }) => depth)).toEqual([0, 1, 0]);
  expect(table.notes).toEqual(["not looked at: mask", "2 more are not listed"]);
  expect(table.reveals.get("entry x[0, 1]")).toEqual({ start, names: ["x[0, 1]"] });
});

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1 KiB"],
  [1.5 * 2 ** 20, "1.5 MiB"],
  [3 * 2 ** 50, "3072 TiB"],
])("%d bytes are %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

test("the table of the environment says what is not as by default", () => {
  const setting = { group: "flag", name: "deterministic", value: "True", default: "False", differs: true } as const;
  const table = environmentTable({ lens: "environment", different: 1, cuda: "not_built", settings: [setting] }, start);
  expect(texts(table)).toEqual([
    { setting: "deterministic", value: "True", default: "False", differs: "not as by default", group: "flag" },
  ]);
});

test("the table of findings has consequences below their causes, and leads to the line", () => {
  const finding = (rule: string, more: Partial<Finding> = {}): Finding => ({
    rule,
    severity: "warning",
    tier: "sure",
    title: `${rule} is wrong`,
    fact: `${rule} is wrong`,
    more: "",
    evidence: [{ expression: "x", fact: "" }],
    source: { file: "/home/me/train.py", line: 7 },
    why: "why",
    suggestion: "this",
    consequences: [],
    ...more,
  });
  const found = { findings: [finding("cause", { consequences: [finding("effect", { source: null })] })] };
  const table = findingsTable({ lens: "findings", explained: 0, checked: [], skipped: [], ...found }, ["the row"]);
  expect(texts(table).map(({ rule, line }) => [rule, line])).toEqual([
    ["cause", "7"],
    ["effect", undefined],
  ]);
  expect(table.rows.map(({ depth = 0 }) => depth)).toEqual([0, 1]);
  const [first, second] = [...table.reveals.values()];
  expect(first?.source).toEqual({ file: "/home/me/train.py", line: 7 });
  expect(second?.start.names.at(-1)).toBe("the row");
});

test("the table of a history has its stops and steps, the oldest first, and the curve of its number", () => {
  const time = new Date("2026-01-01T10:00:00Z");
  const records: HistoryRecord[] = [
    { step: 1, until: 2, time, measurement: { value: 2.5 } },
    {
      stop: 1,
      frame: { stop: 2, key: "k", file: "/t.py" },
      function: { name: "f", file: "/t.py" },
      line: 9,
      time,
      measurement: { value: "#nan" },
    },
  ];
  const path = { root: "pin loss", names: [] };
  const table = historyTable(records, path);
  expect(texts(table)).toEqual([
    { at: "step 1", value: "2.5", time: "10:00:00.000" },
    { at: "stop 1", value: "NaN", line: "9", time: "10:00:00.000" },
  ]);
  expect(table.plot).toEqual({ column: 1, how: "line" });
  expect(table.reveals.get("step 1")?.start).toEqual({ root: historyPath(path).root, names: ["step 1"] });
});

test("the table of a frame has the facts of its variables, and marks what has changed", () => {
  const stats = {
    count: 4,
    min: -2,
    max: 0.5,
    mean: -0.75,
    std: 1.7,
    nan: 1,
    pos_inf: 1,
    neg_inf: 1,
    zeros: 0,
    exact: true,
    read: 4,
    mean_error: 0,
  };
  const tensor = {
    type: "Tensor",
    shape: [2, 2],
    dtype: "float32",
    device: "cpu",
    bytes: 16,
    requires_grad: false,
    stats,
  };
  const x = node("x", { kind: "tensor", line: "float32[2, 2]", facts: tensor });
  const group = node("global variables", { kind: "group" });
  const paused = frame();
  const id = JSON.stringify([`frame ${paused.place}`, "x"]);
  const contents = new Contents(paused, frameAnswer([x]), undefined, new Map([[id, "float32[3]"]]));
  const table = frameTable([x, group], contents);
  expect(texts(table)).toEqual([
    expect.objectContaining({
      name: "x",
      shape: "[2, 2]",
      min: "−2",
      max: "0.5",
      NaN: "1",
      Inf: "2",
      gradient: "not required",
      changed: "changed",
      bytes: "16 B",
    }),
  ]);
});

/** A table of numbers by name; undefined stands for what has none. */
function numbers(values: Record<string, TableCell["value"]>) {
  const columns: TableColumn[] = [
    { name: "name", kind: "text" },
    { name: "norm", kind: "log" },
    { name: "weight norm", kind: "number" },
  ];
  const rows = Object.entries(values).map(([name, value]) => {
    const number: TableCell = value === undefined ? { text: "None" } : { text: String(value), value };
    return { id: name, cells: [{ text: name, foreign: true as const }, number, { text: "1", value: 1 }] };
  });
  return { columns, rows };
}

const all = filterOf("", []);
const names = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

describe("sorting", () => {
  const { columns, rows } = numbers({ b: 2, none: undefined, nan: "nan", inf: "inf", a: -1, c: 10, low: "-inf" });

  test.each<[string, Sort | undefined, string[]]>([
    ["not at all", undefined, ["b", "none", "nan", "inf", "a", "c", "low"]],
    ["from the largest", { column: 1, descending: true }, ["inf", "c", "b", "a", "low", "nan", "none"]],
    ["from the least", { column: 1, descending: false }, ["low", "a", "b", "c", "inf", "nan", "none"]],
    ["by text", { column: 0, descending: false }, ["a", "b", "c", "inf", "low", "nan", "none"]],
  ])("%s, with NaN and what has no number last", (_, sort, expected) => {
    expect(names(ordered(columns, rows, sort, all).rows)).toEqual(expected);
  });

  test("begins with the largest number or the first text, is then turned round, then ends", () => {
    const clicks = (column: number): (Sort | undefined)[] => {
      const first = nextSort(columns, undefined, column);
      const second = nextSort(columns, first, column);
      return [first, second, nextSort(columns, second, column)];
    };
    expect(clicks(1)).toEqual([{ column: 1, descending: true }, { column: 1, descending: false }, undefined]);
    expect(clicks(0)).toEqual([{ column: 0, descending: false }, { column: 0, descending: true }, undefined]);
  });

  test("tells columns of one name apart, wherever they stand", () => {
    const head = (...of: string[]) => keysOf(of.map((name): TableColumn => ({ name, kind: "number" })));
    expect(new Set(head("a", "a", "1 a", "b", "a")).size).toBe(5);
    expect(head("b", "a", "a").slice(1)).toEqual(head("a", "a"));
  });

  test("makes a tree a list", () => {
    expect(ordered(columns, rows, undefined, all).isTree).toBe(true);
    expect(ordered(columns, rows, { column: 0, descending: false }, all).isTree).toBe(false);
  });

  test("knows that 10 comes after 9 in names", () => {
    const { rows: layers } = numbers({ "layer.10": 1, "layer.9": 1 });
    expect(names(ordered(columns, layers, { column: 0, descending: false }, all).rows)).toEqual([
      "layer.9",
      "layer.10",
    ]);
  });
});

describe("filtering", () => {
  const { columns, rows } = numbers({ "fc.weight": 0.5, "fc.bias": 1e-7, "norm.weight": undefined, x: "nan" });

  test.each([
    ["", ["fc.weight", "fc.bias", "norm.weight", "x"]],
    ["WEIGHT", ["fc.weight", "norm.weight"]],
    ["weight fc", ["fc.weight"]],
    ["none", ["norm.weight"]],
    ["norm < 1e-6", ["fc.bias"]],
    ["norm>1e-6", ["fc.weight"]],
    ["norm <= 50%", ["fc.weight", "fc.bias"]],
    ["bias norm < 1", ["fc.bias"]],
    ["fc and weight norm = 1 norm > 0.1", ["fc.weight"]],
    ["norm != 0.5", ["fc.bias", "x"]],
    ["norm = nan", ["x"]],
    ["norm == -nan", ["x"]],
    ["norm != nan", ["fc.weight", "fc.bias"]],
    ["norm = -0", []],
    ["height > 3", []],
  ])("by “%s” leaves %j", (text, expected) => {
    expect(names(ordered(columns, rows, undefined, filterOf(text, columns)).rows)).toEqual(expected);
  });
});

test("what is copied has all digits of numbers, and no formula", () => {
  const { columns, rows } = numbers({ "=cmd()": 0.1234567890123, "-x": undefined, "@a\tb": "nan", plain: -2 });
  expect(asTsv(columns, rows).split("\n")).toEqual([
    "name\tnorm\tweight norm",
    "'=cmd()\t0.1234567890123\t1",
    "'-x\tNone\t1",
    "'@a b\tnan\t1",
    "plain\t-2\t1",
  ]);
});

test.each<[string, TableCell, string]>([
  ["a text in quotes", { text: '"=1+1"', foreign: true }, `'"=1+1"`],
  ["a formula behind control characters", { text: "\u0001\u200b=1", foreign: true }, "' \u200b=1"],
  ["several lines", { text: "a\r\nb\u2028c\u0085d", foreign: true }, "a b c d"],
  ["a formula of wide signs", { text: "＝1", foreign: true }, "'＝1"],
  [
    "a whole number beyond 2^53",
    { text: "−1152921504606846977", value: -(2 ** 60), foreign: true },
    "-1152921504606846977",
  ],
  ["a number that is shown as a whole one", { text: "12345678", value: 12345678.25, foreign: true }, "12345678.25"],
  ["a large number in few digits", { text: "1.235e300", value: 1.23456789e300, foreign: true }, "1.23456789e+300"],
  ["what is said of a large number", { text: "1024 PiB", value: 2 ** 60 }, String(2 ** 60)],
])("%s is copied so that it is neither run nor rounded", (_, cell, expected) => {
  expect(asTsv([{ name: "x", kind: "text" }], [{ id: "0", cells: [cell] }])).toBe(`x\n${expected}`);
});

test("the name of a column is no formula where it is copied", () => {
  const columns = ["=HYPERLINK(1)", '"a"', "a\tb", "plain"].map((name): TableColumn => ({ name, kind: "text" }));
  expect(asTsv(columns, [])).toBe(`'=HYPERLINK(1)\t'"a"\ta b\tplain`);
});

test.each([
  [1, 1, 1000, "log", 0],
  [1000, 1, 1000, "log", 1],
  [0, 1, 1000, "log", 0],
  [9, 9, 10, "log", 0.954],
  [5, 0, 10, "bar", 0.5],
  [3, 3, 3, "line", 0.5],
] as const)("%d between %d and %d (%s) stands at %d", (value, low, high, how, share) => {
  expect(shareOf(value, low, high, how)).toBeCloseTo(share, 3);
});

describe("the plot of a column", () => {
  const plotted = (values: readonly TableCell["value"][]) =>
    values.map((value, at) => ({
      id: String(at),
      cells: [value === undefined ? { text: "None", tone: "warning" as const } : { text: "", value }],
    }));
  /** A thousand numbers around 10, with a dip to 1 and a peak of 50. */
  const many: readonly TableCell["value"][] = Array.from({ length: 1000 }, (_, at) =>
    at === 333 ? 1 : at === 777 ? 50 : 10 + (at % 3),
  );
  const ids = (values: readonly TableCell["value"][], how: "line" | "log") =>
    marksOf(plotted(values), 0, how).map(({ row: { id } }) => Number(id));

  test("has a mark for each row, where there is room for all", () => {
    expect(ids(many.slice(0, 160), "log")).toHaveLength(160);
    expect(ids(many.slice(0, 160), "line")).toHaveLength(160);
  });

  test("keeps dips and peaks of a line, and NaN, where there is no room for all rows", () => {
    const marks = ids(many.with(334, "nan"), "line");
    expect(marks).toEqual(expect.arrayContaining([333, 334, 777]));
    expect(marks).toEqual(marks.toSorted((a, b) => a - b));
    expect(marks.length).toBeLessThanOrEqual(160);
  });

  test("keeps the largest of bars, and what has none instead of it", () => {
    expect(ids(many, "log")).toContain(777);
    expect(ids(many.with(776, undefined), "log")).toContain(776);
  });

  test("has marks that stand beside each other", () => {
    const marks = marksOf(plotted(many), 0, "line");
    for (const [at, { left, wide }] of marks.entries()) expect(marks[at + 1]?.left ?? 1).toBeCloseTo(left + wide);
  });

  test("has the least and the largest of all rows for its limits", () => {
    expect(limitsOf(plotted(many), 0, "line")).toEqual({ low: 1, high: 50 });
    expect(limitsOf(plotted([-2, 0, 3, "inf", "nan", undefined]), 0, "line")).toEqual({ low: -2, high: 3 });
    expect(limitsOf(plotted([-2, 0, 3, "inf", "nan", 0.5]), 0, "log")).toEqual({ low: 0.5, high: 3 });
    expect(limitsOf(plotted(["nan", undefined]), 0, "line")).toBeUndefined();
  });
});

test("a column is as wide as what stands in it, up to a bound", () => {
  const { columns, rows } = numbers({ ["x".repeat(200)]: 1 });
  expect(widthsOf(columns, rows)).toEqual([48, 16, 14]);
});

describe("messages of the page", () => {
  test.each([
    [{ type: "ready" }, true],
    [{ type: "reveal", row: "a" }, true],
    [{ type: "copy", text: "x" }, true],
    [{ type: "reveal" }, false],
    [{ type: "run", code: "x" }, false],
    [{ type: "ready", more: 1 }, false],
  ])("%j are understood: %s", (message, isOne) => {
    expect(parseFromTable(message) !== undefined).toBe(isOne);
  });
});
