/** Programs that one session runs, one after the other: each stops where people would pause it, and may have a picture. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../../scripts/paths.mjs";
import type { Breakpoint } from "./channel.ts";
import { testIn } from "./fixture.ts";
import * as pictures from "./pictures.ts";
import type { Settings } from "./server.ts";
import type { Workbench } from "./workbench.ts";

export const driver = "run_all.py";
const files = {
  [driver]: `\
import runpy
import sys

for program in sys.argv[1:]:
    runpy.run_path(program, run_name="__main__")
`,
};

interface ProgramsOptions {
  /** Breakpoints beside the lines marked `# STOP`. */
  readonly breakpoints?: readonly Breakpoint[];
  readonly settings?: Settings;
}

/** How many stops a program may have before the one that is waited for. */
const MOST_STOPS = 6;

/**
 * `test` with a window `wb` in which these programs run, in a side bar of 300 pixels: at first they stand at the first of
 * their lines `# STOP`, or of these breakpoints in them. What a test asks is removed after it.
 */
export function testOfPrograms(programs: readonly string[], { breakpoints = [], settings = {} }: ProgramsOptions = {}) {
  const test = testIn({ files, programs, settings });
  test.beforeAll(async ({ wb }) => {
    await wb.debug.startAll(driver, programs, breakpoints);
    await wb.showOnly(wb.inspector.title);
    await wb.widenSideBar(300);
  });
  test.afterEach(({ wb }) => wb.channel.execute("tensorInspector.removeAllAnswers"));
  return test;
}

/** Lets the programs run on until this one has stopped, in this function if one is named. */
export async function stopIn(wb: Workbench, program: string, name?: string): Promise<void> {
  const [from, to] = name === undefined ? [0, Infinity] : linesOf(program, name);
  const isThere = async (): Promise<boolean> => {
    const { file, line } = await wb.debug.stoppedAt();
    return path.basename(file) === program && line > from && line <= to;
  };
  for (let stops = 0; !(await isThere()); stops++) {
    if (stops > MOST_STOPS) throw new Error(`${program} does not stop${name === undefined ? "" : ` in ${name}`}`);
    await wb.debug.continueToStop();
  }
}

export function sourceOf(program: string): string {
  return readFileSync(path.join(root, "tests", "programs", program), "utf8");
}

/** The lines of a function: its first, and the last before two that are empty. */
function linesOf(program: string, name: string): [from: number, to: number] {
  const lines = sourceOf(program).split("\n");
  const from = lines.findIndex((line) => line.startsWith(`def ${name}(`));
  const end = lines.findIndex((line, at) => at > from && line === "" && lines[at + 1] === "");
  return [from + 1, end];
}

export async function looks(wb: Workbench, program: string, name: string): Promise<void> {
  await pictures.looks(wb, pictureOf(program, name));
}

export async function shot(wb: Workbench, program: string, name = "all"): Promise<void> {
  await pictures.shot(wb, pictureOf(program, name));
}

function pictureOf(program: string, name: string): string {
  return `scenarios/${program.slice(0, 3)}-${name}`;
}
