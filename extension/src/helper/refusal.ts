import * as l10n from "@vscode/l10n";
import type { FailureCode } from "../protocol/generated.ts";

/** What the helper said instead of an answer, or, as `unreachable`, why it could not be asked. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: FailureCode | "unreachable" | "lost";

  constructor(code: Refusal["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** What runs the program's code is not sent to a frame that is busy. */
export function notRun(): Refusal {
  return new Refusal("lost", l10n.t("not run: the program is busy with what was asked before"));
}

export function noReply(): Refusal {
  return new Refusal("lost", l10n.t("the program did not reply"));
}
