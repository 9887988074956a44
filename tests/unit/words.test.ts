import { describe, expect, test } from "vitest";
import { codeBlock, escapeHtml, escapeMarkdown, namesApart, shortened } from "../../extension/src/model/words.ts";

describe("a long name", () => {
  test.each([
    ["x".repeat(24), "x".repeat(24)],
    ["encoder.layers.0.self_attn.q_proj.weight", "encoder.…n.q_proj.weight"],
    ["🙂".repeat(30), `${"🙂".repeat(8)}…${"🙂".repeat(15)}`],
  ])("%s is %s in 24 characters", (name, expected) => expect(shortened(name, 24)).toBe(expected));
});

describe("long names that stand together are told apart", () => {
  test.each([
    [
      ["layer.0.weight", "layer.1.weight"],
      ["layer.0.weight", "layer.1.weight"],
    ],
    [
      ["'model.layers.0.self_attn.q_proj.weight'", "'model.layers.11.self_attn.q_proj.weight'", "'model.norm.weight'"],
      ["'…0…weight'", "'…11…weight'", "'model.norm.weight'"],
    ],
    [
      ["0.q", "0.k", "1.q", "1.k"].map((part) => `encoder.layers.${part}.self_attention.weight`),
      ["…0.q…weight", "…0.k…weight", "…1.q…weight", "…1.k…weight"],
    ],
    [
      ["base_model.encoder.0.query.lora_A.default.weight", "base_model.encoder.1.value.lora_B.default.weight"],
      ["…0.query.lora_A…weight", "…1.value.lora_B…weight"],
    ],
    [
      ["encoder.0.attention.default.weight", "encoder.1.attention.default.weight", "encoder.pooled.default.weight"],
      ["…0…weight", "…1…weight", "encoder.….default.weight"],
    ],
    [
      ["encoder.layers.0.self_attn.q_proj.weight", "encoder.layers.0.self_attn.k_proj.weight"],
      ["encoder.…n.q_proj.weight", "encoder.…n.k_proj.weight"],
    ],
    [
      ["x".repeat(30), `${"x".repeat(15)}y${"x".repeat(15)}`],
      [`…${"x".repeat(15)}`, `…y${"x".repeat(15)}`],
    ],
    [
      ["attention.output", "output"].flatMap((part) => [
        `bert.encoder.layer[0].${part}.dense.weight`,
        `bert.encoder.layer[1].${part}.dense.weight`,
      ]),
      ["…[0].a.o.dense.weight", "…[1].a.o.dense.weight", "…[0].output.dense.weight", "…[1].output.dense.weight"],
    ],
  ])("%j", (names, labels) => expect(namesApart(names, 24)).toEqual(labels));
});

test("all parameters of a deep model are told apart", () => {
  const attention = ["self.query", "self.key", "self.value", "output.dense", "output.LayerNorm"];
  const modules = [...attention.map((name) => `attention.${name}`), "intermediate.dense", "output.dense"];
  const names = Array.from({ length: 12 }, (_, at) => modules.map((name) => `bert.encoder.layer[${at}].${name}`))
    .flat()
    .flatMap((name) => [`${name}.weight`, `${name}.bias`]);
  const labels = namesApart(names, 24);
  expect(new Set(labels).size).toBe(names.length);
  expect(Math.max(...labels.map(({ length }) => length))).toBeLessThanOrEqual(24);
  expect(labels.filter((_, at) => names[at]!.endsWith("layer[3].output.dense.weight"))).toEqual([
    "…[3].output.dense.weight",
  ]);
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

  test.each([
    ["</td><b>", "&#60;&#47;td&#62;&#60;b&#62;"],
    ["&lt;", "&#38;lt&#59;"],
    ["a\n\n# b", "a &#35; b"],
    ["é 🙂", "é 🙂"],
  ])("in HTML %j becomes %j", (text, escaped) => expect(escapeHtml(text)).toBe(escaped));

  test("a block of code is closed by nothing inside it", () => {
    expect(codeBlock("a\n```\n# b")).toBe("````text\na\n```\n# b\n````");
    expect(codeBlock("a\u001b[31m")).toBe("```text\na [31m\n```");
  });
});
