import * as vscode from "vscode";
import { SECTION } from "../ids.ts";
import { McpServer, type McpService } from "../model/assistant/mcpServer.ts";
import { confirmed } from "./assistantTools.ts";
import type { Settings } from "./settings.ts";

/** What the server is called in the configuration of an assistant. */
const SERVER = "tensor-inspector";

/** The MCP server of this window, which is there as long as the settings want it. */
export class Mcp implements vscode.Disposable {
  readonly #service: Omit<McpService, "consent">;
  readonly #settings: Pick<Settings, "mcp" | "onDidChange">;
  readonly #subscription: vscode.Disposable;
  /** Starting, or there; undefined where none is wanted. */
  #server: Promise<McpServer | undefined> | undefined;

  constructor(service: Omit<McpService, "consent">, settings: Pick<Settings, "mcp" | "onDidChange">) {
    this.#service = service;
    this.#settings = settings;
    this.#subscription = settings.onDidChange(() => this.#follow());
    this.#follow();
  }

  /** Puts the address and the token on the clipboard, as assistants take them; offers to start the server where there is none. */
  async copyConfiguration(): Promise<void> {
    if (this.#server === undefined && !(await this.#offer())) return;
    this.#follow();
    const server = await this.#server;
    if (server === undefined) return;
    const { url, token } = server.endpoint;
    const servers = { [SERVER]: { type: "http", url, headers: { Authorization: `Bearer ${token}` } } };
    await vscode.env.clipboard.writeText(`${JSON.stringify({ mcpServers: servers }, undefined, 2)}\n`);
    void vscode.window.showInformationMessage(
      vscode.l10n.t("Copied. It has the secret of this window’s server, and holds until the window is closed."),
    );
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#stop();
  }

  async #offer(): Promise<boolean> {
    const turnOn = vscode.l10n.t("Turn On");
    const question = vscode.l10n.t(
      "The MCP server is off. It lets assistants on this machine read the paused program.",
    );
    if ((await vscode.window.showInformationMessage(question, turnOn)) !== turnOn) return false;
    const settings = vscode.workspace.getConfiguration(SECTION);
    await settings.update("assistants.mcp", true, vscode.ConfigurationTarget.Global);
    return this.#settings.mcp;
  }

  #follow(): void {
    if (this.#settings.mcp) this.#server ??= this.#start();
    else this.#stop();
  }

  /** Undefined where this machine gives it no port. */
  async #start(): Promise<McpServer | undefined> {
    try {
      return await McpServer.start({ ...this.#service, consent: confirmed });
    } catch (error) {
      void vscode.window.showErrorMessage(vscode.l10n.t("The MCP server did not start: {0}", String(error)));
      return undefined;
    }
  }

  #stop(): void {
    const server = this.#server;
    this.#server = undefined;
    void server?.then((one) => one?.stop());
  }
}
