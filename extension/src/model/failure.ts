import { Refusal } from "../helper/refusal.ts";

/** Why something could not be had: a code for who acts on it, and the reason in words. */
export interface Failure {
  readonly code: Refusal["code"];
  readonly message: string;
}

/** The failure that an error tells of. One that is no refusal is a fault of ours, or of the debugger. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Refusal) return { code: error.code, message: error.message };
  return { code: "internal", message: error instanceof Error ? error.message : String(error) };
}
