/** Runs once around all test files: VS Code with the packaged extension, and a browser. */
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { setUp } from "../../../scripts/setup.mjs";
import { launchOptions } from "./browser.ts";
import { packageExtension } from "./package.ts";
import { exitOnSignals } from "./processes.ts";
import { startServer } from "./server.ts";
import type { ServerAddress } from "./server.ts";

declare module "vitest" {
  interface ProvidedContext {
    bed: { server: ServerAddress; browser: string };
  }
}

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  setUp("python", "browser", "code-server");
  exitOnSignals();
  const server = await startServer({ vsix: packageExtension() });
  const browser = await chromium.launchServer(launchOptions());
  project.provide("bed", { server: { url: server.url, home: server.home }, browser: browser.wsEndpoint() });
  return async () => {
    await browser.close();
    server.close();
  };
}
