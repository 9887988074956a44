/** `npm test`: every part of the tests, each also to be run alone as `npm run PART`. */
import { npm } from "./commands.mjs";
import { runAll } from "./parts.mjs";

const parts = ["check", "test:unit", "test:python", "test:debugpy", "bench:quick", "test:vscode"];
const [program, ...first] = npm;

runAll("npm test", Object.fromEntries(parts.map((part) => [part, [program, ...first, "run", "--silent", part]])));
