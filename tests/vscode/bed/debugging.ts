/** Starting, stepping and stopping a debug session, with the keys that a user presses. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import type { DebugProtocol } from "@vscode/debugprotocol";
import type { Breakpoint, Channel, LaunchConfig } from "./channel.ts";
import type { Editor } from "./editor.ts";
import type { Recording } from "./recording.ts";
import { patience, until } from "./wait.ts";

export class Debugging {
  readonly #page: Page;
  readonly #channel: Channel;
  readonly #recording: Recording;
  readonly #editor: Editor;
  readonly #workspace: string;
  #breakpoints: readonly Breakpoint[] = [];

  constructor(page: Page, channel: Channel, recording: Recording, editor: Editor, workspace: string) {
    this.#page = page;
    this.#channel = channel;
    this.#recording = recording;
    this.#editor = editor;
    this.#workspace = workspace;
  }

  /** Sets a breakpoint on each line of the program marked `# STOP`, starts it, and waits for the first stop: its line. */
  async start(program: string, config: Partial<LaunchConfig> = {}): Promise<number> {
    const file = path.join(this.#workspace, program);
    await this.breakAt(program, markedLines(file));
    return this.stopAfter(() =>
      this.launch({ type: "debugpy", request: "launch", name: program, program: file, ...config }),
    );
  }

  /**
   * Starts a program that runs these others, one after the other, and waits for the first of their lines `# STOP`, or of
   * these breakpoints in them.
   */
  async startAll(driver: string, programs: readonly string[], more: readonly Breakpoint[] = []): Promise<number> {
    const inWorkspace = (program: string): string => path.join(this.#workspace, program);
    const marked = [...new Set(programs)].flatMap((program) =>
      markedLines(inWorkspace(program)).map((line) => ({ file: inWorkspace(program), line })),
    );
    await this.#setBreakpoints([...marked, ...more.map((one) => ({ ...one, file: inWorkspace(one.file) }))]);
    const program = path.join(this.#workspace, driver);
    return this.stopAfter(() =>
      this.launch({ type: "debugpy", request: "launch", name: driver, program, args: programs }),
    );
  }

  /** Starts a session without waiting for a stop. */
  launch(config: LaunchConfig): Promise<void> {
    return this.#channel.startDebugging(config);
  }

  /** Breakpoints on these lines of the file, and no others anywhere. */
  async breakAt(program: string, lines: readonly number[]): Promise<void> {
    const file = path.join(this.#workspace, program);
    await this.#setBreakpoints(lines.map((line) => ({ file, line })));
  }

  /** Does what makes the program stop (again), and waits until the stop shows in the editor: its line. */
  async stopAfter(action: () => Promise<void>, limit = patience): Promise<number> {
    const before = this.stops();
    await action();
    await until("the program to stop", () => this.stops() > before, limit);
    const { line } = await this.stoppedAt();
    await until(`line ${line} to be marked`, async () => (await this.#editor.markedLine()) === line);
    return line;
  }

  /** Where the program has stopped last. */
  async stoppedAt(): Promise<{ readonly file: string; readonly line: number }> {
    const { source, line } = await until("the stop's stack", () => this.#topOfLastStop());
    return { file: source?.path ?? "", line };
  }

  /** How often a program has stopped in this window. */
  stops(): number {
    return this.#recording.events("stopped").length;
  }

  continueToStop(): Promise<number> {
    return this.stopAfter(() => this.#press("F5"));
  }

  stepOver(): Promise<number> {
    return this.stopAfter(() => this.#press("F10"));
  }

  stepInto(): Promise<number> {
    return this.stopAfter(() => this.#press("F11"));
  }

  stepOut(): Promise<number> {
    return this.stopAfter(() => this.#press("Shift+F11"));
  }

  /** Past all breakpoints. */
  async continueToEnd(): Promise<void> {
    await this.#setBreakpoints([]);
    await this.#page.keyboard.press("F5");
    await this.waitForEnd();
  }

  /** Ends every session of the window. */
  async stop(): Promise<void> {
    await this.#channel.stopDebugging();
    await this.waitForEnd();
  }

  async waitForEnd(): Promise<void> {
    await until("the session's end", async () => !(await this.#isOn()));
  }

  /** VS Code takes these keys only while it knows that the program is paused, which may be later than we know it. */
  async #press(key: string): Promise<void> {
    await this.#page.locator(".debug-toolbar .codicon-debug-continue").waitFor();
    await this.#page.keyboard.press(key);
  }

  #isOn(): Promise<boolean> {
    return this.#page.locator(".debug-toolbar").isVisible();
  }

  /** VS Code tells the debugger about changed breakpoints a moment later. */
  async #setBreakpoints(breakpoints: readonly Breakpoint[]): Promise<void> {
    const known = this.#breakpoints;
    const told = this.#recording.responses("setBreakpoints").length;
    this.#breakpoints = breakpoints;
    const before = await this.#channel.setBreakpoints(breakpoints);
    const isSame = before === known.length && JSON.stringify(breakpoints) === JSON.stringify(known);
    if (isSame || !(await this.#isOn())) return;
    await until(
      "the debugger to know the breakpoints",
      () => this.#recording.responses("setBreakpoints").length > told,
    );
  }

  /** The top frame, once VS Code has asked for the stack after the last stop. */
  #topOfLastStop(): DebugProtocol.StackFrame | undefined {
    const messages = this.#recording.all().map(({ message }) => message as DapMessage);
    const sinceStop = messages.slice(messages.findLastIndex(({ event }) => event === "stopped"));
    // A request for deeper frames may still be about the stop before, and gets no answer.
    const request = sinceStop.find(
      ({ type, command, arguments: args }) => type === "request" && command === "stackTrace" && args?.startFrame === 0,
    );
    const answer =
      request && sinceStop.find(({ type, request_seq: seq }) => type === "response" && seq === request.seq);
    return answer?.body?.stackFrames?.[0];
  }
}

/** What is read here of requests, responses and events. */
interface DapMessage extends DebugProtocol.ProtocolMessage {
  readonly event?: string;
  readonly command?: string;
  readonly request_seq?: number;
  readonly arguments?: DebugProtocol.StackTraceArguments;
  readonly body?: DebugProtocol.StackTraceResponse["body"];
}

/** The numbers of the lines marked `# STOP`. */
export function markedLines(file: string): number[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line, index) => (line.includes("# STOP") ? [index + 1] : []));
}
