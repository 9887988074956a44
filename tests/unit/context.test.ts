/** The context keys by which the manifest shows what is for Python. */
import { beforeEach, expect, test } from "vitest";
import type { DebugAdapterTracker, DebugSession } from "vscode";
import { Dismissed } from "../../extension/src/model/dismissed.ts";
import { Questions } from "../../extension/src/model/questions.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import { Sessions } from "../../extension/src/debug/sessions.ts";
import { followDebugging, followGathered } from "../../extension/src/views/context.ts";
import { memory, session } from "./fixtures.ts";
import { commands, debug, stage } from "./vscode.ts";

const python = { id: "1", type: "debugpy" } as DebugSession;
const node = { id: "2", type: "node" } as DebugSession;
const debugging = (): unknown => commands.contexts.get("tensorInspector.debugging");
let sessions: Sessions;

beforeEach(() => {
  debug.activeDebugSession = undefined;
  sessions = new Sessions(() => {});
  followDebugging(sessions);
});

test("tells that we are active, and that nothing is debugged", () => {
  expect(commands.contexts.get("tensorInspector.active")).toBe(true);
  expect(debugging()).toBe(false);
});

/** VS Code starts a session: it is looked at later. */
function begin(session: DebugSession): DebugAdapterTracker {
  const tracker = sessions.createDebugAdapterTracker(session);
  tracker.onDidSendMessage?.({ type: "event", event: "initialized" });
  return tracker;
}

test("is set as soon as a Python session begins, before it is looked at, until it has ended", () => {
  const tracker = begin(python);
  expect(debugging()).toBe(true);
  stage.activate(python);
  expect(debugging()).toBe(true);
  stage.activate(undefined);
  tracker.onExit?.(0, undefined);
  stage.sessionTerminated.fire(python);
  expect(debugging()).toBe(false);
});

test("tells of the session that is looked at, where there are several", () => {
  begin(python);
  stage.activate(node);
  expect(debugging()).toBe(false);
  stage.activate(python);
  expect(debugging()).toBe(true);
});

test.each(["debugpy", "python", "Python Kernel Debug Adapter", "Python Interactive Window Debug Adapter"])(
  "%s is Python",
  (type) => {
    stage.activate({ id: "3", type });
    expect(debugging()).toBe(true);
  },
);

test("tells whether something is pinned, before any stop and as it changes", () => {
  const isPinned = (): unknown => commands.contexts.get("tensorInspector.pinned");
  const pins = new Pins(memory({ pins: ["kept"] }));
  followGathered(pins, new Questions(), new Dismissed(memory()));
  expect(isPinned()).toBe(true);
  pins.remove("kept");
  expect(isPinned()).toBe(false);
  pins.add(["x"]);
  expect(isPinned()).toBe(true);
});

test("tells of comparisons, and of a value that was selected for one, until their session ends", () => {
  const told = (): unknown[] =>
    ["answered", "selectedForCompare"].map((key) => commands.contexts.get(`tensorInspector.${key}`));
  const questions = new Questions();
  followGathered(new Pins(memory()), questions, new Dismissed(memory()));
  expect(told()).toEqual([false, false]);
  const [a, b] = ["a", "b"].map((name) => ({ name, expression: name }));
  questions.select(a!, session());
  questions.add({ lens: "compare", subjects: { a: a!, b: b! } }, session());
  expect(told()).toEqual([true, true]);
  questions.forget(session());
  expect(told()).toEqual([false, false]);
});
