import { describe, expect, test } from "vitest";
import { cardText } from "../../extension/src/model/card.ts";
import type { Facts, FactTexts, Node, Page } from "../../extension/src/protocol/generated.ts";
import { node, tensor } from "./fixtures.ts";

const texts: FactTexts = {
  shape: "[2, 3]",
  bytes: "24 B",
  statistics: [{ range: "−1.5 … 2", mean: "0.25", std: "1.118", zeros: "1 (17%)" }],
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
  texts,
  values: "[[-1.5, 0.0, …",
};

/** The cells of a card's tables, as text, one row a line. */
function cells(markdown: string): string[] {
  return [...markdown.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = ""]) =>
    [...row.matchAll(/<td>(.*?)<\/td>/g)]
      .map(([, cell = ""]) =>
        cell.replace("&emsp;", "").replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(+code)),
      )
      .filter((cell) => cell !== "")
      .join(" | "),
  );
}

describe("the hover of a tensor", () => {
  test("has its facts and, beside them, its statistics", () => {
    expect(cells(cardText("x", tensor("x", { facts })))).toEqual([
      "type | torch.Tensor | range | −1.5 … 2",
      "shape | [2, 3] | mean | 0.25",
      "dtype | float32 | std | 1.118",
      "device | cpu | zeros | 1 (17%)",
      "memory | 24 B",
      "gradient | ← AddmmBackward0",
    ]);
  });

  test("of a container has what the tensors in it take", () => {
    const held = "3.8 KiB in 1,000 tensors · holds 1,000 graphs";
    const list = node("losses", { facts: { type: "list", texts: { held }, rows: [["length", "1,000"]] } });
    expect(cells(cardText("losses", list))).toEqual(["type | list", `memory | ${held}`, "length | 1,000"]);
  });

  test("has its strides where the helper tells them", () => {
    const transposed = { ...facts, texts: { ...texts, strides: "(1, 2)" }, notes: ["not contiguous"] };
    expect(cells(cardText("x", tensor("x", { facts: transposed })))).toContain("strides | (1, 2)");
  });

  test("begins with its expression and its line, and ends with its first values", () => {
    const text = cardText("batch['x']", tensor("x", { facts, line: "float32[2, 3] · grad" }));
    expect(text.split("\n")[0]).toBe(String.raw`**batch\[\'x\'\]** ${"\u2002"} float32\[2\, 3\] · grad`);
    expect(text.endsWith("```text\n[[-1.5, 0.0, …\n```")).toBe(true);
  });

  test("says of a sample what was seen, and from how many it was", () => {
    const statistics = [{ range: "−1.5 … 2", mean: "≈0.25", std: "≈1.118", zeros: "≥1" }];
    const sampled = { ...facts, texts: { ...texts, statistics, read: "1,000", count: "100,000,000" } };
    const text = cardText("x", tensor("x", { facts: sampled }));
    expect(cells(text).slice(0, 4)).toEqual([
      "type | torch.Tensor | range | seen −1.5 … 2",
      "shape | [2, 3] | mean | ≈0.25",
      "dtype | float32 | std | ≈1.118",
      "device | cpu | zeros | ≥1",
    ]);
    expect(text).toContain(String.raw`≈ from 1\,000 of 100\,000\,000 values`);
  });

  test("names NaN and the infinities", () => {
    const bad = {
      ...facts,
      texts: { ...texts, statistics: [{ nan: "999 (>99%)", pos_inf: "1 (0.1%)", neg_inf: "2" }] },
    };
    expect(cells(cardText("x", tensor("x", { facts: bad }))).slice(0, 3)).toEqual([
      "type | torch.Tensor | NaN | 999 (>99%)",
      "shape | [2, 3] | Inf | 1 (0.1%)",
      "dtype | float32 | −Inf | 2",
    ]);
  });

  test("has a picture beside its facts, and below them what its colours mean", () => {
    const thumbnail = { png: "iVBORw0KGgo=", legend: "float32[8, 8]\n0 (dark blue) to 1\n1 NaN (magenta ×)" };
    const text = cardText("x", tensor("x", { facts: { ...facts, thumbnail } }));
    expect(text).toMatch(
      /<td rowspan="\d+"><img alt="[^"]*1 NaN[^"]*" src="data:image\/png;base64,iVBORw0KGgo="><\/td><\/tr>/,
    );
    expect(text).toContain(String.raw`0 \(dark blue\) to 1 · 1 NaN \(magenta ×\)`);
  });

  test("says why values were not read", () => {
    const unread = { ...facts, stats: null, unread: "CUDA graph capture" };
    expect(cardText("x", tensor("x", { facts: unread }))).toContain("values not read\\: CUDA graph capture");
  });

  test("has three columns of statistics when complex", () => {
    const [one = {}] = texts.statistics ?? [];
    const complex = { ...facts, texts: { ...texts, statistics: [one, { ...one, range: "−1.5 … 3" }, one] } };
    const rows = cells(cardText("x", tensor("x", { facts: complex })));
    expect(rows).toContain("real | imag | abs");
    expect(rows).toContain("range | −1.5 … 2 | −1.5 … 3 | −1.5 … 2");
  });

  test("has the rows that its kind adds, and its notes", () => {
    const more: Facts = { type: "dict", rows: [["length", "3"]], notes: ["keys are of 2 types"] };
    const text = cardText("d", node("d", { kind: "mapping", facts: more }));
    expect(cells(text)).toEqual(["type | dict", "length | 3"]);
    expect(text).toContain("keys are of 2 types");
  });
});

describe("the card of a container", () => {
  const items = Array.from({ length: 12 }, (_, at) => node(`[${at}]`, { line: `${at * at}` }));
  const list = (kind: Node["kind"], total: number | null): Node =>
    node("xs", { kind, children: total, page: { start: 0, total, nodes: items } });

  test("lists its first ten items, and says how many more there are", () => {
    const text = cardText("xs", list("sequence", 1200));
    expect(cells(text).slice(-10)).toEqual(items.slice(0, 10).map(({ name, line }) => `${name} | ${line}`));
    expect(text.endsWith(String.raw`and 1\,190 more`)).toBe(true);
  });

  test("tells what is loud of an item first, and shortens its name", () => {
    const item = tensor("encoder.layers.0.attention.query.weight", { short: "1 NaN · f32[2,3]" });
    const text = cardText(
      "d",
      node("d", { kind: "mapping", children: 1, page: { start: 0, total: 1, nodes: [item] } }),
    );
    expect(cells(text).at(-1)).toBe("encoder.la…ttention.query.weight | 1 NaN · f32[2,3]");
    expect(text).not.toContain("more");
  });

  const cut = "no time for more";
  test.each<[string, Partial<Page>, string]>([
    ["ten of nobody knows how many", { total: null, nodes: items.slice(0, 10) }, "and more"],
    ["one of thirty, for want of time", { total: 30, nodes: items.slice(0, 1), cut }, `and 29 more\n\n${cut}`],
    ["twelve, of which it lists ten", { total: 30, nodes: items, cut }, "and 20 more"],
  ])("says of %s that there are more, and why so few came", (_, page, end) => {
    const { total = null } = page;
    const text = cardText("xs", { ...list("sequence", total), page: { start: 0, total, nodes: [], ...page } });
    expect(text.slice(text.lastIndexOf("</table>")).replace("</table>\n\n", "")).toBe(end);
  });

  test("is no tensor's: its rows are what the card tells anyway", () => {
    expect(cells(cardText("xs", { ...list("tensor", null), facts }))).toHaveLength(6);
  });
});

describe("a card", () => {
  test("of what is known without its facts has type, expression and mark", () => {
    const mark = { kind: "cycle", path: "root" } as const;
    const text = cardText("parent", node("parent", { type: "Node", path: "root.parent", mark }));
    expect(cells(text)).toEqual(["type | Node", "expression | root.parent"]);
    expect(text).toContain("↻ contains itself");
  });

  test("does not repeat the expression that it begins with", () => {
    expect(cells(cardText("x", node("x", { facts: { type: "int" } })))).toEqual(["type | int"]);
    expect(cells(cardText("[0]", node("[0]", { path: "x[0]", facts: { type: "int" } })))).toEqual([
      "type | int",
      "expression | x[0]",
    ]);
  });

  test("holds no markup but its own", () => {
    const evil = "](x) | <img src=x>\n|---|</table>";
    const hostile: Facts = { ...facts, type: evil, dtype: evil, device: evil, grad_fn: evil, view_of: evil };
    const item = node(evil, { line: evil });
    const text = cardText(evil, {
      ...node(evil, { kind: "sequence", line: evil, mark: { kind: "shared", path: evil } }),
      facts: { ...hostile, rows: [[evil, evil]], notes: [evil] },
      page: { start: 0, total: 1, nodes: [item] },
    });
    const tags = [...text.matchAll(/(?<!\\)<\/?(\w+)/g)].map(([, tag]) => tag);
    expect(new Set(tags)).toEqual(new Set(["table", "tr", "td"]));
    expect(text).not.toMatch(/(?<!\\)\]\(/);
  });
});
