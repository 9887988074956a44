/** The model's own event. */
import { expect, test, vi } from "vitest";
import { Emitter } from "../../extension/src/model/emitter.ts";

test("a listener that raises keeps nothing from the others, nor from who fires, and is heard of", () => {
  vi.useFakeTimers();
  const emitter = new Emitter();
  const told = vi.fn<() => void>();
  emitter.event(() => {
    throw new Error("it broke");
  });
  emitter.event(told);
  emitter.fire();
  expect(told).toHaveBeenCalledOnce();
  expect(() => vi.runAllTimers()).toThrow("it broke");
  vi.useRealTimers();
});
