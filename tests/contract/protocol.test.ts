import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { generate, generated } from "../../extension/build/protocol.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import { childRows, rootRows, type Row, type Source } from "../../extension/src/model/rows.ts";
import { Stop } from "../../extension/src/model/stop.ts";
import { cardText } from "../../extension/src/model/card.ts";
import { BadAnswer, parseAnswer } from "../../extension/src/protocol/envelope.ts";
import type { FrameAnswer, Node } from "../../extension/src/protocol/generated.ts";
import { frame, frameAnswer, memory } from "../unit/fixtures.ts";

const golden = globSync("tests/contract/golden/*.json").toSorted();

test("generated.ts is what the schema generates", async () => {
  expect(readFileSync(generated, "utf8")).toBe(await generate());
});

describe("the envelope check", () => {
  test.each([
    ["not json", "not JSON: not json"],
    ["[]", "op"],
    ['{"op": "dance"}', "op"],
    ['{"op": "frame", "snapshot": 1}', "ms"],
    ['{"op": "error", "error": "text"}', "error"],
    ['{"op": "children", "snapshot": 1, "ms": 1, "types": [], "node": 1, "page": {"start": 0}}', "page.total"],
  ])("refuses %s and names what is wrong", (text, wrong) => {
    expect(() => parseAnswer(text)).toThrow(BadAnswer);
    expect(() => parseAnswer(text)).toThrow(wrong);
  });
});

describe("golden replies, written by the helper", () => {
  test("are there", () => expect(golden.length).toBeGreaterThan(0));

  test.each(golden.map((file) => [basename(file, ".json"), file]))("%s is understood and shown", (_, file) => {
    const answer = parseAnswer(readFileSync(file, "utf8"));
    if (answer.op === "error") expect(answer.error.message).not.toBe("");
    else if (answer.op === "frame") show(answer);
    else if (answer.op === "children") show(frameAnswer(answer.page.nodes, { snapshot: answer.snapshot }));
    else if (answer.op !== "interrupt") {
      expect(cardText("expression", answer.node)).toContain("expression");
      show(frameAnswer([answer.node], { snapshot: answer.snapshot }));
    }
  });
});

/** Makes every row that the answer has, at every depth, with its tooltip. */
function show(answer: FrameAnswer): void {
  const pins = new Pins(memory({ pins: answer.pins.map(({ expression }) => expression) }));
  const source: Source = { stop: new Stop(frame(), answer), pins, expansion: new Expansion(), pageSize: 100 };
  const waiting = rootRows(source);
  const ids = new Set<string>();
  let rows = 0;
  for (let row: Row | undefined = waiting.pop(); row !== undefined; row = waiting.pop()) {
    rows += 1;
    ids.add(row.id);
    expect(row.label).not.toBe("");
    expect(row.speech).toContain(row.name);
    if (row.known !== undefined && row.next === undefined) waiting.push(...(childRows(source, row) ?? []));
  }
  expect(rows).toBeGreaterThanOrEqual(count(answer.rows.nodes));
  expect(ids.size).toBe(rows);
}

function count(nodes: readonly Node[]): number {
  return nodes.reduce((sum, node) => sum + 1 + count(node.page?.nodes ?? []), 0);
}
