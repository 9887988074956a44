/** Waiting for a condition, never for a time: with a limit, and with words for what did not come. */
import { setTimeout as sleep } from "node:timers/promises";

export const patience = 20_000;

/** Asks until the answer is neither undefined nor false, and returns it. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  limit = patience,
): Promise<T> {
  const deadline = Date.now() + limit;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${limit / 1000} s for ${what}`);
    await sleep(25);
  }
}
