/** The debug traffic of one window, as the bed's extension recorded it. */
import path from "node:path";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { JsonLines } from "./jsonLines.ts";

export interface DapRecord {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The debug session's id, and its name. */
  readonly session: string;
  readonly name: string;
  readonly from: "client" | "adapter";
  readonly message: DebugProtocol.ProtocolMessage;
}

/** A question for a hover. */
export interface HoverRecord {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** From 1. */
  readonly line: number;
  /** From 0. */
  readonly character: number;
}

/** Milliseconds after which the extension takes a request without a reply for lost, and sends it again. */
const LOST = 2000;

/** As much of a request to the helper as is read here. */
interface HelperRequest {
  readonly op: string;
  readonly expression?: string;
  /** The snapshot that a lens reads. */
  readonly snapshot?: number;
  readonly pins?: readonly { readonly expression: string; readonly record_after?: number }[];
  /** Set for a lens's second slice and those after it. */
  readonly resume?: number;
}

/** The request to the helper that an expression carries; undefined for what others evaluate. */
function helperRequestIn(expression: string): HelperRequest | undefined {
  if (!expression.endsWith("# tensor-inspector")) return undefined;
  const request = /\.call\('([^']+)'\)/.exec(expression)?.[1];
  if (request === undefined) return { op: "inject" };
  return JSON.parse(Buffer.from(request, "base64").toString()) as HelperRequest;
}

/** The request to the helper that an expression carries, in a word or two: `inject`, `frame`, `inspect a.b`. */
export function requestTextIn(expression: string): string | undefined {
  const request = helperRequestIn(expression);
  return request?.expression === undefined ? request?.op : `${request.op} ${request.expression}`;
}

export class Recording {
  readonly #messages: JsonLines<DapRecord>;
  readonly #hovers: JsonLines<HoverRecord>;

  /** Records what is said from now on. */
  constructor(home: string) {
    this.#messages = new JsonLines(path.join(home, "dap.jsonl"));
    this.#hovers = new JsonLines(path.join(home, "hovers.jsonl"));
  }

  /** Everything that was said so far, oldest first. */
  all(): readonly DapRecord[] {
    return this.#messages.all();
  }

  /** Where VS Code asked extensions for a hover, in order. */
  hoversAsked(): readonly HoverRecord[] {
    return this.#hovers.all();
  }

  /** What VS Code and its extensions requested; with a command's name, that one only. */
  requests(command?: string): DebugProtocol.Request[] {
    return this.#ofType<DebugProtocol.Request>("request").filter(
      (request) => (command ?? request.command) === request.command,
    );
  }

  responses(command: string): DebugProtocol.Response[] {
    return this.#ofType<DebugProtocol.Response>("response").filter((response) => response.command === command);
  }

  events(event: string): DebugProtocol.Event[] {
    return this.#ofType<DebugProtocol.Event>("event").filter((message) => message.event === event);
  }

  /** The expressions that were evaluated, in order. */
  evaluated(): string[] {
    return this.requests("evaluate").map(({ arguments: args }) => (args as DebugProtocol.EvaluateArguments).expression);
  }

  /** Whether the debugger has answered to an expression, be it with an error. */
  hasAnswered(expression: string): boolean {
    const asked = new Set<string>(); // session and number
    return this.all().some(({ session, from, message }) => {
      const { command, arguments: args } = message as DebugProtocol.EvaluateRequest;
      if (from === "client" && message.type === "request" && command === "evaluate" && args.expression === expression)
        asked.add(`${session} ${message.seq}`);
      const { request_seq: request } = message as DebugProtocol.Response;
      return from === "adapter" && message.type === "response" && asked.has(`${session} ${request}`);
    });
  }

  /** How many requests for this the helper has answered, such as `watch`. */
  answered(request: string): number {
    return this.evaluated().filter((one) => requestTextIn(one) === request && this.hasAnswered(one)).length;
  }

  /** The requests to the helper, in order: `inject`, `frame`, `children`, `inspect a.b`, `evaluate f(x)`. */
  helperRequests(): string[] {
    return this.evaluated().flatMap((expression) => requestTextIn(expression) ?? []);
  }

  /** The same, but of a lens's slices only the first. */
  helperRequestsBegun(): string[] {
    return this.evaluated().flatMap((expression) => {
      const isLaterSlice = helperRequestIn(expression)?.resume !== undefined;
      return isLaterSlice ? [] : (requestTextIn(expression) ?? []);
    });
  }

  /** The pins that the helper was last asked to record at each step. */
  recordedPins(): string[] {
    const frame = this.evaluated()
      .map(helperRequestIn)
      .findLast((request) => request?.op === "frame");
    return (frame?.pins ?? []).flatMap((pin) => (pin.record_after === undefined ? [] : [pin.expression]));
  }

  /** Whether a lens has been answered to its end since a program stopped last, as the check of its step is. */
  isChecked(): boolean {
    let isChecked = false;
    for (const { message } of this.all()) {
      const { event, command, body } = message as DebugProtocol.Event & DebugProtocol.Response;
      if (event === "stopped") isChecked = false;
      const reply = command === "evaluate" ? ((body as { result?: string } | undefined)?.result ?? "") : "";
      isChecked ||= reply.startsWith('{"op":"lens"') && reply.includes('"done":true');
    }
    return isChecked;
  }

  /** The requests about values: all but lenses, which look for findings when a stop has lasted for a moment. */
  valueRequests(): string[] {
    return this.helperRequests().filter((request) => request !== "lens");
  }

  /**
   * Lenses that were begun twice of one snapshot, though none can have been lost: each by the age of the frame's answer then,
   * in milliseconds. No lens is sent before that answer, so while it is young none has waited long enough to be lost.
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
      const sent = command === "evaluate" && message.type === "request" ? helperRequestIn(args.expression) : undefined;
      if (sent?.op === "frame") frames.set(session, { seq: message.seq, lenses: new Set() });
      if (sent?.op !== "lens" || sent.resume !== undefined || frame === undefined) continue;
      const age = at - (frame.answered ?? at);
      if (frame.lenses.has(sent.snapshot) && age < LOST) repeated.push(age);
      frame.lenses.add(sent.snapshot);
    }
    return repeated;
  }

  /**
   * The requests to the helper that were sent while an earlier one had no reply yet. Not where that may have been taken for
   * lost; half of that time is allowed here, since a request also waits before it is recorded. Nor where the earlier one is an
   * evaluate, which may take its time while others are sent beside it; and an interrupt waits for nothing.
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
      const sent = command === "evaluate" && message.type === "request" ? requestTextIn(args.expression) : undefined;
      if (sent === undefined || sent === "interrupt") continue;
      const before = open.get(session);
      if (before !== undefined && at - before.at < LOST / 2) found.push(sent);
      if (!sent.startsWith("evaluate ")) open.set(session, { seq: message.seq, at });
    }
    return found;
  }

  /** What programs have printed. */
  stdout(): string {
    const outputs = this.events("output").map(({ body }) => body as DebugProtocol.OutputEvent["body"]);
    return outputs.map(({ category, output }) => (category === "stdout" ? output : "")).join("");
  }

  #ofType<T extends DebugProtocol.ProtocolMessage>(type: T["type"]): T[] {
    return this.all().flatMap(({ message }) => (message.type === type ? [message as T] : []));
  }
}
