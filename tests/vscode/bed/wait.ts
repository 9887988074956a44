/** Waiting for a condition, never for a time: with a limit, and with words for what did not come. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Locator } from "playwright-core";

/** Milliseconds; generous, for a busy machine: reaching it is a failure, never a way to go on. */
export const patience = 60_000;

/** Milliseconds between two questions: more and more, since each takes the machine's time from what is waited for. */
const pauses = { first: 20, growth: 1.2, longest: 200 };

/** Asks until the answer is neither undefined nor false, and returns it. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  limit = patience,
): Promise<T> {
  const deadline = Date.now() + limit;
  for (let pause = pauses.first; ; pause = Math.min(pause * pauses.growth, pauses.longest)) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${limit / 1000} s for ${what}`);
    await sleep(pause);
  }
}

/** The text of the first element, as it is now; undefined where there is none. It waits for nothing: what was there a moment ago may be gone. */
export async function textNow(element: Locator): Promise<string | undefined> {
  return (await element.allInnerTexts())[0]?.trim();
}
