// Runs a tool, or a script, with the project's own Python: `node scripts/in-venv.ts ruff check .`
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { python } from "./paths.mjs";

const [tool, ...args] = process.argv.slice(2);

if (tool === undefined) throw new Error("usage: node scripts/in-venv.ts TOOL|FILE.py [ARGUMENT…]");
if (!existsSync(python)) {
  console.error("There is no .venv yet: run `npm run setup` first.");
  process.exit(1);
}
// Hundreds of processes of the tests load the helper. Its bytecode is kept, also where the environment asks Python for none.
const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "" };
const { status } = spawnSync(python, [...(tool.endsWith(".py") ? [] : ["-m"]), tool, ...args], {
  stdio: "inherit",
  env,
});
process.exit(status ?? 1);
