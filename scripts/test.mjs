/** `npm test`: every part of the tests, each also to be run alone as `npm run PART`. */
import { npm } from "./commands.mjs";
import { runAll } from "./parts.mjs";

/** VS Code's windows wait much, which leaves the helper's tests most of their time. Speeds are measured alone. */
const stages = [["check", "test:unit"], ["test:debugpy"], ["bench:quick"], ["test:vscode", "test:python"]];
const [program, ...first] = npm;

await runAll(
  "npm test",
  stages.map((parts) => Object.fromEntries(parts.map((part) => [part, [program, ...first, "run", "--silent", part]]))),
);
