/** Packages the extension as dist/tensor-inspector.vsix, or as the file that is named: the same bytes each time. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const [file = "dist/tensor-inspector.vsix"] = process.argv.slice(2);
const vsce = fileURLToPath(new URL("../node_modules/@vscode/vsce/vsce", import.meta.url));

execFileSync(process.execPath, [vsce, "package", "--no-dependencies", "--out", file], {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  // The time of every file in it, in seconds since 1970: else it is that of the build.
  env: { SOURCE_DATE_EPOCH: "1767225600", ...process.env },
  stdio: ["ignore", "inherit", "inherit"],
});
