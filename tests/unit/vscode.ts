/** As much of `vscode` as the modules under test load: what they do with it can be seen and steered here. */

export class EventEmitter<T> {
  readonly #listeners = new Set<(value: T) => void>();
  readonly event = (listener: (value: T) => void): { dispose(): void } => {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  };
  fire(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

export class DebugStackFrame {
  readonly session: unknown;
  readonly threadId: number;
  readonly frameId: number;
  constructor(session: unknown, threadId: number, frameId: number) {
    this.session = session;
    this.threadId = threadId;
    this.frameId = frameId;
  }
}

export class DebugThread {
  readonly session: unknown;
  readonly threadId: number;
  constructor(session: unknown, threadId: number) {
    this.session = session;
    this.threadId = threadId;
  }
}

export class ThemeColor {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

/** What a test does as VS Code would. */
export const stage = {
  activeStackItemChanged: new EventEmitter<unknown>(),
  focus(item: unknown): void {
    debug.activeStackItem = item;
    stage.activeStackItemChanged.fire(item);
  },
};

export const debug = {
  activeStackItem: undefined as unknown,
  activeDebugSession: undefined as unknown,
  onDidChangeActiveStackItem: stage.activeStackItemChanged.event,
  registerDebugAdapterTrackerFactory: () => ({ dispose: () => undefined }),
  asDebugSourceUri: (source: { path: string }) => `file://${source.path}`,
};

export const Uri = { parse: (text: string): string => text };

export class Range {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
  constructor(line: number, start: number, endLine: number, end: number) {
    this.start = { line, character: start };
    this.end = { line: endLine, character: end };
  }
}

export class InlineValueText {
  readonly range: Range;
  readonly text: string;
  constructor(range: Range, text: string) {
    this.range = range;
    this.text = text;
  }
}

export const languages = {
  /** The providers that are registered. */
  inlineValues: new Set<unknown>(),
  registerInlineValuesProvider(_: unknown, provider: unknown): { dispose(): void } {
    languages.inlineValues.add(provider);
    return { dispose: () => void languages.inlineValues.delete(provider) };
  },
};

export const l10n = {
  t: (message: string, ...args: unknown[]) =>
    message.replace(/\{(\d+)\}/g, (_, index: string) => String(args[Number(index)])),
};
