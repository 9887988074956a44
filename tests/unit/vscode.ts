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

export class ThemeIcon {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

export class ThemeColor {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

const configurationChanged = new EventEmitter<unknown>();

/** What a test does as VS Code would. */
export const stage = {
  /** Fulfilled when VS Code's window answers: it is busy until then. */
  window: Promise.resolve() as Promise<unknown>,
  activeStackItemChanged: new EventEmitter<unknown>(),
  activeSessionChanged: new EventEmitter<unknown>(),
  sessionTerminated: new EventEmitter<unknown>(),
  /** The user changes a setting of ours. */
  set(name: string, value: unknown): void {
    workspace.settings.set(name, value);
    const isAffected = (section: string): boolean => `tensorInspector.${name}.`.startsWith(`${section}.`);
    configurationChanged.fire({ affectsConfiguration: isAffected });
  },
  focus(item: unknown): void {
    debug.activeStackItem = item;
    stage.activeStackItemChanged.fire(item);
  },
  activate(session: unknown): void {
    debug.activeDebugSession = session;
    stage.activeSessionChanged.fire(session);
  },
};

export const debug = {
  activeStackItem: undefined as unknown,
  activeDebugSession: undefined as unknown,
  onDidChangeActiveStackItem: stage.activeStackItemChanged.event,
  onDidChangeActiveDebugSession: stage.activeSessionChanged.event,
  onDidTerminateDebugSession: stage.sessionTerminated.event,
  registerDebugAdapterTrackerFactory: () => ({ dispose: () => undefined }),
  asDebugSourceUri: (source: { path: string }) => Uri.file(source.path),
};

/** A URI by its parts, which are not encoded. */
export class Uri {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
  constructor(scheme: string, authority: string, path: string, query = "", fragment = "") {
    this.scheme = scheme;
    this.authority = authority;
    this.path = path;
    this.query = query;
    this.fragment = fragment;
  }
  get fsPath(): string {
    return this.path;
  }
  static parse(text: string): Uri {
    const parts = /^([^:]+):(?:\/\/([^/]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/.exec(text)?.slice(1) ?? [];
    const [scheme = "", authority = "", path = "", query = "", fragment = ""] = parts.map((part) =>
      decodeURIComponent(part ?? ""),
    );
    return new Uri(scheme, authority, path, query, fragment);
  }
  static file(path: string): Uri {
    const slashed = path.replaceAll("\\", "/");
    return new Uri("file", "", slashed.startsWith("/") ? slashed : `/${slashed}`);
  }
  static joinPath(folder: Uri, name: string): Uri {
    return folder.with({ path: `${folder.path}/${name}` });
  }
  with({ path }: { path: string }): Uri {
    return new Uri(this.scheme, this.authority, path, this.query, this.fragment);
  }
}

export class Position {
  readonly line: number;
  readonly character: number;
  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }
}

export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(...from: [start: Position, end: Position] | [number, number, number, number]) {
    const [start, end] = from.length === 2 ? from : [new Position(from[0], from[1]), new Position(from[2], from[3])];
    this.start = start;
    this.end = end;
  }
}

export const DiagnosticSeverity = { Error: 0, Warning: 1, Information: 2, Hint: 3 };

export class Diagnostic {
  source = "";
  code = "";
  readonly range: Range;
  readonly message: string;
  readonly severity: number;
  constructor(range: Range, message: string, severity: number) {
    this.range = range;
    this.message = message;
    this.severity = severity;
  }
}

export class EvaluatableExpression {
  readonly range: Range;
  readonly expression: string | undefined;
  constructor(range: Range, expression?: string) {
    this.range = range;
    this.expression = expression;
  }
}

export class Hover {
  readonly contents: readonly MarkdownString[];
  readonly range: Range;
  constructor(contents: readonly MarkdownString[], range: Range) {
    this.contents = contents;
    this.range = range;
  }
}

/** A document of these lines. */
export function document(path: string, ...lines: string[]) {
  const text = lines.join("\n");
  return {
    uri: Uri.file(path),
    lineCount: lines.length,
    getText: (range?: Range) =>
      range ? (lines[range.start.line] ?? "").slice(range.start.character, range.end.character) : text,
    lineAt: (line: number) => {
      const own = lines[line] ?? "";
      const firstNonWhitespaceCharacterIndex = own.length - own.trimStart().length;
      return { text: own, range: new Range(line, 0, line, own.length), firstNonWhitespaceCharacterIndex };
    },
    offsetAt: ({ line, character }: Position) =>
      lines.slice(0, line).join("\n").length + (line > 0 ? 1 : 0) + character,
    positionAt: (offset: number) => {
      const before = text.slice(0, offset).split("\n");
      return new Position(before.length - 1, before.at(-1)?.length ?? 0);
    },
  };
}

export class MarkdownString {
  supportHtml = false;
  readonly value: string;
  constructor(value: string) {
    this.value = value;
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
  registerHoverProvider: () => ({ dispose: () => undefined }),
  registerEvaluatableExpressionProvider: () => ({ dispose: () => undefined }),
  /** The diagnostics that stand at lines, by the paths of their files. */
  diagnostics: new Map<string, readonly Diagnostic[]>(),
  createDiagnosticCollection: () => ({
    clear: () => languages.diagnostics.clear(),
    set: ({ path }: Uri, all: readonly Diagnostic[]) => void languages.diagnostics.set(path, all),
    dispose: () => languages.diagnostics.clear(),
  }),
};

export const commands = {
  /** What was set for the manifest's `when` clauses. */
  contexts: new Map<string, unknown>(),
  /** What commands of VS Code's own do. */
  own: new Map<string, () => void>(),
  /** The commands of the extension under test. */
  registered: new Map<string, (...args: unknown[]) => unknown>(),
  registerCommand(id: string, run: (...args: unknown[]) => unknown): { dispose(): void } {
    commands.registered.set(id, run);
    return { dispose: () => void commands.registered.delete(id) };
  },
  async executeCommand(command: string, ...args: unknown[]): Promise<void> {
    if (command === "setContext") commands.contexts.set(String(args[0]), args[1]);
    await stage.window;
    commands.own.get(command)?.();
  },
};

export const StatusBarAlignment = { Left: 1, Right: 2 };

export class StatusBarItem {
  text = "";
  tooltip: string | undefined;
  command: string | undefined;
  backgroundColor: ThemeColor | undefined;
  color: ThemeColor | undefined;
  visible = false;
  accessibilityInformation: { label: string } | undefined;
  show(): void {
    this.visible = true;
  }
  hide(): void {
    this.visible = false;
  }
  dispose(): void {
    this.hide();
  }
}

export const workspace = {
  /** The user's settings, by their names without the extension's. */
  settings: new Map<string, unknown>(),
  getConfiguration: (_section?: string) => ({
    get: (name: string, otherwise?: unknown): unknown => workspace.settings.get(name) ?? otherwise,
  }),
  onDidChangeConfiguration: configurationChanged.event,
  /** The files that there are, by their paths, each once it is read. */
  files: new Map<string, Promise<ReturnType<typeof document>>>(),
  /** The documents that are open. */
  textDocuments: new Array<{ getText(): string }>(),
  workspaceFolders: undefined as { uri: Uri }[] | undefined,
  /** A file system of another scheme: texts by their paths. */
  fs: {
    texts: new Map<string, string>(),
    stat: ({ path }: Uri): Promise<object> =>
      workspace.fs.texts.has(path) ? Promise.resolve({}) : Promise.reject(new Error(`no file ${path}`)),
    async writeFile({ path }: Uri, data: Uint8Array): Promise<void> {
      workspace.fs.texts.set(path, new TextDecoder().decode(data));
    },
    async rename(from: Uri, { path }: Uri, { overwrite }: { overwrite: boolean }): Promise<void> {
      if (!overwrite && workspace.fs.texts.has(path)) throw new Error(`there is a file at ${path}`);
      workspace.fs.texts.set(path, workspace.fs.texts.get(from.path)!);
      workspace.fs.texts.delete(from.path);
    },
    async delete({ path }: Uri): Promise<void> {
      workspace.fs.texts.delete(path);
    },
  },
  openTextDocument: ({ path }: Uri) => workspace.files.get(path) ?? Promise.reject(new Error(`no file ${path}`)),
};

export const Disposable = {
  from: (...all: { dispose(): void }[]) => ({ dispose: () => all.forEach((one) => one.dispose()) }),
};

export const ColorThemeKind = { Light: 1, Dark: 2, HighContrast: 3, HighContrastLight: 4 };

const themeChanged = new EventEmitter<void>();

export const window = {
  activeColorTheme: { kind: ColorThemeKind.Dark },
  onDidChangeActiveColorTheme: themeChanged.event,
  /** The user picks another theme. */
  setTheme(kind: number): void {
    window.activeColorTheme = { kind };
    themeChanged.fire();
  },
  /** The status-bar items that were made, by id. */
  statusBar: new Map<string, StatusBarItem>(),
  createStatusBarItem(id: string): StatusBarItem {
    const item = new StatusBarItem();
    window.statusBar.set(id, item);
    return item;
  },
  /** The lines that were shown. */
  shown: [] as string[],
  async showTextDocument({ uri }: { uri: Uri }, { selection }: { selection: Range }): Promise<void> {
    window.shown.push(`${uri.path}:${selection.start.line + 1}`);
  },
  /** What the user answers to a warning, and the warnings. */
  answer: undefined as string | undefined,
  warnings: [] as string[],
  async showWarningMessage(message: string): Promise<string | undefined> {
    window.warnings.push(message);
    return window.answer;
  },
  withProgress: <T>(_: unknown, task: () => Promise<T>): Promise<T> => task(),
  /** What the user types into a box that asks for a text. */
  typed: undefined as string | undefined,
  async showInputBox(): Promise<string | undefined> {
    return window.typed;
  },
  /** The places that were proposed for a file. */
  proposed: [] as (Uri | undefined)[],
  async showSaveDialog({ defaultUri }: { defaultUri?: Uri }): Promise<Uri | undefined> {
    window.proposed.push(defaultUri);
    return defaultUri;
  },
  /** What the user does with a box of picks, each once it is shown. */
  picking: [] as ((box: QuickPick) => void)[],
  createQuickPick: () => new QuickPick(),
  /** The tree views that were made, by id. */
  trees: new Map<string, TreeView>(),
  createTreeView(id: string, { treeDataProvider }: { treeDataProvider: TreeData }): TreeView {
    const view = new TreeView(treeDataProvider);
    window.trees.set(id, view);
    return view;
  },
};

interface PickItem {
  readonly label: string;
  readonly description?: string;
}

/** A box of picks, in which a test types, adds and accepts. */
class QuickPick {
  title = "";
  items: readonly PickItem[] = [];
  selectedItems: readonly PickItem[] = [];
  value = "";
  readonly #typed = new EventEmitter<string>();
  readonly #added = new EventEmitter<{ readonly item: PickItem | undefined }>();
  readonly #accepted = new EventEmitter<void>();
  readonly #hidden = new EventEmitter<void>();
  readonly onDidChangeValue = this.#typed.event;
  readonly onDidTriggerItemButton = this.#added.event;
  readonly onDidAccept = this.#accepted.event;
  readonly onDidHide = this.#hidden.event;

  type(text: string): void {
    this.value = text;
    this.#typed.fire(text);
    this.selectedItems = this.items.filter(({ label }) => label.includes(text)).slice(0, 1);
  }
  /** Clicks the button of an item. */
  add(wanted: string): void {
    this.#added.fire({ item: this.items.find(({ label }) => label === wanted) });
  }
  accept(): void {
    this.#accepted.fire();
  }
  hide(): void {
    this.#hidden.fire();
  }
  show(): void {
    window.picking.shift()?.(this);
  }
  dispose(): void {
    this.value = "";
  }
}

interface TreeData {
  onDidChangeTreeData(listener: (rows: readonly { readonly name: string }[] | undefined) => void): unknown;
}

/** Notes in `told` what its extension tells it, in order: that the rows have changed, all or these, and each message it is given. */
export class TreeView {
  readonly told: string[] = [];
  description: string | undefined;
  readonly visible = true;
  readonly onDidExpandElement = new EventEmitter<unknown>().event;
  readonly onDidCollapseElement = new EventEmitter<unknown>().event;
  readonly onDidChangeVisibility = new EventEmitter<unknown>().event;
  readonly #selectionChanged = new EventEmitter<{ readonly selection: readonly unknown[] }>();
  readonly onDidChangeSelection = this.#selectionChanged.event;
  selection: readonly unknown[] = [];
  /** The rows that its extension selects. */
  readonly revealed: unknown[] = [];
  #message: string | undefined;

  constructor(data: TreeData) {
    data.onDidChangeTreeData((rows) => {
      this.told.push(["rows", ...(rows ?? []).map(({ name }) => name)].join(" "));
    });
  }
  /** The user selects these rows. */
  select(...selection: unknown[]): void {
    this.selection = selection;
    this.#selectionChanged.fire({ selection });
  }
  reveal(row: unknown): Promise<void> {
    this.revealed.push(row);
    return Promise.resolve();
  }
  get message(): string | undefined {
    return this.#message;
  }
  set message(message: string) {
    this.#message = message;
    this.told.push(`message ${message}`);
  }
  dispose(): void {
    window.trees.clear();
  }
}

export const env = {
  clipboard: {
    text: "",
    writeText(text: string): Promise<void> {
      env.clipboard.text = text;
      return Promise.resolve();
    },
  },
};

export const l10n = {
  t: (message: string, ...args: unknown[]) =>
    message.replace(/\{(\d+)\}/g, (_, index: string) => String(args[Number(index)])),
};
