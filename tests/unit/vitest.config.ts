import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { vscode: fileURLToPath(new URL("vscode.ts", import.meta.url)) } },
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["tests/unit/**/*.test.ts", "tests/contract/**/*.test.ts"],
    testTimeout: 60_000, // a busy machine is no failure
  },
});
