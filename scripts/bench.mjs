/**
 * `npm run bench`: every speed we claim, beside what it is compared with. With `--quick`, as among the tests, what needs
 * neither other tools nor VS Code, in a few rounds. A part fails where a figure is missing or a ratio far over its goal.
 */
import { python } from "./paths.mjs";
import { runAll } from "./parts.mjs";

const quick = process.argv.includes("--quick");

/** @type {Record<string, [string, ...string[]]>} */
const inPython = {
  start: [python, "tests/bench/start_bench.py", ...(quick ? ["--rounds", "1", "--megabytes", "0.125"] : [])],
  stop: [python, "tests/bench/stop_bench.py", ...(quick ? ["--rounds", "2"] : [])],
  gradients: [python, "tests/bench/gradients_bench.py", ...(quick ? ["--rounds", "2"] : [])],
  memory: [python, "tests/bench/memory_bench.py", ...(quick ? ["--rounds", "2"] : [])],
  layers: [python, "tests/bench/layers_bench.py", ...(quick ? ["--rounds", "1"] : [])],
  graph: [python, "tests/bench/graph_bench.py", ...(quick ? ["--rounds", "1"] : [])],
  findings: [python, "tests/bench/findings_bench.py", ...(quick ? ["--rounds", "2"] : [])],
  picture: [python, "tests/bench/picture_bench.py", ...(quick ? ["--no-peers", "--rounds", "3"] : [])],
  watch: [python, "tests/bench/watch_bench.py", ...(quick ? ["--rounds", "1"] : [])],
  stats: [python, "tests/bench/stats_bench.py", ...(quick ? ["--quick", "--no-peers", "--rounds", "3"] : [])],
};
/** @type {Record<string, [string, ...string[]]>} */
const inNode = {
  layout: ["node", "tests/bench/layout_bench.ts"],
  activation: ["node", "tests/bench/activation_bench.ts"],
  step: ["node", "tests/bench/step_bench.ts"],
  details: ["node", "tests/bench/details_bench.ts"],
  soak: ["node", "tests/bench/soak_bench.ts"],
};

const parts = Object.entries(quick ? inPython : { ...inPython, ...inNode });
await runAll(
  quick ? "npm run bench:quick" : "npm run bench",
  parts.map(([name, command]) => ({ [name]: command })),
);
