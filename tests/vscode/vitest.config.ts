import { defineConfig } from "vitest/config";
import { workers } from "./bed/browser.ts";
import { patience } from "./bed/wait.ts";

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
  },
});
