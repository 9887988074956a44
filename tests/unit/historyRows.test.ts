import { describe, expect, test } from "vitest";
import { Contents } from "../../extension/src/model/contents.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { History, type Point } from "../../extension/src/model/history.ts";
import { historyCsv } from "../../extension/src/model/historyCsv.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import { Questions } from "../../extension/src/model/questions.ts";
import type { Row, Scene } from "../../extension/src/model/row.ts";
import { allRows, childRows, frameRows } from "../../extension/src/model/rows.ts";
import { measurementText, sparkline, trailOf } from "../../extension/src/model/trail.ts";
import { Watchpoints } from "../../extension/src/model/watchpoints.ts";
import type { FrameAnswer, Measurement, PinAnswer } from "../../extension/src/protocol/generated.ts";
import { frame, frameAnswer, memory, node, tensor } from "./fixtures.ts";

const TRAIN = { name: "train", file: "/project/train.py" };
const [NAN, NOON] = [Number.NaN, new Date("2030-01-02T12:00:00Z")];

test.each<[number[], string]>([
  [[1, 2], "▁█"],
  [[2, 1, 3], "▅▁█"],
  [[1, 1, 1], "▄▄▄"],
  [[1, 2, NAN], "▁█ NaN"],
  [[NAN, NAN, 1, -Infinity, 2], "NaN ×2 ▁ −Inf █"],
  [[NAN, Infinity], "NaN Inf"],
  [[-1e308, 1e308], "▁█"],
  [[3], "▄"],
])("%j is drawn as %s", (numbers, text) => expect(sparkline(numbers)).toBe(text));

test.each<[Measurement[], string | undefined]>([
  [[], undefined],
  [[{ value: 1 }], undefined],
  [[{ value: 1 }, { value: 1 }], undefined],
  [[{ value: 2.31 }, { value: 2.28 }], "2.31 → 2.28 █▁"],
  [[{ value: 2.31 }, { value: "#nan" }], "2.31 → NaN ▄ NaN"],
  [[{ mean: 1 }, { mean: 2 }], "μ 1 → 2 ▁█"],
  [
    [
      { mean: 0.5, mean_error: 0.01 },
      { mean: 0.001, mean_error: 0.01 },
    ],
    "μ 0.5 → ≈0 █▁",
  ],
  [[{ value: 1 }, { mean: 2 }, { value: 3 }], "1 → 3 ▁█"],
  [[{ value: 1 }, { shape: [0] }], undefined],
  [Array.from({ length: 20 }, (_, at) => ({ value: at })), "18 → 19 ▁▂▃▄▅▆▇█"],
])("of %j the trail is %s", (measurements, text) => expect(trailOf(measurements)?.text).toBe(text));

test.each<[Measurement, string]>([
  [{ value: -0.5, shape: [] }, "−0.5"],
  [{ mean: 0.01, std: 1, min: -2, max: 3, nan: 0, inf: 0 }, "μ 0.01 σ 1 · −2…3"],
  [{ mean: 1, nan: 2, inf: 1, sampled: true }, "2 NaN · 1 Inf · μ 1 · ≈ of a sample"],
  [{ shape: [0] }, ""],
])("%j reads %s", (measurement, text) => expect(measurementText(measurement)).toBe(text));

/** Stops at which a pin had these numbers, as the tree shows them at the last one. */
function stops(
  pins: Partial<PinAnswer>[],
  more: { pageSize?: number; function?: (at: number) => string; recorded?: boolean } = {},
) {
  const [history, expansion] = [new History(() => NOON), new Expansion()];
  const pinned = new Pins(memory({ pins: ["loss"] }));
  pinned.setRecorded("loss", more.recorded === true);
  let [answer, at] = [frameAnswer(), frame()];
  for (const [index, pin] of pins.entries()) {
    const told: Partial<FrameAnswer> = {
      libraries: { torch: "2" },
      line: 14 + index,
      function: more.function?.(index) ?? "train",
    };
    answer = frameAnswer([], { ...told, pins: [{ expression: "loss", node: node("loss", { line: "1" }), ...pin }] });
    at = frame(index + 1);
    history.record(at, answer);
  }
  const [questions, watchpoints] = [new Questions(), new Watchpoints(memory())];
  const contents = new Contents(at, answer);
  const pageSize = more.pageSize ?? 100;
  const scene: Scene = { contents, pins: pinned, questions, watchpoints, history, expansion, pageSize };
  const [row] = frameRows(scene);
  return { scene, row: row as Row, below: (of = row as Row): Row[] => childRows(scene, of) ?? [] };
}

describe("a pin's row", () => {
  test("says of a number how it came to be first, and aloud what it was", () => {
    const { row } = stops([{ measurement: { value: 2.31 } }, { measurement: { value: 2.28 } }]);
    expect(row.description).toBe("2.31 → 2.28 █▁ · 1");
    expect(row.speech).toMatch(/, was 2.31$/);
  });

  test("says of a tensor what it is first, and what is other than at the last stop before all", () => {
    const pins = [17, 23].map((length) => ({
      node: tensor("x", { line: "float32[…]" }),
      measurement: { shape: [32, length], mean: length, nan: 0, inf: 0 },
    }));
    const { row } = stops(pins);
    expect(row.description).toBe("shape [32, 17] → [32, 23] · float32[…] · μ 17 → 23 ▁█");
    expect(row.speech).toMatch(/, shape was \[32, 17\], mean was 17$/);
  });

  test.each<[string, Measurement, Measurement, string]>([
    ["that was written to", { mean: 1, version: 3 }, { mean: 2, version: 5 }, "1 · μ 1 → 2 ▁█ · version 3 → 5"],
    ["that was written to with what it had", { mean: 1, version: 3 }, { mean: 1, version: 5 }, "1"],
    ["that is another one", { mean: 1, version: 3 }, { mean: 2, version: 0 }, "1 · μ 1 → 2 ▁█"],
    ["that has NaN now", { mean: 1, nan: 0, std: 1 }, { mean: 1, nan: 3, std: 2 }, "1 · NaN 0 → 3"],
    ["that is wider", { mean: 1, std: 1, max: 2 }, { mean: 1, std: 2, max: 3 }, "1 · σ 1 → 2"],
    ["of which one element grew", { mean: 1, max: 2 }, { mean: 1, max: 30 }, "1 · max 2 → 30"],
    ["that differs by rounding", { mean: 1, std: 1 }, { mean: 1, std: 1.000001 }, "1"],
  ])("of a tensor %s marks what is other", (_, before, now, description) => {
    const { row } = stops([{ measurement: before }, { measurement: now }]);
    expect([row.description, row.changed]).toEqual([description, description !== "1"]);
    expect(row.speech.includes("changed")).toBe(row.changed);
  });

  test("compares with stops of the same function alone", () => {
    const pins = [1, 2, 3].map((value) => ({ measurement: { value } }));
    expect(stops(pins, { function: (at) => (at === 1 ? "other" : "train") }).row.description).toBe("1 → 3 ▁█ · 1");
    expect(stops(pins, { function: (at) => (at === 2 ? "other" : "train") }).row.description).toBe("1");
  });

  test("at its first stop is as it was, and offers to be exported", () => {
    const { row, below } = stops([{ measurement: { value: 1 } }]);
    expect([row.description, row.expandable, row.can.includes("exportHistory")]).toEqual(["1", false, true]);
    expect(below()).toEqual([]);
  });

  test("of a value without numbers has no history", () => {
    const { row } = stops([{}, {}]);
    expect([row.description, row.expandable, row.can.includes("exportHistory")]).toEqual(["1", false, false]);
  });

  test("has a row for each stop below, the newest first, those marked where something is other", () => {
    const values = [2.31, 2.31, 2.28];
    const { row, below } = stops(values.map((value) => ({ measurement: { value, version: 0 } })));
    expect(row.expandable).toBe(true);
    const [group] = below();
    expect(group).toMatchObject({ label: "History", description: "3 stops" });
    expect(below(group).map(({ label, description, changed }) => [label, description, changed])).toEqual([
      ["stop 3", "train.py:16 · 2.28", true],
      ["stop 2", "train.py:15 · 2.31", false],
      ["stop 1", "train.py:14 · 2.31", false],
    ]);
  });

  test("says there what has changed in shape, and what was written to", () => {
    const { below } = stops([
      { measurement: { shape: [2], mean: 1, version: 0 } },
      { measurement: { shape: [3], mean: 1, version: 2 } },
    ]);
    const [newest] = below(below()[0]);
    expect(newest).toMatchObject({ description: "train.py:15 · μ 1 · shape [2] → [3] · version 0 → 2", changed: true });
  });

  test("lists a page of them, and says how many are older", () => {
    const { below } = stops(
      [1, 2, 3].map((value) => ({ measurement: { value } })),
      { pageSize: 2 },
    );
    expect(below(below()[0]).map(({ label }) => label)).toEqual(["stop 3", "stop 2", "1 older"]);
  });

  test("has its history where the value itself has none any more, and rows of their own", () => {
    const values = [{ measurement: { value: 1 } }, { measurement: { value: 2 } }];
    const gone = { node: undefined, error: { code: "not_found", message: "there is no 'loss'" } } as never;
    const { scene, row, below } = stops([...values, gone]);
    expect([row.description, row.expandable]).toEqual(["not in this frame", true]);
    expect(below().map(({ label }) => label)).toEqual(["History"]);
    const ids = [...allRows(scene)].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("stands beside the rows of its value", () => {
    const page = { start: 0, total: 1, nodes: [node("History"), node("grad")] };
    const value = tensor("x", { children: 2, page });
    const { below } = stops([1, 2].map((mean) => ({ node: value, measurement: { mean } })));
    expect(below().map(({ label }) => label)).toEqual(["History", "History", "grad"]);
    expect(new Set(below().map(({ id }) => id)).size).toBe(3);
  });
});

describe("a history that shows NaN or Inf", () => {
  const value = (of: Measurement["value"]): Partial<PinAnswer> => ({ measurement: { value: of as number } });
  const watched = { what: "nonfinite", gear: "light", of: "loss", function: { name: "train", file: "/train.py" } };

  test("offers to break the next time where that began, on the group and on the first stop that has it", () => {
    const { row, below } = stops([value(2), value("#nan"), value("#inf"), value(1)]);
    const [group] = below();
    expect(row.can).not.toContain("breakNextTime");
    expect(group).toMatchObject({
      description: "4 stops · first NaN at stop 2",
      breaksNext: { ...watched, after_step: 0 },
    });
    expect(group?.can).toContain("breakNextTime");
    const offers = below(group).filter(({ can }) => can.includes("breakNextTime"));
    expect(offers.map(({ label }) => label)).toEqual(["stop 2"]);
  });

  test.each<[string, Partial<PinAnswer>[]]>([
    ["first NaN at stop 2", [{ measurement: { mean: 1, nan: 0 } }, { measurement: { mean: 1, nan: 3 } }]],
    ["first Inf at stop 1", [{ measurement: { mean: 1, inf: 1 } }, { measurement: { mean: 1, inf: 0 } }]],
    ["first Inf at stop 1", [value("#-inf"), value(2)]],
  ])("says %s", (said, pins) => expect(stops(pins).below()[0]?.description).toBe(`2 stops · ${said}`));

  test("that is of a tensor offers it", () => {
    const bad = { measurement: { shape: [2], mean: 1, nan: 1, device: "cuda:0" } };
    expect(stops([bad, bad]).below()[0]?.breaksNext).toEqual({ ...watched, after_step: 0 });
  });

  test("that is of an array, which can't be watched, offers nothing", () => {
    const bad = { measurement: { shape: [2], mean: 1, nan: 1 } };
    const [group] = stops([bad, bad]).below();
    expect([group?.can.includes("breakNextTime"), group?.description]).toEqual([
      false,
      "2 stops · first NaN at stop 1",
    ]);
  });

  test("without any offers nothing", () => {
    const [group] = stops([value(1), value(2)]).below();
    expect([group?.can.includes("breakNextTime"), group?.description]).toEqual([false, "2 stops"]);
  });

  test("after steps that were finite waits for the last of these", () => {
    const steps = { recording: { steps: [1, 2], columns: { value: [7, 6] }, function: TRAIN } };
    const [group] = stops([value(8), { ...value("#nan"), ...steps }]).below();
    expect(group?.breaksNext).toEqual({ ...watched, after_step: 2 });
  });
});

describe("a pin that is recorded at each step", () => {
  const recording = (steps: number[], column: string, numbers: number[], more = {}): Partial<PinAnswer> => ({
    recording: { steps, columns: { [column]: numbers, time: steps }, function: TRAIN, ...more },
  });

  test("says how the steps went, and lists them before their stop", () => {
    const pins = [{ measurement: { value: 9 } }, { measurement: { value: 5 }, ...recording([1, 2], "value", [7, 6]) }];
    const { row, below } = stops(pins, { recorded: true });
    expect(row.description).toBe("7 → 6 █▁ · 1 · records each step");
    expect(below()[0]).toMatchObject({ description: "2 stops · 2 steps" });
    expect(below(below()[0]).map(({ label }) => label)).toEqual(["stop 2", "step 2", "step 1", "stop 1"]);
  });

  test.each([
    ["lr", "lr 3 → 2 █▁ · 1 · records each step"],
    ["gradient_norm", "‖grad‖ 3 → 2 █▁ · 1 · records each step"],
    ["norm", "‖p‖ 3 → 2 █▁ · 1 · records each step"],
    ["mean", "1 · μ 3 → 2 █▁ · records each step"],
  ])("of which the %s is known says so", (column, description) => {
    const { row } = stops([recording([1, 2], column, [3, 2])], { recorded: true });
    expect([row.description, row.expandable]).toEqual([description, true]);
  });

  test("says why nothing is recorded", () => {
    const { row } = stops([recording([], "value", [], { problem: "not in sight" })], { recorded: true });
    expect(row).toMatchObject({ description: "1 · not in sight", tone: "warning" });
  });

  test("takes each step once, also where an answer has it again", () => {
    const { scene } = stops([recording([1, 2], "value", [7, 6]), recording([2, 3], "value", [6, 5])]);
    expect(scene.history.steps(scene.contents.frame.session, "loss").map(({ step }) => step)).toEqual([1, 2, 3]);
    expect(scene.history.lastStep(scene.contents.frame.session, "loss")).toBe(3);
  });

  test("offers to break the next time before the first step that was not finite", () => {
    const numbers = recording([36, 37, 38], "gradient_norm", [3, "#nan" as never, 2]);
    const { below } = stops([{}, numbers], { recorded: true });
    const [group] = below();
    expect(group).toMatchObject({
      description: "3 steps · first NaN at step 37",
      breaksNext: { what: "nonfinite", gear: "light", of: "loss", function: TRAIN, after_step: 36 },
    });
    const offers = below(group).filter(({ can }) => can.includes("breakNextTime"));
    expect(offers.map(({ label, breaksNext }) => [label, breaksNext])).toEqual([["step 37", group?.breaksNext]]);
  });

  test.each([
    [true, ["stopRecording"]],
    [false, ["record"]],
  ])("or not (%s) offers the other", (recorded, offered) => {
    const { row } = stops([{}], { recorded });
    expect(row.can.filter((action) => /record/i.test(action))).toEqual(offered);
  });
});

describe("as CSV", () => {
  const HEAD =
    "expression,stop,time,file,line,value,mean,std,min,max,nan,inf,shape,dtype,device,version,step,norm,gradient_norm,lr,sampled";

  function point(measurement: Measurement, file = "/train.py"): Point {
    const place = { name: "f", file };
    return { stop: 3, frame: { stop: 9, key: "", file }, function: place, line: 14, time: NOON, measurement };
  }

  test.each<[string, Point, string]>([
    ["loss", point({ value: 2.25 }), "loss,3,2030-01-02T12:00:00.000Z,/train.py,14,2.25,,,,,,,,,,,,,,"],
    [
      'd["a"]',
      point({ mean: -0.5, nan: 0, inf: 1, shape: [2, 3], dtype: "float32", device: "cpu", version: 4 }),
      '"d[""a""]",3,2030-01-02T12:00:00.000Z,/train.py,14,,-0.5,,,,0,1,"[2, 3]",float32,cpu,4,,,,',
    ],
    ["-x", point({ value: -1 }, "=1+1"), "'-x,3,2030-01-02T12:00:00.000Z,'=1+1,14,-1,,,,,,,,,,,,,,"],
    ["@a\nb", point({ value: "#nan" }), '"\'@a\nb",3,2030-01-02T12:00:00.000Z,/train.py,14,NaN,,,,,,,,,,,,,,'],
    [
      "big",
      point({ value: "#9007199254740993" }),
      "big,3,2030-01-02T12:00:00.000Z,/train.py,14,9007199254740993,,,,,,,,,,,,,,",
    ],
    ["low", point({ value: "#-inf" }), "low,3,2030-01-02T12:00:00.000Z,/train.py,14,-Infinity,,,,,,,,,,,,,,"],
  ])("%s is a row of its own", (expression, one, row) => {
    expect(historyCsv([[expression, [one]]])).toBe(`${HEAD}\r\n${row},\r\n`);
  });

  test("a step has no place, and numbers of its own", () => {
    const step = { step: 7, until: 9, time: NOON, measurement: { norm: 2, gradient_norm: "#nan", lr: 0.1 } } as const;
    expect(historyCsv([["model", [step]]])).toBe(
      `${HEAD}\r\nmodel,,2030-01-02T12:00:00.000Z,,,,,,,,,,,,,,7,2,NaN,0.1,\r\n`,
    );
  });

  test("of a sample that is said", () => {
    const one = point({ mean: 1, nan: 0, inf: 0, sampled: true });
    expect(historyCsv([["x", [one]]])).toMatch(/,true\r\n$/);
  });

  test("of nothing there is the head alone", () => expect(historyCsv([])).toBe(`${HEAD}\r\n`));
});
