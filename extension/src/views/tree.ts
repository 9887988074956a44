import * as vscode from "vscode";
import { COLOR, COMMAND, VIEW } from "../ids.ts";
import type { Expansion } from "../model/expansion.ts";
import { idOf, type RowPath } from "../model/rowPath.ts";
import { type Inspector, staleText } from "../model/inspector.ts";
import type { Row, Scene, Tone } from "../model/row.ts";
import { allRows, childRows, firstAlarm, frameRows, rowBelow, rowOf, topRows } from "../model/rows.ts";
import type { Contents } from "../model/contents.ts";
import { isProgram } from "../model/programRows.ts";
import { partText } from "../model/status.ts";
import { joined } from "../model/words.ts";
import type { Node } from "../protocol/generated.ts";
import { signalOf } from "./cancellation.ts";
import { cardOf, findingCardOf } from "./cards.ts";
import { Elements } from "./elements.ts";
import { Selection } from "./selection.ts";

/** How long VS Code may take to ask for rows that it was told of, and to draw them then: no event tells of it. */
const DRAWN_MS = 1500;
const DRAWING_MS = 300;

/** The key under which we remember that the pane has opened once. */
const INTRODUCED = "tensorInspector.introduced";

/** Colours of our own: high-contrast themes have none for errors and warnings in lists. */
const COLORS: Record<Tone, vscode.ThemeColor> = {
  alarm: new vscode.ThemeColor(COLOR.alarm),
  warning: new vscode.ThemeColor(COLOR.warning),
  quiet: new vscode.ThemeColor("disabledForeground"),
};

/** The Tensor Inspector tree in the Run and Debug side bar. */
export class Tree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #inspector: Inspector;
  readonly #expansion: Expansion;
  readonly #changed = new vscode.EventEmitter<Row[] | undefined>();
  readonly #elements = new Elements();
  readonly #memory: vscode.Memento;
  readonly #view: vscode.TreeView<Row>;
  readonly #subscriptions: { dispose(): unknown }[];
  readonly #selection: Selection;
  #shown: Contents | undefined;
  /** Called once VS Code has been given all rows of the frame. */
  #drawn: (() => void) | undefined;
  /** The last sentence of `say`, until something else is shown. */
  #notice: string | undefined;

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(inspector: Inspector, expansion: Expansion, memory: vscode.Memento) {
    this.#inspector = inspector;
    this.#expansion = expansion;
    this.#memory = memory;
    this.#view = vscode.window.createTreeView(VIEW, { treeDataProvider: this, canSelectMany: true });
    this.#selection = new Selection(this.#view);
    this.#subscriptions = [
      this.#view,
      this.#changed,
      inspector.onDidChange(() => this.#refresh()),
      this.#view.onDidExpandElement(({ element }) => this.#opened(element)),
      this.#view.onDidCollapseElement(({ element }) => expansion.close(element.path)),
      // A pane that opens where there is little room leaves its rows undrawn; setting the message makes it lay them out.
      this.#view.onDidChangeVisibility(({ visible }) => {
        if (visible) this.#view.message = this.#message;
      }),
      this.#selection,
    ];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    const label = { label: row.label, highlights: row.changed ? [[0, row.label.length] as [number, number]] : [] };
    const item = new vscode.TreeItem(label, row.expandable ? (row.open ? Expanded : Collapsed) : None);
    item.id = row.id;
    item.description = row.description;
    item.iconPath = new vscode.ThemeIcon(row.icon, row.tone && COLORS[row.tone]);
    item.contextValue = row.can.join(" ");
    item.accessibilityInformation = { label: row.speech };
    if (row.next !== undefined) {
      item.command = { command: COMMAND.nextPage, title: row.label, arguments: [row] };
    }
    return item;
  }

  async getChildren(row?: Row): Promise<Row[]> {
    const { scene } = this.#inspector;
    if (scene === undefined) return [];
    if (row === undefined) {
      const rows = topRows(scene);
      if (scene.contents.isWhole) setTimeout(() => this.#drawn?.(), DRAWING_MS);
      return this.#sameObjects(scene, undefined, rows);
    }
    // One tree shows one stop: also while the next one's rows are on their way.
    const own = { ...scene, contents: row.contents };
    const known = childRows(own, row);
    if (known !== undefined) return this.#sameObjects(own, row, known);
    await this.#inspector.load(row);
    return this.#sameObjects(own, row, childRows(own, row) ?? []);
  }

  /** The rows as VS Code holds them already, where they are of what is shown: a row must stay one object. */
  #sameObjects({ contents }: Scene, parent: Row | undefined, rows: Row[]): Row[] {
    return contents === this.#shown ? this.#elements.hold(parent, rows) : rows;
  }

  getParent(row: Row): Row | undefined {
    return row.parent;
  }

  /** The tooltip: the same card as a hover's, from one more question where a value stands behind the row. */
  async resolveTreeItem(
    item: vscode.TreeItem,
    row: Row,
    cancelled: vscode.CancellationToken,
  ): Promise<vscode.TreeItem> {
    if (row.finding) {
      item.tooltip = findingCardOf(row.finding);
      return item;
    }
    const node = await this.#factsOf(row, cancelled);
    // VS Code asks again after it has cancelled, but only where it was given no tooltip.
    if (cancelled.isCancellationRequested) return item;
    const notes = (row.notes ?? []).map(({ label, text }) => `${label}: ${text}`);
    const text = joined("\n", row.name, row.description, ...notes);
    item.tooltip = node ? cardOf(row.name, node) : text;
    return item;
  }

  async #factsOf({ value, next, contents }: Row, cancelled: vscode.CancellationToken): Promise<Node | undefined> {
    if (value === undefined || next !== undefined) return undefined;
    const { id, type, path, lazy, facts } = value.node;
    if (facts !== undefined || type === "" || lazy === true || contents !== this.#inspector.contents) return value.node;
    const signal = signalOf(cancelled);
    const answer = await this.#inspector.inspect({ snapshot: value.snapshot, node: id }, signal);
    if (answer && "node" in answer) return answer.node;
    if (path === undefined || answer?.code !== "gone") return value.node;
    const again = await this.#inspector.inspect({ expression: path }, signal);
    return again && "node" in again ? again.node : value.node;
  }

  /** Opens the row of a pin or an answer and puts the keyboard on it. */
  showTop({ root }: RowPath): Promise<void> {
    return this.#show((scene) => [...allRows(scene)].find(({ path }) => path.root === root), { expand: true });
  }

  /** Puts the keyboard on what is wrong, or on the first row whose value holds NaN or Inf where that is graver. */
  async showAlarm(): Promise<void> {
    const { scene } = this.#inspector;
    if (scene && firstAlarm(scene)) await this.#show(firstAlarm, { expand: false });
    else await this.say(vscode.l10n.t("There is no finding here, and no value that is listed holds NaN or Inf."));
  }

  /**
   * Selects the row at the end of a way of names below another, which is read as far as need be, or the last one that is
   * there; gives it back. The keyboard stays where it is.
   */
  async showBelow(start: RowPath, names: readonly string[]): Promise<Row | undefined> {
    const { scene } = this.#inspector;
    const top = scene && (await this.#rowAt(scene, start));
    if (scene === undefined || top === undefined) return undefined;
    const row = await rowBelow(scene, top, names, (above) => this.#loadBelow(above));
    await this.#select(row);
    return row;
  }

  /**
   * Selects the row of an expression, which is read as far as need be, or the last one on the way there; gives it back.
   * The keyboard stays where it is.
   */
  async showExpression(expression: string): Promise<Row | undefined> {
    const { scene } = this.#inspector;
    if (scene === undefined) return undefined;
    const find = (): Promise<Row | undefined> => rowOf(scene, expression, (above) => this.#loadBelow(above));
    const row = (await find()) ?? ((await this.#inspector.loadRest()) ? await find() : undefined);
    if (row !== undefined) await this.#select(row);
    return row;
  }

  /** Makes known what is below a row, or its next page. */
  #loadBelow(row: Row): Promise<void> {
    return row.next === undefined ? this.#inspector.load(row) : this.#inspector.showNextPage(row);
  }

  async #select(row: Row): Promise<void> {
    for (let above = row.parent; above !== undefined; above = above.parent) this.#expansion.open(above.path);
    for (let tries = 0; tries < DRAWN_MS / DRAWING_MS; tries += 1) {
      if (await this.#reveal(row, { select: true, focus: false })) break;
      await new Promise((resolve) => setTimeout(resolve, DRAWING_MS)); // rows were read that VS Code has not drawn yet
    }
  }

  /** A row that is known, or a variable beyond the first page. */
  async #rowAt(scene: Scene, path: RowPath): Promise<Row | undefined> {
    const id = idOf(path);
    const find = (): Row | undefined => [...allRows(scene)].find((row) => idOf(row.path) === id);
    return find() ?? ((await this.#inspector.loadRest()) ? find() : undefined);
  }

  /** Shows a row in a hidden side bar too: the user asked for it. */
  async #show(find: (scene: Scene) => Row | undefined, { expand }: { expand: boolean }): Promise<void> {
    const hidden = !this.#view.visible;
    await vscode.commands.executeCommand(`${VIEW}.focus`);
    const { scene } = this.#inspector;
    const row = scene && find(scene);
    if (row === undefined) return;
    this.#notice = undefined;
    this.#showMessage();
    const options = { select: true, focus: true, expand: expand && row.expandable };
    await this.#reveal(row, options);
    // The first time, a pane that has just opened has not got its height yet, and scrolls the row out of sight.
    if (hidden) await this.#reveal(row, options);
  }

  get visible(): boolean {
    return this.#view.visible;
  }

  get onDidChangeVisibility(): vscode.Event<vscode.TreeViewVisibilityChangeEvent> {
    return this.#view.onDidChangeVisibility;
  }

  /** The selected rows. */
  get selection(): readonly Row[] {
    return this.#selection.rows;
  }

  get onDidSelect(): vscode.Event<Row> {
    return this.#selection.onDidSelect;
  }

  /** The row that the keyboard is on. */
  focused(): Promise<Row | undefined> {
    return this.#selection.focused();
  }

  /** Opens the box that looks for rows, once `load` has made them known: VS Code takes the focus from it where rows come later. */
  async find(load: () => Promise<boolean>): Promise<void> {
    await vscode.commands.executeCommand(`${VIEW}.focus`);
    const drawn = new Promise<void>((resolve) => (this.#drawn = resolve));
    const late = new Promise((resolve) => setTimeout(resolve, DRAWN_MS));
    if (await load()) await Promise.race([drawn, late]);
    await vscode.commands.executeCommand("list.find");
  }

  /** Says in the view why what the user asked for was not done. */
  async say(sentence: string): Promise<void> {
    this.#notice = sentence;
    this.#showMessage();
    await vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  #refresh(): void {
    const { contents, types, scene } = this.#inspector;
    if (contents !== this.#shown) this.#notice = undefined;
    const lost = this.#selection.follow(contents, scene);
    const drawn = this.#update();
    // The rows come first: VS Code holds back by 0.2 s whatever follows a change of the rows or of the message.
    if (drawn === "all") this.#changed.fire(undefined);
    else if (drawn.length > 0) this.#changed.fire([...drawn]);
    this.#showMessage();
    // `reveal` opens a hidden side bar: only where the user looks at it anyway.
    if (lost && this.#view.visible) void this.#reveal(lost, { select: true, focus: false });
    if (types.length > 0) this.#introduce();
  }

  /** Brings the rows that VS Code holds up to date, and tells which of them say something else now. */
  #update(): readonly Row[] | "all" {
    const { scene, contents } = this.#inspector;
    if (contents === this.#shown && scene !== undefined) {
      return this.#elements.update(topRows(scene), (row) => childRows(scene, row));
    }
    this.#elements.forget();
    this.#shown = contents;
    return "all";
  }

  #showMessage(): void {
    const { contents } = this.#inspector;
    const part = contents === undefined ? "" : partText(contents);
    if ((this.#view.description ?? "") !== part) this.#view.description = part;
    if ((this.#view.message ?? "") !== this.#message) this.#view.message = this.#message;
  }

  /** VS Code starts every pane of an extension here collapsed: at the first stop ever with tensors, ours opens, once. */
  #introduce(): void {
    if (this.#memory.get<boolean>(INTRODUCED) === true) return;
    const { scene } = this.#inspector;
    const first = scene && frameRows(scene)[0];
    if (first === undefined) return;
    void this.#memory.update(INTRODUCED, true);
    if (!this.#view.visible) void this.#reveal(first, { select: false, focus: false });
  }

  /** Whether it was there: a row that is replaced meanwhile can't be revealed, which is no matter. */
  async #reveal(row: Row, options: Parameters<vscode.TreeView<Row>["reveal"]>[1]): Promise<boolean> {
    try {
      await this.#view.reveal(row, options);
      return true;
    } catch {
      return false;
    }
  }

  /** Why something was not done, or why there is nothing to see, or not all; empty when all is well. */
  get #message(): string {
    const { contents, trouble, stale, scene } = this.#inspector;
    const cut =
      contents?.answer.cut ??
      (scene && frameRows(scene).length === 0 ? vscode.l10n.t("Nothing to show in this frame.") : "");
    return this.#notice ?? trouble ?? (stale && staleText(stale)) ?? cut;
  }

  #opened(row: Row): void {
    // A property is run when it is clicked; it must not open by itself at the next stop.
    if (row.value?.node.lazy === true) return;
    this.#expansion.open(row.path);
    // The questions about the program are asked only while this row is open.
    if (isProgram(row)) this.#inspector.fireDidChange();
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
  }
}
