/** The debug traffic of one window, as the bed's extension recorded it. */
import { existsSync, readFileSync } from "node:fs";
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

export class Recording {
  readonly #file: string;
  readonly #records: DapRecord[] = [];
  #bytesRead = 0;

  constructor(home: string) {
    this.#file = path.join(home, "dap.jsonl");
  }

  /** Everything so far, oldest first. */
  all(): readonly DapRecord[] {
    if (!existsSync(this.#file)) return [];
    const fresh = readFileSync(this.#file).subarray(this.#bytesRead);
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

  #messages<T extends DebugProtocol.ProtocolMessage>(type: T["type"]): T[] {
    return this.all().flatMap(({ message }) => (message.type === type ? [message as T] : []));
  }
}
