import { describe, expect, test } from "vitest";
import { History } from "../../extension/src/model/history.ts";
import { historyScalars, stepOf, withoutPoints } from "../../extension/src/model/historyScalars.ts";
import type { Measurement, PinAnswer } from "../../extension/src/protocol/generated.ts";
import { frame, frameAnswer, session } from "./fixtures.ts";

const NOON = new Date("2030-01-02T12:00:00.500Z");
const AT_NOON = NOON.getTime() / 1000;

function records(...pins: Partial<PinAnswer>[]) {
  const history = new History(() => NOON);
  for (const [at, pin] of pins.entries()) {
    history.record(frame(at + 1), frameAnswer([], { pins: [{ expression: "loss", ...pin }] }));
  }
  return history.records(session(), "loss");
}

const measured = (measurement: Measurement): Partial<PinAnswer> => ({ measurement });

describe("the history of an expression as scalars", () => {
  test("is a series for each number, at its stops and times", () => {
    expect(historyScalars(records(measured({ mean: 1, nan: 3 }), measured({ mean: "#nan" })))).toEqual([
      { tag: "mean_by_stop", steps: [1, 2], times: [AT_NOON, AT_NOON], values: [1, "#nan"] },
      { tag: "nan_by_stop", steps: [1], times: [AT_NOON], values: [3] },
    ]);
  });

  test("keeps steps apart from stops, which are counted otherwise", () => {
    const recording = {
      expression: "loss",
      function: { name: "train", file: "/train.py", line: 1 },
      steps: [1, 2],
      columns: { time: [100, 101], lr: [0.1, null] },
    } as unknown as NonNullable<PinAnswer["recording"]>;
    const found = records({ recording, measurement: { lr: 0.2 } });
    expect(historyScalars(found)).toEqual([
      { tag: "lr_by_step", steps: [1], times: [100], values: [0.1] },
      { tag: "lr_by_stop", steps: [1], times: [AT_NOON], values: [0.2] },
    ]);
  });

  test("keeps what was read of a sample apart", () => {
    const found = historyScalars(records(measured({ mean: 1, sampled: true }), measured({ mean: 2 })));
    expect(found.map(({ tag, values }) => [tag, values])).toEqual([
      ["mean_sampled_by_stop", [1]],
      ["mean_by_stop", [2]],
    ]);
  });

  test("tells what there is a series of without its points", () => {
    expect(withoutPoints(historyScalars(records(measured({ mean: 1 }), measured({ mean: 2 }))))).toEqual([
      { tag: "mean_by_stop", steps: [], times: [], values: [] },
    ]);
  });

  test("says at which step the value is what it is now", () => {
    expect(stepOf([], 7)).toBe(7);
    expect(stepOf(records(measured({ mean: 1 }), measured({ mean: 2 })), 7)).toBe(2);
  });
});
