/** The Chromium that shows the workbench. */
import type { LaunchOptions } from "playwright-core";
import { findBrowser } from "../../../scripts/browser.mjs";

export const windowSize = { width: 1440, height: 900 };

/** How many test files run at a time, each with a browser of its own: a browser has one clipboard. */
export const workers = 1;

/** For playwright's `launch` and `launchServer`: a headless Chromium that keeps to itself. */
export function launchOptions(): LaunchOptions {
  const executablePath = findBrowser();
  return {
    ...(executablePath !== undefined && { executablePath }), // without it, playwright's own
    // Playwright's own way with signals would skip our cleaning up; at exit it closes the browser in any case.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  };
}
