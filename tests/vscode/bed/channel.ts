/** Set-up orders to the bed's own extension (debug-adapter/). What a test examines is done with mouse and keyboard instead. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { until } from "./wait.ts";

export interface Breakpoint {
  readonly file: string;
  readonly line: number;
  readonly condition?: string;
}

/** A debug configuration, as in launch.json. */
export interface LaunchConfig {
  readonly type: string;
  readonly request: "launch" | "attach";
  readonly name: string;
  readonly [attribute: string]: unknown;
}

/** What the bed's extension tells when it takes orders. */
interface Opened {
  readonly port: number;
  readonly logs: string;
}

/** What a tool gives an assistant. */
export interface ToolResult {
  readonly answer: Readonly<Record<string, unknown>>;
  readonly others: readonly string[];
}

export class Channel {
  /** Where the window's extension host writes its logs. */
  readonly logs: string;
  readonly #port: number;

  private constructor({ port, logs }: Opened) {
    this.logs = logs;
    this.#port = port;
  }

  /** Waits until a window on the workspace in `home` takes orders. */
  static async open(home: string, limit?: number): Promise<Channel> {
    const file = path.join(home, "channel.json");
    const opened = await until("the window's extension host", () => existsSync(file) && readOpened(file), limit);
    rmSync(file); // after a reload there is a new one
    return new Channel(opened);
  }

  /** Runs a VS Code command; the result must be JSON. */
  execute(command: string, ...args: unknown[]): Promise<unknown> {
    return this.#order("execute", { command, args });
  }

  async open(file: string, line: number): Promise<void> {
    await this.#order("open", { file, line });
  }

  /** These, and no other breakpoints; how many there were. */
  async setBreakpoints(breakpoints: readonly Breakpoint[]): Promise<unknown> {
    return this.#order("setBreakpoints", { breakpoints });
  }

  /** Changes settings of the workspace, which then are in effect; null is for VS Code's own. */
  async changeSettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#order("changeSettings", { settings });
  }

  /** The same of settings that a workspace can't have: of all windows. */
  async changeUserSettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#order("changeSettings", { settings, everywhere: true });
  }

  async startDebugging(config: LaunchConfig): Promise<void> {
    const started = await this.#order("startDebugging", { config });
    if (started !== true) throw new Error(`VS Code did not start "${config.name}"`);
  }

  async stopDebugging(): Promise<void> {
    await this.#order("stopDebugging", {});
  }

  /** Asks a tool as an assistant does: its text as JSON, and what else is in its result. */
  async invokeTool(name: string, input: object): Promise<ToolResult> {
    const [text = "", ...others] = (await this.#order("invokeTool", { name, input })) as string[];
    return { answer: JSON.parse(text) as ToolResult["answer"], others };
  }

  /** The names of the tools that assistants are offered. */
  async tools(): Promise<readonly string[]> {
    return (await this.#order("tools", {})) as readonly string[];
  }

  /** How many milliseconds the extension took to load and start. */
  async activate(extension: string): Promise<number> {
    return (await this.#order("activate", { extension })) as number;
  }

  /** Bytes of the extension host's heap that are in use. */
  async heap(): Promise<number> {
    return (await this.#order("heap", {})) as number;
  }

  /** Whether VS Code offers an extension in this window: it is installed and not disabled. */
  async has(extension: string): Promise<boolean> {
    return (await this.#order("has", { extension })) === true;
  }

  async isActive(extension: string): Promise<boolean> {
    return (await this.#order("isActive", { extension })) === true;
  }

  async #order(order: string, details: object): Promise<unknown> {
    const body = JSON.stringify({ order, ...details });
    const response = await fetch(`http://127.0.0.1:${this.#port}`, { method: "POST", body });
    const { result, error } = (await response.json()) as { result?: unknown; error?: string };
    if (error !== undefined) throw new Error(`${order}: ${error}`);
    return result;
  }
}

/** Undefined while the file is being written. */
function readOpened(file: string): Opened | undefined {
  const text = readFileSync(file, "utf8");
  return text.endsWith("}") ? (JSON.parse(text) as Opened) : undefined;
}
