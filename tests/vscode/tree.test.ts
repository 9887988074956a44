/** The rows of the Tensor Inspector tree, in the programs that people pause. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { python, root } from "../../scripts/paths.mjs";
import { findRow, rowsBelow } from "./bed/rows.ts";
import type { Row } from "./bed/rows.ts";
import { driver, stopIn, testOfPrograms } from "./bed/programs.ts";
import type { Workbench } from "./bed/workbench.ts";

/** What must be seen of one value: see the comment in the table. */
interface Expected {
  readonly row: readonly string[];
  readonly line?: readonly string[];
  readonly not?: readonly string[];
  readonly short?: string;
  readonly badges?: readonly string[];
  readonly mark?: { readonly kind: "cycle" | "shared"; readonly path: string };
  readonly children?: readonly string[];
}

const folder = path.join(root, "tests", "programs");
const { programs } = JSON.parse(readFileSync(path.join(folder, "expected.json"), "utf8")) as {
  programs: Record<string, Record<string, readonly Expected[]>>;
};

/** How a badge is seen: the theme's colour of the icon, and words for those who don't see it. */
const badges: Readonly<Record<string, { readonly color: string; readonly words: RegExp }>> = {
  nan: { color: "tensorInspector-alarmForeground", words: /NaN/ },
  freed: { color: "tensorInspector-alarmForeground", words: /storage freed/ },
  zeros: { color: "tensorInspector-warningForeground", words: /all zeros/ },
  constant: { color: "tensorInspector-warningForeground", words: /all |constant/ },
};

const DEEP = "s04_tensor_in_variables.py";
const order = [...Object.keys(programs), DEEP];

// On a busy machine too there is time for all.
const test = testOfPrograms(order, { settings: { "tensorInspector.timeBudget": 1000 } });

describe("the tree", () => {
  test.for(Object.entries(programs))("shows what there is to see in %s", async ([program, stops], { wb }) => {
    await stopIn(wb, program);
    const wrong: string[] = [];
    for (const [at, expected] of Object.values(stops).entries()) {
      if (at > 0) await wb.debug.continueToStop();
      await unfold(wb, expected);
      wrong.push(...(await differences(wb, expected)));
    }
    expect(wrong).toEqual([]);
  });

  test("of a tensor is finite five levels down, without its own views, and without the debugger's help", async ({
    wb,
  }) => {
    await wb.debug.continueToStop(); // in its program, which runs once more
    const asked = wb.recording.requests("variables").length;
    const rows = await unfoldAll(wb, "weight", 5);
    const labels = rows.map(({ label }) => label);
    expect(labels).toEqual(expect.arrayContaining(["values", "stats", "grad", "[3]", "mean"]));
    expect(labels).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(T|H|mT|mH|data)$/)]));
    expect(rows.every(({ level, expanded }) => level > 5 || expanded !== false)).toBe(true);
    expect(wb.recording.requests("variables")).toHaveLength(asked);
  });

  test("changes nothing that the programs print", async ({ wb }) => {
    await wb.debug.continueToEnd();
    const { stdout } = await promisify(execFile)(python, [driver, ...order], { cwd: wb.workspace.folder });
    expect(wb.recording.stdout()).toBe(stdout);
  });
});

/** Expands a row and all below it down to a level; what is then below it. */
async function unfoldAll(wb: Workbench, label: string, depth: number): Promise<Row[]> {
  const open: string[][] = [[label]];
  for (const path of open) {
    const children = await wb.inspector.expand(...path);
    if (path.length === depth) continue;
    open.push(...children.filter(({ expanded }) => expanded !== undefined).map((child) => [...path, child.label]));
  }
  const rows = await wb.inspector.rows();
  return rowsBelow(rows, findRow(rows, [label])!);
}

/** Expands what is needed to see all the rows. */
async function unfold(wb: Workbench, expected: readonly Expected[]): Promise<void> {
  const open = new Map<string, readonly string[]>();
  for (const { row, children } of expected) {
    for (let depth = 1; depth < row.length; depth++) open.set(row.slice(0, depth).join(" › "), row.slice(0, depth));
    if (children) open.set(row.join(" › "), row);
  }
  for (const { row } of expected) await wb.inspector.row(...row.slice(0, 1));
  for (const path of open.values()) await wb.inspector.expand(...path);
}

async function differences(wb: Workbench, expected: readonly Expected[]): Promise<string[]> {
  const colors = await themeColors(wb);
  const rows = await wb.inspector.rows();
  return expected.flatMap((one) =>
    differencesOf(one, rows, colors).map((difference) => `${one.row.join(" › ")}: ${difference}`),
  );
}

function differencesOf(expected: Expected, rows: readonly Row[], colors: ReadonlyMap<string, string>): string[] {
  const row = findRow(rows, expected.row);
  if (row === undefined) return ["missing"];
  const { description, ariaLabel, iconColor } = row;
  const wrong: string[] = [];
  // What is shown has little room; the whole line is spoken.
  for (const part of expected.line ?? []) if (!ariaLabel.includes(part)) wrong.push(`no ${part} in ${ariaLabel}`);
  for (const part of expected.not ?? []) {
    if (`${ariaLabel} ${description}`.includes(part)) wrong.push(`${part} in ${ariaLabel}, shown as ${description}`);
  }
  if (!description.includes(expected.short ?? "")) wrong.push(`not in short ${expected.short}, but ${description}`);
  for (const badge of expected.badges ?? []) {
    const { color, words } = badges[badge]!;
    if (iconColor !== colors.get(color)) wrong.push(`${badge}: icon is ${iconColor}, not ${colors.get(color)}`);
    for (const text of [ariaLabel, description]) if (!words.test(text)) wrong.push(`${badge}: not said in ${text}`);
  }
  if (expected.mark) {
    const { kind, path } = expected.mark;
    const mark = `${kind === "cycle" ? "↻" : "≡"} ${path}`;
    const speech = `${kind === "cycle" ? "contains itself, see" : "same as"} ${path}`;
    const isThere = kind === "cycle" ? description.startsWith(mark) : description.endsWith(mark);
    if (!isThere) wrong.push(`no mark ${mark} in ${description}`);
    if (!ariaLabel.endsWith(speech)) wrong.push(`no ${speech} in ${ariaLabel}`);
  }
  if (expected.children) {
    const labels = rowsBelow(rows, row).flatMap(({ level, label }) => (level === row.level + 1 ? [label] : []));
    if (labels.join() !== expected.children.join()) wrong.push(`children ${labels.join()}`);
  }
  return wrong;
}

/** The theme's colours of the badges, as the browser computes them. */
async function themeColors(wb: Workbench): Promise<ReadonlyMap<string, string>> {
  const names = [...new Set(Object.values(badges).map(({ color }) => color))];
  const found = await wb.page.evaluate((names) => {
    const probe = document.querySelector(".monaco-workbench")!.appendChild(document.createElement("i"));
    const colors = names.map((name) => {
      probe.style.color = `var(--vscode-${name})`;
      return [name, getComputedStyle(probe).color] as const;
    });
    probe.remove();
    return colors;
  }, names);
  return new Map(found);
}
