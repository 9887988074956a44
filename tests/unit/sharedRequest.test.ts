/** Questions that several ask. */
import { expect, test } from "vitest";
import { SharedRequest } from "../../extension/src/model/sharedRequest.ts";
import { deferred } from "./fixtures.ts";

test("an answer that comes when nobody waits any more is kept for who asks later", async () => {
  const reply = deferred<string>();
  const leaving = new AbortController();
  const shared = new SharedRequest(() => reply.promise, leaving.signal);
  leaving.abort();
  expect(shared.join(), "it was given up").toBe(false);
  reply.resolve("answer");
  expect(await shared.answer).toBe("answer");
  expect(shared.join()).toBe(true);
});

test("who leaves after the answer ends nothing", async () => {
  const leaving = new AbortController();
  let wanted: AbortSignal | undefined;
  const shared = new SharedRequest((signal) => ((wanted = signal), Promise.resolve("answer")), leaving.signal);
  await shared.answer;
  leaving.abort();
  expect(wanted?.aborted).toBe(false);
});
