import { describe, expect, test } from "vitest";
import { History } from "../../extension/src/model/history.ts";
import {
  differencesOf,
  isOther,
  numberOf,
  numberText,
  pairText,
  pointOf,
} from "../../extension/src/model/measurements.ts";
import type { Measurement } from "../../extension/src/protocol/generated.ts";
import { frame, frameAnswer, session } from "./fixtures.ts";

const NOON = new Date("2030-01-02T12:00:00Z");

function recorded(...stops: [at: ReturnType<typeof frame>, measurement: Measurement | undefined][]): History {
  const history = new History(() => NOON);
  for (const [at, measurement] of stops) {
    const pin = { expression: "loss", ...(measurement === undefined ? {} : { measurement }) };
    history.record(at, frameAnswer([], { pins: [pin], line: 10 + at.stop }));
  }
  return history;
}

const values = (history: History, of = session()): unknown[] =>
  history.points(of, "loss").map(({ stop, measurement }) => [stop, measurement.value]);

describe("what is recorded", () => {
  test("is the number of each stop, with its place", () => {
    const history = recorded([frame(4), { value: 2.31 }], [frame(7), { value: 2.28 }]);
    expect(values(history)).toEqual([
      [1, 2.31],
      [2, 2.28],
    ]);
    expect(history.points(session(), "loss")[0]).toMatchObject({
      function: { name: "train", file: "/train.py" },
      line: 14,
      time: NOON,
    });
  });

  test("of a frame that is read again at one stop, is what it has now", () => {
    expect(values(recorded([frame(4), { value: 1 }], [frame(4), { value: 2 }]))).toEqual([[1, 2]]);
  });

  test("of several frames that are looked at during a stop, is that of the first that has numbers", () => {
    const [top, caller, above] = [frame(4), frame(4, { frameId: 3 }), frame(4, { frameId: 4 })];
    expect(values(recorded([top, undefined], [caller, { value: 1 }], [above, { value: 2 }]))).toEqual([[1, 1]]);
  });

  test("of a stop that is over, is not what comes late", () => {
    expect(values(recorded([frame(5), { value: 1 }], [frame(4), { value: 2 }]))).toEqual([[1, 1]]);
  });

  test("is apart for each session, and of the last four", () => {
    const ids = ["a", "b", "c", "d", "e"];
    const history = recorded(
      ...ids.map((id, at) => [frame(at + 1, { session: id }), { value: at }] as [never, Measurement]),
    );
    expect(ids.map((id) => values(history, session(id)))).toEqual([[], [[1, 1]], [[1, 2]], [[1, 3]], [[1, 4]]]);
    expect(history.latest).toBe(session("e"));
  });

  test("is of the last thousand stops", () => {
    const history = recorded(...Array.from({ length: 1001 }, (_, at) => [frame(at + 1), { value: at }] as never));
    expect(values(history)).toHaveLength(1000);
    expect(values(history)[0]).toEqual([2, 1]);
  });

  test("is gone when the expression is not kept any more", () => {
    const history = recorded([frame(1), { value: 1 }]);
    history.retain((expression) => expression === "loss");
    expect(values(history)).toHaveLength(1);
    history.retain(() => false);
    expect([history.latest, values(history)]).toEqual([undefined, []]);
  });
});

test.each<[number | string, number]>([
  [1.5, 1.5],
  ["#nan", Number.NaN],
  ["#inf", Infinity],
  ["#-inf", -Infinity],
  ["#9223372036854775807", 2 ** 63],
])("%j on the wire is %d", (sent, meant) => expect(numberOf(sent)).toBe(meant));

test.each<[Measurement, number | undefined]>([
  [{ value: 2 }, 2],
  [{ value: "#nan", nan: 1, inf: 0 }, Number.NaN],
  [{ mean: 0.5, nan: 0, inf: 0 }, 0.5],
  [{ mean: 0.5, nan: 2, inf: 0 }, 0.5],
  [{ mean: 0.5, nan: 0, inf: 1 }, 0.5],
  [{ nan: 2, inf: 0 }, Number.NaN],
  [{ nan: 0, inf: 1 }, Infinity],
  [{ shape: [0] }, undefined],
  [{ norm: 2, gradient_norm: 1 }, 1],
  [{ lr: 0.1 }, 0.1],
])("%j is drawn as %d", (measurement, point) => expect(pointOf(measurement)).toBe(point));

test.each<[number, number, string]>([
  [2.299999952316284, 0, "2.3"],
  [-0.0001234567, 0, "−0.0001235"],
  [0.00001234567, 0, "1.235e-5"],
  [3, 0, "3"],
  [1234567, 0, "1234567"],
  [12345.6, 0, "12346"],
  [1.25e12, 0, "1.25e12"],
  [0.0123456, 0.0002, "0.012"],
  [12345.6, 300, "12000"],
  [0.0001, 0.0002, "≈0"],
  [100, 1e-12, "100"],
  [Number.NaN, 0, "NaN"],
  [-Infinity, 0, "−Inf"],
])("%d with an error of %d reads %s", (value, error, text) => expect(numberText(value, { error })).toBe(text));

test.each<[number, number, [string, string]]>([
  [2.31, 2.28, ["2.31", "2.28"]],
  [2.30001, 2.30002, ["2.30001", "2.30002"]],
  [1, 1, ["1", "1"]],
])("%d and %d are told apart", (before, now, texts) => expect(pairText(before, now, 0)).toEqual(texts));

test.each<[Measurement, Measurement, string[]]>([
  [{ shape: [32, 17] }, { shape: [32, 23] }, ["shape [32, 17] [32, 23]"]],
  [{ shape: [2], dtype: "float32" }, { shape: [2], dtype: "float16" }, ["dtype float32 float16"]],
  [{ device: "cpu" }, { device: "cuda:0" }, ["device cpu cuda:0"]],
  [{ value: 1 }, { shape: [2] }, []],
  [{ shape: ["#9007199254740993", null] }, { shape: [1, "s0"] }, ["shape [9007199254740993, ?] [1, s0]"]],
])("from %j to %j there are other %j", (before, now, said) => {
  const found = differencesOf(before, now);
  expect(found.map(({ aspect, before: was, now: is }) => `${aspect} ${was} ${is}`)).toEqual(said);
});

test.each<[Measurement, Measurement, boolean]>([
  [{ value: 1 }, { value: 1.000001 }, false],
  [{ value: 1 }, { value: 1.0001 }, true],
  [{ value: "#nan" }, { value: "#nan" }, false],
  [{ mean: 1, nan: 0 }, { mean: 1, nan: 1 }, true],
  [{ value: 1 }, { mean: 2 }, false],
  [{ value: 1 }, { value: "#inf" }, true],
  [{ value: "#inf" }, { value: "#-inf" }, true],
  [{ mean: 1e-9, std: 1 }, { mean: 2e-9, std: 1 }, false],
  [{ mean: 1e-4, std: 1 }, { mean: 2e-4, std: 1 }, true],
  [{ mean: 0, std: 1, min: -4, max: 4 }, { mean: 0, std: 1.1, min: -4, max: 4 }, true],
  [{ mean: 1, std: 2, min: -1e9, max: 3 }, { mean: 1, std: 2, min: -1e9, max: 9000 }, true], // a mask stands out
  [{ mean: 1, std: "#inf" }, { mean: 1e30, std: "#inf" }, true],
  [{ mean: 1, sampled: true }, { mean: 2, sampled: true }, false],
])("from %j to %j the values are others: %s", (before, now, other) => expect(isOther(before, now)).toBe(other));
