import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    globalSetup: "bed/global-setup.ts",
    testTimeout: 120_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 20_000 } },
    // All share one VS Code, and keyboard and mouse are slow enough to keep two cores busy.
    fileParallelism: false,
  },
});
