import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Cancelled } from "../../extension/src/debug/queue.ts";
import { Refusal } from "../../extension/src/helper/refusal.ts";
import { Frames, type FrameCalls } from "../../extension/src/model/frames.ts";
import { Dismissed } from "../../extension/src/model/dismissed.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { findingsIn } from "../../extension/src/model/checks.ts";
import { findingsAbout, nothingFoundText } from "../../extension/src/model/findingRows.ts";
import { History } from "../../extension/src/model/history.ts";
import { FINDINGS } from "../../extension/src/model/rowPath.ts";
import { Findings } from "../../extension/src/model/findings.ts";
import { factOf, findingCard, findingText, moreOf, rulePage } from "../../extension/src/model/findingText.ts";
import { Inspector } from "../../extension/src/model/inspector.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import { Questions } from "../../extension/src/model/questions.ts";
import { Results } from "../../extension/src/model/results.ts";
import { Runs } from "../../extension/src/model/runs.ts";
import type { Row } from "../../extension/src/model/row.ts";
import { childRows, firstAlarm, frameRows } from "../../extension/src/model/rows.ts";
import { statusText } from "../../extension/src/model/status.ts";
import type { Finding, FrameAnswer, LensAnswer, LensRequest, Node } from "../../extension/src/protocol/generated.ts";
import { COMMAND } from "../../extension/src/ids.ts";
import type { Parts } from "../../extension/src/views/commandArguments.ts";
import { COMMANDS } from "../../extension/src/views/commands.ts";
import { env } from "./vscode.ts";
import { frame, frameAnswer, memory, tensor } from "./fixtures.ts";
import { Watchpoints } from "../../extension/src/model/watchpoints.ts";

const softmax: Finding = {
  rule: "double-softmax",
  severity: "error",
  tier: "sure",
  title: "cross_entropy was given probabilities: out",
  fact: "cross_entropy was given probabilities",
  more: "out",
  evidence: [{ expression: 'batch["out"]', fact: "grad ← SoftmaxBackward0" }],
  source: { file: "/train.py", line: 7 },
  why: "It is flat.",
  suggestion: "give it the logits",
  consequences: [],
};
const unsure: Finding = {
  ...softmax,
  rule: "loss-sign",
  severity: "warning",
  tier: "likely",
  title: "loss is negated",
  fact: "loss is negated",
  more: "",
};

/** An answer with these findings, as the helper writes it. */
function answerOf(...findings: Finding[]): LensAnswer {
  const nodes = findings.map(({ title, severity, tier }, at): Node => ({
    id: 60 + at,
    name: title,
    kind: "finding",
    type: "",
    line: "line 7",
    badges: tier === "sure" ? [severity === "error" ? "wrong" : "doubtful"] : [],
    children: 3,
  }));
  const line = `${nodes.length} findings`;
  const page = { start: 0, total: nodes.length, nodes };
  const skipped = [{ rule: "lr-zero", reason: "no optimizer in sight" }];
  const found = { lens: "findings", findings, explained: 0, checked: ["a", "b"], skipped } as const;
  const node: Node = {
    id: 50,
    name: "findings",
    kind: "finding",
    type: "",
    line,
    badges: ["wrong"],
    children: nodes.length,
    page,
  };
  return {
    op: "lens",
    snapshot: 7,
    ms: 1,
    done: true,
    progress: 1,
    types: [],
    found: { ...found, checked: ["a", "b"] },
    node,
  };
}

/** An answer of the lens that tells what is worth a look. */
function observedOf(...observations: Finding[]): LensAnswer {
  const nodes = observations.map(({ title }, at): Node => ({
    id: 80 + at,
    name: title,
    kind: "finding",
    type: "",
    line: "",
    children: 3,
  }));
  const page = { start: 0, total: nodes.length, nodes };
  const node: Node = {
    id: 70,
    name: "observations",
    kind: "finding",
    type: "",
    line: "",
    children: nodes.length,
    page,
  };
  const found = { lens: "observations" as const, observations, checked: ["c"], skipped: [] };
  return {
    op: "lens",
    snapshot: 9,
    ms: 1,
    done: true,
    progress: 1,
    types: [],
    found,
    node,
  };
}

const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

/** A window that looks at stops, and what the helper was asked. */
async function window(
  lens: (question: Partial<LensRequest> & { readonly signal: AbortSignal }) => unknown = () => answerOf(softmax),
  observed: (question: Partial<LensRequest>) => LensAnswer = () => observedOf(),
) {
  const asked: Partial<LensRequest>[] = [];
  const libraries: Record<string, string> = { torch: "2.13.0" };
  const helper = {
    frame: () => Promise.resolve(frameAnswer([tensor("a")], { libraries })),
    lens: async (_: unknown, question: Partial<LensRequest>, signal: AbortSignal) => {
      if (question.lens === "observations") return observed(question);
      asked.push(question);
      return (await lens({ ...question, signal })) as LensAnswer;
    },
  } as unknown as FrameCalls & ConstructorParameters<typeof Findings>[0];
  const kept = memory();
  const [dismissed, settings] = [new Dismissed(kept), { findings: true }];
  const shown = { filter: "all", pageSize: 100 } as const;
  const expansion = new Expansion();
  const [pins, results] = [new Pins(memory()), new Results()];
  const answers = new Frames(
    helper,
    pins,
    new Questions(),
    new Watchpoints(memory()),
    expansion,
    shown,
    results,
    new History(),
  );
  const inspector = new Inspector(helper, answers);
  const runs = new Runs(helper, pins, shown, results, answers, inspector);
  const findings = new Findings(helper, inspector, runs, dismissed, settings);
  expansion.open(FINDINGS);
  let at = frame(1);
  const look = async (stop: number, frameId = 2): Promise<void> => {
    const now = frame(stop, { frameId });
    at.over = stop !== at.stop;
    at = now;
    inspector.focus(at);
    await settled();
  };
  const stand = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(200));
  const rows = (): Row[] => (inspector.scene ? frameRows(inspector.scene) : []);
  return { helper, asked, libraries, dismissed, settings, inspector, findings, look, stand, rows, kept: kept.kept };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("what is wrong at a stop", () => {
  test("is asked once, when the stop has stood for a moment, of the snapshot that is shown", async () => {
    const { look, stand, asked, inspector } = await window();
    await look(1);
    expect(asked).toEqual([]);
    await stand();
    inspector.fireDidChange();
    await stand();
    expect(asked).toEqual([
      { lens: "findings", values: {}, snapshot: 7, options: { thorough: false, ignore: "", stop: 1 } },
    ]);
  });

  test("is not asked any more once the extension is deactivated", async () => {
    const { look, stand, asked, findings, inspector } = await window();
    await look(1);
    findings.dispose();
    inspector.fireDidChange();
    await stand();
    expect(asked).toEqual([]);
  });

  test("is given up where the extension is deactivated", async () => {
    const aborted = vi.fn<() => void>();
    const { look, stand, findings } = await window(({ signal }) => {
      signal.addEventListener("abort", aborted);
      return new Promise(() => undefined);
    });
    await look(1);
    await stand();
    expect(aborted).not.toHaveBeenCalled();
    findings.dispose();
    expect(aborted).toHaveBeenCalledOnce();
  });

  test("is not asked while the user steps on, nor where it is switched off, or there is no torch", async () => {
    const { look, stand, asked, settings, libraries, inspector } = await window();
    for (const stop of [1, 2, 3]) await look(stop);
    inspector.focus(undefined);
    await stand();
    expect(asked).toEqual([]);
    settings.findings = false;
    await look(4);
    await stand();
    expect(asked).toEqual([]);
    settings.findings = true;
    delete libraries["torch"];
    await look(5);
    await stand();
    expect(asked).toEqual([]);
  });

  test("is given up at the next stop: no further slice is asked", async () => {
    const { look, stand, asked, rows } = await window(async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { ...answerOf(), done: false, progress: 0.5, resume: 1 };
    });
    await look(1);
    await stand();
    expect(asked).toHaveLength(1);
    await look(2);
    await vi.advanceTimersByTimeAsync(140);
    expect(asked).toHaveLength(1);
    expect(rows()[0]?.label).toBe("a");
  });

  test("that is NaN offers to stop where it arises", async () => {
    const { look, stand, rows } = await window(() => answerOf({ ...softmax, rule: "nan-origin" }));
    await look(1);
    await stand();
    expect(rows()[0]?.can).toContain("breakAtNan");
  });

  test("is the first row, loud, and opens to what the helper says below it", async () => {
    const { look, stand, rows, inspector } = await window();
    await look(1);
    await stand();
    const [first, second] = rows();
    expect(first).toMatchObject({
      label: "cross_entropy was given probabilities",
      description: "line 7 · out",
      icon: "error",
      tone: "alarm",
    });
    expect(first?.can).toEqual(["copySummary", "openAsTable", "checkStep", "dismiss", "goToLine"]);
    expect(first?.finding).toEqual(softmax);
    expect(second?.label).toBe("a");
    expect(firstAlarm(inspector.scene!)?.id).toBe(first?.id);
    expect(statusText(inspector.scene!)).toBe("1 finding");
  });

  test("several stand below a row that counts them and says the first", async () => {
    const { look, stand, rows, inspector } = await window(() => answerOf(softmax, unsure));
    await look(1);
    await stand();
    const [first] = rows();
    expect(first).toMatchObject({
      label: "2 findings",
      description: "cross_entropy was given probabilities · line 7",
      speech: "2 findings, error, cross_entropy was given probabilities: out",
      open: true,
      can: ["copySummary", "dismissAll", "openAsTable", "checkStep"], // no button of one click dismisses them all
    });
    const below = childRows(inspector.scene!, first!);
    expect(below?.map(({ label, icon, finding }) => [label, icon, finding?.rule])).toEqual([
      ["cross_entropy was given probabilities", "error", "double-softmax"],
      ["may be: loss is negated", "info", "loss-sign"],
    ]);
    expect(below?.map(({ speech }) => speech)).toEqual([
      "cross_entropy was given probabilities: out, error, line 7",
      "may be: loss is negated, line 7",
    ]);
    expect(statusText(inspector.scene!)).toBe("1 finding"); // what is only likely is quiet
    await COMMANDS[COMMAND.copySummary]({ inspector } as unknown as Parts, first);
    expect(env.clipboard.text).toBe(
      "2 findings\n  cross_entropy was given probabilities: out: line 7\n  may be: loss is negated: line 7",
    );
  });

  test("that was lost, as by a window that is busy with the stop, is asked once more", async () => {
    let times = 0;
    const { look, stand, rows, asked } = await window(() => {
      times += 1;
      if (times === 1) throw new Refusal("lost", "no reply");
      return answerOf(softmax);
    });
    await look(1);
    await stand();
    await stand();
    expect(asked).toHaveLength(2);
    expect(rows()[0]?.finding).toEqual(softmax);
  });

  test("that is lost again, or fails in another way, is not", async () => {
    for (const [code, times] of [
      ["lost", 2],
      ["internal", 1],
    ] as const) {
      const { look, stand, asked } = await window(() => Promise.reject(new Refusal(code, "no")));
      await look(1);
      for (let i = 0; i < 4; i++) await stand();
      expect(asked).toHaveLength(times);
    }
  });

  test("nothing found has no row", async () => {
    const { look, stand, rows, asked } = await window(() => answerOf());
    await look(1);
    await stand();
    expect(asked).toHaveLength(1);
    expect(rows().map(({ label }) => label)).toEqual(["a"]);
  });
});

describe("a frame that is returned to", () => {
  test("is not asked again, and keeps the check that the user asked for", async () => {
    const { look, stand, asked, findings, rows } = await window();
    await look(1);
    await stand();
    await findings.check("running");
    await look(1, 3);
    await stand();
    expect(asked).toHaveLength(3);
    await look(1);
    await stand();
    expect(asked).toHaveLength(3);
    expect(rows()[0]?.finding).toEqual(softmax);
  });

  test("goes on with a check that the user asked for meanwhile", async () => {
    const { look, stand, findings, rows } = await window(async ({ options }) => {
      if (options?.["thorough"] === true) await new Promise((resolve) => setTimeout(resolve, 1000));
      return answerOf(softmax);
    });
    await look(1);
    void findings.check();
    await settled();
    await look(1, 3);
    await stand();
    await look(1);
    expect(rows()[0]?.label).toBe("checking this step…");
    await vi.advanceTimersByTimeAsync(1000);
    expect(rows()[0]?.finding).toEqual(softmax);
  });

  test("and was left for nothing, as when VS Code looks at none for a moment, is not asked a second time", async () => {
    const { look, asked, inspector, rows } = await window(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return answerOf(softmax);
    });
    await look(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(asked).toHaveLength(1);
    inspector.focus(undefined);
    await vi.advanceTimersByTimeAsync(200);
    inspector.focus(frame(1));
    await vi.advanceTimersByTimeAsync(2000);
    expect(asked).toHaveLength(1);
    expect(rows()[0]?.finding).toEqual(softmax);
  });

  test("is not asked while it is read again: its values may be others by then", async () => {
    const { look, stand, asked, inspector, helper } = await window();
    await look(1);
    const answer = Promise.withResolvers<FrameAnswer>();
    helper.frame = () => answer.promise;
    void inspector.readAgain();
    await stand();
    expect(asked).toEqual([]);
    answer.resolve(frameAnswer([tensor("a")], { libraries: { torch: "2.13.0" }, snapshot: 8 }));
    await stand();
    expect(asked).toMatchObject([{ snapshot: 8 }]);
  });

  test("is not asked while another is looked at, whose values are not there yet", async () => {
    const { look, stand, asked, inspector, helper } = await window();
    await look(1);
    helper.frame = () => new Promise(() => undefined);
    inspector.focus(frame(1, { frameId: 3 }));
    await stand();
    expect(asked).toEqual([]);
    inspector.focus(frame(1));
    await stand();
    expect(asked).toHaveLength(1);
  });

  test("and is read again, as after a pin, shows what was found until that is known anew", async () => {
    const answers = [answerOf(softmax), answerOf(unsure)];
    const { look, stand, asked, inspector, rows } = await window(() => answers.shift());
    await look(1);
    await stand();
    let wasGone = false;
    inspector.onDidChange(() => (wasGone ||= rows()[0]?.finding === undefined));
    await inspector.readAgain();
    expect(rows()[0]?.finding).toEqual(softmax);
    await stand();
    expect(asked).toHaveLength(2);
    expect(rows()[0]?.finding).toEqual(unsure);
    expect(wasGone).toBe(false);
  });

  test("and was read again, but left before that was asked, is asked", async () => {
    const { look, stand, asked, inspector } = await window();
    await look(1);
    await stand();
    await inspector.readAgain();
    await look(1, 3);
    await stand();
    await look(1);
    await stand();
    expect(asked).toHaveLength(3);
  });

  test("and is read again once findings are switched off, shows none", async () => {
    const { look, stand, inspector, settings, rows } = await window();
    await look(1);
    await stand();
    settings.findings = false;
    await inspector.readAgain();
    expect(rows().map(({ label }) => label)).toEqual(["a"]);
  });

  test("and is read again does not say that a check begins which nobody has asked for", async () => {
    const { look, inspector, rows } = await window(() => new Promise(() => undefined));
    const before = { answer: answerOf(softmax), mode: "thorough", repeatsRun: false } as const;
    await look(1);
    inspector.contents!.check.setResult(before);
    await inspector.readAgain();
    expect(rows()[0]?.finding).toEqual(softmax);
  });

  test.each([
    ["cancelled", () => new Promise(() => undefined)],
    ["failed", () => Promise.reject(new Refusal("internal", "a fault"))],
  ] as const)(
    "and is read again, as after a change, shows no old findings where that check is %s",
    async (how, next) => {
      const answers = [(): unknown => answerOf(softmax), next, (): unknown => answerOf(unsure)];
      const { look, stand, findings, inspector, rows, asked } = await window(() => answers.shift()?.());
      await look(1);
      await findings.check();
      await inspector.readAgain();
      await settled();
      if (how === "cancelled") findings.cancel();
      expect(rows().map(({ label }) => label)).not.toContain("cross_entropy was given probabilities");
      expect(rows().map(({ label }) => label)).not.toContain("checked thoroughly (2 rules)");
      await stand();
      expect(asked.at(-1)?.options).toMatchObject({ thorough: false });
      expect(rows().map(({ finding }) => finding)).toContainEqual(unsure);
    },
  );

  test("and is read again, as after a change, shows no old findings where what is asked by itself fails", async () => {
    const answers = [answerOf(softmax)];
    const { look, stand, inspector, rows } = await window(
      () => answers.shift() ?? Promise.reject(new Refusal("internal", "a fault")),
    );
    await look(1);
    await stand();
    let drawn = "";
    inspector.onDidChange(() => (drawn = rows()[0]?.label ?? ""));
    await inspector.readAgain();
    await stand();
    expect(drawn).toBe("a");
  });

  test.each([
    ["usual", { thorough: false }, undefined],
    ["thorough", { thorough: true }, "checked thoroughly (2 rules)"],
    ["running", { thorough: true }, "checked thoroughly (2 rules), checked again without running the models"],
  ] as const)("and is read again is checked as it was: %s", async (mode, options, said) => {
    const { look, stand, asked, findings, inspector, rows } = await window();
    await look(1);
    await findings.check(mode);
    await inspector.readAgain();
    await inspector.readAgain();
    await stand();
    expect(asked.at(-1)?.options).toMatchObject(options);
    expect(asked.at(-1)?.options).not.toHaveProperty("run");
    expect(rows().map(({ label }) => label)).toEqual([
      "cross_entropy was given probabilities",
      ...(said?.split(", ") ?? []),
      "a",
    ]);
    await look(2);
    await stand();
    expect(asked.at(-1)?.options).toMatchObject({ thorough: false });
  });
});

describe("a check that the user asks for", () => {
  test("is thorough, says how far it is, and what it came to where nothing is wrong", async () => {
    const answers = [{ ...answerOf(), done: false, progress: 0.5, resume: 1 }, answerOf(), answerOf()];
    const { look, stand, findings, rows, asked, settings, inspector } = await window(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return answers.shift();
    });
    settings.findings = false;
    await look(1);
    const checking = findings.check();
    await stand();
    expect(rows()[0]).toMatchObject({ label: "checking this step…", can: ["cancel"] });
    await vi.advanceTimersByTimeAsync(1000);
    expect(rows()[0]?.label).toBe("checking this step… 50%");
    await vi.advanceTimersByTimeAsync(2000);
    expect(await checking).toBe(true);
    expect(asked[0]?.options).toMatchObject({ thorough: true });
    expect(asked[1]).toMatchObject({ resume: 1 });
    expect(rows()[0]).toMatchObject({
      label: "nothing found (2 rules; 1 not checked)",
      tone: "quiet",
      can: ["checkByRunning"],
    });
    const [reason] = childRows(inspector.scene!, rows()[0]!) ?? [];
    expect(reason).toMatchObject({ label: "1 not checked", description: "no optimizer in sight" });
    await Promise.all([findings.check("running"), vi.advanceTimersByTimeAsync(2000)]);
    expect(asked[2]).toMatchObject({ options: { thorough: true, run: true }, limits: { ms: 1500 } });
    expect(rows()[0]?.can).toEqual([]);
  });

  test.each([
    ["nothing more", [softmax], "checked thoroughly: nothing more (2 rules)"],
    ["how much more", [softmax, unsure], "checked thoroughly: 1 more (2 rules)"],
  ])("says that there is %s where something is known already", async (_, found, said) => {
    const { look, stand, findings, rows } = await window(({ options }) =>
      options?.["thorough"] === true ? answerOf(...found) : answerOf(softmax),
    );
    await look(1);
    await stand();
    expect(rows().map(({ label }) => label)).not.toContain(said);
    await findings.check();
    expect(rows()[1]?.label).toBe(said);
  });

  test("by running the models says so, and has the values read again, which may be others now", async () => {
    let read = 0;
    const { look, stand, findings, rows, asked, helper, inspector } = await window(({ options }) =>
      options?.["run"] === true ? answerOf(softmax, unsure) : answerOf(softmax),
    );
    helper.frame = () => {
      read += 1;
      return Promise.resolve(frameAnswer([tensor(`read ${read}`)], { libraries: { torch: "2.13.0" } }));
    };
    await look(1);
    await findings.check();
    const { results } = inspector.contents!;
    results.set("f(x)", { code: "lost", message: "" });
    await findings.check("running");
    await stand();
    expect(rows().map(({ label }) => label)).toEqual([
      "2 findings",
      "checked by running the models: 1 more (2 rules)",
      "read 2",
    ]);
    expect(asked).toHaveLength(2);
    expect(results.isOld("f(x)")).toBe(true);
  });

  test.each([
    ["found nothing", [], "checked by running the models: nothing found (2 rules; 1 not checked)"],
    ["found something first", [softmax], "checked by running the models (2 rules)"],
  ])("by running the models that %s says by what", async (_, found, said) => {
    const { look, findings, rows } = await window(() => answerOf(...found));
    await look(1);
    await findings.check("running");
    expect(rows().map(({ label }) => label)).toContain(said);
  });

  test("by running the models has the values read again also where it is cancelled", async () => {
    const { look, findings, inspector } = await window(({ signal }) => {
      const reply = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => reply.reject(new Cancelled()));
      return reply.promise;
    });
    await look(1);
    const before = inspector.contents;
    void findings.check("running");
    await settled();
    findings.cancel();
    await settled();
    expect(inspector.contents).not.toBe(before);
  });

  test("is not followed by what is asked by itself at that stop", async () => {
    const { look, stand, findings, asked } = await window();
    await look(1);
    await findings.check();
    await stand();
    expect(asked.map(({ options }) => options?.["thorough"])).toEqual([true]);
  });

  test("is told at once, also where the tree was redrawn just now", async () => {
    const { look, findings, inspector } = await window(() => new Promise(() => undefined));
    await look(1);
    void findings.check();
    await settled();
    let told = 0;
    inspector.onDidChange(() => (told += 1));
    void findings.check("running");
    await settled();
    expect(told).toBe(1);
  });

  test("that is cancelled shows again what was known", async () => {
    const first = answerOf(softmax);
    const { look, stand, findings, rows } = await window(({ options }) =>
      options?.["thorough"] === true ? new Promise(() => undefined) : first,
    );
    await look(1);
    await stand();
    void findings.check();
    await settled();
    expect(rows()[0]?.label).toBe("checking this step…");
    findings.cancel();
    expect(rows()[0]?.finding).toEqual(softmax);
  });

  test("that fails says why; what is asked by itself fails in silence", async () => {
    const { look, stand, findings, rows } = await window(() => Promise.reject(new Refusal("internal", "a fault")));
    await look(1);
    await stand();
    expect(rows()[0]?.label).toBe("a");
    await findings.check();
    expect(rows()[0]?.label).toBe("The step could not be checked: a fault");
  });

  test("that fails keeps what was known, below why", async () => {
    const { look, stand, findings, rows } = await window(({ options }) =>
      options?.["thorough"] === true ? Promise.reject(new Refusal("internal", "a fault")) : answerOf(softmax),
    );
    await look(1);
    await stand();
    await findings.check();
    expect(rows().map(({ label }) => label)).toEqual([
      "The step could not be checked: a fault",
      "cross_entropy was given probabilities",
      "a",
    ]);
  });

  test("is not begun where nothing is paused", async () => {
    const { findings } = await window();
    expect(await findings.check()).toBe(false);
  });

  test("of one frame is not begun of another, where that is looked at by now", async () => {
    const { look, findings, inspector, asked } = await window();
    await look(1);
    const meant = inspector.frame!;
    await look(2);
    expect(await findings.check("running", meant)).toBe(false);
    expect(asked).toEqual([]);
    expect(await findings.check("running", inspector.frame)).toBe(true);
  });

  test("and failed of another frame than is looked at holds up nothing", async () => {
    const { look, stand, findings, asked, rows } = await window(async ({ options }) => {
      if (options?.["thorough"] !== true) return answerOf(softmax);
      await new Promise((resolve) => setTimeout(resolve, 300));
      throw new Refusal("internal", "a fault");
    });
    await look(1);
    void findings.check();
    await stand();
    await look(1, 3);
    await vi.advanceTimersByTimeAsync(160); // the check fails while this frame's own question is to be asked
    expect(asked.map(({ options }) => options?.["thorough"])).toEqual([true, false]);
    expect(rows()[0]?.finding).toEqual(softmax);
  });

  test.each([
    ["cancelled", () => new Promise(() => undefined)],
    ["failed", () => Promise.reject(new Refusal("internal", "a fault"))],
  ] as const)("and %s before anything was known leaves what is asked by itself", async (how, thoroughly) => {
    const { look, stand, findings, rows, asked } = await window(({ options }) =>
      options?.["thorough"] === true ? thoroughly() : answerOf(softmax),
    );
    await look(1);
    void findings.check();
    await settled();
    if (how === "cancelled") findings.cancel();
    await stand();
    await stand();
    expect(asked.map(({ options }) => options?.["thorough"])).toEqual([true, false]);
    expect(rows().map(({ label }) => label)).toEqual([
      ...(how === "failed" ? ["The step could not be checked: a fault"] : []),
      "cross_entropy was given probabilities",
      "a",
    ]);
  });
});

describe("what is dismissed", () => {
  test("is gone at once, not asked in that function, or anywhere, and kept with the workspace until all is restored", async () => {
    const { look, stand, asked, dismissed, kept, rows } = await window();
    await look(1);
    await stand();
    dismissed.add(["double-softmax"], "/train.py:train");
    expect(rows()[0]?.label).toBe("a");
    await stand();
    expect(asked).toHaveLength(1);
    await look(2);
    await stand();
    expect(asked.at(-1)?.options).toMatchObject({ ignore: "double-softmax" });
    dismissed.add(["lr-zero"]);
    expect(dismissed.rulesAt("/other.py:f")).toEqual(["lr-zero"]);
    expect(new Dismissed(memory(kept)).rulesAt("/train.py:train")).toEqual(["double-softmax", "lr-zero"]);
    dismissed.restoreAll();
    await stand();
    expect(asked.at(-1)?.options).toMatchObject({ ignore: "", thorough: false });
    expect(dismissed.isEmpty).toBe(true);
  });

  test("leaves what only running the models found, and counts anew", async () => {
    const { look, asked, dismissed, findings, rows } = await window(() =>
      answerOf(softmax, { ...unsure, tier: "sure" }, { ...unsure, rule: "lr-zero" }),
    );
    await look(1);
    await findings.check("running");
    dismissed.add(["double-softmax"]);
    await settled();
    expect(asked).toHaveLength(1);
    expect(rows()[0]).toMatchObject({ label: "2 findings", tone: "warning", icon: "warning" });
    dismissed.add(["lr-zero"]);
    expect(rows()[0]?.finding).toEqual({ ...unsure, tier: "sure" });
  });

  test("while it is asked, is not shown by the answer", async () => {
    const { look, stand, asked, dismissed, rows } = await window(async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return answerOf(softmax);
    });
    await look(1);
    await stand();
    dismissed.add(["double-softmax"]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked).toHaveLength(1);
    expect(rows()[0]?.label).toBe("a");
  });

  test.each(["usual", "thorough"] as const)(
    "as a cause while it is asked, lets what followed from it be asked: %s",
    async (mode) => {
      const cause = answerOf({ ...softmax, consequences: [unsure] });
      const { look, stand, asked, dismissed, findings, rows } = await window(async ({ options }) => {
        await new Promise((resolve) => setTimeout(resolve, 500));
        return options?.["ignore"] === "" ? cause : answerOf(unsure);
      });
      await look(1);
      if (mode === "thorough") void findings.check();
      await stand();
      dismissed.add(["double-softmax"]);
      await vi.advanceTimersByTimeAsync(2000);
      expect(asked.map(({ options }) => options?.["ignore"])).toEqual(["", "double-softmax"]);
      expect(asked.at(-1)?.options).toMatchObject({ thorough: mode === "thorough" });
      expect(rows()[0]?.finding).toEqual(unsure);
    },
  );

  test("is not counted among what a check has found more", async () => {
    const { look, stand, dismissed, findings, rows } = await window(({ options }) =>
      options?.["thorough"] === true ? answerOf(softmax, unsure) : answerOf(softmax),
    );
    await look(1);
    await stand();
    await findings.check();
    expect(rows()[1]?.label).toBe("checked thoroughly: 1 more (2 rules)");
    dismissed.add(["loss-sign"]);
    expect(rows()[1]?.label).toBe("checked thoroughly: nothing more (2 rules)");
  });

  test("and restored during a check is asked by a check of that mode", async () => {
    const { look, asked, dismissed, findings } = await window(() => new Promise(() => undefined));
    dismissed.add(["double-softmax"]);
    await look(1);
    void findings.check("running");
    await settled();
    dismissed.restoreAll();
    expect(asked.map(({ options }) => options)).toMatchObject([
      { ignore: "double-softmax", run: true },
      { ignore: "", run: true },
    ]);
  });

  test.each([
    ["loss", "no loss in sight", "no loss in sight: 1 rules could not be asked, the other 1 are silent"],
    ["scaler", "no gradient scaler in sight", "nothing found (1 rules; 1 not checked)"],
    ["run", "runs the program's code: asked for by run=True", "nothing found (1 rules; 1 not checked)"],
  ] as const)("where %s is missing, that is said first if it matters", (need, reason, said) => {
    const found = { lens: "findings" as const, findings: [], explained: 0, checked: ["a"] };
    expect(nothingFoundText({ ...found, skipped: [{ rule: "b", reason, need }] })).toBe(said);
  });

  test("what the user can do about it has the name that it has here", async () => {
    const answer = answerOf();
    const skipped = [{ rule: "gradcheck", reason: "asked for by run=True", need: "run" as const }];
    const { look, findings, rows, inspector } = await window(() => ({
      ...answer,
      found: { ...findingsIn(answer)!, skipped },
    }));
    await look(1);
    await findings.check();
    const [reason] = childRows(inspector.scene!, rows()[0]!) ?? [];
    expect(reason?.description).toBe("runs the program's code: “Check by Running the Model…” asks them too");
  });

  test("is not counted as not checked", async () => {
    const { page: _, ...node } = answerOf().node!;
    const { look, dismissed, findings, rows } = await window(() => ({ ...answerOf(), node }));
    dismissed.add(["lr-zero"]);
    await look(1);
    await findings.check();
    expect(rows()[0]?.label).toBe("nothing found (2 rules)");
  });

  test("as a cause, lets what followed from it be asked", async () => {
    const { look, stand, asked, dismissed } = await window(({ options }) =>
      options?.["ignore"] === "" ? answerOf({ ...softmax, consequences: [unsure] }) : answerOf(unsure),
    );
    await look(1);
    await stand();
    dismissed.add(["double-softmax"]);
    expect(asked.at(-1)?.options).toMatchObject({ ignore: "double-softmax" });
  });
});

describe("what is worth a look", () => {
  const same: Finding = {
    ...softmax,
    rule: "one-layer",
    severity: "hint",
    tier: "look",
    title: "heads are one module",
  };
  const spent: Finding = { ...same, rule: "used-up", title: "weights is used up" };

  test("stands in a quiet group below what a check that the user asks for has found, closed, and counts as no finding", async () => {
    const { look, stand, findings, rows, inspector } = await window(
      () => answerOf(softmax),
      () => observedOf(same, spent),
    );
    await look(1);
    await stand();
    expect(rows().map(({ label }) => label)).not.toContain("2 things worth a look");
    await findings.check();
    const group = rows().find(({ label }) => label === "2 things worth a look");
    expect(group).toMatchObject({ icon: "eye", tone: "quiet", open: false, expandable: true });
    const below = childRows(inspector.scene!, group!);
    expect(below?.map(({ name, icon, tone, finding }) => [name, icon, tone, finding?.rule])).toEqual([
      ["heads are one module", "info", undefined, "one-layer"],
      ["weights is used up", "info", undefined, "used-up"],
    ]);
    expect(statusText(inspector.scene!)).toBe("1 finding");
    expect(firstAlarm(inspector.scene!)?.finding?.rule).toBe("double-softmax");
  });

  test("is dismissed as findings are, and a group of nothing is not there", async () => {
    const { look, findings, dismissed, rows } = await window(
      () => answerOf(),
      () => observedOf(same, spent),
    );
    await look(1);
    await findings.check();
    dismissed.add(["one-layer"], "/train.py:train");
    expect(rows().map(({ label }) => label)).toContain("1 thing worth a look");
    dismissed.add(["used-up"]);
    expect(rows().filter(({ label }) => label.includes("worth a look"))).toEqual([]);
  });

  test("alone is nothing that a click in the status bar goes to", async () => {
    const { look, findings, inspector } = await window(
      () => answerOf(),
      () => observedOf(spent),
    );
    await look(1);
    await findings.check();
    expect(firstAlarm(inspector.scene!)).toBeUndefined();
    expect(statusText(inspector.scene!)).toBe("");
  });

  test("that can't be told leaves the findings as they are", async () => {
    const { look, findings, rows } = await window(
      () => answerOf(softmax),
      () => {
        throw new Error("lost");
      },
    );
    await look(1);
    await findings.check();
    expect(rows()[0]?.finding?.rule).toBe("double-softmax");
  });
});

describe("the words of a finding", () => {
  test("begin with what is wrong, and go on with what more there is to say after the line", async () => {
    const { look, stand, rows } = await window(() => answerOf({ ...unsure, fact: "x is 0", more: "so is y" }));
    await look(1);
    await stand();
    expect(rows()[0]).toMatchObject({ label: "may be: x is 0", description: "line 7 · so is y" });
  });

  test("a value is named by its expression, whichever quotes it is written with, also by what follows", async () => {
    const { look, stand, inspector } = await window(() =>
      answerOf({ ...unsure, evidence: [], consequences: [softmax] }),
    );
    await look(1);
    await stand();
    expect(findingsAbout(inspector.contents!, "batch['out']")).toEqual([softmax]);
    expect(findingsAbout(inspector.contents!, "out")).toEqual([]);
  });

  test("a card leads to the page of the rule", () => {
    expect(findingCard(softmax)).toContain(`](${rulePage(softmax.rule)})`);
    expect(rulePage("double-softmax")).toMatch(/\/docs\/rules\/double-softmax\.md$/);
  });

  test("say where it only may be so, why it matters and what to try, harmless in Markdown", () => {
    expect(findingText(unsure)).toBe("may be: loss is negated\nIt is flat.\nTry: give it the logits");
    const mismatch = { ...unsure, fact: "x is [4, 96]", more: "but fc wants 48", differs: "96 ≠ 48 · fc" };
    const rows = [unsure, mismatch].map((finding) => [factOf(finding), moreOf(finding)]);
    expect(rows).toEqual([
      [`may be: ${unsure.fact}`, unsure.more],
      ["may be: 96 ≠ 48 · fc", unsure.title],
    ]);
    const card = findingCard({ ...softmax, title: "<b> [x](y)", consequences: [unsure] });
    expect(card).toContain(String.raw`**\<b\> \[x\]\(y\)**`);
    expect(card).toContain("What follows");
  });
});
