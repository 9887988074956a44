import { describe, expect, test } from "vitest";
import { Stop } from "../../extension/src/model/stop.ts";
import {
  codeBlock,
  escapeMarkdown,
  hoverText,
  middle,
  statusText,
  timeText,
  tooltipText,
} from "../../extension/src/model/words.ts";
import type { Facts, Stats } from "../../extension/src/protocol/generated.ts";
import { frame, frameAnswer, node, tensor } from "./fixtures.ts";

const stats: Stats = {
  count: 6,
  min: -1.5,
  max: 2,
  mean: 0.25,
  std: 1.118,
  nan: 0,
  pos_inf: 0,
  neg_inf: 0,
  zeros: 1,
  exact: true,
  read: 6,
  mean_error: 0,
};
const facts: Facts = {
  type: "torch.Tensor",
  shape: [2, 3],
  dtype: "float32",
  device: "cpu",
  layout: "strided",
  strides: [3, 1],
  bytes: 24,
  requires_grad: true,
  is_leaf: false,
  grad_fn: "AddmmBackward0",
  stats,
  values: "[[-1.5, 0.0, …",
};

/** The cells of a hover's tables, unescaped, one row a line. */
function cells(markdown: string): string[] {
  return markdown
    .split("\n")
    .filter((line) => line.startsWith("|") && !line.includes("---"))
    .map((line) => line.slice(1, -1).split(/(?<!\\)\|/))
    .map((row) =>
      row
        .map((cell) => cell.replace("&emsp;", "").replace(/\\(.)/g, "$1").trim())
        .filter((cell) => cell !== "")
        .join(" | "),
    )
    .filter((row) => row !== "");
}

describe("the status", () => {
  const sampled = tensor("x", { badges: ["sampled"] });
  const nan = tensor("x", { badges: ["nan"] });
  test.each([
    [[], {}, ""],
    [[], { process: "rank 1" }, "rank 1"],
    [[sampled], { cut: "no time" }, "sampled · not all"],
    [[nan], {}, "1 value with NaN"],
    [[nan, tensor("y", { badges: ["nan", "sampled"] })], { process: "rank 1" }, "2 values with NaN · sampled · rank 1"],
    [[nan, tensor("y", { badges: ["inf", "nan"] })], {}, "2 values with NaN, 1 with Inf"],
    [[tensor("y", { badges: ["inf"] })], {}, "1 value with Inf"],
  ])("of %o with %o is %j", (nodes, more, text) => {
    expect(statusText(new Stop(frame(), frameAnswer(nodes, more)))).toBe(text);
  });

  test("counts a value that has two names once", () => {
    const same = tensor("y", { badges: ["nan"], mark: { kind: "shared", path: "x" } });
    const elsewhere = tensor("z", { badges: ["nan"], mark: { kind: "shared", path: "batch['z']" } });
    expect(statusText(new Stop(frame(), frameAnswer([nan, same, elsewhere])))).toBe("2 values with NaN");
  });

  test.each([
    [3.26, "Read in 3.3 ms."],
    [112.4, "Read in 112 ms."],
  ])("tells of %d ms beside it: %s", (ms, text) => {
    expect(timeText(new Stop(frame(), frameAnswer([], { ms })))).toBe(text);
  });
});

describe("the hover of a tensor", () => {
  test("has its facts and, beside them, its statistics", () => {
    expect(cells(hoverText("x", tensor("x", { facts })))).toEqual([
      "type | torch.Tensor | range | −1.5 … 2",
      "shape | [2, 3] | mean | 0.25",
      "dtype | float32 | std | 1.118",
      "device | cpu | zeros | 1 (17%)",
      "memory | 24 B",
      "gradient | ← AddmmBackward0",
    ]);
  });

  test("has its strides where the layout is not the plain one", () => {
    const transposed = { ...facts, strides: [1, 2], notes: ["not contiguous"] };
    expect(cells(hoverText("x", tensor("x", { facts: transposed })))).toContain("strides | (1, 2)");
  });

  test("begins with its expression and its line, and ends with its first values", () => {
    const text = hoverText("batch['x']", tensor("x", { facts, line: "float32[2, 3] · grad" }));
    expect(text.split("\n")[0]).toBe(String.raw`**batch\[\'x\'\]** ${"\u2002"} float32\[2\, 3\] · grad`);
    expect(text.endsWith("```text\n[[-1.5, 0.0, …\n```")).toBe(true);
  });

  test("marks what was not computed from every value, and says from how many it was", () => {
    const sampled = { ...facts, stats: { ...stats, exact: false, read: 1000, count: "#100000000000000000" } };
    const text = hoverText("x", tensor("x", { facts: sampled }));
    expect(cells(text).slice(0, 4)).toEqual([
      "type | torch.Tensor | range | seen −1.5 … 2",
      "shape | [2, 3] | mean | ≈0.25",
      "dtype | float32 | std | ≈1.118",
      "device | cpu | zeros | ≥1",
    ]);
    expect(text).toContain(String.raw`≈ from 1\,000 of 100\,000\,000\,000\,000\,000 values`);
  });

  test("shows of a mean only the digits that its error bound leaves", () => {
    const unsure = { ...facts, stats: { ...stats, mean: -3.7e-9, mean_error: 1e-8 } };
    expect(cells(hoverText("x", tensor("x", { facts: unsure })))[1]).toBe("shape | [2, 3] | mean | ≈0");
  });

  test("counts NaN and Inf, and never says all of almost all", () => {
    const bad = {
      ...facts,
      stats: { ...stats, count: 1000, nan: 999, pos_inf: 1, min: null, max: null, mean: null, std: null, zeros: 0 },
    };
    expect(cells(hoverText("x", tensor("x", { facts: bad }))).slice(0, 2)).toEqual([
      "type | torch.Tensor | NaN | 999 (>99%)",
      "shape | [2, 3] | Inf | 1 (0.1%)",
    ]);
  });

  test("says why values were not read", () => {
    const unread = { ...facts, stats: null, unread: "CUDA graph capture" };
    expect(hoverText("x", tensor("x", { facts: unread }))).toContain("values not read\\: CUDA graph capture");
  });

  test("has three columns of statistics when complex", () => {
    const complex = { ...facts, stats: { real: stats, imag: { ...stats, max: 3 }, abs: stats } };
    const rows = cells(hoverText("x", tensor("x", { facts: complex })));
    expect(rows).toContain("real | imag | abs");
    expect(rows).toContain("range | −1.5 … 2 | −1.5 … 3 | −1.5 … 2");
  });

  test("shows symbolic and unknown sizes", () => {
    const symbolic = { ...facts, shape: ["s0", null, "#9007199254740993", 4] };
    expect(cells(hoverText("x", tensor("x", { facts: symbolic })))[1]).toContain("[s0, ?, 9007199254740993, 4]");
  });

  test("has the rows that its kind adds, and its notes", () => {
    const more: Facts = { type: "dict", rows: [["length", "3"]], notes: ["keys are of 2 types"] };
    const text = hoverText("d", node("d", { kind: "mapping", facts: more }));
    expect(cells(text)).toEqual(["type | dict", "length | 3"]);
    expect(text).toContain("keys are of 2 types");
  });
});

describe("a long name", () => {
  test.each([
    ["x".repeat(24), "x".repeat(24)],
    ["encoder.layers.0.self_attn.q_proj.weight", "encoder.…n.q_proj.weight"],
    ["🙂".repeat(30), `${"🙂".repeat(8)}…${"🙂".repeat(15)}`],
  ])("%s is %s in 24 characters", (name, shortened) => expect(middle(name, 24)).toBe(shortened));
});

describe("text from the program is harmless in Markdown", () => {
  test.each([
    ["<script>", String.raw`\<script\>`],
    ["[x](command:evil)", String.raw`\[x\]\(command\:evil\)`],
    ["a|b", String.raw`a\|b`],
    ["\\|", String.raw`\\\|`],
    ["$(trash)", String.raw`\$\(trash\)`],
    ["&lt;", String.raw`\&lt\;`],
    ["**b** `c` _d_", "\\*\\*b\\*\\* \\`c\\` \\_d\\_"],
    ["https://x.y", String.raw`https\:\/\/x\.y`],
    ["two\nlines\r\n", "two lines "],
    ["\u202eevil", " evil"],
  ])("%j becomes %j", (text, escaped) => expect(escapeMarkdown(text)).toBe(escaped));

  test("a block of code is closed by nothing inside it", () => {
    expect(codeBlock("a\n```\n# b")).toBe("````text\na\n```\n# b\n````");
    expect(codeBlock("a\u001b[31m")).toBe("```text\na [31m\n```");
  });

  test("every cell of a hover is escaped", () => {
    const evil = "](x) | <img src=x>\n|---|";
    const hostile: Facts = {
      ...facts,
      type: evil,
      dtype: evil,
      device: evil,
      grad_fn: evil,
      view_of: evil,
      rows: [[evil, evil]],
    };
    const text = hoverText(evil, tensor("x", { facts: hostile, line: evil, mark: { kind: "shared", path: evil } }));
    expect(text).not.toMatch(/(?<!\\)</);
    expect(text).not.toMatch(/(?<!\\)\]\(/);
    for (const row of text.split("\n").filter((line) => line.startsWith("| "))) {
      expect(row.split(/(?<!\\)\|/)).toHaveLength(6);
    }
  });
});

describe("the tooltip of a row", () => {
  test("has its line, type, expression and mark", () => {
    const text = tooltipText(
      "parent",
      "Node",
      node("parent", { type: "Node", path: "root.parent", mark: { kind: "cycle", path: "root" } }),
    );
    expect(cells(text)).toEqual(["type | Node", "expression | root.parent"]);
    expect(text).toContain("↻ contains itself");
  });
});
