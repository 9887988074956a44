import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type * as api from "vscode";
import { ActiveFrame } from "../../extension/src/debug/activeFrame.ts";
import { type Focus, Frame } from "../../extension/src/debug/frame.ts";
import type { Session } from "../../extension/src/debug/session.ts";
import { Sessions } from "../../extension/src/debug/sessions.ts";
import { debug, DebugStackFrame, DebugThread, stage, Uri } from "./vscode.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  stage.focus(undefined);
  debug.activeDebugSession = undefined;
  vi.useRealTimers();
});

const never = (text: string): void => expect.fail(text);

/** A session, and what its adapter and VS Code say to each other. */
function debugging(id = "session", sessions = new Sessions(never)) {
  const customRequest = vi.fn<api.DebugSession["customRequest"]>(() => Promise.reject(new Error("it has gone on")));
  const vscode = { id, customRequest } as unknown as api.DebugSession;
  const tracker = sessions.createDebugAdapterTracker(vscode);
  const session = sessions.get(id) as Session;
  let seq = 0;
  const event = (name: string, body: object = {}): void =>
    tracker.onDidSendMessage?.({ seq: 0, type: "event", event: name, body });
  const exchange = (command: string, args: object, body: object = {}, success = true): void => {
    seq += 1;
    tracker.onWillReceiveMessage?.({ seq, type: "request", command, arguments: args });
    tracker.onDidSendMessage?.({ seq: 0, type: "response", request_seq: seq, command, success, body });
  };
  const stop = (name = "train", threadId = 1): void => {
    event("stopped", { threadId });
    stack(name, threadId);
  };
  /** Frames of a thread: 2 is the top, 3 its caller. */
  const framesOf = (name: string): { stackFrames: object[] } => {
    const source = { path: "/train.py" };
    return { stackFrames: [name, "caller"].map((of, at) => ({ id: at + 2, name: of, source, line: 1, column: 1 })) };
  };
  /** VS Code asks for the thread's frames. */
  const stack = (name = "train", threadId = 1): void => exchange("stackTrace", { threadId }, framesOf(name));
  /** The adapter answers when we ask for the top frame, of which it also says `more`. */
  const answering = (more: object = {}): void => {
    customRequest.mockImplementation(async (command: string, args: object) => {
      await Promise.resolve(); // it takes a while
      const body = { stackFrames: [{ ...framesOf("train").stackFrames[0], ...more }] };
      exchange(command, args, body);
      return body;
    });
  };
  const focus = (frameId = 2, threadId = 1): void => stage.focus(new DebugStackFrame(vscode, threadId, frameId));
  return {
    sessions,
    session,
    tracker,
    vscode,
    customRequest,
    event,
    exchange,
    stop,
    stack,
    answering,
    focus,
    end: () => tracker.onWillStopSession?.(),
  };
}

describe("a session", () => {
  test("can be asked ahead of all that VS Code asks, once its adapter is initialized", () => {
    const { sessions, session, event } = debugging();
    const asked: Session[] = [];
    sessions.onDidInitialize((one) => asked.push(one));
    event("initialized");
    expect(asked).toEqual([session]);
  });

  test("takes a reply when the adapter gives it: VS Code brings it later", async () => {
    const { session, exchange, customRequest } = debugging();
    customRequest.mockReturnValue(new Promise(() => undefined));
    const replies = Promise.all(["a", "b", "a"].map((expression) => session.evaluate(expression, 2)));
    for (const [expression, result] of [
      ["b", "2"],
      ["len(a)", "0"],
      ["a", "1"],
      ["a", "3"],
    ] as const) {
      exchange("evaluate", { expression, context: "watch" }, { result });
    }
    await expect(replies).resolves.toEqual(["1", "2", "3"]);
  });

  test("tells when a request is on its way to the adapter: VS Code may hold it back", () => {
    const { session, tracker, customRequest } = debugging();
    customRequest.mockReturnValue(new Promise(() => undefined));
    const onLeft = vi.fn<() => void>();
    void session.evaluate("a", 2, onLeft);
    expect(onLeft).not.toHaveBeenCalled();
    const request = { seq: 9, type: "request", command: "evaluate", arguments: { expression: "a" } };
    tracker.onWillReceiveMessage?.(request);
    expect(onLeft).toHaveBeenCalledOnce();
  });

  test("leaves it to VS Code to say why a request failed", async () => {
    const { session, exchange, customRequest } = debugging();
    customRequest.mockImplementation(async (command: string, args: object) => {
      exchange(command, args, {}, false);
      await Promise.reject(new Error("NameError"));
    });
    await expect(session.evaluate("a", 2)).rejects.toThrow("NameError");
  });

  test("does not believe frames that were asked for at an earlier stop", () => {
    const { sessions, tracker, event } = debugging();
    const named = vi.fn<() => void>();
    sessions.onDidReceiveStackTrace(named);
    event("stopped", { threadId: 1 });
    tracker.onWillReceiveMessage?.({ seq: 99, type: "request", command: "stackTrace", arguments: { threadId: 1 } });
    event("continued");
    event("stopped", { threadId: 1 });
    const body = { stackFrames: [{ id: 2, name: "train", line: 1, column: 1 }] };
    tracker.onDidSendMessage?.({
      seq: 0,
      type: "response",
      request_seq: 99,
      command: "stackTrace",
      success: true,
      body,
    });
    expect(named).not.toHaveBeenCalled();
  });

  test("ends once, in however many ways VS Code says so", () => {
    const { sessions, tracker } = debugging();
    const ended = vi.fn<() => void>();
    sessions.onDidEnd(ended);
    tracker.onWillStopSession?.();
    tracker.onError?.(new Error("the adapter broke"));
    tracker.onExit?.(1, undefined);
    expect(ended).toHaveBeenCalledOnce();
  });

  test("counts stops: no number comes back, as frame ids do", () => {
    const { session, event } = debugging();
    const numbers = ["stopped", "continued", "stopped", "stopped"].map((name) => {
      event(name);
      return session.threads.stopOf(1);
    });
    expect(numbers[1], "while it runs there is no stop").toBeUndefined();
    expect(new Set(numbers).size).toBe(4);
  });

  test.each([
    ["setVariable", {}, true, true],
    ["setExpression", {}, true, true],
    ["setVariable", {}, false, false],
    ["evaluate", { context: "repl" }, true, true],
    ["evaluate", { context: "repl" }, false, true],
    ["evaluate", { context: "watch" }, true, false],
    ["evaluate", { context: "hover" }, true, false],
    ["variables", {}, true, false],
  ])("%s %j (success: %s) is a change by the user: %s", (command, args, success, changes) => {
    const { sessions, exchange } = debugging();
    const changed = vi.fn<() => void>();
    sessions.onDidChangeValues(changed);
    exchange(command, args, {}, success);
    expect(changed).toHaveBeenCalledTimes(changes ? 1 : 0);
  });

  test.each([
    ["a stop without a body", { type: "event", event: "stopped" }],
    ["a stack without frames", { type: "response", request_seq: 1, command: "stackTrace", success: true, body: {} }],
  ])("lets %s pass, and logs it", (_, message) => {
    const log = vi.fn<(text: string) => void>();
    const { tracker, event } = debugging("session", new Sessions(log));
    event("stopped", { threadId: 1 });
    tracker.onWillReceiveMessage?.({ seq: 1, type: "request", command: "stackTrace", arguments: { threadId: 1 } });
    tracker.onDidSendMessage?.(message);
    expect(log).toHaveBeenCalledOnce();
  });

  test("of which one thread alone goes on is still paused in the others", () => {
    const { session, event, stop, stack } = debugging();
    stop("train", 1);
    const before = session.threads.stopOf(2);
    event("continued", { threadId: 1, allThreadsContinued: false });
    expect([session.threads.stopOf(1), session.threads.stopOf(2)]).toEqual([undefined, before]);
    stack("late answer", 1);
    expect(session.threads.reportedFrame(2)).toBeUndefined();
    stack("load", 2);
    expect(session.threads.reportedFrame(2)).toMatchObject({ thread: 2, function: "load" });
    event("stopped", { threadId: 1 });
    expect(session.threads.stopOf(1)).toBe(session.threads.stopOf(2));
    expect([undefined, before]).not.toContain(session.threads.stopOf(2));
  });

  test("of which all threads go on is not paused", () => {
    const { session, event, stop } = debugging();
    for (const body of [{ threadId: 1, allThreadsContinued: true }, { threadId: 1 }]) {
      stop();
      event("continued", body);
      expect([session.threads.stopOf(1), session.threads.reportedFrame(2)]).toEqual([undefined, undefined]);
    }
  });

  test("that has ended is known no more, and its frames are over", () => {
    const { sessions, session, stop, end, vscode } = debugging();
    stop();
    const frame = new Frame(session, session.threads.stopOf(1) ?? 0, 2, {
      thread: 1,
      function: "train",
      line: 1,
      source: undefined,
    });
    expect([sessions.get(vscode.id), frame.over]).toEqual([session, false]);
    end();
    expect([sessions.get(vscode.id), frame.over]).toEqual([undefined, true]);
    expect(session.ended).toBe(true);
  });

  test("that is started anew under its old id outlives the late end of the old one", () => {
    const old = debugging();
    old.stop();
    const before = old.session.threads.stopOf(1);
    const { sessions, session, stop, vscode } = debugging("session", old.sessions);
    expect(old.session.ended).toBe(true);
    stop();
    // Its frames must not be taken for those of the old one.
    expect(session.threads.stopOf(1)).not.toBe(before);
    old.end();
    expect(sessions.get(vscode.id)).toBe(session);
    expect(session.ended).toBe(false);
  });
});

describe("the active frame", () => {
  function watched(sessions: Sessions): { seen: (Frame | undefined)[]; names: () => (string | undefined)[] } {
    const seen: (Frame | undefined)[] = [];
    new ActiveFrame(sessions).onDidChange((focus) => seen.push(focus instanceof Frame ? focus : undefined));
    return { seen, names: () => seen.map((frame) => frame?.key) };
  }

  test("is announced after each stop, with its place", async () => {
    const { sessions, stop, focus } = debugging();
    const { seen } = watched(sessions);
    stop();
    focus();
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ threadId: 1, frameId: 2, place: "/train.py:train", over: false });
  });

  test.each([
    ["/train.py", "file:///train.py"],
    ["C:\\train.py", "file:///C:/train.py"],
    ["vscode-notebook-cell:/train.ipynb#W0sZmls", "vscode-notebook-cell:/train.ipynb#W0sZmls"],
  ])("of %s stands in %s", (path, uri) => {
    const { session } = debugging();
    const at = new Frame(session, session.threads.stopOf(1) ?? 0, 2, {
      thread: 1,
      function: "train",
      line: 1,
      source: { path },
    });
    const isIn = (text: string): boolean => at.isIn({ uri: Uri.parse(text) as unknown as api.Uri });
    expect([isIn(uri), isIn("file:///other.py")]).toEqual([true, false]);
  });

  describe("tells where a line of the program is: in what the adapter shows for a frame in that file", () => {
    const CELL = "vscode-notebook-cell:/train.ipynb#W0sZmls";
    const files = [
      { file: "/tmp/ipykernel_1/2.py", frame: 2, line: 5 },
      { file: "/srv/model.py", frame: 3, line: 40 },
    ];

    /** Where a line is at a stop whose adapter shows these files for the frame and its caller, in a session of a type. */
    async function located(file: string, type = "debugpy", asked: (answer: () => void) => void = (answer) => answer()) {
      const { session, event, exchange, customRequest, vscode } = debugging();
      Object.assign(vscode, { type });
      const stackFrames = [CELL, "/home/me/model.py"].map((path, at) => ({
        id: at + 2,
        name: "train",
        source: { path },
        line: [12, 40][at],
        column: 1,
      }));
      event("stopped", { threadId: 1 });
      customRequest.mockImplementation((command: string, args: object) => {
        exchange(command, args, { stackFrames });
        return Promise.resolve({ stackFrames });
      });
      asked(() => exchange("stackTrace", { threadId: 1 }, { stackFrames }));
      const at = new Frame(session, session.threads.stopOf(1) ?? 0, 2, {
        thread: 1,
        function: "train",
        line: 12,
        source: { path: CELL },
      });
      const { uri, line } = await at.locate({ file, line: 7 }, files);
      const { scheme, path, fragment } = uri as unknown as Uri;
      return `${scheme}:${path}${fragment === "" ? "" : `#${fragment}`} ${line}`;
    }

    test.each([
      ["a cell", "/tmp/ipykernel_1/2.py", `${CELL} 7`],
      ["a file of another machine", "/srv/model.py", "file:/home/me/model.py 7"],
      ["a file in which no frame stands, by its own name", "/srv/data.py", "file:/srv/data.py 7"],
    ])("%s", async (_, file, where) => expect(await located(file)).toBe(where));

    test("a cell of a file that the adapter shows the lines of", async () => {
      expect(await located("/tmp/ipykernel_1/2.py", "Python Interactive Window Debug Adapter")).toBe(`${CELL} 14`);
    });

    test("a caller's that VS Code has not asked for yet", async () => {
      expect(await located("/srv/model.py", "debugpy", () => undefined)).toBe("file:/home/me/model.py 7");
    });
  });

  test("follows clicks in the call stack", async () => {
    const { sessions, stop, focus } = debugging();
    const { seen } = watched(sessions);
    stop();
    for (const frameId of [2, 3, 2]) {
      focus(frameId);
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(seen.map((frame) => frame?.frameId)).toEqual([2, 3, 2]);
  });

  test("follows a click on a caller that VS Code still shows from the last stop, once the adapter names it", async () => {
    const { sessions, event, exchange, focus } = debugging();
    const { seen } = watched(sessions);
    event("stopped", { threadId: 1 });
    const named = (id: number, name: string): object => ({ stackFrames: [{ id, name, line: 1, column: 1 }] });
    exchange("stackTrace", { threadId: 1, levels: 1 }, named(2, "train"));
    focus(2);
    await vi.advanceTimersByTimeAsync(1000);
    focus(3);
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen.map((frame) => frame?.frameId)).toEqual([2]);
    exchange("stackTrace", { threadId: 1, startFrame: 1 }, named(3, "caller"));
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen.map((frame) => frame?.frameId)).toEqual([2, 3]);
  });

  test("is another one at the next stop, though its id is the same", async () => {
    const { sessions, event, stop, focus } = debugging();
    const { seen } = watched(sessions);
    for (let count = 0; count < 2; count += 1) {
      stop();
      focus();
      await vi.advanceTimersByTimeAsync(1000);
      event("continued");
    }
    expect(seen.map((frame) => frame?.over)).toEqual([true, true]);
    expect(seen[0]?.key).not.toBe(seen[1]?.key);
    expect(seen[0]?.place).toBe(seen[1]?.place);
  });

  test("is announced at the first of twenty quick steps, and once for all others, at the last one", async () => {
    const { sessions, session, event, stop, focus } = debugging();
    const { seen } = watched(sessions);
    const stops: number[] = [];
    for (let step = 0; step < 20; step += 1) {
      event("continued");
      stop();
      stops.push(session.threads.stopOf(1) ?? 0);
      focus();
      await vi.advanceTimersByTimeAsync(30);
    }
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen.map((frame) => frame?.stop)).toEqual([stops[0], stops[19]]);
  });

  test("is none while the program runs, and when the session has ended", async () => {
    const { sessions, vscode, stop, focus, event, end } = debugging();
    const { seen } = watched(sessions);
    for (const [goesOn, item] of [
      [() => event("continued"), new DebugThread(vscode, 1)],
      [end, undefined],
    ] as const) {
      stop();
      focus();
      await vi.advanceTimersByTimeAsync(1000);
      goesOn();
      stage.focus(item);
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(seen.map(Boolean)).toEqual([true, false, true, false]);
  });

  test("is read anew when a stop of another thread announces nothing", async () => {
    const { sessions, session, stop, focus, event } = debugging();
    const { seen } = watched(sessions);
    stop();
    focus();
    await vi.advanceTimersByTimeAsync(1000);
    event("stopped", { threadId: 5 });
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen.map((frame) => frame?.over)).toEqual([true, false]);
    expect(seen[1]).toMatchObject({
      stop: session.threads.stopOf(1),
      threadId: 1,
      frameId: 2,
      place: "/train.py:train",
    });
  });

  test("goes on being looked at while another thread alone goes on, and is read anew when that one stops", async () => {
    const { sessions, stop, stack, focus, event } = debugging();
    const { seen } = watched(sessions);
    stop("train", 1);
    stack("load", 2);
    focus(2, 2);
    await vi.advanceTimersByTimeAsync(1000);
    event("continued", { threadId: 1, allThreadsContinued: false });
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen.map((frame) => frame?.over)).toEqual([false]);
    event("stopped", { threadId: 1 });
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen.map((frame) => [frame?.threadId, frame?.over])).toEqual([
      [2, true],
      [2, false],
    ]);
  });

  test("of a thread whose frames nobody had asked for is found when another alone has gone on", async () => {
    const { sessions, stop, stack, focus, event } = debugging();
    const { seen } = watched(sessions);
    stop("train", 1);
    focus(2, 1);
    await vi.advanceTimersByTimeAsync(1000);
    event("continued", { threadId: 1, allThreadsContinued: false });
    stack("load", 5);
    focus(2, 5);
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen.map((frame) => frame?.place)).toEqual(["/train.py:train", "/train.py:load"]);
  });

  test("is not the last stop's of a thread that went on alone, though it stands where it did", async () => {
    const { sessions, stop, focus, event } = debugging();
    const { seen } = watched(sessions);
    stop();
    focus(3);
    await vi.advanceTimersByTimeAsync(1000);
    event("continued", { threadId: 1, allThreadsContinued: false });
    stop();
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen.map((frame) => [frame?.frameId, frame?.over])).toEqual([[3, true]]);
  });

  test("is not taken from the last stop when the next one's announcement is late", async () => {
    const { sessions, session, stop, focus, event } = debugging();
    const { seen } = watched(sessions);
    stop();
    focus(3);
    await vi.advanceTimersByTimeAsync(1000);
    event("continued");
    stop();
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen).toHaveLength(1);
    focus(2);
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen.map((frame) => frame?.frameId)).toEqual([3, 2]);
    expect(seen[1]?.stop).toBe(session.threads.stopOf(1));
  });

  test("is not one that only the last stop had, though it is announced after the next", async () => {
    const { sessions, stop, focus, event } = debugging();
    const { seen } = watched(sessions);
    stop();
    event("continued");
    stop("worker", 5);
    focus(2, 1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen).toEqual([]);
    focus(2, 5);
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ threadId: 5, place: "/train.py:worker" });
  });

  test("keeps its place when another function has its id at the next stop", async () => {
    const { sessions, stop, focus, event } = debugging();
    const { seen } = watched(sessions);
    for (const name of ["train", "step"]) {
      stop(name);
      focus();
      await vi.advanceTimersByTimeAsync(1000);
      event("continued");
    }
    expect(seen.map((frame) => frame?.place)).toEqual(["/train.py:train", "/train.py:step"]);
  });

  test("of a session whose beginning was missed is not known", async () => {
    const seen: Focus[] = [];
    new ActiveFrame(new Sessions(never)).onDidChange((focus) => seen.push(focus));
    stage.focus(new DebugStackFrame({ id: "old", type: "debugpy" }, 1, 2));
    await vi.advanceTimersByTimeAsync(1000);
    stage.focus(new DebugStackFrame({ id: "other", type: "node" }, 1, 2));
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen).toEqual(["untracked", undefined]);
  });

  test("is read at once, however often other sessions stop meanwhile", async () => {
    const one = debugging("one");
    const two = debugging("two", one.sessions);
    const { seen } = watched(one.sessions);
    two.stop();
    await vi.advanceTimersByTimeAsync(100);
    one.stop();
    one.focus();
    two.stop();
    await vi.advanceTimersByTimeAsync(1);
    expect(seen.map((frame) => frame?.session)).toEqual([one.session]);
  });

  test("of another session is another, whatever the ids", async () => {
    const one = debugging("one");
    const two = debugging("two", one.sessions);
    const { names } = watched(one.sessions);
    for (const each of [one, two]) {
      each.stop();
      each.focus();
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(new Set(names()).size).toBe(2);
  });
});

/** VS Code asks for the threads and their stacks first. */
describe("the active frame, before VS Code announces it,", () => {
  type Debugging = ReturnType<typeof debugging>;

  /** A session that is the active one, whose adapter answers, and the frames that are looked at. */
  function looking(): Debugging & { seen: Frame[] } {
    const all = debugging();
    const seen: Frame[] = [];
    debug.activeDebugSession = all.vscode;
    all.answering();
    new ActiveFrame(all.sessions).onDidChange((focus) => focus instanceof Frame && seen.push(focus));
    return { ...all, seen };
  }

  /** Long enough for a request, too short for anything that waits. */
  const atOnce = (): Promise<unknown> => vi.advanceTimersByTimeAsync(1);

  test("is the top one of the thread that stops, and is the same when it is announced", async () => {
    const { event, stack, focus, seen, session, customRequest } = looking();
    for (let count = 1; count <= 2; count += 1) {
      event("stopped", { threadId: 1 });
      await atOnce();
      expect(seen).toHaveLength(count);
      expect(seen.at(-1)).toMatchObject({
        threadId: 1,
        frameId: 2,
        place: "/train.py:train",
        stop: session.threads.stopOf(1),
      });
      stack();
      focus();
      await vi.advanceTimersByTimeAsync(1000);
      event("continued", { threadId: 1 });
    }
    expect(seen).toHaveLength(2);
    expect(customRequest).toHaveBeenCalledTimes(2);
    expect(customRequest).toHaveBeenCalledWith("stackTrace", { threadId: 1, startFrame: 0, levels: 1 });
  });

  const other = { id: "other", type: "debugpy" };
  test.each<[string, (at: Debugging) => unknown, object?]>([
    ["where another session is looked at", () => (debug.activeDebugSession = other)],
    ["where a frame of another session is looked at", () => stage.focus(new DebugStackFrame(other, 1, 2))],
    ["where another thread is looked at", ({ vscode }) => stage.focus(new DebugThread(vscode, 5))],
    ["when the user pauses the program", () => undefined, { threadId: 1, preserveFocusHint: true }],
    ["when no thread is said to have stopped", () => undefined, {}],
    ["while a step key is held down", ({ event }) => ["stopped", "continued"].map((name) => event(name))],
  ])("is not asked for %s", async (_, before, body = { threadId: 1 }) => {
    const { seen, event, customRequest, ...rest } = looking();
    before({ event, customRequest, ...rest });
    event("stopped", body);
    await vi.advanceTimersByTimeAsync(1000);
    expect(customRequest).not.toHaveBeenCalled();
    expect(seen).toEqual([]);
  });

  test.each<[string, (at: Debugging) => unknown]>([
    ["the program goes on", ({ event }) => event("continued", { threadId: 1 })],
    ["the program goes on and stops again at once", ({ event, stop }) => (event("continued"), stop())],
    ["another is announced", ({ stack, focus }) => (focus(3), stack())],
    ["the session ends", ({ end }) => end()],
  ])("is of no use if before its answer %s", async (_, meanwhile) => {
    const all = looking();
    all.event("stopped", { threadId: 1 });
    meanwhile(all);
    await vi.advanceTimersByTimeAsync(1000);
    expect(all.seen.map(({ frameId }) => frameId)).not.toContain(2);
  });

  const subtle = { presentationHint: "subtle" };
  const deemphasized = { source: { path: "/torch/linear.py", presentationHint: "deemphasize" } };
  test.each<[string, object, string, boolean]>([
    ["the user's own", {}, "exception", true],
    ["a library's", subtle, "exception", false],
    ["a library's", subtle, "pause", false],
    ["a library's", subtle, "breakpoint", true],
    ["a library's", subtle, "step", true],
    ["a library's", subtle, "function breakpoint", true],
    ["one with a source of no interest", deemphasized, "exception", false],
    ["one without a source", { source: undefined }, "breakpoint", false],
  ])("where the top one is %s %j and the stop's reason is %s, is taken: %s", async (_, top, reason, taken) => {
    const { answering, event, seen } = looking();
    answering(top);
    event("stopped", { threadId: 1, reason });
    await atOnce();
    expect(seen).toHaveLength(taken ? 1 : 0);
  });

  test.each<[string, (vscode: object) => unknown]>([
    ["nothing", () => undefined],
    ["the thread", (vscode) => new DebugThread(vscode, 1)],
  ])("stays, however late it is announced, where VS Code looks at %s until then", async (_, item) => {
    const { sessions, vscode, event, stack, focus } = looking();
    stage.focus(item(vscode));
    const places: (string | undefined)[] = [];
    new ActiveFrame(sessions).onDidChange((to) => places.push(to instanceof Frame ? to.place : to));
    event("stopped", { threadId: 1 });
    await vi.advanceTimersByTimeAsync(5000);
    stack();
    focus();
    await vi.advanceTimersByTimeAsync(1000);
    expect(places).toEqual(["/train.py:train"]);
  });

  test.each<[string, (vscode: object) => unknown]>([
    ["nothing", () => undefined],
    ["the thread", (vscode) => new DebugThread(vscode, 1)],
  ])("stays where VS Code announces %s before it, as late as on a busy machine", async (_, item) => {
    const { sessions, vscode, event, stack, focus } = looking();
    const places: (string | undefined)[] = [];
    new ActiveFrame(sessions).onDidChange((to) => places.push(to instanceof Frame ? to.place : to));
    event("stopped", { threadId: 1 });
    await atOnce();
    stage.focus(item(vscode)); // since the program went on
    await vi.advanceTimersByTimeAsync(1000);
    stack();
    focus();
    await vi.advanceTimersByTimeAsync(1000);
    expect(places).toEqual(["/train.py:train"]);
  });

  test("is none when the session ends before it is announced", async () => {
    const { sessions, event, end } = looking();
    const focuses: Focus[] = [];
    new ActiveFrame(sessions).onDidChange((focus) => focuses.push(focus));
    event("stopped", { threadId: 1 });
    await atOnce();
    end();
    await vi.advanceTimersByTimeAsync(1000);
    expect(focuses.map(Boolean)).toEqual([true, false]);
  });

  test("is not missed where the adapter refuses to tell it", async () => {
    const { event, stack, focus, seen, customRequest } = looking();
    customRequest.mockRejectedValue(new Error("unable to find the thread"));
    event("stopped", { threadId: 1 });
    await atOnce();
    expect(seen).toEqual([]);
    stack();
    focus();
    await atOnce();
    expect(seen).toHaveLength(1);
  });
});
