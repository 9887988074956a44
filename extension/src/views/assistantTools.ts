import * as vscode from "vscode";
import type { Assistant, Consent } from "../model/assistant/assistant.ts";
import { TOOLS, type ToolDeclaration } from "../model/assistant/tools.ts";
import { boundedText } from "../model/assistant/boundedText.ts";
import type { ToolInput } from "../model/assistant/toolInput.ts";
import type { ToolReply } from "../model/assistant/toolReply.ts";
import { signalOf } from "./cancellation.ts";
import type { Settings } from "./settings.ts";

/** The longest part of an input that a message of VS Code shows. */
const LONGEST_NAME = 60;

/** Offers the tools to the assistants of VS Code, as long as the setting wants them. */
export class AssistantTools implements vscode.Disposable {
  readonly #assistant: Assistant;
  readonly #settings: Pick<Settings, "assistants" | "onDidChange">;
  readonly #subscription: vscode.Disposable;
  #registered: vscode.Disposable[] = [];

  constructor(assistant: Assistant, settings: Pick<Settings, "assistants" | "onDidChange">) {
    this.#assistant = assistant;
    this.#settings = settings;
    this.#subscription = settings.onDidChange(() => this.#follow());
    this.#follow();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#remove();
  }

  #follow(): void {
    // Editors that are made from VS Code may have no tools.
    const isWanted = this.#settings.assistants && typeof vscode.lm?.registerTool === "function";
    if (!isWanted) this.#remove();
    else if (this.#registered.length === 0) {
      this.#registered = TOOLS.map((tool) =>
        vscode.lm.registerTool<ToolInput>(tool.name, new AssistantTool(tool, this.#assistant)),
      );
    }
  }

  #remove(): void {
    for (const one of this.#registered.splice(0)) one.dispose();
  }
}

class AssistantTool implements vscode.LanguageModelTool<ToolInput> {
  readonly #tool: ToolDeclaration;
  readonly #assistant: Assistant;

  constructor(tool: ToolDeclaration, assistant: Assistant) {
    this.#tool = tool;
    this.#assistant = assistant;
  }

  prepareInvocation({ input }: vscode.LanguageModelToolInvocationPrepareOptions<ToolInput>): {
    readonly invocationMessage: string;
  } {
    const about = aboutOf(input);
    const { title } = this.#tool;
    return { invocationMessage: about === "" ? title : `${title}: ${about}` };
  }

  async invoke(
    { input }: vscode.LanguageModelToolInvocationOptions<ToolInput>,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const signal = signalOf(token);
    return resultOf(await this.#assistant.call(this.#tool.name, input, signal, confirmed));
  }
}

/** The facts as text, and a picture beside them, which not every chat passes on. */
function resultOf({ content, png }: ToolReply): vscode.LanguageModelToolResult {
  const text = new vscode.LanguageModelTextPart(JSON.stringify(content));
  if (png === undefined) return new vscode.LanguageModelToolResult([text]);
  const picture = vscode.LanguageModelDataPart.image(Buffer.from(png, "base64"), "image/png");
  return new vscode.LanguageModelToolResult([text, picture]);
}

/** What an input names, which a model wrote: it may be anything. */
function aboutOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const { expression, a, b } = input as ToolInput;
  const named = [expression, a, b].filter((one) => typeof one === "string");
  return named.map((one) => boundedText(one, LONGEST_NAME)).join(", ");
}

/** A watchpoint changes how the program runs: the user is asked each time, whatever a chat has been allowed. */
export const confirmed: Consent = async (doing) => {
  const allow = vscode.l10n.t("Allow");
  const question = vscode.l10n.t("An assistant wants to {0}.", doing);
  const detail = vscode.l10n.t("A watchpoint slows the program while it is on, and stops it where it is met.");
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, allow)) === allow;
};
