import * as v from "valibot";
import type { Answer } from "./generated.ts";

// Only the envelope is checked: what is inside was written by the helper of the same version, and tests hold both to the schema.
const page = v.looseObject({ start: v.number(), total: v.nullable(v.number()), nodes: v.array(v.unknown()) });
const measured = { snapshot: v.number(), ms: v.number(), types: v.array(v.string()) };
const node = v.looseObject({ id: v.number(), name: v.string(), kind: v.string(), type: v.string(), line: v.string() });

const envelope = v.variant("op", [
  v.looseObject({
    op: v.literal("frame"),
    ...measured,
    function: v.string(),
    first_line: v.number(),
    line: v.number(),
    libraries: v.record(v.string(), v.string()),
    rows: page,
    pins: v.array(v.looseObject({ expression: v.string() })),
  }),
  v.looseObject({ op: v.literal("children"), ...measured, node: v.number(), page }),
  v.looseObject({ op: v.picklist(["inspect", "evaluate"]), ...measured, node }),
  v.looseObject({
    op: v.literal("lens"),
    ...measured,
    done: v.boolean(),
    progress: v.number(),
    resume: v.optional(v.number()),
    found: v.optional(v.looseObject({ lens: v.string() })),
    node: v.optional(node),
  }),
  v.looseObject({ op: v.literal("interrupt"), interrupted: v.boolean() }),
  v.looseObject({ op: v.literal("watch"), watchpoints: v.array(v.looseObject({ id: v.number(), hits: v.number() })) }),
  v.looseObject({ op: v.literal("error"), error: v.looseObject({ code: v.string(), message: v.string() }) }),
]);

/** The helper answered something that is not in the contract. */
export class BadAnswer extends Error {
  override readonly name = "BadAnswer";
}

export function parseAnswer(text: string): Answer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BadAnswer(`not JSON: ${excerpt(text)}`);
  }
  const result = v.safeParse(envelope, value);
  if (result.success) return result.output as unknown as Answer;
  const [issue] = result.issues;
  throw new BadAnswer(`${v.getDotPath(issue) ?? "answer"}: ${issue.message} in ${excerpt(text)}`);
}

function excerpt(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
