import type { DebugProtocol } from "@vscode/debugprotocol";

/** A request `evaluate` of ours that is not answered yet. */
interface Evaluation {
  readonly expression: string;
  readonly onLeft: () => void;
  /** The request's number, once the tracker has seen it leave. */
  seq?: number;
  reply?: (result: string) => void;
}

/** Replies to our requests `evaluate`, taken as soon as the tracker sees them. */
export class Replies {
  readonly #pending = new Set<Evaluation>();

  /** The reply to an expression: as the tracker sees it, or as VS Code passes it on, whichever comes first. */
  async earliest(expression: string, passedOn: () => PromiseLike<string>, onLeft: () => void): Promise<string> {
    const one: Evaluation = { expression, onLeft };
    this.#pending.add(one);
    const seen = new Promise<string>((resolve) => (one.reply = resolve));
    try {
      return await Promise.race([seen, passedOn()]);
    } finally {
      this.#pending.delete(one);
    }
  }

  /** The tracker has seen a request leave for the adapter. One of ours is known by its text. */
  requestSent({ seq, arguments: { expression } }: DebugProtocol.EvaluateRequest): void {
    const ours = [...this.#pending].find((one) => one.seq === undefined && one.expression === expression);
    if (ours === undefined) return;
    ours.seq = seq;
    ours.onLeft();
  }

  /** The tracker has seen a response. Why a request failed is left to VS Code to say. */
  responseReceived({ request_seq, success, body }: DebugProtocol.EvaluateResponse): void {
    if (success) [...this.#pending].find(({ seq }) => seq === request_seq)?.reply?.(body.result);
  }

  /** The program continued or stopped anew: late replies are left to VS Code, which passes on those that come at all. */
  clear(): void {
    this.#pending.clear();
  }
}
