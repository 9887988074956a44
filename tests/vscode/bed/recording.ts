/** The debug traffic of one window, as the bed's extension recorded it. */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import path from "node:path";
import type { DebugProtocol } from "@vscode/debugprotocol";

export interface DapRecord {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The debug session's id, and its name. */
  readonly session: string;
  readonly name: string;
  readonly from: "client" | "adapter";
  readonly message: DebugProtocol.ProtocolMessage;
}

/** Milliseconds after which the extension takes a request without a reply for lost, and asks again. */
const LOST = 2000;

/** What is read here of a request of ours. */
interface Asked {
  readonly op: string;
  readonly expression?: string;
  /** What a lens reads: the frame as it was answered last. */
  readonly snapshot?: number;
  /** Set where a lens goes on. */
  readonly resume?: number;
}

/** A request of ours; undefined for what others evaluate. */
function requestIn(expression: string): Asked | undefined {
  if (!expression.endsWith("# tensor-inspector")) return undefined;
  const request = /\.call\('([^']+)'\)/.exec(expression)?.[1];
  if (request === undefined) return { op: "inject" };
  return JSON.parse(Buffer.from(request, "base64").toString()) as Asked;
}

/** What it asks. */
export function questionIn(text: string): string | undefined {
  const request = requestIn(text);
  return request?.expression === undefined ? request?.op : `${request.op} ${request.expression}`;
}

export class Recording {
  readonly #file: string;
  readonly #records: DapRecord[] = [];
  #bytesRead = 0;

  /** Records what is said from now on. */
  constructor(home: string) {
    this.#file = path.join(home, "dap.jsonl");
    this.#bytesRead = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Everything so far, oldest first. */
  all(): readonly DapRecord[] {
    const size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    if (size === this.#bytesRead) return this.#records;
    const fresh = readFrom(this.#file, this.#bytesRead, size);
    const complete = fresh.subarray(0, fresh.lastIndexOf("\n") + 1); // the last line may still be being written
    this.#bytesRead += complete.length;
    const lines = complete.toString().split("\n").filter(Boolean);
    this.#records.push(...lines.map((line) => JSON.parse(line) as DapRecord));
    return this.#records;
  }

  /** What VS Code and its extensions requested; with a command's name, that one only. */
  requests(command?: string): DebugProtocol.Request[] {
    return this.#messages<DebugProtocol.Request>("request").filter(
      (request) => (command ?? request.command) === request.command,
    );
  }

  responses(command: string): DebugProtocol.Response[] {
    return this.#messages<DebugProtocol.Response>("response").filter((response) => response.command === command);
  }

  events(event: string): DebugProtocol.Event[] {
    return this.#messages<DebugProtocol.Event>("event").filter((message) => message.event === event);
  }

  /** The expressions that were evaluated, in order. */
  evaluated(): string[] {
    return this.requests("evaluate").map(({ arguments: args }) => (args as DebugProtocol.EvaluateArguments).expression);
  }

  /** What our extension asked of the program, in order: `inject`, `frame`, `children`, `inspect a.b`, `evaluate f(x)`. */
  questions(): string[] {
    return this.evaluated().flatMap((expression) => questionIn(expression) ?? []);
  }

  /** The same, but of a lens that takes several requests only the first. */
  begun(): string[] {
    return this.evaluated().flatMap((expression) => {
      const isSlice = requestIn(expression)?.resume !== undefined;
      return isSlice ? [] : (questionIn(expression) ?? []);
    });
  }

  /** All without what lenses are asked, as for findings when a stop has stood for a moment. */
  valueQuestions(): string[] {
    return this.questions().filter((question) => question !== "lens");
  }

  /**
   * After how many milliseconds a lens was begun a second time of one snapshot, with no other frame in between, where none
   * can have been lost by then. Each is asked after the frame's answer, so before that is so old, none can have waited for
   * so long.
   */
  lensesRepeated(): number[] {
    const frames = new Map<string, { seq: number; answered?: number; lenses: Set<number | undefined> }>(); // by session
    const repeated: number[] = [];
    for (const { at, session, message } of this.all()) {
      const frame = frames.get(session);
      if (message.type === "response") {
        const { request_seq: request } = message as DebugProtocol.Response;
        if (frame?.seq === request) frame.answered = at;
      }
      const { command, arguments: args } = message as DebugProtocol.EvaluateRequest;
      const asked = command === "evaluate" && message.type === "request" ? requestIn(args.expression) : undefined;
      if (asked?.op === "frame") frames.set(session, { seq: message.seq, lenses: new Set() });
      if (asked?.op !== "lens" || asked.resume !== undefined || frame === undefined) continue;
      const age = at - (frame.answered ?? at);
      if (frame.lenses.has(asked.snapshot) && age < LOST) repeated.push(age);
      frame.lenses.add(asked.snapshot);
    }
    return repeated;
  }

  /**
   * Our questions that were sent while another one of ours was still to be answered, and was too young to be taken for lost:
   * half as old, since it waits before it is recorded too. What the user asked to be run may take its time, and is gone
   * around; interrupting it waits for nothing.
   */
  overlapping(): string[] {
    const open = new Map<string, { seq: number; at: number }>(); // by session
    const found: string[] = [];
    for (const { at, session, message } of this.all()) {
      if (message.type === "response") {
        const { request_seq: request } = message as DebugProtocol.Response;
        if (open.get(session)?.seq === request) open.delete(session);
      }
      const { command, arguments: args } = message as DebugProtocol.EvaluateRequest;
      const question = command === "evaluate" && message.type === "request" ? questionIn(args.expression) : undefined;
      if (question === undefined || question === "interrupt") continue;
      const before = open.get(session);
      if (before !== undefined && at - before.at < LOST / 2) found.push(question);
      if (!question.startsWith("evaluate ")) open.set(session, { seq: message.seq, at });
    }
    return found;
  }

  /** What programs have printed. */
  stdout(): string {
    const outputs = this.events("output").map(({ body }) => body as DebugProtocol.OutputEvent["body"]);
    return outputs.map(({ category, output }) => (category === "stdout" ? output : "")).join("");
  }

  #messages<T extends DebugProtocol.ProtocolMessage>(type: T["type"]): T[] {
    return this.all().flatMap(({ message }) => (message.type === type ? [message as T] : []));
  }
}

function readFrom(file: string, start: number, end: number): Buffer {
  const opened = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(end - start);
    return bytes.subarray(0, readSync(opened, bytes, 0, bytes.length, start));
  } finally {
    closeSync(opened);
  }
}
