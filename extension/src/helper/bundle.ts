import { readFileSync } from "node:fs";
import type { Bundle } from "./injection.ts";

/** The packed helper in that file, read when it is first asked for: most windows that the extension starts in debug nothing. */
export function bundleIn(file: string): () => Bundle {
  let bundle: Bundle | undefined;
  return () => (bundle ??= JSON.parse(readFileSync(file, "utf8")) as Bundle);
}
