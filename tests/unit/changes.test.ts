import { describe, expect, test } from "vitest";
import type { Frame } from "../../extension/src/debug/frame.ts";
import { Frames, type FrameCalls } from "../../extension/src/model/frames.ts";
import { History } from "../../extension/src/model/history.ts";
import { Questions } from "../../extension/src/model/questions.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { Inspector } from "../../extension/src/model/inspector.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import { Results } from "../../extension/src/model/results.ts";
import { comparedText, type Row } from "../../extension/src/model/row.ts";
import { allRows } from "../../extension/src/model/rows.ts";
import type { FrameAnswer, Node } from "../../extension/src/protocol/generated.ts";
import { frame, frameAnswer, memory, node, session, tensor } from "./fixtures.ts";
import { Watchpoints } from "../../extension/src/model/watchpoints.ts";

/** A program whose variables say what they are told to. */
function program(pinned: string[] = []) {
  let next: FrameAnswer = frameAnswer();
  const helper = { frame: () => Promise.resolve(next) } as unknown as FrameCalls;
  const settings = { filter: "all", pageSize: 100 } as const;
  const inspector = new Inspector(
    helper,
    new Frames(
      helper,
      new Pins(memory({ pins: pinned })),
      new Questions(),
      new Watchpoints(memory()),
      new Expansion(),
      settings,
      new Results(),
      new History(),
    ),
  );
  const rows = (): Row[] => (inspector.scene ? [...allRows(inspector.scene)] : []);
  return {
    inspector,
    rows,
    changed: (): string[] => rows().flatMap(({ changed, name }) => (changed ? [name] : [])),
    say: (nodes: Node[], more: Partial<FrameAnswer> = {}): void => {
      next = frameAnswer(nodes, more);
    },
    /** Looks at a frame whose variables say this. */
    async look(at: Frame, lines: Record<string, string>, more: Partial<FrameAnswer> = {}): Promise<string[]> {
      this.say(
        Object.entries(lines).map(([name, line]) => node(name, { line })),
        more,
      );
      return this.lookAt(at);
    },
    async lookAt(at: Frame): Promise<string[]> {
      inspector.focus(at);
      await new Promise((resolve) => setTimeout(resolve));
      return this.changed();
    },
  };
}

describe("what counts as a change", () => {
  const said = (root: string, more: Partial<Node>): string | undefined =>
    comparedText({ root, names: [] }, tensor("weight", more));

  test.each(["frame /train.py:train", "pin weight"])("of a row of %s is its whole line", (root) => {
    expect(said(root, { line: "1" })).not.toBe(said(root, { line: "2" }));
  });

  test.each(["question 1", "findings"])("of a row of %s is its kind, since its numbers always change", (root) => {
    const finite = said(root, { line: "grad 0.5" });
    expect(said(root, { line: "grad 0.7" })).toBe(finite);
    expect(said(root, { line: "grad None", badges: ["no_grad"] })).not.toBe(finite);
    expect(said(root, { line: "grad 3 NaN", badges: ["nan"] })).not.toBe(finite);
    expect(said(root, { badges: ["zeros", "nan"] })).toBe(said(root, { badges: ["nan", "zeros"] }));
  });

  test.each<Partial<Node>>([{ lazy: true }, { badges: ["sampled"] }, { badges: ["unread"] }])(
    "of what was not read in full, as %j, is nothing",
    (more) => expect(said("question 1", more)).toBeUndefined(),
  );
});

describe("a row is marked as changed", () => {
  test("when it says something else than at the last stop in the same function", async () => {
    const at = program();
    expect(await at.look(frame(1), { x: "1", y: "2" })).toEqual([]);
    expect(await at.look(frame(2), { x: "1", y: "3" })).toEqual(["y"]);
    expect(await at.look(frame(3), { x: "1", y: "3" })).toEqual([]);
  });

  test("in words, for those who hear the row", async () => {
    const at = program();
    await at.look(frame(1), { x: "1" });
    await at.look(frame(2), { x: "2" });
    expect(at.rows()[0]?.speech).toBe("x, changed, int, 2");
  });

  test("not when it is new", async () => {
    const at = program();
    await at.look(frame(1), { x: "1" });
    expect(await at.look(frame(2), { x: "1", z: "5" })).toEqual([]);
  });

  test("compared with its own function's last stop, whatever was stopped in between", async () => {
    const at = program();
    await at.look(frame(1), { x: "1" });
    expect(await at.look(frame(2, { place: "/train.py:test" }), { x: "7" })).toEqual([]);
    expect(await at.look(frame(3), { x: "2" })).toEqual(["x"]);
  });

  test.each([
    ["of another session", { session: "restarted" }, {}],
    ["of another class in the same file", {}, { first_line: 40 }],
    ["of another thread", { thread: 2 }, {}],
  ])("not compared with a function of that name %s", async (_, of, answer) => {
    const at = program();
    await at.look(frame(1), { x: "1" });
    expect(await at.look(frame(2, of), { x: "2" }, answer)).toEqual([]);
  });

  test("not because another frame is looked at, the same function's in a recursion neither", async () => {
    const at = program();
    await at.look(frame(1), { depth: "1" });
    expect(await at.look(frame(2), { depth: "2" })).toEqual(["depth"]);
    expect(await at.look(frame(2, { frameId: 3 }), { depth: "1" })).toEqual([]);
    expect(await at.lookAt(frame(2))).toEqual(["depth"]);
    expect(await at.look(frame(3), { depth: "2" })).toEqual([]);
  });

  test("when the user changes it at a stop, the first one too, beside what the program had changed", async () => {
    const at = program();
    await at.look(frame(1), { x: "1", y: "1" });
    at.say([node("x", { line: "2" }), node("y", { line: "1" })]);
    await at.inspector.readAgain(session());
    expect(at.changed()).toEqual(["x"]);
    await at.look(frame(2), { x: "3", y: "1" });
    at.say([node("x", { line: "3" }), node("y", { line: "9" })]);
    await at.inspector.readAgain(session());
    expect(at.changed()).toEqual(["x", "y"]);
  });

  test("not when a setting lets the same values be said in other words", async () => {
    const at = program();
    await at.look(frame(1), { x: "0.1235" });
    at.say([node("x", { line: "0.12" })]);
    await at.inspector.settingsChanged(true);
    expect(at.changed()).toEqual([]);
    expect(await at.look(frame(2), { x: "0.13" })).toEqual(["x"]);
  });

  test("still when another setting changes, as the filter does", async () => {
    const at = program();
    await at.look(frame(1), { x: "1" });
    await at.look(frame(2), { x: "2" });
    await at.inspector.settingsChanged(false);
    expect(at.changed()).toEqual(["x"]);
  });

  test.each(["sampled", "unread"] as const)("not when it was %s, now or then", async (badge) => {
    const at = program();
    const told = (line: string, badges: Node["badges"] = []): void => at.say([tensor("x", { line, badges })]);
    told("float32[9] · 0…1");
    await at.lookAt(frame(1));
    told("float32[9] · ≈0…2", [badge]);
    expect(await at.lookAt(frame(2))).toEqual([]);
    told("float32[9] · 0…3");
    expect(await at.lookAt(frame(3))).toEqual([]);
  });

  test("below an open row and in a pin as well", async () => {
    const at = program(["x"]);
    const told = (line: string): void => {
      const page = { start: 0, total: 1, nodes: [node("['lr']", { line })] };
      const pins = [{ expression: "x", node: node("x", { line }) }];
      at.say([node("config", { kind: "mapping", line: "dict · 1", children: 1, page })], { pins });
    };
    told("0.1");
    await at.lookAt(frame(1));
    told("0.2");
    expect(await at.lookAt(frame(2))).toEqual(["x", "['lr']"]);
  });

  test("only in the functions that were stopped in lately: what is kept has a limit", async () => {
    const at = program();
    await at.look(frame(1), { x: "1" });
    for (let stop = 2; stop < 30; stop += 1) await at.look(frame(stop, { place: `/train.py:f${stop}` }), { x: "1" });
    expect(await at.look(frame(40), { x: "2" })).toEqual([]);
  });
});
