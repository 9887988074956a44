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
    // Two files at a time: one window waits for its program or the screen while the other is at work.
    maxWorkers: workers,
    isolate: false, // a file keeps nothing in the modules of the bed
  },
});
