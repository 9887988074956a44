/** Runs once around all test files: VS Code with the packaged extension, and a browser for each worker. */
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { setUp } from "../../../scripts/setup.mjs";
import { launchOptions, workers } from "./browser.ts";
import { packageExtension } from "./package.ts";
import { exitOnSignals } from "./processes.ts";
import { startServer } from "./server.ts";
import type { ServerAddress } from "./server.ts";

declare module "vitest" {
  interface ProvidedContext {
    bed: { server: ServerAddress; browsers: readonly string[] };
  }
}

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  setUp("python", "browser", "code-server");
  exitOnSignals();
  const server = await startServer({ vsix: packageExtension() });
  const browsers = await Promise.all(Array.from({ length: workers }, () => chromium.launchServer(launchOptions())));
  project.provide("bed", {
    server: { url: server.url, home: server.home },
    browsers: browsers.map((browser) => browser.wsEndpoint()),
  });
  return async () => {
    await Promise.all(browsers.map((browser) => browser.close()));
    server.close();
  };
}
