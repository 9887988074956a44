import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { generate } from "../../extension/build/protocol.ts";
import { type Schema, typedDicts } from "../../extension/build/typedDicts.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { History } from "../../extension/src/model/history.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import type { Row, Scene } from "../../extension/src/model/row.ts";
import { childRows, frameRows } from "../../extension/src/model/rows.ts";
import { Questions } from "../../extension/src/model/questions.ts";
import { Contents } from "../../extension/src/model/contents.ts";
import { cardText } from "../../extension/src/model/card.ts";
import { BadAnswer, parseAnswer } from "../../extension/src/protocol/envelope.ts";
import type { FrameAnswer, Node } from "../../extension/src/protocol/generated.ts";
import schema from "../../pyhelper/protocol.schema.json" with { type: "json" };
import { frame, frameAnswer, memory } from "../unit/fixtures.ts";
import { Watchpoints } from "../../extension/src/model/watchpoints.ts";

const golden = globSync("tests/contract/golden/*.json").toSorted();

describe("what is generated from the schema", () => {
  test("is up to date in both languages", async () => {
    const wanted = await generate();
    expect([...wanted.keys()].map((file) => basename(file.pathname))).toEqual(["generated.ts", "protocol.py"]);
    for (const [file, text] of wanted) expect(readFileSync(file, "utf8"), "npm run build").toBe(text);
  });

  test("says of every message what it is", () => {
    const objects = Object.entries(schema.definitions).filter(([, definition]) => "properties" in definition);
    expect(objects.filter(([, definition]) => !("description" in definition)).map(([name]) => name)).toEqual([]);
  });

  test.each<[string, Schema, string]>([
    ["a number", { type: "number" }, "float"],
    ["a choice of words", { enum: ["auto", "off"] }, 'Literal["auto", "off"]'],
    ["what is always true", { const: true }, "Literal[True]"],
    ["what may be null", { type: ["integer", "null"] }, "int | None"],
    ["one of several", { anyOf: [{ $ref: "#/definitions/Node" }, { type: "null" }] }, "Node | None"],
    ["a list", { type: "array", items: { type: ["string", "null"] } }, "list[str | None]"],
    ["a map", { type: "object", additionalProperties: { type: "boolean" } }, "dict[str, bool]"],
    ["what Python knows as another type", { type: "string", pythonType: "int" }, "int"],
  ])("%s is written in Python as its types are", (_, field, type) => {
    const written = (required: string[]): string => typedDicts({ Row: { properties: { field }, required } });
    expect(written(["field"])).toContain(`\n    field: ${type}\n`);
    expect(written([])).toContain(`\n    field: NotRequired[${type}]\n`);
  });

  test("fails where a type is not known", () => {
    expect(() => typedDicts({ Row: { properties: { field: { type: "date" } } } })).toThrow("no Python type");
  });
});

describe("the envelope check", () => {
  test.each([
    ["not json", "not JSON: not json"],
    ["[]", "op"],
    ['{"op": "dance"}', "op"],
    ['{"op": "frame", "snapshot": 1}', "ms"],
    ['{"op": "error", "error": "text"}', "error"],
    ['{"op": "lens", "snapshot": 1, "ms": 1, "types": [], "done": true}', "progress"],
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
    else if (answer.op === "lens" && answer.node === undefined) {
      expect(answer.done).toBe(false);
      expect(answer.resume).toBeDefined();
    } else if (answer.op !== "interrupt" && answer.op !== "watch" && answer.node !== undefined) {
      expect(cardText("expression", answer.node)).toContain("expression");
      show(frameAnswer([answer.node], { snapshot: answer.snapshot }));
    }
  });
});

/** Makes every row that the answer has, at every depth, with its tooltip. */
function show(answer: FrameAnswer): void {
  const pins = new Pins(memory({ pins: answer.pins.map(({ expression }) => expression) }));
  const scene: Scene = {
    contents: new Contents(frame(), answer),
    pins,
    questions: new Questions(),
    watchpoints: new Watchpoints(memory()),
    history: new History(),
    expansion: new Expansion(),
    pageSize: 100,
  };
  const waiting = frameRows(scene);
  const ids = new Set<string>();
  let rows = 0;
  for (let row: Row | undefined = waiting.pop(); row !== undefined; row = waiting.pop()) {
    rows += 1;
    ids.add(row.id);
    expect(row.label).not.toBe("");
    expect(row.speech).toContain(row.name);
    if (row.value !== undefined && row.next === undefined) waiting.push(...(childRows(scene, row) ?? []));
  }
  expect(rows).toBeGreaterThanOrEqual(count(answer.rows.nodes));
  expect(ids.size).toBe(rows);
}

function count(nodes: readonly Node[]): number {
  return nodes.reduce((sum, node) => sum + 1 + count(node.page?.nodes ?? []), 0);
}
