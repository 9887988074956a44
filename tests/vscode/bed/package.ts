/** The extension as users get it. */
import { execFileSync } from "node:child_process";
import path from "node:path";
import { npm } from "../../../scripts/commands.mjs";
import { root } from "../../../scripts/paths.mjs";

/** The VSIX file. */
export const vsix = path.join(root, "dist", "tensor-inspector.vsix");

/** Packages what is in the working tree, and returns the VSIX file. */
export function packageExtension(): string {
  const [program, ...first] = npm;
  execFileSync(program, [...first, "run", "--silent", "vsix"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  return vsix;
}
