import { Cancelled } from "../../debug/queue.ts";
import type { Sessions } from "../../debug/sessions.ts";
import { Refusal } from "../../helper/refusal.ts";
import type { LensAnswer, Node, NodeAnswer, Page } from "../../protocol/generated.ts";
import { findingsIn, observationsIn } from "../checks.ts";
import type { Contents } from "../contents.ts";
import type { Dismissed } from "../dismissed.ts";
import { failureOf } from "../failure.ts";
import { findingsAbout, findingsOf } from "../findingRows.ts";
import type { Inspector } from "../inspector.ts";
import type { Lenses } from "../lenses.ts";
import type { Subject } from "../questions.ts";
import type { Watchpoints } from "../watchpoints.ts";
import { findingsTold, findingTold } from "./findingsTold.ts";
import { problemOf, type ToolInput } from "./toolInput.ts";
import { countThatFits, failedReply, placeOfAnswer, replied, ToolFailure, type ToolReply } from "./toolReply.ts";
import { type ToolName, toolOf } from "./tools.ts";
import { describedValue, differenceTold, valueOf } from "./values.ts";
import { removalText, settingText, watchedOfProgram, watchedOfValue, watchpointTold } from "./watching.ts";

/** What the tools ask. */
export interface AssistantParts {
  readonly inspector: Pick<Inspector, "settled" | "frame" | "trouble" | "stale" | "inspect" | "facts">;
  readonly lenses: Pick<Lenses, "answer">;
  readonly sessions: Pick<Sessions, "all">;
  readonly watchpoints: Pick<Watchpoints, "all" | "watch" | "remove" | "replacedBy">;
  readonly dismissed: Pick<Dismissed, "rulesAt">;
  /** Whether assistants may read what strings and objects of the program hold. */
  readonly settings: { readonly assistantTexts: boolean };
  readonly log: (text: string) => void;
}

/** Asks the user whether a watchpoint may be set or removed: `doing` says what, in a sentence. */
export type Consent = (doing: string) => Promise<boolean>;

/** One call of a tool, at one stop. */
interface ToolCall {
  readonly input: ToolInput;
  readonly contents: Contents;
  readonly signal: AbortSignal;
}

/** How many values one answer lists, and of how many groups what they hold is listed with them. */
const MOST_VALUES = 60;
const MOST_GROUPS = 4;

/** Answers the six tools about the frame that the user looks at. It changes nothing but watchpoints, and shows nothing. */
export class Assistant {
  readonly #parts: AssistantParts;
  /** The user is being asked: a second question waits for no turn, it is refused. */
  #isAsking = false;
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
      return await this.#ask(tool.name, given, signal);
    } catch (error) {
      if (error instanceof ToolFailure) return failedReply(error);
      if (error instanceof Cancelled) {
        if (signal.aborted) return failedReply({ code: "cancelled", message: "Cancelled." });
        const message = "The program went on, or another frame was selected, before it was answered. Ask again.";
        return failedReply({ code: "stale", message });
      }
      if (!(error instanceof Refusal)) this.#parts.log(`assistant: ${name}: ${String(error)}`);
      return failedReply(failureOf(error));
    }
  }

  /** Asks once more where the frame was read again meanwhile, as after a changed setting. */
  async #ask(name: Exclude<ToolName, "tensor_watch">, input: ToolInput, signal: AbortSignal): Promise<ToolReply> {
    const contents = await this.#paused(input);
    try {
      return await this.#asks[name]({ input, contents, signal });
    } catch (error) {
      const now = await this.#paused(input);
      if (!(error instanceof Refusal) || error.code !== "gone" || now === contents) throw error;
      return this.#asks[name]({ input, contents: now, signal });
    }
  }

  /** What is known of the frame that the user looks at, at the stop and in the frame that were meant. */
  async #paused({ stop, frame }: ToolInput): Promise<Contents> {
    const { inspector, sessions } = this.#parts;
    const contents = await inspector.settled();
    if (contents !== undefined) {
      const { stop: stopNow, frameId } = contents.frame;
      if (stop !== undefined && stop !== stopNow) {
        throw new ToolFailure(
          "stale",
          `Stop ${stop} is over: the program is at stop ${stopNow} now. List its values anew.`,
        );
      }
      if (frame !== undefined && frame !== frameId) {
        throw new ToolFailure(
          "stale",
          `The user has selected another frame, ${contents.answer.function}. List its values.`,
        );
      }
      return contents;
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

  /** The variables of the frame, or what a value holds: its attributes too, which the tree shows in groups. */
  async #list({ input, contents, signal }: ToolCall): Promise<ToolReply> {
    const { expression, start: given = 0 } = input;
    const start = Number(given);
    const below = expression === undefined ? undefined : await this.#inspect(String(expression), { contents, signal });
    const of = below && { snapshot: below.snapshot, node: below.node.id };
    const page = await this.#parts.inspector.facts(contents, start, MOST_VALUES, signal, of);
    const groups = page.nodes.filter(isGroup);
    const held = below === undefined ? [] : await this.#heldBy(groups, below.snapshot, { contents, signal });
    const entries = page.nodes.filter((node) => !isGroup(node)).map((one) => valueOf(one, this.#texts));
    const also = held.flatMap(({ nodes }) => nodes).map((one) => valueOf(one, this.#texts));
    const count = countThatFits(entries);
    const next = count < entries.length ? start + count : page.start + page.nodes.length;
    const isMore = page.total === null || next < page.total;
    return this.#reply(contents, {
      libraries: contents.answer.libraries,
      next_start: isMore && next > start ? next : undefined,
      total: isMore ? page.total : undefined,
      cut: page.cut,
      values: entries.slice(0, count),
      also_held: count === entries.length && also.length > 0 ? also : undefined,
      groups_not_listed:
        below === undefined && groups.length > 0 ? groups.map(({ name, children }) => ({ name, children })) : undefined,
    });
  }

  #heldBy(groups: readonly Node[], snapshot: number, { contents, signal }: Omit<ToolCall, "input">): Promise<Page[]> {
    const pages = groups
      .slice(0, MOST_GROUPS)
      .map(({ id }) => this.#parts.inspector.facts(contents, 0, MOST_VALUES, signal, { snapshot, node: id }));
    return Promise.all(pages);
  }

  async #describe({ input, contents, signal }: ToolCall): Promise<ToolReply> {
    const expression = String(input["expression"]);
    const { node } = await this.#inspect(expression, { contents, signal });
    const isChecked = findingsOf(contents) !== undefined;
    const findings = isChecked
      ? findingsAbout(contents, expression).map(findingTold)
      : "not checked: ask tensors_findings";
    const reply = this.#reply(contents, { expression, ...describedValue(node, this.#texts), findings });
    const png = input["picture"] === true ? node.facts?.thumbnail?.png : undefined;
    return png === undefined ? reply : { ...reply, png };
  }

  async #findings({ input, contents, signal }: ToolCall): Promise<ToolReply> {
    const { frame } = contents;
    const ignore = this.#parts.dismissed.rulesAt(contents.place).join(" ");
    const options = { thorough: true, ignore, stop: frame.stop };
    const found = findingsIn(await this.#parts.lenses.answer("findings", {}, frame, options, signal));
    if (found === undefined) throw new Error("no findings in the answer of findings");
    const isWanted = input["worth_a_look"] === true;
    const observed = isWanted
      ? observationsIn(await this.#parts.lenses.answer("observations", {}, frame, { ignore }, signal))
      : undefined;
    return this.#reply(contents, findingsTold(found, observed));
  }

  async #compare({ input, contents, signal }: ToolCall): Promise<ToolReply> {
    const [a, b] = [subjectOf(input["a"]), subjectOf(input["b"])];
    const { found } = await this.#parts.lenses.answer("compare", { a, b }, contents.frame, {}, signal);
    if (found?.lens !== "compare") throw new Error("no comparison in the answer of compare");
    const { lens: _lens, worst, ...told } = found;
    const differences = worst.map((one) => differenceTold(one, this.#texts));
    return this.#reply(contents, { a: a.name, b: b.name, ...told, worst: differences });
  }

  /** Of a model its gradients; of a tensor where NaN began, and why it has no gradient. */
  async #origin({ input, contents, signal }: ToolCall): Promise<ToolReply> {
    const subject = subjectOf(input["expression"]);
    const { node } = await this.#inspect(subject.name, { contents, signal });
    const can = node.lenses ?? [];
    const ask = async (
      lens: "gradients" | "nan_origin" | "no_gradient",
      value: string,
    ): Promise<LensAnswer["found"] | undefined> => {
      if (!can.includes(lens)) return undefined;
      return (await this.#parts.lenses.answer(lens, { [value]: subject }, contents.frame, {}, signal)).found;
    };
    const gradients = await ask("gradients", "model");
    const told = {
      gradients,
      nan_origin: await ask("nan_origin", "tensor"),
      no_gradient: gradients === undefined ? await ask("no_gradient", "parameter") : undefined,
    };
    if (Object.values(told).every((one) => one === undefined)) {
      throw new ToolFailure("bad_input", "It is no tensor or model that has gradients or NaN to follow.");
    }
    return this.#reply(contents, { expression: subject.name, ...told });
  }

  async #watch(input: ToolInput, signal: AbortSignal, consent: Consent): Promise<ToolReply> {
    const { watchpoints, inspector } = this.#parts;
    const { action, id, expression, stop, frame } = input;
    // Where one value is meant, or a stop, it must be paused; the whole program can be watched from its start.
    const isPlaced = [expression, stop, frame].some((one) => one !== undefined);
    const contents = isPlaced ? await this.#paused(input) : await inspector.settled();
    if (action === "remove") {
      const known = watchpoints.all.find((one) => one.id === id);
      if (known === undefined) throw new ToolFailure("bad_input", `There is no watchpoint of the number ${id ?? "—"}.`);
      await this.#agreed(consent, removalText(known), signal);
      watchpoints.remove(known.id);
    }
    if (action === "set") {
      const watched =
        contents === undefined || expression === undefined
          ? watchedOfProgram(input)
          : watchedOfValue(input, await this.#inspect(String(expression), { contents, signal }), contents);
      await this.#agreed(consent, settingText(watched, watchpoints.replacedBy(watched)), signal);
      watchpoints.watch(watched);
    }
    const states = action === "list" ? (contents?.answer.watchpoints ?? []) : [];
    const told = { watchpoints: watchpoints.all.map((one) => watchpointTold(one, states)) };
    return contents === undefined ? replied(undefined, told) : this.#reply(contents, told);
  }

  /** @throws ToolFailure where the user does not agree, Cancelled where nobody waits any more */
  async #agreed(consent: Consent, doing: string, signal: AbortSignal): Promise<void> {
    if (this.#isAsking) throw new ToolFailure("refused", "The user is being asked about another watchpoint.");
    this.#isAsking = true;
    try {
      const isAllowed = await consent(doing);
      if (signal.aborted) throw new Cancelled();
      if (!isAllowed) throw new ToolFailure("refused", "The user did not agree.");
    } finally {
      this.#isAsking = false;
    }
  }

  #reply(contents: Contents, found: Readonly<Record<string, unknown>>): ToolReply {
    return replied(placeOfAnswer(contents, this.#parts.inspector.stale), found);
  }

  get #texts(): boolean {
    return this.#parts.settings.assistantTexts;
  }
}

function isGroup({ kind }: Node): boolean {
  return kind === "group";
}

function subjectOf(expression: ToolInput[string]): Subject {
  return { name: String(expression), expression: String(expression) };
}
