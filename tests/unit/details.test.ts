/** Which questions the details page asks, and when it is told of what. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Cancelled } from "../../extension/src/debug/queue.ts";
import { Refusal } from "../../extension/src/helper/refusal.ts";
import { Contents } from "../../extension/src/model/contents.ts";
import { Details } from "../../extension/src/model/details.ts";
import { Emitter } from "../../extension/src/model/emitter.ts";
import type { Inspector } from "../../extension/src/model/inspector.ts";
import { Questions } from "../../extension/src/model/questions.ts";
import type { DetailsFound, DetailsPicture, LensAnswer } from "../../extension/src/protocol/generated.ts";
import { parseFromPage, parseToPage, type ToPage } from "../../extension/src/protocol/page.ts";
import { frame, frameAnswer } from "./fixtures.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const picture: DetailsPicture = {
  shape: [2, 3],
  dims: [0, 1],
  facets: [],
  index: [],
  window: [0, 2, 0, 3],
  tile: [1, 1],
  tiles: [2, 3],
  shown: "mean",
  sort: "float",
  offset: 0,
  factor: 1,
  planes: [
    {
      index: [],
      values: Buffer.from(new Float32Array([1, 2, 3, 4, 5, 6]).buffer).toString("base64"),
      marks: Buffer.from(new Uint8Array(6)).toString("base64"),
      nan: 0,
      pos_inf: 0,
      neg_inf: 0,
      min: 1,
      max: "#9007199254740993",
    },
  ],
  left_out: 0,
  read: 1,
  complete: true,
};
const usual: DetailsFound = {
  lens: "details",
  line: "float32[2, 3]",
  facts: { type: "Tensor", shape: [2, 3] },
  picture,
  distribution: {
    histogram: { edges: [1, 6], counts: [6], exact: true, read: 6 },
    quantiles: { at: [0.5], values: [3.5], exact: true, read: 6 },
    count: 6,
    below: 0,
    above: 0,
    nan: 0,
    pos_inf: 0,
    neg_inf: 0,
    zeros: 0,
    exact: true,
    read: 6,
  },
};

function lensAnswer(found: LensAnswer["found"]): LensAnswer {
  return { op: "lens", snapshot: 7, ms: 1, done: true, progress: 1, types: [], found } as LensAnswer;
}

/** The page's model in a program that answers, what was asked of that and what the page was told. */
function looking(answer: (options: Record<string, unknown>) => DetailsFound | Error = () => usual) {
  const asked: {
    name: string;
    other: object | undefined;
    options: Record<string, unknown>;
    signal: AbortSignal | undefined;
  }[] = [];
  const told: ToPage[] = [];
  const kept: (number | undefined)[] = [];
  const questions = new Questions();
  const changed = new Emitter();
  let bytes = 8;
  let held = Promise.resolve();
  const state: { contents: Contents | undefined } = { contents: undefined };
  const inspector = {
    onDidChange: changed.event,
    get contents() {
      return state.contents;
    },
    get frame() {
      return state.contents?.frame;
    },
    readAgain: async () => {
      state.contents = new Contents(state.contents!.frame, frameAnswer());
      changed.fire();
    },
  } as unknown as Inspector;
  const lenses = {
    details: (
      value: { name: string },
      _: unknown,
      options: Record<string, unknown>,
      asking: { signal?: AbortSignal },
      other?: object,
    ) => {
      asked.push({ name: value.name, other, options, signal: asking.signal });
      const found = answer(options);
      return held.then(() => (found instanceof Error ? Promise.reject(found) : lensAnswer(found)));
    },
    keep: async (_value: unknown, _frame: unknown, { as }: { as?: number } = {}) => {
      kept.push(as);
      await held;
      return lensAnswer({ lens: "keep", bytes, tensors: 1, missing: [] });
    },
  };
  const details = new Details(inspector, lenses, questions);
  details.onDidTell((message) => {
    expect(parseToPage(message), JSON.stringify(message)).toEqual(message);
    told.push(message);
  });
  const stop = async (number: number): Promise<void> => {
    state.contents = new Contents(frame(number), frameAnswer());
    changed.fire();
    await vi.advanceTimersByTimeAsync(200);
  };
  const run = (): void => {
    state.contents = undefined;
    changed.fire();
  };
  const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);
  const parts = (): unknown[] => asked.map(({ options }) => options["parts"]);
  /** Questions about all that is shown. */
  const wholes = () => asked.filter(({ options }) => options["parts"] === first);
  const subject = () => told.findLast((message) => message.type === "subject");
  const ofTwo = () => asked.filter(({ options }) => options["parts"] === OF_TWO);
  const missing = () => {
    const last = told.findLast((message) => message.type === "details");
    return (last?.type === "details" && last.details.missing) || [];
  };
  /** Has copies and answers wait until it is called again. */
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    return resolve;
  };
  const weigh = (much: number): void => void (bytes = much);
  return {
    details,
    asked,
    told,
    kept,
    questions,
    stop,
    run,
    settle,
    parts,
    subject,
    ofTwo,
    missing,
    weigh,
    hold,
    wholes,
  };
}

const x = { name: "x", expression: "x" };
const y = { name: "y", expression: "y" };
const first = "facts picture table";
/** All that is shown of a value, in the order in which it is asked for. */
const all = [first, "distribution"];
/** The most tiles of a first picture. */
const rough = 192;
const OF_TWO = "comparison error_map";

describe("the details page", () => {
  test("asks nothing while nobody sees it, and once somebody does, first for the picture", async () => {
    const { details, parts, stop, settle } = looking();
    await stop(1);
    details.show(x);
    await stop(2);
    expect(parts()).toEqual([]);
    details.setVisible(true);
    await vi.advanceTimersByTimeAsync(200);
    expect(parts()).toEqual(all);
    details.receive({ type: "ready" });
    await settle();
    expect(parts()).toEqual(all);
  });

  test("is told numbers as numbers, and pictures as buffers", async () => {
    const { details, told, stop, settle } = looking();
    await stop(1);
    details.setVisible(true);
    details.show(x);
    await settle();
    const message = told.findLast(({ type }) => type === "details");
    const [plane] = (message?.type === "details" && message.details.picture?.planes) || [];
    expect(new Float32Array(plane!.values)).toEqual(new Float32Array([1, 2, 3, 4, 5, 6]));
    expect(plane).toMatchObject({ min: 1, max: Number("9007199254740993") });
  });

  describe("of a large value", () => {
    const large = { ...picture, shape: [1000, 1000], tile: [6, 6] as [number, number] };
    const roughly = ({ exact }: Record<string, unknown>): DetailsFound => ({
      ...usual,
      picture: exact === true ? { ...large, tile: [2, 2] } : large,
    });

    test("asks for a picture of few tiles, then for the distribution, and for all tiles once the user rests", async () => {
      const { details, asked, stop, settle } = looking(roughly);
      const questions = () => asked.map(({ options: { parts, tiles, exact } }) => [parts, tiles, exact]);
      details.setVisible(true);
      await stop(1);
      details.show(x);
      await settle();
      const soon = [
        [first, rough, undefined],
        ["distribution", undefined, undefined],
      ];
      expect(questions()).toEqual(soon);
      await vi.advanceTimersByTimeAsync(1000);
      expect(questions()).toEqual([...soon, ["picture", undefined, true]]);
    });

    test("asks for no more tiles of what is not looked at any more", async () => {
      const { details, asked, stop, settle } = looking(roughly);
      details.setVisible(true);
      await stop(1);
      details.show(x);
      await settle();
      details.receive({ type: "look", number: 1, look: { index: [1] } });
      await settle();
      details.show(y);
      await vi.advanceTimersByTimeAsync(1000);
      const exact = asked.filter(({ options }) => options["exact"] === true);
      expect(exact.map(({ name, options }) => [name, options["index"]])).toEqual([["y", undefined]]);
    });

    test("asks for all tiles after all, where the page was hidden before", async () => {
      const { details, asked, stop, settle } = looking(roughly);
      details.setVisible(true);
      await stop(1);
      details.show(x);
      await settle();
      details.setVisible(false);
      await vi.advanceTimersByTimeAsync(1000);
      const exact = () => asked.filter(({ options }) => options["exact"] === true);
      expect(exact()).toEqual([]);
      details.setVisible(true);
      await vi.advanceTimersByTimeAsync(1000);
      expect(exact()).toHaveLength(1);
    });
  });

  test("is told that the distribution comes next, or that it was cancelled", async () => {
    const { details, told, stop, hold, settle, missing } = looking();
    details.setVisible(true);
    await stop(1);
    details.show(x);
    await settle();
    const whole = told.find((message) => message.type === "details" && message.whole);
    expect(whole).toMatchObject({ details: { coming: ["distribution"] } });
    expect(missing()).toEqual([]);
    const answers = [hold()];
    details.receive({ type: "again" });
    answers.push(hold());
    answers[0]?.();
    await settle();
    details.receive({ type: "cancel" });
    expect(missing()).toEqual([{ part: "distribution", reason: "Cancelled. Refresh Now reads it again." }]);
  });

  test("is told that what comes next will not, where another value is selected as the program runs", async () => {
    const { details, stop, run, hold, settle, missing } = looking();
    details.setVisible(true);
    await stop(1);
    const answers = [hold()];
    details.show(x);
    answers.push(hold());
    answers[0]?.();
    await settle();
    run();
    details.select(y);
    expect(missing()).toEqual([{ part: "distribution", reason: "Not read: the program went on." }]);
  });

  test("says that the program runs, however often something else changes meanwhile", async () => {
    const { details, stop, run, settle, subject } = looking();
    details.setVisible(true);
    await stop(1);
    details.show(x);
    await settle();
    for (let time = 0; time < 4; time++) {
      run();
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(subject()?.note).toMatch(/from the last stop/);
  });

  test("says that it reads where that takes long, and is told nothing that it knows", async () => {
    const { details, told, stop, run, hold, settle, subject } = looking();
    details.setVisible(true);
    await stop(1);
    details.show(x);
    await settle();
    const before = told.length;
    run();
    await vi.advanceTimersByTimeAsync(50);
    const answer = hold();
    await stop(2);
    expect(told, "of a step it is told nothing before the values").toHaveLength(before);
    await vi.advanceTimersByTimeAsync(1000);
    expect(subject()?.progress).toBe(0);
    answer();
    await settle();
    expect(subject()?.progress).toBeUndefined();
  });

  test("asks again at each stop, after the frame is shown", async () => {
    const { details, wholes, stop, run, settle, subject } = looking();
    details.setVisible(true);
    await stop(1);
    details.show(x);
    await settle();
    run();
    await vi.advanceTimersByTimeAsync(1000);
    expect(subject()?.note).toMatch(/from the last stop/);
    await stop(2);
    expect(wholes()).toHaveLength(2);
    expect(subject()?.note).toBeUndefined();
  });

  test.each([
    ["none", false, 1],
    ["locked", false, 1],
    ["locked", true, 2],
    ["all", false, 2],
  ] as const)("is refreshed at stops as the user wants it: %s, locked %s", async (refresh, locked, times) => {
    const { details, wholes, stop, settle, subject } = looking();
    details.setVisible(true);
    await stop(1);
    details.show(x);
    await settle();
    details.receive({ type: "refresh", refresh });
    details.receive({ type: "lock", locked });
    await stop(2);
    expect(wholes()).toHaveLength(times);
    expect(subject()?.note === undefined, "it says that it is from before where it is").toBe(times === 2);
  });

  test("never mixes two stops: what is asked of the next one is asked as a whole", async () => {
    const { details, parts, stop, settle, told } = looking();
    details.setVisible(true);
    await stop(1);
    details.show(x);
    await settle();
    details.receive({ type: "refresh", refresh: "none" });
    await stop(2);
    details.receive({ type: "look", number: 1, look: { index: [1] } });
    await settle();
    expect(parts()).toEqual([...all, ...all]);
    expect(told.findLast((message) => message.type === "details" && message.whole)).toBeDefined();
  });

  test("asks for all of a picture first, and then for what was in sight", async () => {
    const { details, asked, stop, settle } = looking();
    details.setVisible(true);
    await stop(1);
    details.show(x);
    await settle();
    details.receive({ type: "look", number: 1, look: { window: [0, 1, 0, 2] } });
    await stop(2);
    expect(asked.slice(2).map(({ options }) => [options["parts"], options["window"], options["tiles"]])).toEqual([
      ["picture", [0, 1, 0, 2], undefined],
      [first, undefined, undefined],
      ["distribution", undefined, undefined],
      ["picture", [0, 1, 0, 2], undefined],
    ]);
  });

  test("asks again where an answer was cut off as the program ran on", async () => {
    const { details, wholes, stop, run } = looking();
    details.setVisible(true);
    await stop(1);
    details.show(x);
    run();
    await stop(2);
    expect(wholes()).toHaveLength(2);
  });

  test("follows what is selected unless it is locked, and keeps the name of what it shows until it shows another", async () => {
    const { details, wholes, stop, settle, subject } = looking();
    details.setVisible(true);
    await stop(1);
    details.select(x);
    await settle();
    details.select(y);
    expect(subject()?.name).toBe("x");
    await settle();
    expect(subject()?.name).toBe("y");
    details.receive({ type: "lock", locked: true });
    details.select(x);
    await settle();
    expect(wholes().map(({ name }) => name)).toEqual(["x", "y"]);
  });

  test("asks for the picture alone where that is looked at otherwise, and for the distribution where that is", async () => {
    const { details, parts, asked, stop, settle } = looking();
    details.setVisible(true);
    await stop(1);
    details.show(x);
    await settle();
    details.receive({ type: "look", number: 1, look: { index: [3], image: true } });
    details.receive({ type: "look", number: 1, look: { index: [3], image: true, robust: true } });
    details.receive({ type: "values", window: [0, 2, 0, 3] });
    await settle();
    expect(parts().slice(2)).toEqual(["picture", "distribution", "values"]);
    expect(asked[2]?.options).toEqual({ parts: "picture", index: [3], tiles: rough });
    expect(asked[4]?.options).toEqual({ parts: "values", index: [3], robust: true, window: [0, 2, 0, 3] });
  });

  test("is not told how it looks at the value, which it has said", async () => {
    const { details, told, stop, settle } = looking();
    details.setVisible(true);
    await stop(1);
    details.show(x);
    await settle();
    const before = told.length;
    details.receive({ type: "look", number: 1, look: { index: [1] } });
    await settle();
    expect(told.slice(before).map(({ type }) => type)).toEqual(["details"]);
    details.receive({ type: "lock", locked: true });
    expect(told.at(-1)).toMatchObject({ type: "subject", look: { index: [1] }, heard: 1, locked: true });
  });

  test("lets a later question about a part take the place of one before", async () => {
    const { details, asked, stop, settle } = looking();
    details.setVisible(true);
    await stop(1);
    details.show(x);
    await settle();
    for (const place of [1, 2]) details.receive({ type: "look", number: 1, look: { index: [place] } });
    await settle();
    expect(asked.slice(2).map(({ signal }) => signal?.aborted)).toEqual([true, false]);
  });

  test("reads all of a picture that was sampled, until that is cancelled", async () => {
    const { details, asked, stop, settle } = looking(({ exact }) => ({
      ...usual,
      picture: { ...picture, complete: exact === true, read: exact === true ? 1 : 0.1 },
    }));
    details.setVisible(true);
    await stop(1);
    details.show(x);
    await settle();
    expect(asked.map(({ options }) => [options["parts"], options["exact"]])).toEqual([
      [first, undefined],
      ["distribution", undefined],
      ["picture", true],
    ]);
    details.receive({ type: "again" });
    details.receive({ type: "cancel" });
    await settle();
    expect(asked).toHaveLength(4);
    expect(asked[3]?.signal?.aborted).toBe(true);
  });

  test("looks at a value as a whole again that has other dimensions than before", async () => {
    const missing = [{ part: "picture" as const, reason: "index 7 is outside" }];
    const { details, asked, told, stop, settle, subject } = looking(({ index }) =>
      index === undefined ? usual : { lens: "details", facts: { type: "Tensor", shape: [2] }, missing },
    );
    details.setVisible(true);
    await stop(1);
    details.show(x);
    await settle();
    details.receive({ type: "look", number: 1, look: { index: [7] } });
    await stop(2);
    expect(asked.at(-1)?.options).toEqual({ parts: "picture", tiles: rough });
    expect(subject()?.look).toEqual({});
    const whole = told.findLastIndex((message) => message.type === "details" && message.whole);
    expect(told[whole - 1], "it is told before the value").toMatchObject({ type: "subject", look: {} });
  });

  test("says why there is nothing, and says nothing where the program only went on", async () => {
    const errors = [new Refusal("not_found", "there is no 'x' in this frame"), new Cancelled()];
    const { details, told, stop, settle, subject } = looking(() => errors.shift() ?? usual);
    details.setVisible(true);
    await stop(1);
    details.show(x);
    await settle();
    expect(subject()).toMatchObject({ name: "x", note: "there is no 'x' in this frame" });
    expect(told.findLast(({ type }) => type === "details")).toMatchObject({ whole: true, details: {} });
    await stop(2);
    expect(subject()?.progress).toBeUndefined();
  });

  test("says that values are read at the next stop where nothing is paused", async () => {
    const { details, subject, settle } = looking();
    details.setVisible(true);
    details.show(x);
    await settle();
    expect(subject()?.note).toMatch(/next stop/);
  });
});

describe("what the value is compared with", () => {
  const closeness = {
    count: 6,
    read: 6,
    complete: true,
    close: false,
    rtol: 1e-5,
    atol: 1e-8,
    equal_nan: true,
    different: 1,
    beyond: 1,
    nan_in_one: 0,
    nan_in_both: 0,
    inf_in_one: 0,
    max_abs: { by: "#9007199254740993", at: [1, 2], a: "1", b: "2" },
  };
  const compared: DetailsFound = {
    lens: "details",
    comparison: { a: { type: "Tensor", shape: [2, 3] }, b: { type: "Tensor", shape: [2, 3] }, elements: closeness },
    other: picture,
    error_map: picture,
  };
  const answers = ({ parts }: Record<string, unknown>): DetailsFound =>
    /comparison|error_map/.test(String(parts)) ? compared : usual;
  const expression = { how: "expression", expression: "y" } as const;

  /** The page of x, which is compared with something at a first stop. */
  async function comparing(
    other: Parameters<Details["receive"]>[0] & { type: "compare" },
    answer: (options: Record<string, unknown>) => DetailsFound | Error = answers,
  ) {
    const looked = looking(answer);
    looked.details.setVisible(true);
    await looked.stop(1);
    looked.details.show(x);
    await looked.settle();
    looked.details.receive(other);
    await looked.settle();
    return looked;
  }

  test("is asked for beside the value itself, at each stop, by the tolerances that are set", async () => {
    const { details, ofTwo, stop, settle, asked, subject } = await comparing({ type: "compare", other: expression });
    expect(ofTwo().map(({ other, options }) => [other, options])).toEqual([
      [
        { name: "y", expression: "y" },
        { parts: OF_TWO, rtol: 1e-5, atol: 1e-8, equal_nan: true },
      ],
    ]);
    expect(subject()?.compared).toMatchObject({ other: expression, name: "y" });
    details.receive({ type: "tolerance", tolerance: { rtol: 0, atol: 0.5, equal_nan: false } });
    await settle();
    expect(asked.at(-1)?.options).toEqual({ parts: "comparison", rtol: 0, atol: 0.5, equal_nan: false });
    await stop(2);
    expect(ofTwo()).toHaveLength(2);
  });

  describe("has as many tiles as the picture of the value", () => {
    const large = { ...picture, shape: [1000, 1000], tile: [6, 6] as [number, number] };
    const fine = { ...large, tile: [2, 2] as [number, number] };
    const roughly = (options: Record<string, unknown>): DetailsFound => {
      const shown = options["tiles"] === rough ? large : fine;
      return /comparison|error_map/.test(String(options["parts"]))
        ? { ...compared, picture: shown, other: shown, error_map: shown }
        : { ...usual, picture: shown };
    };
    const questions = ({ asked }: Pick<ReturnType<typeof looking>, "asked">) =>
      asked.map(({ options: { parts, tiles, exact } }) => [parts, tiles, exact]);
    const compare = { type: "compare", other: expression } as const;

    test("few at first, and more at once when the user rests", async () => {
      const looked = await comparing(compare, roughly);
      expect(questions(looked).at(-1)).toEqual([OF_TWO, rough, undefined]);
      await vi.advanceTimersByTimeAsync(1000);
      expect(questions(looked).slice(3)).toEqual([["picture error_map", undefined, true]]);
    });

    test("all of another value too, which is chosen while they are read", async () => {
      const looked = await comparing(compare, roughly);
      looked.hold();
      await vi.advanceTimersByTimeAsync(1000);
      looked.hold()();
      looked.details.receive({ type: "compare", other: { how: "expression", expression: "z" } });
      await looked.settle();
      expect(questions(looked).slice(4)).toEqual([
        ["picture", undefined, true],
        [OF_TWO, undefined, undefined],
      ]);
    });

    test("all where the picture has all", async () => {
      const looked = await comparing({ type: "compare", other: { how: "nothing" } }, roughly);
      await vi.advanceTimersByTimeAsync(1000);
      looked.details.receive(compare);
      await vi.advanceTimersByTimeAsync(1000);
      expect(questions(looked).at(-1)).toEqual([OF_TWO, undefined, undefined]);
    });

    test("all soon where the picture got them before it was there", async () => {
      const looked = await comparing({ type: "compare", other: { how: "nothing" } }, roughly);
      const release = looked.hold();
      looked.details.receive(compare);
      await looked.settle();
      looked.hold()();
      await vi.advanceTimersByTimeAsync(1000);
      expect(questions(looked).at(-1)).toEqual(["picture", undefined, true]);
      release();
      await looked.settle();
      expect(questions(looked).at(-1)).toEqual(["error_map", undefined, true]);
    });
  });

  test("is told as numbers and buffers", async () => {
    const { told } = await comparing({ type: "compare", other: expression });
    const last = told.findLast(({ type }) => type === "details");
    expect(last).toMatchObject({ details: { comparison: { elements: { max_abs: { by: 2 ** 53, at: [1, 2] } } } } });
    const errors = last?.type === "details" ? last.details.error_map : undefined;
    expect(new Float32Array(errors!.planes[0]!.values)).toEqual(new Float32Array([1, 2, 3, 4, 5, 6]));
  });

  test("is looked at as the value is", async () => {
    const { details, asked, settle } = await comparing({ type: "compare", other: expression });
    const look = { index: [1], window: [0, 1, 0, 2] as [number, number, number, number] };
    details.receive({ type: "look", number: 1, look });
    await settle();
    expect(asked.slice(-2).map(({ options }) => options)).toEqual([
      { parts: "picture", index: [1], window: [0, 1, 0, 2] },
      { parts: "error_map", index: [1], window: [0, 1, 0, 2] },
    ]);
  });

  test("is read to its end where there was no time for that", async () => {
    const partly = (options: Record<string, unknown>): DetailsFound =>
      answers(options) === usual
        ? usual
        : {
            ...compared,
            comparison: { ...compared.comparison!, elements: { ...closeness, complete: options["exact"] === true } },
            error_map: { ...picture, complete: options["exact"] === true },
          };
    const { asked } = await comparing({ type: "compare", other: expression }, partly);
    expect(asked.slice(-2).map(({ options }) => [options["parts"], options["exact"]])).toEqual([
      ["comparison", true],
      ["error_map", true],
    ]);
  });

  test.each([
    [new Refusal("not_found", "there is no 'y' in this frame"), /there is no 'y'/],
    [new Refusal("not_static", "it has to be run"), /“y” has to be run.*Pin it/],
  ])("may be missing, which is said where it would stand: %s", async (failure, sentence) => {
    const { missing, told, subject } = await comparing({ type: "compare", other: expression }, (options) =>
      answers(options) === usual ? usual : failure,
    );
    expect(missing().map(({ part }) => part)).toEqual(["comparison", "error_map"]);
    expect(missing()[0]?.reason).toMatch(sentence);
    expect(told.findLast((one) => one.type === "details" && one.whole)).toMatchObject({ details: { facts: {} } });
    expect(subject()?.note).toBeUndefined();
  });

  test("is forgotten with the value, but for its last stop", async () => {
    const { details, settle, subject } = await comparing({ type: "compare", other: expression });
    details.show(y);
    await settle();
    expect(subject()?.compared.other).toEqual({ how: "nothing" });
    details.receive({ type: "compare", other: { how: "last" } });
    details.show(x);
    await settle();
    expect(subject()?.compared.other).toEqual({ how: "last" });
  });

  test("is the copy of the last stop, of which one alone is kept while the program runs", async () => {
    const { details, kept, questions, ofTwo, stop, run, missing } = await comparing({
      type: "compare",
      other: { how: "last" },
    });
    expect(missing()[0]?.reason).toMatch(/from the next stop on/);
    expect(kept).toEqual([undefined, 1]);
    expect(questions.kept).toEqual([1]);
    for (const [number, copies] of [
      [2, [1, 2]],
      [3, [2, 3]],
    ] as const) {
      run();
      await stop(number);
      expect(ofTwo().at(-1)?.other).toMatchObject({ kept: number - 1, name: "x as last seen, line 3" });
      expect(questions.kept).toEqual(copies);
    }
    details.receive({ type: "compare", other: { how: "nothing" } });
    expect(questions.kept, "all are given back").toEqual([]);
  });

  test("is asked for after copies were given back, also where nothing is refreshed at stops", async () => {
    const { details, questions, ofTwo, settle } = await comparing({ type: "compare", other: { how: "last" } });
    details.receive({ type: "refresh", refresh: "none" });
    details.receive({ type: "compare", other: expression });
    await settle();
    expect(questions.kept).toEqual([]);
    expect(ofTwo().at(-1)?.other).toEqual({ name: "y", expression: "y" });
  });

  test("is no copy of what is too large, which is said", async () => {
    const { weigh, details, settle, kept, questions, subject, stop } = await comparing({
      type: "compare",
      other: expression,
    });
    weigh(3 << 29);
    details.receive({ type: "compare", other: { how: "last" } });
    await settle();
    await stop(2);
    expect(kept).toEqual([undefined, undefined]);
    expect(questions.kept).toEqual([]);
    expect(subject()?.compared.note).toBe("“x” is not kept for the next stop: it has 1536 MB, of 256 MB at most.");
  });

  test("stays as it was chosen last, whatever was on its way before", async () => {
    const { details, settle, hold, stop, run, told } = await comparing({ type: "compare", other: expression });
    const release = hold();
    details.receive({ type: "compare", other: { how: "last" } });
    await settle();
    details.receive({ type: "compare", other: expression });
    release();
    await settle();
    const last = told.findLast(({ type }) => type === "details");
    expect(last).toMatchObject({ details: { comparison: {}, error_map: {} } });
    run();
    await stop(2);
  });

  test("is looked at as the value is also where its picture is not there yet", async () => {
    const { details, settle, asked } = await comparing({ type: "compare", other: expression }, (options) =>
      answers(options) === usual ? usual : new Refusal("not_found", "there is no 'y' in this frame"),
    );
    details.receive({ type: "look", number: 1, look: { index: [1] } });
    await settle();
    expect(asked.at(-1)?.options).toEqual({ parts: "error_map", index: [1], tiles: rough });
  });

  test("is given back when no page is left", async () => {
    const { details, questions } = await comparing({ type: "compare", other: { how: "last" } });
    expect(questions.kept).toEqual([1]);
    details.close();
    expect(questions.kept).toEqual([]);
  });

  test("is kept of the value that is looked at now, though another was being kept", async () => {
    const { details, questions, settle, hold, stop, run, ofTwo } = await comparing({
      type: "compare",
      other: expression,
    });
    const release = hold();
    details.receive({ type: "compare", other: { how: "last" } });
    await settle();
    details.show(y);
    await settle();
    release();
    await settle();
    await settle();
    run();
    await stop(2);
    expect(questions.kept).not.toEqual([]);
    expect(ofTwo().at(-1)?.other).toMatchObject({ name: "y as last seen, line 3" });
  });

  test("is said to be cancelled where it was", async () => {
    const { details, settle, hold, missing } = await comparing({ type: "compare", other: { how: "nothing" } });
    hold();
    details.receive({ type: "compare", other: expression });
    await settle();
    details.receive({ type: "cancel" });
    expect(missing().map(({ reason }) => reason)).toEqual(Array(2).fill("Cancelled. Refresh Now reads it again."));
  });

  test("may be a copy that the user has kept", async () => {
    const { details, questions, ofTwo, settle, stop, subject } = await comparing({
      type: "compare",
      other: expression,
    });
    questions.add({ lens: "compare", subjects: { a: { name: "line 7", kept: 4 }, b: x } }, frame(1).session);
    await stop(2);
    expect(subject()?.compared.kept).toEqual([{ number: 4, name: "x at line 7" }]);
    details.receive({ type: "compare", other: { how: "kept", number: 4, name: "x at line 7" } });
    await settle();
    expect(ofTwo().at(-1)?.other).toEqual({ name: "x at line 7", kept: 4 });
  });
});

describe("what lies over images", () => {
  const image: DetailsFound = { ...usual, picture: { ...picture, shape: [3, 2, 3], dims: [1, 2], facets: [0] } };
  const look = { image: true };

  async function overlaid(answer: (options: Record<string, unknown>) => DetailsFound | Error) {
    const looked = looking((options) => (options["parts"] === first ? image : answer(options)));
    looked.details.setVisible(true);
    await looked.stop(1);
    looked.details.show(x);
    await looked.settle();
    looked.details.receive({ type: "look", number: 1, look });
    await looked.settle();
    return looked;
  }

  test("is asked for by its shape, again with each picture, and once more where it was sampled", async () => {
    const { details, asked, settle, told, stop } = await overlaid(({ parts, exact }) =>
      parts === "picture" ? { ...image, picture: { ...image.picture!, complete: exact === true } } : usual,
    );
    details.receive({ type: "overlay", expression: "mask" });
    await settle();
    const ofMask = () => asked.filter(({ name }) => name === "mask").map(({ options }) => options);
    expect(ofMask().map(({ parts, exact }) => [parts, exact])).toEqual([
      ["facts", undefined],
      ["picture", false],
      ["facts", undefined],
      ["picture", true],
    ]);
    expect(ofMask()[1]).toMatchObject({ dims: [0, 1], facets: [], index: [], window: [0, 2, 0, 3], shown: "nearest" });
    expect(told.at(-1)).toMatchObject({ details: { overlay: { kind: "map" } } });
    await stop(2);
    expect(ofMask().length).toBeGreaterThan(4);
  });

  test("is not asked for again where a picture comes with more tiles", async () => {
    const { details, asked, settle } = await overlaid(({ parts, exact }) =>
      parts === "picture"
        ? { ...image, picture: { ...image.picture!, tile: exact === true ? [1, 1] : [2, 2] } }
        : usual,
    );
    details.receive({ type: "overlay", expression: "mask" });
    await settle();
    const ofMask = () => asked.filter(({ name }) => name === "mask").length;
    const before = ofMask();
    expect(before).toBeGreaterThan(0);
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked.at(-1), "more tiles were read").toMatchObject({ name: "x", options: { exact: true } });
    expect(ofMask()).toBe(before);
  });

  test("is asked for again where the page was hidden before it came", async () => {
    const { details, asked, settle, hold, told } = await overlaid(() => image);
    const release = hold();
    details.receive({ type: "overlay", expression: "mask" });
    details.setVisible(false);
    release();
    await settle();
    details.setVisible(true);
    await vi.advanceTimersByTimeAsync(200);
    expect(asked.filter(({ name }) => name === "mask").length).toBeGreaterThan(1);
    expect(told.at(-1)).toMatchObject({ details: { overlay: { kind: "map" } } });
  });
});

describe("what the page says", () => {
  test.each([
    { type: "look", number: 1, look: { dims: [0, 1.5] } },
    { type: "look", number: 1, look: { expression: "x" } },
    { type: "values", window: [0, 1] },
    { type: "run", code: "x" },
    { type: "copy" },
    { type: "compare", other: { how: "expression", expression: " " } },
    { type: "compare", other: { how: "run", code: "x" } },
    { type: "tolerance", tolerance: { rtol: -1, atol: 0, equal_nan: true } },
    { type: "tolerance", tolerance: { rtol: Number.POSITIVE_INFINITY, atol: 0, equal_nan: true } },
    "ready",
    null,
  ])("is dropped where the contract has no such message: %j", (message) => {
    expect(parseFromPage(message)).toBeUndefined();
  });
});
