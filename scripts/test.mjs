/** `npm test`: every part of the tests, each also to be run alone as `npm run PART`. */
import { npm } from "./commands.mjs";
import { runAll } from "./parts.mjs";

/**
 * Speeds are measured alone. VS Code's windows wait much, which leaves all that needs none of them most of their time: what
 * runs beside them is one lane, so that no core is idle before the last of its tests.
 */
const stages = [[["check"], ["test:unit"]], [["bench:quick"]], [["test:vscode"], ["test:debugpy", "test:python"]]];
const [program, ...first] = npm;

await runAll(
  "npm test",
  stages.map((lanes) =>
    lanes.map((lane) => Object.fromEntries(lane.map((part) => [part, [program, ...first, "run", "--silent", part]]))),
  ),
);
