import { describe, expect, test } from "vitest";
import { Stop } from "../../extension/src/model/stop.ts";
import {
  codeBlock,
  escapeHtml,
  escapeMarkdown,
  middle,
  statusText,
  timeText,
} from "../../extension/src/model/words.ts";
import { frame, frameAnswer, tensor } from "./fixtures.ts";

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
