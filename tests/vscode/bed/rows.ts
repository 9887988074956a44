/** Functions that run in the page, on a Monaco list. They may use nothing from outside themselves. */

export interface Row {
  /** Position among all rows, 0 at the top. */
  readonly index: number;
  /** Depth, 1 at the top level. */
  readonly level: number;
  readonly label: string;
  /** The dimmed text after the label; in Variables and Watch, the value. */
  readonly description: string;
  /** All that the row shows. */
  readonly text: string;
  /** What a screen reader says. */
  readonly ariaLabel: string;
  /** Undefined when there is nothing to expand. */
  readonly expanded: boolean | undefined;
  readonly selected: boolean;
  readonly focused: boolean;
  /** The codicon's name. */
  readonly icon: string | undefined;
  readonly iconColor: string | undefined;
  readonly labelColor: string;
  /** The label is marked, as our tree does with values that changed. */
  readonly highlighted: boolean;
}

/**
 * Every row of the first list, if there is one, also those scrolled out of sight; leaves the list scrolled to the top. A
 * Monaco list renders while it handles the wheel event, so this is one synchronous pass and all rows are of one moment.
 * Undefined where not all can be scrolled to yet: new rows are in reach with the next frame that is drawn.
 */
export function readRows([list]: readonly Element[]): Row[] | undefined {
  const viewport = list?.querySelector(":scope > .monaco-scrollable-element");
  const content = viewport?.querySelector<HTMLElement>(":scope > .monaco-list-rows");
  if (!viewport || !content) return [];

  const clean = (text: string | null | undefined): string => (text ?? "").replaceAll("\u00a0", " ").trim();
  const read = (row: Element): Row => {
    const contents = row.querySelector(".monaco-tl-contents") ?? row;
    const names = ".label-name, .expression .name, .scope, .session .name, .thread .name, .stack-frame .label";
    const details =
      ".label-description, .expression .value, .session .state, .thread .state, .stack-frame .line-number";
    const name = contents.querySelector(names) ?? contents;
    const detail = contents.querySelector(details);
    const icon = contents.querySelector(".custom-view-tree-node-item-icon.codicon") ?? undefined;
    return {
      index: Number(row.getAttribute("data-index")),
      level: Number(row.getAttribute("aria-level")),
      label: clean(name.textContent).replace(/\s*[=:]$/, ""),
      description: clean(detail?.textContent),
      text: clean(contents.textContent),
      ariaLabel: clean(row.getAttribute("aria-label")),
      expanded: row.hasAttribute("aria-expanded") ? row.getAttribute("aria-expanded") === "true" : undefined,
      selected: row.getAttribute("aria-selected") === "true",
      focused: row.classList.contains("focused"),
      icon: icon && /codicon-([\w-]+)/.exec(icon.className)?.[1],
      iconColor: icon && getComputedStyle(icon).color,
      labelColor: getComputedStyle(name).color,
      highlighted: contents.querySelector(".highlight") !== null,
    };
  };

  const rows = new Map<number, Row>();
  let bottom = 0;
  const collect = (): void => {
    for (const element of content.querySelectorAll<HTMLElement>(":scope > .monaco-list-row")) {
      const row = read(element);
      rows.set(row.index, row);
      bottom = Math.max(bottom, Number.parseFloat(element.style.top) + Number.parseFloat(element.style.height));
    }
  };
  const scroll = (pixels: number): boolean => {
    const before = content.style.transform + content.style.top;
    viewport.dispatchEvent(new WheelEvent("wheel", { deltaY: pixels, bubbles: true, cancelable: true }));
    return content.style.transform + content.style.top !== before;
  };
  const top = -1_000_000;
  scroll(top);
  do collect();
  while (scroll(viewport.clientHeight / 2));
  scroll(top);
  if (bottom + 1 < Number.parseFloat(content.style.height)) return undefined;
  return [...rows.values()].toSorted((a, b) => a.index - b.index);
}

/** Scrolls until the row with this index is in sight; false if it is not there. */
export function scrollToRow(list: Element, index: number): boolean {
  const viewport = list.querySelector(":scope > .monaco-scrollable-element");
  const content = viewport?.querySelector<HTMLElement>(":scope > .monaco-list-rows");
  if (!viewport || !content) return false;
  const inSight = (): boolean => {
    const row = content.querySelector(`:scope > .monaco-list-row[data-index="${index}"]`)?.getBoundingClientRect();
    const frame = viewport.getBoundingClientRect();
    return row !== undefined && row.top >= frame.top && row.bottom <= frame.bottom;
  };
  const scroll = (pixels: number): boolean => {
    const before = content.style.transform + content.style.top;
    viewport.dispatchEvent(new WheelEvent("wheel", { deltaY: pixels, bubbles: true, cancelable: true }));
    return content.style.transform + content.style.top !== before;
  };
  if (inSight()) return true;
  scroll(-1_000_000);
  while (!inSight()) if (!scroll(11)) return false;
  return true;
}

/** The row at the end of a path of labels, the first label being one of a top-level row's. */
export function findRow(rows: readonly Row[], path: readonly string[]): Row | undefined {
  let found: Row | undefined;
  let candidates = rows;
  for (const [depth, label] of path.entries()) {
    found = candidates.find((row) => row.level === depth + 1 && row.label === label);
    if (found === undefined) return undefined;
    candidates = rowsBelow(rows, found);
  }
  return found;
}

/** All rows inside an expanded row. */
export function rowsBelow(rows: readonly Row[], row: Row): Row[] {
  const after = rows.slice(rows.indexOf(row) + 1);
  const end = after.findIndex(({ level }) => level <= row.level);
  return end < 0 ? after : after.slice(0, end);
}
