import * as l10n from "@vscode/l10n";
import { Cancelled } from "../../debug/queue.ts";
import type { Sessions } from "../../debug/sessions.ts";
import { Refusal } from "../../helper/refusal.ts";
import type { NodeAnswer } from "../../protocol/generated.ts";
import { findingsIn, observationsIn } from "../checks.ts";
import type { Contents } from "../contents.ts";
import type { Dismissed } from "../dismissed.ts";
import { failureOf } from "../failure.ts";
import { findingsAbout } from "../findingRows.ts";
import type { Inspector } from "../inspector.ts";
import type { Lenses } from "../lenses.ts";
import type { Subject } from "../questions.ts";
import { watchedFor } from "../watchpointRows.ts";
import type { Watchpoints } from "../watchpoints.ts";
import { asJson } from "./boundedText.ts";
import { findingsTold, findingTold } from "./findingsTold.ts";
import { problemOf, type ToolInput } from "./toolInput.ts";
import { failedReply, placeOfAnswer, replied, ToolFailure, type ToolReply } from "./toolReply.ts";
import { type ToolName, toolOf } from "./tools.ts";
import { describedValue, valueOf } from "./values.ts";
import { watchedOfProgram, watchedOfValue, watchpointTold } from "./watching.ts";

/** What the tools ask. */
export interface AssistantParts {
  readonly inspector: Pick<Inspector, "settled" | "frame" | "trouble" | "inspect" | "facts">;
  readonly lenses: Pick<Lenses, "answer">;
  readonly sessions: Pick<Sessions, "all">;
  readonly watchpoints: Pick<Watchpoints, "all" | "watch" | "remove">;
  readonly dismissed: Pick<Dismissed, "rulesAt">;
  /** Whether assistants may read what strings, keys and objects of the program hold. */
  readonly settings: { readonly assistantTexts: boolean };
}

/** Asks the user whether a watchpoint may be set or removed: `doing` says what, in a sentence. */
export type Consent = (doing: string) => Promise<boolean>;

/** One call of a tool, at one stop. */
interface ToolCall {
  readonly input: ToolInput;
  readonly contents: Contents;
  readonly signal: AbortSignal;
}

/** How many values one answer lists. */
const MOST_VALUES = 60;

/** Answers the six tools about the frame that the user looks at. It changes nothing but watchpoints, and shows nothing. */
export class Assistant {
  readonly #parts: AssistantParts;
  readonly #asks: Readonly<Record<Exclude<ToolName, "tensor_watch">, (call: ToolCall) => Promise<ToolReply>>> = {
    tensors_list: (call) => this.#list(call),
    tensor_describe: (call) => this.#describe(call),
    tensors_findings: (call) => this.#findings(call),
    tensors_compare: (call) => this.#compare(call),
    tensor_origin: (call) => this.#origin(call),
  };

  constructor(parts: AssistantParts) {
    this.#parts = parts;
  }

  /** The answer of a tool, or in its place why there is none: it never throws. */
  async call(name: string, input: unknown, signal: AbortSignal, consent: Consent): Promise<ToolReply> {
    try {
      const tool = toolOf(name);
      if (tool === undefined) throw new ToolFailure("bad_input", "There is no tool of this name.");
      const problem = problemOf(tool.inputSchema, input);
      if (problem !== undefined) throw new ToolFailure("bad_input", problem);
      const given = input as ToolInput;
      if (tool.name === "tensor_watch") return await this.#watch(given, signal, consent);
      return await this.#asks[tool.name]({ input: given, contents: await this.#paused(given), signal });
    } catch (error) {
      if (error instanceof Cancelled) return failedReply(this.#wentOn(signal));
      return failedReply(error instanceof ToolFailure ? error : failureOf(error));
    }
  }

  #wentOn({ aborted }: AbortSignal): ToolFailure {
    if (aborted) return new ToolFailure("cancelled", "Cancelled.");
    return new ToolFailure("stale", "The program went on before it was answered. Ask again at its next stop.");
  }

  /** What is known of the frame that the user looks at, at the stop that was meant. */
  async #paused({ stop }: ToolInput): Promise<Contents> {
    const { inspector, sessions } = this.#parts;
    const contents = await inspector.settled();
    if (contents !== undefined) {
      const now = contents.frame.stop;
      if (stop === undefined || stop === now) return contents;
      throw new ToolFailure("stale", `Stop ${stop} is over: the program is at stop ${now} now. List its values anew.`);
    }
    if (inspector.trouble !== undefined) throw new ToolFailure("unreachable", inspector.trouble);
    if (sessions.all.length === 0) {
      throw new ToolFailure("no_session", "No Python program is being debugged. Start one with the debugger first.");
    }
    throw new ToolFailure("running", "The program runs, or no frame of it is selected. Ask again once it has stopped.");
  }

  async #inspect(expression: string, { contents, signal }: Omit<ToolCall, "input">): Promise<NodeAnswer> {
    const answer = await this.#parts.inspector.inspect({ expression }, signal, contents);
    if (answer === undefined) throw new Cancelled();
    if ("code" in answer) throw new Refusal(answer.code, answer.message);
    return answer;
  }

  async #list({ input, contents, signal }: ToolCall): Promise<ToolReply> {
    const { expression, start = 0 } = input;
    const below = expression === undefined ? undefined : await this.#inspect(String(expression), { contents, signal });
    const of = below && { snapshot: below.snapshot, node: below.node.id };
    const page = await this.#parts.inspector.facts(contents, Number(start), MOST_VALUES, signal, of);
    const values = page.nodes.filter(({ kind }) => kind !== "group").map((one) => valueOf(one, this.#texts));
    const next = page.start + page.nodes.length;
    const { libraries } = contents.answer;
    const more = page.total === null || next < page.total ? { next_start: next, total: page.total } : {};
    return replied(placeOfAnswer(contents), { libraries, ...more, values }, "values");
  }

  async #describe({ input, contents, signal }: ToolCall): Promise<ToolReply> {
    const expression = String(input["expression"]);
    const { node } = await this.#inspect(expression, { contents, signal });
    const findings = findingsAbout(contents, expression).map(findingTold);
    const value = describedValue(node, this.#texts);
    const told = { ...value, ...(findings.length === 0 ? {} : { findings }) };
    const reply = replied(placeOfAnswer(contents), { expression, ...told }, "holds");
    const png = input["picture"] === true ? node.facts?.thumbnail?.png : undefined;
    return png === undefined ? reply : { ...reply, png };
  }

  async #findings({ input, contents, signal }: ToolCall): Promise<ToolReply> {
    const { frame } = contents;
    const ignore = this.#parts.dismissed.rulesAt(contents.place).join(" ");
    const options = { thorough: true, ignore, stop: frame.stop };
    const found = findingsIn(await this.#parts.lenses.answer("findings", {}, frame, options, signal));
    if (found === undefined) throw new Cancelled();
    const isWanted = input["worth_a_look"] === true;
    const observed = isWanted
      ? observationsIn(await this.#parts.lenses.answer("observations", {}, frame, { ignore }, signal))
      : undefined;
    return replied(placeOfAnswer(contents), findingsTold(found, observed), "findings");
  }

  async #compare({ input, contents, signal }: ToolCall): Promise<ToolReply> {
    const [a, b] = [subjectOf(input["a"]), subjectOf(input["b"])];
    const { found } = await this.#parts.lenses.answer("compare", { a, b }, contents.frame, {}, signal);
    if (found?.lens !== "compare") throw new Cancelled();
    const { lens: _lens, worst, ...told } = found;
    return replied(placeOfAnswer(contents), { a: a.name, b: b.name, ...told, worst }, "worst");
  }

  /** Of a model its gradients; of a tensor where NaN began, and why it has no gradient. */
  async #origin({ input, contents, signal }: ToolCall): Promise<ToolReply> {
    const subject = subjectOf(input["expression"]);
    const { node } = await this.#inspect(subject.name, { contents, signal });
    const can = node.lenses ?? [];
    const ask = async (lens: "gradients" | "nan_origin" | "no_gradient", value: string): Promise<unknown> => {
      if (!can.includes(lens)) return undefined;
      const { found } = await this.#parts.lenses.answer(lens, { [value]: subject }, contents.frame, {}, signal);
      return found;
    };
    const gradients = await ask("gradients", "model");
    const told = {
      gradients,
      nan_origin: await ask("nan_origin", "tensor"),
      no_gradient: gradients === undefined ? await ask("no_gradient", "parameter") : undefined,
    };
    if (Object.values(told).every((one) => one === undefined)) {
      throw new ToolFailure("bad_input", `${subject.name} is no tensor or model that has gradients or NaN to follow.`);
    }
    return replied(placeOfAnswer(contents), { expression: subject.name, ...told });
  }

  async #watch(input: ToolInput, signal: AbortSignal, consent: Consent): Promise<ToolReply> {
    const { watchpoints, inspector } = this.#parts;
    const { action, id, expression } = input;
    const states = (await inspector.settled())?.answer.watchpoints ?? [];
    if (action === "remove") {
      const known = watchpoints.all.find((one) => one.id === id);
      if (known === undefined) throw new ToolFailure("bad_input", `There is no watchpoint of the number ${id ?? "—"}.`);
      await agreed(consent, l10n.t("remove the watchpoint on {0} ({1})", known.of ?? programName(), watchedFor(known)));
      watchpoints.remove(known.id);
    }
    if (action === "set") {
      // Where one value is meant, its frame must be paused; the whole program can be watched from its start.
      const contents = expression === undefined ? undefined : await this.#paused(input);
      const watched =
        contents === undefined
          ? watchedOfProgram(input)
          : watchedOfValue(input, await this.#inspect(String(expression), { contents, signal }), contents);
      const named = [watched.of ?? programName(), watchedFor(watched), watched.gear] as const;
      await agreed(consent, l10n.t("watch {0} for {1} ({2})", ...named));
      watchpoints.watch(watched);
    }
    const told = watchpoints.all.map((one) => watchpointTold(one, action === "list" ? states : []));
    return { content: { watchpoints: asJson(told) } };
  }

  get #texts(): boolean {
    return this.#parts.settings.assistantTexts;
  }
}

function subjectOf(expression: ToolInput[string]): Subject {
  return { name: String(expression), expression: String(expression) };
}

function programName(): string {
  return l10n.t("the whole program");
}

/** @throws ToolFailure where the user does not agree */
async function agreed(consent: Consent, doing: string): Promise<void> {
  if (!(await consent(doing))) throw new ToolFailure("refused", "The user did not agree.");
}
