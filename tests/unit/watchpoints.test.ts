import { describe, expect, test } from "vitest";
import { Contents } from "../../extension/src/model/contents.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { type FrameCalls, Frames } from "../../extension/src/model/frames.ts";
import { History } from "../../extension/src/model/history.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import { Questions } from "../../extension/src/model/questions.ts";
import { Results } from "../../extension/src/model/results.ts";
import type { Row, Scene } from "../../extension/src/model/row.ts";
import { allRows, childRows, topRows } from "../../extension/src/model/rows.ts";
import { type UserWatchpoint, type Watched, Watchpoints } from "../../extension/src/model/watchpoints.ts";
import type { Before, FunctionName, PinAnswer, WatchpointState } from "../../extension/src/protocol/generated.ts";
import { frame, frameAnswer, memory, session } from "./fixtures.ts";

const NAN: Watched = { what: "nan", gear: "exact" };
const TRAIN: FunctionName = { name: "train", file: "/train.py" };
const LOSS: Watched = { what: "rises", gear: "light", bound: 10, of: "loss", function: TRAIN };

describe("the watchpoints of a workspace", () => {
  test("another condition for the whole program takes the place of the first, under another number", () => {
    const watchpoints = new Watchpoints(memory());
    watchpoints.watch(NAN);
    watchpoints.change(1, { skip_hits: 2 });
    watchpoints.watch({ ...NAN, what: "inf" });
    expect(watchpoints.armed).toEqual([{ id: 2, what: "inf", gear: "exact" }]);
  });

  test.each([
    [{ log: true }, { log: true }],
    [{ log: false }, {}],
    [{ after_step: 3 }, { after_step: 3 }],
    [{ skip_hits: 0 }, {}],
    [{ every: 3 }, { every: 3 }],
    [{ every: 1 }, {}],
  ])("of the choice %j the helper is told %j", (choice, told) => {
    const watchpoints = new Watchpoints(memory());
    watchpoints.watch(NAN);
    watchpoints.change(1, choice);
    expect(watchpoints.armed).toEqual([{ id: 1, ...NAN, ...told }]);
  });

  test.each<[unknown, number]>([
    [{ id: 1, what: "nan", enabled: true }, 1],
    [{ id: 1, what: "above", gear: "light", enabled: true }, 0],
    [{ id: 1, what: "above", gear: "light", bound: "x", enabled: true }, 0],
    [{ id: 1, ...LOSS, function: {}, enabled: true }, 0],
    [{ id: 1, ...LOSS, enabled: true }, 1],
  ])("of a kept %j there are %d", (one, count) => {
    expect(new Watchpoints(memory({ watchpoints: [one] })).all.length).toBe(count);
  });

  test("of one thing and of the whole program there are several, each of the same only once", () => {
    const watchpoints = new Watchpoints(memory());
    for (const one of [NAN, LOSS, { ...LOSS, of: "loss2" }, { ...LOSS, bound: 5 }]) watchpoints.watch(one);
    expect(watchpoints.armed.map(({ of, bound }) => [of, bound])).toEqual([
      [undefined, undefined],
      ["loss2", 10],
      ["loss", 5],
    ]);
    expect(new Set(watchpoints.all.map(({ id }) => id)).size).toBe(3);
  });

  test.each([
    [7, 7],
    [0, undefined],
    [undefined, 3],
  ])("one that is set again from step %s on waits for step %s", (given, told) => {
    const watchpoints = new Watchpoints(memory());
    watchpoints.watch({ ...LOSS, after_step: 3 });
    watchpoints.watch({ ...LOSS, ...(given === undefined ? {} : { after_step: given }) });
    expect(watchpoints.armed.map(({ after_step: step }) => step)).toEqual([told]);
  });

  test("one that is disabled is kept and not told", () => {
    const kept = memory();
    const watchpoints = new Watchpoints(kept);
    watchpoints.watch(NAN);
    watchpoints.change(1, { enabled: false });
    expect(watchpoints.armed).toEqual([]);
    expect(new Watchpoints(kept).all).toEqual([{ id: 1, ...NAN, enabled: false }]);
  });

  test("what was kept and is none is left out", () => {
    const kept = memory({
      watchpoints: [{ id: 1, what: "red", gear: "exact", enabled: true }, "nan", null],
    });
    expect(new Watchpoints(kept).all).toEqual([]);
  });
});

describe("what is read of a frame", () => {
  /** Frames that are read with this state of the first watchpoint. */
  function read(watchpoints: Watchpoints, state: Partial<WatchpointState>, pins: Partial<PinAnswer>[] = []) {
    const history = new History();
    const answer = frameAnswer([], {
      watchpoints: [{ id: 1, hits: 0, ...state }],
      pins: pins.map((pin) => ({ expression: "loss", ...pin })),
    });
    const helper = { frame: () => Promise.resolve(answer) } as unknown as FrameCalls;
    const settings = { filter: "all", pageSize: 100 } as const;
    const [kept, questions] = [new Pins(memory()), new Questions()];
    const frames = new Frames(helper, kept, questions, watchpoints, new Expansion(), settings, new Results(), history);
    return { history, read: async () => void (await frames.read(frame())) };
  }

  function restored(...more: Partial<UserWatchpoint>[]): Watchpoints {
    return new Watchpoints(memory({ watchpoints: more.map((one) => ({ id: 1, ...LOSS, enabled: true, ...one })) }));
  }

  test("records the number of what is watched, until nothing watches it any more", async () => {
    const watchpoints = restored({}, { id: 2, what: "above" });
    const one = read(watchpoints, { measurement: { value: 2 } });
    await one.read();
    const values = (): unknown[] => one.history.points(session(), "loss").map(({ measurement }) => measurement.value);
    expect(values()).toEqual([2]);
    watchpoints.remove(1);
    expect(values()).toEqual([2]);
    watchpoints.remove(2);
    expect(values()).toEqual([]);
  });

  test("disables one of an earlier window whose name its function does not know, and says so", async () => {
    const watchpoints = restored({ of: "model.fc9" });
    await read(watchpoints, { absent: true, gone: true }).read();
    expect(watchpoints.armed).toEqual([]);
    expect(watchpoints.all).toMatchObject([{ id: 1, enabled: false, gone: true }]);
    watchpoints.change(1, { enabled: true });
    expect(watchpoints.armed).toEqual([{ id: 1, ...LOSS, of: "model.fc9" }]);
    await read(watchpoints, { absent: true, gone: true }).read();
    expect(watchpoints.all).toMatchObject([{ enabled: true }]);
  });

  test.each<[boolean, Partial<WatchpointState>]>([
    [true, { absent: true }],
    [false, { absent: true, gone: true }],
  ])("leaves one alone that is of an earlier window (%s) and is %j", async (isRestored, state) => {
    const watchpoints = isRestored ? restored({}) : new Watchpoints(memory());
    if (!isRestored) watchpoints.watch(LOSS);
    await read(watchpoints, state).read();
    expect(watchpoints.all).toMatchObject([{ enabled: true }]);
  });

  test("records the number of a pin that is watched too once", async () => {
    const one = read(restored({}), { measurement: { value: 2 } }, [{ measurement: { value: 1 } }]);
    await one.read();
    expect(one.history.points(session(), "loss").map(({ measurement }) => measurement.value)).toEqual([1]);
  });
});

describe("their rows", () => {
  function sceneOf(
    states: WatchpointState[],
    change: (watchpoints: Watchpoints) => void = () => undefined,
    watched = NAN,
  ): Scene {
    const watchpoints = new Watchpoints(memory());
    watchpoints.watch(watched);
    change(watchpoints);
    return {
      contents: new Contents(frame(), frameAnswer([], states.length > 0 ? { watchpoints: states } : {})),
      pins: new Pins(memory()),
      questions: new Questions(),
      watchpoints,
      history: new History(),
      expansion: new Expansion(),
      pageSize: 100,
    };
  }

  function rows(...given: Parameters<typeof sceneOf>): Row[] {
    const scene = sceneOf(...given);
    const [group] = topRows(scene);
    return group?.label === "Watchpoints" ? (childRows(scene, group) ?? []) : [];
  }

  test.each<[WatchpointState[], string]>([
    [[], "not on in this program yet"],
    [[{ id: 1, hits: 0 }], ""],
    [
      [{ id: 1, hits: 2, reason: "NaN of log, in forward, step 3", here: true }],
      "NaN of log, in forward, step 3 · 2 hits",
    ],
    [[{ id: 1, hits: 0, problem: "it can't begin" }], "it can't begin"],
  ])("of %j say %j", (states, said) => {
    expect(rows(states).map(({ description }) => description)).toEqual([said]);
  });

  test.each<[Watched, Partial<WatchpointState>, string, string]>([
    [{ ...NAN, gear: "light" }, {}, "NaN", "at modules, losses and steps"],
    [LOSS, { looks: "returns" }, "loss", "rises to more than 10 times · at steps and returns of train"],
    [LOSS, { absent: true }, "loss", "rises to more than 10 times · not found in train yet"],
    [LOSS, { absent: true, gone: true }, "loss", "rises to more than 10 times · train has no “loss”"],
    [
      { ...LOSS, what: "above" },
      { looks: "steps" },
      "loss",
      "magnitude > 10 · at steps, not at returns: the program has a profiler",
    ],
    [{ ...LOSS, what: "norm", of: "model" }, { looks: "object" }, "model", "gradient norm > 10 · as it is used"],
  ])("of %j with %j are named %s and say %s", (watched, state, name, said) => {
    const found = rows([{ id: 1, hits: 0, ...state }], undefined, watched);
    expect(found.map((row) => [row.name, row.description])).toEqual([[name, said]]);
  });

  test("says how the number of what it watches came to be, and opens to its history", () => {
    const history = new History();
    const states = (value: number): WatchpointState[] => [{ id: 1, hits: 0, looks: "returns", measurement: { value } }];
    for (const [at, value] of [2.31, 2.28].entries()) {
      history.record(frame(at + 1), frameAnswer(), [{ expression: "loss", measurement: { value } }]);
    }
    const contents = new Contents(frame(2), frameAnswer([], { watchpoints: states(2.28) }));
    const scene = { ...sceneOf([], undefined, LOSS), history, contents };
    const [group] = topRows(scene);
    const [row] = group === undefined ? [] : (childRows(scene, group) ?? []);
    expect(row).toMatchObject({
      name: "loss",
      description: "rises to more than 10 times · 2.31 → 2.28 █▁ · at steps and returns of train",
      speech: "loss, rises to more than 10 times, changed, was 2.31, at steps and returns of train",
      expandable: true,
      recorded: "loss",
    });
    expect(row?.can).toContain("exportHistory");
    const [below] = row === undefined ? [] : (childRows(scene, row) ?? []);
    expect(below).toMatchObject({ label: "History", description: "2 stops" });
    const stops = below === undefined ? [] : (childRows(scene, below) ?? []);
    expect(stops.map(({ label }) => label)).toEqual(["stop 2", "stop 1"]);
  });

  test("one whose expression is pinned too has rows of its own", () => {
    const history = new History();
    const pins = new Pins(memory({ pins: ["loss"] }));
    const answer = frameAnswer([], { pins: [{ expression: "loss", measurement: { value: 1 } }] });
    for (const stop of [1, 2]) history.record(frame(stop), answer);
    const scene = { ...sceneOf([], undefined, LOSS), history, pins, contents: new Contents(frame(2), answer) };
    const ids = [...allRows(scene)].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...allRows(scene)].filter(({ label }) => label === "History")).toHaveLength(2);
  });

  test("below one that was hit stands what went before: the last good step, then the latest checks", () => {
    const source = { file: "/home/me/trains.py", line: 8 };
    const before: Before = {
      checks: [
        { role: "loss", largest: "2.31" },
        { role: "output", module: "layers[0]" },
        { role: "gradient", operation: "MulBackward0", nan: true },
        { role: "result", operation: "div", module: "norm", source, largest: "3.2e38" },
        { role: "result", operation: "exp", source: { file: String.raw`C:\me\loss.py`, line: 3 }, mean: "≈1.5" },
      ],
      step: { step: 35, loss: "2.31", gradient_norm: "1.4", learning_rates: ["0.001", "0.01"] },
    };
    const states = [{ id: 1, hits: 1, before }];
    const [row] = rows(states);
    expect(row?.expandable).toBe(true);
    const found = row === undefined ? [] : (childRows(sceneOf(states), row) ?? []);
    expect(found.map(({ name, description }) => [name, description])).toEqual([
      ["before: step 35", "loss 2.31 · gradient norm 1.4 · lr 0.001, 0.01"],
      ["exp", "loss.py:3 · mean ≈1.5"],
      ["div in norm", "trains.py:8 · up to 3.2e38"],
      ["MulBackward0", "held NaN"],
      ["output of layers[0]", ""],
      ["loss", "up to 2.31"],
    ]);
    const lines = found.map(({ can, ...one }) => (can.includes("goToLine") ? one.source?.line : undefined));
    expect(lines).toEqual([undefined, 3, 8, undefined, undefined, undefined]);
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
  });

  test("one of which nothing is known to have gone before does not open", () => {
    expect(rows([{ id: 1, hits: 0 }]).map(({ expandable }) => expandable)).toEqual([false]);
  });

  test("one that is disabled says so, and offers to be enabled", () => {
    const [row] = rows([], (watchpoints) => watchpoints.change(1, { enabled: false }));
    expect([row?.description, row?.can.includes("enable"), row?.can.includes("disable")]).toEqual([
      "disabled",
      true,
      false,
    ]);
  });

  test("one that was disabled as its name is gone says so, also in the next window", () => {
    const kept = memory({ watchpoints: [{ id: 1, ...LOSS, enabled: false, gone: true }] });
    const scene = { ...sceneOf([]), watchpoints: new Watchpoints(kept) };
    const [group] = topRows(scene);
    const [row] = group === undefined ? [] : (childRows(scene, group) ?? []);
    expect(row?.description).toBe("rises to more than 10 times · disabled: “loss” is not in train any more");
  });

  test("there is no group without watchpoints", () => {
    expect(rows([], (watchpoints) => watchpoints.remove(1))).toEqual([]);
  });
});
