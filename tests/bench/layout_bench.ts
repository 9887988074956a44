/**
 * How long the drawn graph takes to lay out 5,000 boxes, all open: as the worker of its page does.
 *
 *     node tests/bench/layout_bench.ts [--rounds 7]
 */
import { parseArgs } from "node:util";
import { layOut } from "../../extension/webview/graph/layout.ts";
import { Figures } from "./goals.ts";
import { median, spread } from "./medians.ts";

const goals = { laidOut: { figure: "5,000 boxes of a drawn graph, laid out", most: 1000, unit: " ms" } };
const BOXES = 5000;
const WIDTH = 120;
/** Every so many boxes one takes another that is further below, as a residual connection does. */
const RESIDUAL = 5;
const FURTHER = 12;
/** Every so many boxes one takes a leaf too: the last boxes. */
const LEAVES = 1500;

/** Operations one below the other, with residual connections and parameters. */
function graph(): Parameters<typeof layOut>[0] {
  const operations = BOXES - LEAVES;
  const edges: [number, number][] = [];
  for (let at = 0; at + 1 < operations; at += 1) {
    edges.push([at, at + 1]);
    if (at % RESIDUAL === 0 && at + FURTHER < operations) edges.push([at, at + FURTHER]);
  }
  for (let leaf = 0; leaf < LEAVES; leaf += 1) {
    edges.push([Math.floor((leaf * operations) / LEAVES), operations + leaf]);
  }
  return {
    widths: new Float64Array(BOXES).fill(WIDTH),
    from: Int32Array.from(edges, ([upper]) => upper),
    to: Int32Array.from(edges, ([, lower]) => lower),
  };
}

function main(): number {
  const { values } = parseArgs({ options: { rounds: { type: "string", default: "7" } } });
  const figures = new Figures(Object.values(goals));
  const given = graph();
  const times: number[] = [];
  for (let round = -1; round < Number(values.rounds); round += 1) {
    const started = performance.now();
    const { height } = layOut(given);
    if (round >= 0 && height > 0) times.push(performance.now() - started);
  }
  console.log(`5,000 boxes laid out ${spread(times)}`);
  figures.note(goals.laidOut, median(times));
  for (const line of figures.lines()) console.log(line);
  return figures.status();
}

process.exit(main());
