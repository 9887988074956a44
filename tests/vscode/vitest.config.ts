import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";
import { workers } from "./bed/browser.ts";
import { patience } from "./bed/wait.ts";

/** Files share a window, so their order is the same on every machine: by default it follows an earlier run's durations. */
class ByName extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((one, other) => (one.moduleId < other.moduleId ? -1 : 1)));
  }
}

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    globalSetup: "bed/global-setup.ts",
    testTimeout: 240_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: patience } },
    // One file at a time: beside another window, on two cores, some answers come later than a user would have them.
    maxWorkers: workers,
    isolate: false, // the bed keeps its window from file to file
    sequence: { sequencer: ByName },
  },
});
