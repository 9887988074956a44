/** What the inspector does from stop to stop, as the recorded debug traffic and the tree tell. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
import { findRow } from "./bed/rows.ts";
import { until } from "./bed/wait.ts";
import type { Workbench } from "./bed/workbench.ts";

const program = `\
import gc
import weakref

import torch


def step(total, number):
    scaled = total * number
    kept = {"scaled": scaled, "all": [scaled, total]}
    return kept["scaled"] + 1  # STOP


def train():
    total = torch.ones(3)
    for number in range(1, 4):
        total = step(total, number)
    return total


def count():
    n = torch.zeros(2)
${Array.from({ length: 50 }, () => "    n = n + 1").join("\n")}
    return n


gc.disable()
train()
count()
big = torch.zeros(1000, 1000)
holder = {"big": big}
alive = weakref.ref(big)
print("made")  # STOP
del big, holder
print("dropped", alive() is None)
`;

// In a window of its own: what other files have left open is asked at every stop too, and here questions are counted.
const test = testIn({ files: { "stops.py": program }, alone: true });

test("one request a stop and frame, after one to bring the helper in", async ({ wb }) => {
  await wb.debug.start("stops.py");
  await wb.variables.expand("Locals");
  await shown(wb, ["number"], "1");
  expect(wb.recording.valueRequests()).toEqual(["inject", "frame"]);
  await wb.debug.continueToStop();
  await shown(wb, ["number"], "2");
  expect(wb.recording.valueRequests()).toEqual(["inject", "frame", "frame"]);
});

test("what is wrong is asked once a stop, after its values", async ({ wb }) => {
  await until("a lens", () => wb.recording.helperRequests().at(-1) === "lens");
  const asked = wb.recording.helperRequestsBegun();
  const last = asked.lastIndexOf("frame");
  expect(asked.slice(last, last + 2)).toEqual(["frame", "lens"]);
  expect(wb.recording.lensesRepeated()).toEqual([]);
  expect(wb.recording.overlapping()).toEqual([]);
});

test("expanding a row is one more, and again none", async ({ wb }) => {
  const before = wb.recording.valueRequests().length;
  await wb.inspector.expand("kept");
  await wb.inspector.collapse("kept");
  await wb.inspector.expand("kept", "'all'");
  expect(wb.recording.valueRequests().slice(before)).toEqual(["children", "children"]);
});

test("what is expanded and selected stays so from stop to stop", async ({ wb }) => {
  await wb.inspector.click("kept", "'all'", "[1]"); // which expands it, too
  await wb.inspector.row("kept", "'all'", "[1]", "values");
  const before = wb.recording.valueRequests().length;
  await wb.debug.continueToStop();
  await shown(wb, ["number"], "3");
  const row = await shown(wb, ["kept", "'all'", "[1]"], "all 5 · f32[3]");
  expect(row.selected).toBe(true);
  expect(wb.recording.valueRequests().slice(before)).toEqual(["frame"]);
});

test("marks what changed since the last stop in the function, for a screen reader too", async ({ wb }) => {
  const rows = await wb.inspector.rows();
  expect(findRow(rows, ["number"])).toMatchObject({
    highlighted: true,
    ariaLabel: expect.stringContaining("number, changed, "),
  });
  expect(findRow(rows, ["kept", "'all'", "[1]"])).toMatchObject({ highlighted: true });
  expect(findRow(rows, ["kept"])).toMatchObject({ highlighted: false });
});

test("follows clicks in the call stack, and back without asking again", async ({ wb }) => {
  const before = wb.recording.valueRequests().length;
  await wb.selectFrame("train");
  const rows = await wb.inspector.rowsWhen(
    "train's variables",
    (rows) => findRow(rows, ["total"]) !== undefined && findRow(rows, ["kept"]) === undefined,
  );
  expect(findRow(rows, ["total"])?.description).toContain("all 5");
  expect(rows.filter(({ highlighted }) => highlighted)).toEqual([]); // train is looked at for the first time
  await wb.selectFrame("step");
  await shown(wb, ["kept", "'all'", "[1]"], "all 5 · f32[3]");
  expect(wb.recording.valueRequests().slice(before)).toEqual(["frame"]);
});

test("shows at once what is changed in the console and in Variables", async ({ wb }) => {
  const before = wb.recording.valueRequests().length;
  await wb.console.run("scaled.fill_(7)");
  expect(await shown(wb, ["scaled"], "all 7 · f32[3]")).toMatchObject({ highlighted: true });
  await wb.setValue(["Locals", "number"], "50");
  await shown(wb, ["number"], "50");
  expect(wb.recording.valueRequests().slice(before)).toEqual(["frame", "frame"]);
});

test("twenty quick steps ask at most once a stop, and leave the values of the last one", async ({ wb }) => {
  const lines = readFileSync(path.join(wb.workspace.folder, "stops.py"), "utf8").split("\n");
  const first = lines.indexOf("    n = n + 1") + 1;
  await wb.debug.breakAt("stops.py", [first]);
  await wb.debug.continueToStop();
  await shown(wb, ["n"], "all zeros · f32[2]");
  const before = { requests: wb.recording.valueRequests().length, stops: wb.debug.stops() };
  const asked = (): string[] => wb.recording.valueRequests().slice(before.requests);
  const steps = (): number => wb.recording.requests("next").length;
  const others = before.stops - steps();
  const goal = steps() + 20;
  await until("twenty steps", async () => {
    for (const _ of [1, 2, 3, 4]) await wb.page.keyboard.press("F10"); // VS Code takes those that find it paused
    return steps() >= goal;
  });
  await wb.inspector.rowsWhen("the last stop's value", async (rows) => {
    // Each stop is a line further; the editor may still mark the line of a stop before.
    const reached = wb.debug.stops() - before.stops;
    const isLast = wb.debug.stops() - steps() === others && (await wb.editor.markedLine()) === first + reached;
    return isLast && findRow(rows, ["n"])?.description === `all ${reached} · f32[2]`;
  });
  const most = wb.debug.stops() - before.stops; // as many, where the machine makes quick steps slow ones
  const sent = asked().length;
  expect(asked()).toEqual(Array(Math.min(sent, most)).fill("frame"));
  const line = await wb.debug.stepOver();
  await shown(wb, ["n"], `all ${line - first} · f32[2]`);
  expect(asked().slice(sent)).toEqual(["frame"]);
});

test("what was shown dies when the program drops it, with the garbage collector off", async ({ wb }) => {
  const lines = readFileSync(path.join(wb.workspace.folder, "stops.py"), "utf8").split("\n");
  await wb.debug.breakAt("stops.py", [lines.indexOf('print("made")  # STOP') + 1]);
  await wb.debug.continueToStop();
  await shown(wb, ["big"], "all zeros · f32[1000,1000]");
  await wb.inspector.expand("big", "values");
  await wb.inspector.expand("holder", "'big'", "stats");
  await wb.debug.continueToEnd();
  expect(wb.recording.stdout()).toBe("made\ndropped True\n");
});

test("what is wrong was asked once at most of each frame that was read, unless that was lost", async ({ wb }) => {
  const asked = wb.recording.helperRequestsBegun().filter((request) => request === "frame" || request === "lens");
  expect(asked).toContain("lens");
  expect(asked[0]).toBe("frame");
  expect(wb.recording.lensesRepeated()).toEqual([]);
});

async function shown(wb: Workbench, row: readonly string[], summary: string) {
  const rows = await wb.inspector.rowsWhen(
    `${row.join(" › ")} ${summary}`,
    (rows) => findRow(rows, row)?.description.startsWith(summary) === true,
  );
  return findRow(rows, row)!;
}
