import { CONDITIONS } from "../watchable.ts";
import { EXPRESSION, type InputProperty, type InputSchema } from "./toolInput.ts";

/** A tool as the manifest and the MCP server declare it. */
export interface ToolDeclaration {
  readonly name: ToolName;
  /** The title; the manifest has it, and what it is for, in the user's language. */
  readonly title: string;
  /** What a user is told of it. */
  readonly userDescription: string;
  /** What a model is told of it: it must do without any other text. */
  readonly modelDescription: string;
  readonly inputSchema: InputSchema;
  /** It changes how the program runs. */
  readonly changesRun?: true;
}

const STOP: InputProperty = {
  type: "integer",
  minimum: 1,
  description:
    "The number of the stop, at.stop in an earlier answer, that the question is about. Refused as stale when the program has moved on; left out: whatever stop there is now.",
};

const FRAME: InputProperty = {
  type: "integer",
  minimum: 0,
  description:
    "at.frame in an earlier answer, with stop: refused as stale when the user has selected another frame since.",
};

/** What every question about the stop may have. */
const AT = { stop: STOP, frame: FRAME };

const ABOUT =
  "Only while a Python program is paused in the debugger. Runs no code of the program. Answers name the stop; numbers marked sampled or with exact: false are estimates.";

/** The six tools. */
export const TOOLS = [
  {
    name: "tensors_list",
    title: "List Tensors",
    userDescription: "Lists the variables of the paused frame with shape, dtype, device and statistics",
    modelDescription: `Lists the variables of the paused frame, or what one of them holds: shape, dtype, device, range, NaN and Inf. Ask this first. ${ABOUT}`,
    inputSchema: {
      type: "object",
      additionalProperties: false,
      properties: {
        expression: { ...EXPRESSION, description: `Lists what this value holds. ${EXPRESSION.description}` },
        start: { type: "integer", minimum: 0, description: "The number of the first entry; 0 when left out." },
        ...AT,
      },
    },
  },
  {
    name: "tensor_describe",
    title: "Describe a Tensor",
    userDescription: "Describes one value: facts, statistics, where the first NaN is, what is wrong with it",
    modelDescription: `Describes one value of the paused program: shape, dtype, device, strides, statistics, percentiles, first NaN and Inf, gradient, autograd, storage, and the findings about it. ${ABOUT}`,
    inputSchema: {
      type: "object",
      additionalProperties: false,
      required: ["expression"],
      properties: {
        expression: EXPRESSION,
        picture: { type: "boolean", description: "Whether a small picture of it is wanted beside the text." },
        ...AT,
      },
    },
  },
  {
    name: "tensors_findings",
    title: "Check the Training Step",
    userDescription: "Tells what is wrong with the training step in sight, and explains the exception",
    modelDescription: `Tells what is wrong with the training step at which the program is paused, each with evidence, the line, why it matters and one thing to try, and explains the exception if it stopped at one. tier sure: proven; likely: may be meant. ${ABOUT}`,
    inputSchema: {
      type: "object",
      additionalProperties: false,
      properties: {
        worth_a_look: {
          type: "boolean",
          description: "Whether unusual facts that claim nothing are wanted too, the most unusual first.",
        },
        ...AT,
      },
    },
  },
  {
    name: "tensors_compare",
    title: "Compare Two Values",
    userDescription: "Compares two values of the paused frame: tensors, models, optimizers, dicts",
    modelDescription: `Compares two values of the paused frame, of any depth: tensors, models, state dicts, optimizers, batches. Tells where they differ, the worst first, and whether that is rounding. ${ABOUT}`,
    inputSchema: {
      type: "object",
      additionalProperties: false,
      required: ["a", "b"],
      properties: { a: EXPRESSION, b: EXPRESSION, ...AT },
    },
  },
  {
    name: "tensor_origin",
    title: "Find Where NaN or a Gradient Went Wrong",
    userDescription: "Finds where a NaN began, why a gradient is missing, or how large the gradients of a model are",
    modelDescription: `Of a tensor: in which operation and line its NaN or Inf began, and why it has no gradient. Of a model: its gradients, the worst first, with norms. ${ABOUT}`,
    inputSchema: {
      type: "object",
      additionalProperties: false,
      required: ["expression"],
      properties: { expression: EXPRESSION, ...AT },
    },
  },
  {
    name: "tensor_watch",
    title: "Watch for NaN",
    userDescription: "Stops the program where a value becomes NaN, or grows too large; you confirm it each time",
    modelDescription:
      "Sets, lists or removes watchpoints: the program then stops in the line where a value becomes NaN or Inf (nonfinite), passes a bound (above), or where the loss rises (rises). The user confirms each change. It does not continue the program. Also while the program runs, for the whole program.",
    changesRun: true,
    inputSchema: {
      type: "object",
      additionalProperties: false,
      required: ["action"],
      properties: {
        action: { type: "string", enum: ["set", "list", "remove"], description: "What to do." },
        what: {
          type: "string",
          enum: CONDITIONS,
          description:
            "What is watched for; nonfinite when left out. none: a parameter without gradient at a step; norm: the norm of all gradients passes the bound; rises: the loss by more than the factor; zero, changed, unchanged, metadata: of one value only.",
        },
        bound: {
          type: "number",
          description: "Of above, norm and rises: the largest magnitude, norm or factor that is none.",
        },
        expression: { ...EXPRESSION, description: `Watches this value alone. ${EXPRESSION.description}` },
        gear: {
          type: "string",
          enum: ["light", "exact"],
          description:
            "exact: every operation of the whole program is tested, for NaN and Inf; light: outputs of modules, loss, gradients, parameters. exact when left out, where it can be.",
        },
        id: { type: "integer", minimum: 1, description: "The number of the watchpoint to remove, as list tells it." },
        ...AT,
      },
    },
  },
] as const satisfies readonly ToolDeclaration[];

export type ToolName =
  "tensors_list" | "tensor_describe" | "tensors_findings" | "tensors_compare" | "tensor_origin" | "tensor_watch";

export function toolOf(name: string): ToolDeclaration | undefined {
  return TOOLS.find((one) => one.name === name);
}
