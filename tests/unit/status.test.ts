import { describe, expect, test } from "vitest";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { History } from "../../extension/src/model/history.ts";
import type { Inspector, Stale } from "../../extension/src/model/inspector.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import type { Scene } from "../../extension/src/model/row.ts";
import { firstAlarm } from "../../extension/src/model/rows.ts";
import { partText, statusText, timeText } from "../../extension/src/model/status.ts";
import { Questions } from "../../extension/src/model/questions.ts";
import { Contents } from "../../extension/src/model/contents.ts";
import type { FrameAnswer, LensAnswer, Node } from "../../extension/src/protocol/generated.ts";
import { Status } from "../../extension/src/views/status.ts";
import { frame, frameAnswer, memory, nodeAnswer, tensor } from "./fixtures.ts";
import { ColorThemeKind, EventEmitter, type StatusBarItem, window } from "./vscode.ts";
import { Watchpoints } from "../../extension/src/model/watchpoints.ts";

function scene(nodes: Node[], more: Partial<FrameAnswer> = {}, pinned: string[] = []): Scene {
  const pins = new Pins(memory({ pins: pinned }));
  return {
    contents: new Contents(frame(), frameAnswer(nodes, more)),
    pins,
    questions: new Questions(),
    watchpoints: new Watchpoints(memory()),
    history: new History(),
    expansion: new Expansion(),
    pageSize: 100,
  };
}

describe("the status", () => {
  const sampled = tensor("x", { badges: ["sampled"] });
  const nan = tensor("x", { badges: ["nan"] });
  const both = tensor("y", { badges: ["inf", "nan"] });
  const inf = tensor("y", { badges: ["inf"] });
  /** The first page of 700 rows. */
  const part = (...nodes: Node[]): Partial<FrameAnswer> => ({ rows: { start: 0, total: 700, nodes } });
  test.each([
    [[], {}, ""],
    [[], { process: "rank 1" }, "rank 1"],
    [[sampled], { cut: "no time" }, "sampled · incomplete"],
    [[nan], {}, "1 value with NaN"],
    [[nan, tensor("y", { badges: ["nan", "sampled"] })], { process: "rank 1" }, "2 values with NaN · sampled · rank 1"],
    [[nan, both], {}, "2 values with NaN, 1 with Inf"],
    [[inf], {}, "1 value with Inf"],
    [[], part(nan, both), "≥ 2 values with NaN, ≥ 1 with Inf · incomplete"],
    [[], part(inf), "≥ 1 value with Inf · incomplete"],
    [[], part(tensor("x")), "incomplete"],
    [[], { rows: { start: 0, total: null, nodes: [nan] } }, "≥ 1 value with NaN · incomplete"],
  ])("of %o with %o is %j", (nodes, more, text) => {
    expect(statusText(scene(nodes, more))).toBe(text);
  });

  test("counts all rows when further pages have come", () => {
    const whole = scene([], { rows: { start: 0, total: 2, nodes: [nan] } });
    const page = { start: 1, total: 2, nodes: [both] };
    whole.contents.merge({ op: "children", snapshot: 7, ms: 1, node: 0, page, types: [] }, undefined);
    expect(statusText(whole)).toBe("2 values with NaN, 1 with Inf");
  });

  test("counts a value that has two names once", () => {
    const same = tensor("y", { badges: ["nan"], mark: { kind: "shared", path: "x" } });
    const elsewhere = tensor("z", { badges: ["nan"], mark: { kind: "shared", path: "batch['z']" } });
    expect(statusText(scene([nan, same, elsewhere]))).toBe("2 values with NaN");
  });

  test("counts what is pinned, once where it is a row too, and a click goes there", () => {
    const pinned = scene([nan], { pins: [{ expression: "x", node: nan }] }, ["model(x)", "x"]);
    pinned.contents.results.set("model(x)", nodeAnswer("evaluate", tensor("model(x)", { badges: ["nan"] })));
    expect(statusText(pinned)).toBe("2 values with NaN");
    expect(firstAlarm(pinned)?.expression).toBe("model(x)");
  });

  test.each([
    ["error", "wrong", "out is flat"],
    ["warning", "doubtful", "x"],
  ] as const)("a click goes to what is gravest: beside NaN and a finding that is an %s", (severity, badge, gravest) => {
    const both = scene([nan]);
    const finding = { rule: "flat", severity, tier: "sure", title: "out is flat", evidence: [], source: null };
    const row = { id: 6, name: "out is flat", kind: "finding", type: "", line: "line 7", badges: [badge] };
    const page = { start: 0, total: 1, nodes: [row] };
    const found = { lens: "findings", explained: 0, checked: [], skipped: [] };
    const findings = [{ ...finding, why: "", suggestion: "", consequences: [] }];
    const answer = { snapshot: 7, found: { ...found, findings }, node: { ...row, id: 5, children: 1, page } };
    both.contents.check.setResult({ answer: answer as unknown as LensAnswer, mode: "usual", repeatsRun: false });
    expect(firstAlarm(both)).toMatchObject({ name: gravest, tone: "alarm" });
  });

  test.each([
    [{ start: 0, total: 1, nodes: [nan] }, ""],
    [{ start: 0, total: 700, nodes: [nan, inf] }, "2 of 700 variables"],
    [{ start: 0, total: 99_900, nodes: [nan] }, "1 of 99,900 variables"],
    [{ start: 0, total: null, nodes: [nan, inf] }, "the first 2 variables"],
  ])("says of %o beside it how many are known: %s", (rows, text) => {
    const part = scene([], { rows });
    expect(partText(part.contents)).toBe(text);
    const { tooltip } = itemOf({ scene: part, contents: part.contents });
    expect(tooltip?.includes("are listed and counted")).toBe(text !== "");
    expect(tooltip).toContain(text);
  });

  test("counts groups of variables as none, which are the last rows", () => {
    const rows = { start: 0, total: 202, nodes: [nan] };
    expect(partText(scene([], { rows, groups: 2 }).contents)).toBe("1 of 200 variables");
  });

  test.each([
    [3.26, "Read in 3.3 ms."],
    [112.4, "Read in 112 ms."],
  ])("tells of %d ms beside it: %s", (ms, text) => {
    expect(timeText(new Contents(frame(), frameAnswer([], { ms })))).toBe(text);
  });
});

/** The status-bar item while a process of this name is paused. */
function shown(process: string, stale?: Stale): StatusBarItem {
  const paused = scene([], { process });
  return itemOf({ scene: paused, contents: paused.contents, stale });
}

/** The status-bar item while a frame is looked at of which this is known. */
function itemOf(known: Partial<Inspector>): StatusBarItem {
  const changed = new EventEmitter<void>();
  const inspector = { frame: frame(), ...known, onDidChange: changed.event };
  const status = new Status(inspector as unknown as Inspector);
  changed.fire();
  const item = window.statusBar.get("tensorInspector.status") as StatusBarItem;
  status.dispose();
  return item;
}

test("an alarm has a colour in each kind of theme: the background of errors, or a foreground where there is none", () => {
  const changed = new EventEmitter<void>();
  const { contents, ...rest } = scene([tensor("x", { badges: ["nan"] })]);
  const inspector = { frame: frame(), contents, scene: { contents, ...rest }, onDidChange: changed.event };
  const status = new Status(inspector as unknown as Inspector);
  const { Dark, Light, HighContrast, HighContrastLight } = ColorThemeKind;
  const item = window.statusBar.get("tensorInspector.status") as StatusBarItem;
  const colors = [Dark, Light, HighContrast, HighContrastLight].map((kind) => {
    window.setTheme(kind);
    return (item.backgroundColor ?? item.color)?.id;
  });
  status.dispose();
  window.setTheme(Dark);
  const background = "statusBarItem.errorBackground";
  const foreground = "tensorInspector.statusBarAlarmForeground";
  expect(colors).toEqual([background, background, foreground, foreground]);
});

test("while another frame is read that takes long, nothing is said of the last one", () => {
  expect(shown("rank 0", "reading").text).toBe("$(sync) reading…");
});

test("while the first frame of a session is read, it is not said that it can't be", () => {
  expect(itemOf({}).text).toBe("$(sync) reading…");
});

test("where the values can't be had, that is said, and why", () => {
  const item = itemOf({ trouble: "no reply" });
  expect(item.text).toBe("$(warning) not read");
  expect(item.tooltip).toContain("no reply");
});

// VS Code makes `$(name)` an icon, and shows `\$(name)` as it is without the backslash.
test.each([
  ["rank 1", "rank 1"],
  ["$(bug)", String.raw`\$(bug)`],
  ["a $(sync~spin) b $(x)", String.raw`a \$(sync~spin) b \$(x)`],
])("the process name %s is no icon in the status bar", (process, text) => {
  const item = shown(process);
  expect(item.text).toBe(`$(symbol-array) ${text}`);
  expect(item.accessibilityInformation?.label).toBe(`Tensor Inspector, ${process}`);
});

test("where there is nothing to say, a screen reader hears that", () => {
  expect(shown("").accessibilityInformation?.label).toBe("Tensor Inspector, nothing to report");
});
