import type { DebugProtocol } from "@vscode/debugprotocol";

/** An evaluate of ours under way; its number once it has been seen to leave. */
interface Evaluation {
  readonly expression: string;
  readonly onLeft: () => void;
  seq?: number;
  reply?: (result: string) => void;
}

/** Replies to our evaluates, taken as soon as the tracker hears them. */
export class Replies {
  readonly #underWay = new Set<Evaluation>();

  /** The reply to an expression that is about to be sent, if it is heard before `brought` is there. */
  async first(expression: string, brought: () => PromiseLike<string>, onLeft: () => void): Promise<string> {
    const one: Evaluation = { expression, onLeft };
    this.#underWay.add(one);
    const heard = new Promise<string>((resolve) => (one.reply = resolve));
    try {
      return await Promise.race([heard, brought()]);
    } finally {
      this.#underWay.delete(one);
    }
  }

  /** A request is on its way to the adapter: one of ours is known by its text. */
  sends({ seq, arguments: { expression } }: DebugProtocol.EvaluateRequest): void {
    const asked = [...this.#underWay].find((one) => one.seq === undefined && one.expression === expression);
    if (asked === undefined) return;
    asked.seq = seq;
    asked.onLeft();
  }

  /** What the adapter replies. Why a request failed is left to VS Code to say. */
  hears({ request_seq, success, body }: DebugProtocol.EvaluateResponse): void {
    if (success) [...this.#underWay].find(({ seq }) => seq === request_seq)?.reply?.(body.result);
  }

  /** The program went on or stopped anew: what is late is left to VS Code, which brings those replies that come at all. */
  clear(): void {
    this.#underWay.clear();
  }
}
