import { afterEach, describe, expect, test, vi } from "vitest";
import type * as api from "vscode";
import type { Sessions } from "../../extension/src/debug/sessions.ts";
import type { Inspector } from "../../extension/src/model/inspector.ts";
import { Contents } from "../../extension/src/model/contents.ts";
import { InlineValues } from "../../extension/src/views/inlineValues.ts";
import type { Settings } from "../../extension/src/views/settings.ts";
import type { FrameAnswer } from "../../extension/src/protocol/generated.ts";
import { deferred, frame, frameAnswer, node, tensor } from "./fixtures.ts";
import { debug, EventEmitter, languages, stage } from "./vscode.ts";

const FILE = "file:///train.py";

interface Stage {
  readonly source: string;
  /** The line of the stop, from 0. */
  readonly stopLine: number;
  readonly answer: FrameAnswer;
  readonly type?: string;
  readonly tracked?: boolean;
  readonly document?: string;
}

const changed = new EventEmitter<void>();
const token: unknown = { isCancellationRequested: false, onCancellationRequested: changed.event };
const settings = { inlineValues: true, pythonShowsInlineValues: false, onDidChange: changed.event };

afterEach(() => {
  Object.assign(settings, { inlineValues: true, pythonShowsInlineValues: false });
  debug.activeDebugSession = undefined;
  stage.window = Promise.resolve();
  vi.useRealTimers();
});

/** What stands at the line ends of a document, as `line: text`, lines from 0. */
async function shown({ source, stopLine, answer, type = "debugpy", tracked = true, document = FILE }: Stage) {
  const contents = new Contents(Object.assign(frame(), { isIn: ({ uri }: { uri: string }) => uri === FILE }), answer);
  const asking = Promise.resolve();
  const inspector = {
    contents,
    reading: asking,
    isReading: () => false,
    onDidChange: changed.event,
  } as unknown as Inspector;
  const sessions = { get: () => (tracked ? {} : undefined) } as unknown as Sessions;
  debug.activeDebugSession = { id: "session", type };
  const provider = new InlineValues(inspector, settings as unknown as Settings, sessions);
  const text = { getText: () => source, uri: document } as unknown as api.TextDocument;
  const context = { frameId: 2, stoppedLocation: { start: { line: stopLine } } } as unknown as api.InlineValueContext;
  const values = await provider.provideInlineValues(text, {} as api.Range, context, token as api.CancellationToken);
  provider.dispose();
  return (values as api.InlineValueText[]).map((value) => `${value.range.start.line}: ${value.text}`);
}

const SOURCE = "def train(lr):\n    x = make(lr)\n    step(x)\n";
const ROWS = [tensor("x", { inline: "f32[2]" }), node("lr", { inline: "0.1" })];
const STOPPED: Stage = { source: SOURCE, stopLine: 2, answer: frameAnswer(ROWS) };

describe("values at line ends", () => {
  test("are those of the frame's variables", async () => {
    expect(await shown(STOPPED)).toEqual(["0: lr = 0.1", "1: x = f32[2]"]);
  });

  test("are also of what the line that has raised was given", async () => {
    const raised = frameAnswer(ROWS, { raised: true });
    expect(await shown({ ...STOPPED, answer: raised })).toEqual(["0: lr = 0.1", "1: x = f32[2]", "2: x = f32[2]"]);
  });

  test("are also of variables that the tree does not list", async () => {
    const answer = frameAnswer([ROWS[0] as (typeof ROWS)[0]], {
      inline: [{ name: "lr", kind: "number", text: "0.1" }],
    });
    expect(await shown({ ...STOPPED, answer })).toEqual(["0: lr = 0.1", "1: x = f32[2]"]);
  });

  test("are at the lines of the file that the adapter shows, where it shows another than the program's", async () => {
    const source = `# %%\nx = 1\n# %%\n${SOURCE}`;
    const type = "Python Interactive Window Debug Adapter";
    const answer = frameAnswer(ROWS, { first_line: 1, line: 3 });
    expect(await shown({ source, stopLine: 5, answer, type })).toEqual(["3: lr = 0.1", "4: x = f32[2]"]);
  });

  test("leave plain ones to the Python debugger's own extension where it shows them", async () => {
    settings.pythonShowsInlineValues = true;
    expect(await shown(STOPPED)).toEqual(["1: x = f32[2]"]);
  });

  test.each([
    ["in another file", { document: "file:///other.py" }],
    ["of a session that is not followed", { tracked: false }],
  ])("are none %s", async (_, more) => {
    expect(await shown({ ...STOPPED, ...more })).toEqual([]);
  });

  test("are not another process's, whose frame has the same number: VS Code tells of the switch after it has asked", async () => {
    const window = deferred<unknown>();
    stage.window = window.promise;
    const values = shown(STOPPED);
    debug.activeDebugSession = { id: "another", type: "debugpy" };
    window.resolve(undefined);
    vi.useFakeTimers();
    await vi.runAllTimersAsync();
    expect(await values).toEqual([]);
  });

  test("have no provider of ours while they are switched off", () => {
    const provider = new InlineValues({} as Inspector, settings as unknown as Settings, {} as Sessions);
    const registered = [true, false, true].map((on) => {
      settings.inlineValues = on;
      changed.fire();
      return languages.inlineValues.size;
    });
    provider.dispose();
    expect([...registered, languages.inlineValues.size]).toEqual([1, 0, 1, 0]);
  });
});
