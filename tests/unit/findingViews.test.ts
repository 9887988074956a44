import { beforeEach, describe, expect, test, vi } from "vitest";
import type * as api from "vscode";
import { COMMAND } from "../../extension/src/ids.ts";
import type { CheckResult } from "../../extension/src/model/checks.ts";
import { Contents } from "../../extension/src/model/contents.ts";
import { Dismissed } from "../../extension/src/model/dismissed.ts";
import { Emitter } from "../../extension/src/model/emitter.ts";
import type { Inspector } from "../../extension/src/model/inspector.ts";
import type { Finding, LensAnswer } from "../../extension/src/protocol/generated.ts";
import type { Parts } from "../../extension/src/views/commandArguments.ts";
import { COMMANDS } from "../../extension/src/views/commands.ts";
import { Diagnostics } from "../../extension/src/views/diagnostics.ts";
import { Hover } from "../../extension/src/views/hover.ts";
import type { Settings } from "../../extension/src/views/settings.ts";
import { deferred, frame, frameAnswer, memory, nodeAnswer, tensor } from "./fixtures.ts";
import { document, languages, Position, Uri, window, workspace } from "./vscode.ts";

const TRAIN = document("/train.py", "import torch", "  loss = f(out)");
const softmax: Finding = {
  rule: "double-softmax",
  severity: "error",
  tier: "sure",
  title: "f was given probabilities: out",
  fact: "f was given probabilities",
  more: "out",
  evidence: [{ expression: "out", fact: "grad ← SoftmaxBackward0" }],
  source: { file: "/train.py", line: 2 },
  why: "It is flat.",
  suggestion: "give it the logits",
  consequences: [],
};

/** A check that found these. */
function checked(...findings: Finding[]): CheckResult {
  const found = { lens: "findings", findings, explained: 0, checked: [], skipped: [] } as const;
  const answer = { op: "lens", snapshot: 7, ms: 1, done: true, progress: 1, types: [], found } as unknown as LensAnswer;
  return { answer, mode: "usual", repeatsRun: false };
}

/** The adapter shows a line later in the notebook what the program calls its file. */
const shownInCell = (({ line }) =>
  Promise.resolve({ uri: Uri.file("/train.ipynb") as never, line: line + 1 })) satisfies Contents["frame"]["locate"];

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

beforeEach(() => {
  workspace.files.clear();
  workspace.files.set("/train.py", Promise.resolve(TRAIN));
  languages.diagnostics.clear();
  window.shown.length = window.warnings.length = 0;
  window.answer = undefined;
});

/** The rule of a diagnostic, whose code leads to what is said of it. */
function ruleOf({ code }: { readonly code?: unknown }): string {
  const { value, target } = code as { readonly value: string; readonly target: Uri };
  expect(target).toMatchObject({ authority: "github.com" });
  expect(target.path).toMatch(new RegExp(`/docs/rules/${value}\\.md$`));
  return value;
}

describe("at the lines of the program", () => {
  /** Diagnostics of a stop, at which `tell` says what is wrong, and what stands at the lines. */
  function stopped(settings = { diagnostics: true }) {
    const contents = new Contents(frame(1), frameAnswer());
    const changed = new Emitter();
    const inspector = { contents, frame: contents.frame, onDidChange: changed.event };
    const diagnostics = new Diagnostics(inspector as unknown as Inspector, settings);
    const tell = (result: CheckResult | undefined): void => {
      if (result === undefined) contents.check.clear();
      else contents.check.setResult(result);
      changed.fire();
    };
    const said = (): unknown => [...languages.diagnostics].map(([path, all]) => [path, all.map(ruleOf)]);
    return { diagnostics, tell, said, contents, inspector, changed };
  }

  test("stands what is wrong there, as grave as it is, and nothing once the stop is over", async () => {
    const { tell, said, contents, changed } = stopped();
    tell(checked(softmax, { ...softmax, rule: "beyond", source: { file: "/train.py", line: 3 } }));
    await settled();
    expect(said()).toEqual([["/train.py", ["double-softmax"]]]);
    const [diagnostic] = languages.diagnostics.get("/train.py") ?? [];
    expect(diagnostic).toMatchObject({ severity: 0, source: "Tensor Inspector" });
    expect(diagnostic?.range).toMatchObject({ start: { line: 1, character: 2 }, end: { line: 1, character: 15 } });
    (contents.frame as { over: boolean }).over = true;
    changed.fire();
    expect(said()).toEqual([]);
  });

  test("what is only likely is a hint, which the Problems view does not list", async () => {
    const { tell } = stopped();
    tell(checked({ ...softmax, tier: "likely" }));
    await settled();
    expect(languages.diagnostics.get("/train.py")).toMatchObject([{ severity: 3, code: { value: "double-softmax" } }]);
  });

  test("nothing stands there while the reading of another frame takes long", async () => {
    const { tell, said, inspector, changed } = stopped();
    tell(checked(softmax));
    await settled();
    Object.assign(inspector, { stale: "reading" });
    changed.fire();
    expect(said()).toEqual([]);
  });

  test("it stands once, though it was told, withdrawn and told again while its file was opened", async () => {
    const opening = deferred<typeof TRAIN>();
    workspace.files.set("/train.py", opening.promise);
    const { tell, said } = stopped();
    const findings = checked(softmax);
    tell(findings);
    tell(undefined);
    tell(findings);
    opening.resolve(TRAIN);
    await settled();
    expect(said()).toEqual([["/train.py", ["double-softmax"]]]);
  });

  test("it stands where the adapter shows that line: in the notebook's cell, not in the kernel's copy of it", async () => {
    workspace.files.set("/train.ipynb", Promise.resolve(document("/train.ipynb", "import torch", "", "loss = f(out)")));
    const { tell, said, contents } = stopped();
    contents.frame.locate = shownInCell;
    tell(checked(softmax));
    await settled();
    expect(said()).toEqual([["/train.ipynb", ["double-softmax"]]]);
    expect(languages.diagnostics.get("/train.ipynb")?.[0]?.range).toMatchObject({ start: { line: 2 } });
  });

  test.each([
    ["  loss = f(out)  # flat", 15],
    ['  loss = f("#1")', 16],
    ["  loss = f(out)  # the 'flat' one", 33],
  ])("%s: it stands under the code", async (line, end) => {
    workspace.files.set("/train.py", Promise.resolve(document("/train.py", "import torch", line)));
    const { tell } = stopped();
    tell(checked(softmax));
    await settled();
    expect(languages.diagnostics.get("/train.py")?.[0]?.range).toMatchObject({ end: { line: 1, character: end } });
  });

  test("what is said stays until what is said next can take its place", async () => {
    const { tell, said } = stopped();
    tell(checked(softmax));
    await settled();
    tell(checked({ ...softmax, rule: "loss-sign" }));
    expect(said()).toEqual([["/train.py", ["double-softmax"]]]);
    await settled();
    expect(said()).toEqual([["/train.py", ["loss-sign"]]]);
  });

  test("nothing stands any more after the end, and nothing at all where that is switched off", async () => {
    const ended = stopped();
    ended.tell(checked(softmax));
    ended.diagnostics.dispose();
    await settled();
    expect(ended.said()).toEqual([]);
    const off = stopped({ diagnostics: false });
    off.tell(checked(softmax));
    await settled();
    expect(off.said()).toEqual([]);
  });
});

describe("the hover of a value", () => {
  /** What the hover of `out` tells in this document. */
  async function cards(path: string, diagnostics: boolean, locate?: Contents["frame"]["locate"]): Promise<string[]> {
    const contents = new Contents(frame(1), frameAnswer());
    if (locate) contents.frame.locate = locate;
    contents.check.setResult(checked(softmax));
    const inspector = {
      contents,
      frame: contents.frame,
      settled: () => Promise.resolve(contents),
      inspect: () => Promise.resolve(nodeAnswer("inspect", tensor("out"))),
    };
    const settings = { hover: true, diagnostics };
    const hover = new Hover(inspector as unknown as Inspector, settings as unknown as Settings);
    const here = document(path, "import torch", "  loss = f(out)") as unknown as api.TextDocument;
    const token = { isCancellationRequested: false, onCancellationRequested: () => undefined };
    const shown = await hover.provideHover(
      here,
      new Position(1, 12) as api.Position,
      token as unknown as api.CancellationToken,
    );
    const all = (shown?.contents ?? []) as api.MarkdownString[];
    return all.map(({ value }) => value);
  }

  /** How many findings it tells. */
  async function told(path: string, diagnostics = true): Promise<number> {
    return (await cards(path, diagnostics)).length - 1;
  }

  test("begins with what is wrong with it: its facts may take all the room there is", async () => {
    const [first, last] = await cards("/other.py", true);
    expect(first).toContain("f was given probabilities");
    expect(last).toContain("float32");
  });

  test("tells what is wrong with it, but not what the editor says at this very line of this file", async () => {
    expect(await told("/train.py")).toBe(0);
    expect(await told("/other.py")).toBe(1);
    expect(await told("/train.py", false)).toBe(1);
    const inCell: Contents["frame"]["locate"] = async () => ({ uri: Uri.file("/train.ipynb") as never, line: 2 });
    expect(await cards("/train.ipynb", true, inCell)).toHaveLength(1);
    expect(await cards("/train.py", true, inCell)).toHaveLength(2);
  });
});

describe("the commands of a finding", () => {
  const contents = new Contents(frame(1), frameAnswer());
  const rowOf = (finding: Finding): object => ({
    path: {},
    contents,
    can: ["dismiss", "goToLine"],
    finding,
    findings: [finding],
    source: finding.source,
  });

  test("go to its line, and say so where no file has it", async () => {
    const say = vi.fn<(sentence: string) => Promise<void>>();
    const parts = { tree: { say } } as unknown as Parts;
    await COMMANDS[COMMAND.goToLine](parts, rowOf(softmax));
    expect(window.shown).toEqual(["/train.py:2"]);
    workspace.files.set("/train.ipynb", Promise.resolve(document("/train.ipynb", "loss = f(out)")));
    const inCell = new Contents(Object.assign(frame(1), { locate: shownInCell }), frameAnswer());
    await COMMANDS[COMMAND.goToLine](parts, { ...rowOf(softmax), contents: inCell });
    expect(window.shown.at(-1)).toBe("/train.ipynb:3");
    const gone = { ...softmax, source: { file: "<cell 3>", line: 2 } };
    await COMMANDS[COMMAND.goToLine](parts, rowOf(gone));
    expect(say).toHaveBeenCalledExactlyOnceWith("The file of this line can't be opened: <cell 3>");
  });

  test("dismiss all that are marked", async () => {
    const dismissed = new Dismissed(memory());
    const rows = ["a", "b"].map((rule) => rowOf({ ...softmax, rule }));
    const parts = { dismissed } as unknown as Parts;
    const told = vi.fn<() => void>();
    dismissed.onDidChange(told);
    await COMMANDS[COMMAND.dismissInFunction](parts, rows[0], rows);
    expect(told, "each asks for findings anew").toHaveBeenCalledOnce();
    expect(dismissed.rulesAt("/train.py:train")).toEqual(["a", "b"]);
    expect(dismissed.rulesAt("/other.py:f")).toEqual([]);
    await COMMANDS[COMMAND.dismissInWorkspace](parts, rows[0], rows);
    expect(dismissed.rulesAt("/other.py:f")).toEqual(["a", "b"]);
  });

  test("keep once what is dismissed again", async () => {
    const kept = memory();
    const dismissed = new Dismissed(kept);
    const rows = ["a", "a"].map((rule) => rowOf({ ...softmax, rule }));
    for (const command of [COMMAND.dismissInFunction, COMMAND.dismissInWorkspace, COMMAND.dismissInFunction] as const) {
      await COMMANDS[command]({ dismissed } as unknown as Parts, rows[0], rows);
    }
    expect(kept.get("dismissedFindings")).toEqual([{ rule: "a", place: "/train.py:train" }, { rule: "a" }]);
  });

  test("forget what was kept in another form", () => {
    const kept = memory();
    void kept.update("dismissedFindings", [{ rule: "a" }, { rule: "b", place: 3 }, { place: "/x.py:f" }, "c", null]);
    expect(new Dismissed(kept).rulesAt("/x.py:f")).toEqual(["a"]);
  });

  test("dismiss in a method, not in that of another class in its file", async () => {
    const dismissed = new Dismissed(memory());
    const at = frame(1, { place: "/model.py:forward" });
    const [encoder, decoder] = ["Encoder", "Decoder"].map(
      (name) => new Contents(at, frameAnswer([], { function: `${name}.forward` })),
    ) as [Contents, Contents];
    const parts = { dismissed } as unknown as Parts;
    await COMMANDS[COMMAND.dismissInFunction](parts, { ...rowOf(softmax), contents: encoder });
    expect([encoder, decoder].map(({ place }) => dismissed.rulesAt(place))).toEqual([["double-softmax"], []]);
  });

  test("dismiss all that a row counts", async () => {
    const dismissed = new Dismissed(memory());
    const findings = [softmax, { ...softmax, rule: "loss-sign" }];
    const counting = { ...rowOf(softmax), findings, can: ["dismissAll"] };
    await COMMANDS[COMMAND.dismissInFunction]({ dismissed } as unknown as Parts, counting);
    expect(dismissed.rulesAt("/train.py:train")).toEqual(["double-softmax", "loss-sign"]);
    expect(dismissed.rulesAt("/other.py:f")).toEqual([]);
  });

  test("dismiss in the whole workspace only what stands in a row of its own", async () => {
    const dismissed = new Dismissed(memory());
    const counting = { ...rowOf(softmax), findings: [softmax, { ...softmax, rule: "loss-sign" }], can: ["dismissAll"] };
    await COMMANDS[COMMAND.dismissInWorkspace]({ dismissed } as unknown as Parts, counting);
    expect(dismissed.isEmpty).toBe(true);
  });

  test("run the models only once that is allowed", async () => {
    const check = vi.fn<(mode: string, at: object) => Promise<boolean>>(() => Promise.resolve(true));
    const parts = { findings: { check }, inspector: { frame: contents.frame } } as unknown as Parts;
    await COMMANDS[COMMAND.checkByRunning](parts, undefined);
    expect(window.warnings).toHaveLength(1);
    expect(check).not.toHaveBeenCalled();
    window.answer = "Run";
    await COMMANDS[COMMAND.checkByRunning](parts, undefined);
    expect(check).toHaveBeenCalledExactlyOnceWith("running", contents.frame);
  });

  test("ask nothing of the user where nothing is paused", async () => {
    const say = vi.fn<(sentence: string) => Promise<void>>();
    const parts = { tree: { say }, inspector: {} } as unknown as Parts;
    await COMMANDS[COMMAND.checkByRunning](parts, undefined);
    expect(window.warnings).toEqual([]);
    expect(say).toHaveBeenCalledOnce();
  });
});
