import { isStatic } from "../python.ts";

/** What a tool takes, as JSON Schema says it: an object of texts, numbers and truths. */
export interface InputSchema {
  readonly type: "object";
  readonly additionalProperties: false;
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, InputProperty>>;
}

/** One field of an input. */
export interface InputProperty {
  readonly type: "string" | "integer" | "number" | "boolean";
  readonly description: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maxLength?: number;
}

export type ToolInput = Readonly<Record<string, string | number | boolean | undefined>>;

/** The longest expression that is taken. */
export const LONGEST_EXPRESSION = 500;

/** An expression of the paused frame. */
export const EXPRESSION: InputProperty = {
  type: "string",
  maxLength: LONGEST_EXPRESSION,
  description:
    "A variable, or what attributes and constant subscripts reach from one: x, model.fc.weight, batch['image'], states[0]. No calls, no operators: no code is run.",
};

/**
 * Why an input does not fit, in a sentence; undefined where it does. VS Code passes on what a model wrote, whatever the
 * schema in the manifest says.
 */
export function problemOf(schema: InputSchema, input: unknown): string | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return "The input must be an object.";
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const names = Object.keys(schema.properties);
  for (const [name, value] of given) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    const known = names.length === 0 ? "this tool takes none" : `it takes ${names.join(", ")}`;
    if (property === undefined) return `There is no input of the name ${JSON.stringify(name.slice(0, 40))}: ${known}.`;
    const problem = problemOfValue(property, value);
    if (problem !== undefined) return `"${name}" ${problem}.`;
  }
  const missing = (schema.required ?? []).find((name) => !given.some(([one]) => one === name));
  return missing === undefined ? undefined : `"${missing}" is missing.`;
}

function problemOfValue(property: InputProperty, value: unknown): string | undefined {
  const { type, enum: choices, minimum, maxLength } = property;
  if (type === "integer" ? !Number.isSafeInteger(value) : typeof value !== type) return `must be of type ${type}`;
  if (typeof value === "number" && !Number.isFinite(value)) return "must be finite";
  if (typeof value === "number" && minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
  if (typeof value !== "string") return undefined;
  if (choices !== undefined && !choices.includes(value)) return `must be one of ${choices.join(", ")}`;
  if (maxLength !== undefined && value.length > maxLength) return `must have at most ${maxLength} characters`;
  if (property === EXPRESSION && !isStatic(value)) {
    return "must be a variable, or attributes and constant subscripts of one: no code is run";
  }
  return undefined;
}
