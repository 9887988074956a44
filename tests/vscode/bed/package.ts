/** The extension as users get it. */
import { execFileSync } from "node:child_process";
import path from "node:path";
import { root } from "../../../scripts/paths.mjs";

/** Packages what is in the working tree, and returns the VSIX file. */
export function packageExtension(): string {
  execFileSync("npm", ["run", "--silent", "vsix"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  return path.join(root, "dist", "tensor-inspector.vsix");
}
