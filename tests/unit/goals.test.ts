import { describe, expect, test } from "vitest";
import { Figures } from "../bench/goals.ts";

const step = { figure: "a step", most: 100, unit: " ms" };

describe("a benchmark", () => {
  test.each([
    [90, "✓", "goal ≤ 100 ms, measured 90.0 ms", 0],
    [130, "✗", "goal ≤ 100 ms, measured 130 ms", 0],
    [NaN, "✗", "goal ≤ 100 ms, not measured", 1],
  ])("that measures %d says so beside its goal, and ends with its status", (measured, verdict, says, status) => {
    const figures = new Figures([step]);
    figures.note(step, measured);
    expect(figures.lines()).toEqual([`${verdict} ${"a step".padEnd(60)} ${says}`]);
    expect(figures.status()).toBe(status);
  });

  test("fails where it has not measured all", () => {
    const figures = new Figures([step]);
    expect(figures.lines()[0]).toMatch(/^✗ a step +goal ≤ 100 ms, not measured$/);
    expect(figures.status()).toBe(1);
  });

  test("measures no figure that it has not declared", () => {
    expect(() => new Figures([]).note(step, 1)).toThrow("a step is no figure of this run");
  });
});
