import * as l10n from "@vscode/l10n";
import type { FailureCode } from "../protocol/generated.ts";

/** What the helper said instead of an answer, or, as `unreachable`, why it could not be asked. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: FailureCode | "unreachable" | "lost" | "busy";

  constructor(code: Refusal["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** Why what runs the program's code was not sent: its frame is busy. */
export function notRun(): Refusal {
  return new Refusal("lost", l10n.t("not run: the program is still busy with an earlier request"));
}

/** Why nothing is asked while a cancelled lens still runs: copies stand in the places of the program's models. */
export function stillRuns(): Refusal {
  const message = l10n.t(
    "cancelled, but the program's code still runs and can't be interrupted: Refresh once it has ended",
  );
  return new Refusal("busy", message);
}

export function noReply(): Refusal {
  return new Refusal("lost", l10n.t("the program did not reply"));
}
