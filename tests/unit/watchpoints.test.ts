import { describe, expect, test } from "vitest";
import { Contents } from "../../extension/src/model/contents.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import { Questions } from "../../extension/src/model/questions.ts";
import type { Row, Scene } from "../../extension/src/model/row.ts";
import { childRows, topRows } from "../../extension/src/model/rows.ts";
import { Watchpoints } from "../../extension/src/model/watchpoints.ts";
import type { WatchpointState } from "../../extension/src/protocol/generated.ts";
import { frame, frameAnswer, memory } from "./fixtures.ts";

describe("the watchpoints of a workspace", () => {
  test("another condition for the whole program takes the place of the first, under another number", () => {
    const watchpoints = new Watchpoints(memory());
    watchpoints.watch("nan");
    watchpoints.change(1, { skip_hits: 2 });
    watchpoints.watch("inf");
    expect(watchpoints.armed).toEqual([{ id: 2, what: "inf", skip_hits: 2 }]);
  });

  test.each([
    [{ log: true }, { log: true }],
    [{ log: false }, {}],
    [{ after_step: 3 }, { after_step: 3 }],
    [{ skip_hits: 0 }, {}],
  ])("of the choice %j the helper is told %j", (choice, told) => {
    const watchpoints = new Watchpoints(memory());
    watchpoints.watch("nan");
    watchpoints.change(1, choice);
    expect(watchpoints.armed).toEqual([{ id: 1, what: "nan", ...told }]);
  });

  test("one that is disabled is kept and not told", () => {
    const kept = memory();
    const watchpoints = new Watchpoints(kept);
    watchpoints.watch("nan");
    watchpoints.change(1, { enabled: false });
    expect(watchpoints.armed).toEqual([]);
    expect(new Watchpoints(kept).all).toEqual([{ id: 1, what: "nan", enabled: false }]);
  });

  test("what was kept and is none is left out", () => {
    const kept = memory({ watchpoints: [{ id: 1, what: "red", enabled: true }, "nan", null] });
    expect(new Watchpoints(kept).all).toEqual([]);
  });
});

describe("their rows", () => {
  function rows(states: WatchpointState[], change: (watchpoints: Watchpoints) => void = () => undefined): Row[] {
    const watchpoints = new Watchpoints(memory());
    watchpoints.watch("nan");
    change(watchpoints);
    const scene: Scene = {
      contents: new Contents(frame(), frameAnswer([], states.length > 0 ? { watchpoints: states } : {})),
      pins: new Pins(memory()),
      questions: new Questions(),
      watchpoints,
      expansion: new Expansion(),
      pageSize: 100,
    };
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

  test("one that is disabled says so, and offers to be enabled", () => {
    const [row] = rows([], (watchpoints) => watchpoints.change(1, { enabled: false }));
    expect([row?.description, row?.can.includes("enable"), row?.can.includes("disable")]).toEqual([
      "disabled",
      true,
      false,
    ]);
  });

  test("there is no group without watchpoints", () => {
    expect(rows([], (watchpoints) => watchpoints.remove(1))).toEqual([]);
  });
});
