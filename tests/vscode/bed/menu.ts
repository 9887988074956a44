/** Context menus, the command palette and other quick input. */
import type { Locator, Page } from "playwright-core";
import { leaveTooltip } from "./tooltip.ts";
import { textNow, until } from "./wait.ts";

/** After so many milliseconds without a menu, the click was dropped. */
const CLICK_MS = 5000;

/** After so many milliseconds, a box that is not there has been closed. */
const BOX_MS = 10_000;

/** The items of the menu that a right click on the target opens; closes it again. */
export async function menuItems(target: Locator): Promise<string[]> {
  return itemsOf(await openMenu(target));
}

/** The items of an open menu; closes it. */
export async function itemsOf(menu: Locator): Promise<string[]> {
  const labels = await menu.locator(".action-item:not(.disabled) .action-label:not(.separator)").allTextContents();
  await closeMenu(menu);
  return labels.map((label) => label.trim());
}

/** An item, by the whole label, since one command's title may begin another's. */
export function labelIn(menu: Locator, item: string): Locator {
  return menu.locator(".action-label").getByText(item, { exact: true });
}

export async function closeMenu(menu: Locator): Promise<void> {
  await menu.page().keyboard.press("Escape");
  await menu.waitFor({ state: "hidden" });
}

/** Right-clicks the target, or by `force` what covers it there, and chooses an item. */
export async function chooseFromMenu(target: Locator, item: string, { force = false } = {}): Promise<void> {
  await chooseIn(await openMenu(target, force), item);
}

/** Chooses an item of an open menu. */
export async function chooseIn(menu: Locator, item: string): Promise<void> {
  // By Enter, since a young menu takes no clicks.
  await labelIn(menu, item).hover();
  await menu.locator(".action-item.focused", { hasText: item }).waitFor();
  await menu.page().keyboard.press("Enter");
  await menu.waitFor({ state: "hidden" });
}

/** Right-clicks the target until its menu is there: VS Code drops a click on what it is drawing again. */
export function openMenu(target: Locator, force = false): Promise<Locator> {
  return until("a menu after a right click", () => menuAfterClick(target, force));
}

/** The menu that one right click on the target opens; undefined where it opens none in time. */
export async function menuAfterClick(target: Locator, force = false): Promise<Locator | undefined> {
  const menu = target.page().locator(".context-view .monaco-menu");
  await leaveTooltip(target.page());
  if (!(await isDone(rightClick(target, force)))) return undefined;
  return (await isDone(menu.waitFor({ timeout: CLICK_MS }))) ? menu : undefined;
}

/** False where it could not be done in time. */
export function isDone(click: Promise<void>): Promise<boolean> {
  return click.then(
    () => true,
    () => false,
  );
}

async function rightClick(target: Locator, force: boolean): Promise<void> {
  if (!force) return target.click({ button: "right", timeout: CLICK_MS });
  const box = await until("a place to click at", async () => (await target.boundingBox()) ?? undefined);
  return target.page().mouse.click(box.x + box.width / 2, box.y + box.height / 2, { button: "right" });
}

/** The box at the top of the window: commands, picks, questions. */
export class QuickInput {
  readonly #page: Page;
  readonly #widget: Locator;

  constructor(page: Page) {
    this.#page = page;
    this.#widget = page.locator(".quick-input-widget");
  }

  /** Runs a command by its title in the palette. */
  async runCommand(title: string): Promise<void> {
    await this.#page.keyboard.press("F1");
    await this.pick(`>${title}`, title);
  }

  /** Types into the open box and accepts the row that shows the label. */
  async pick(text: string, label = text): Promise<void> {
    await this.#type(text);
    // An Enter before the row is there is lost.
    const focused = this.#widget.locator(".monaco-list-row.focused", { hasText: label });
    await focused.waitFor();
    await this.#accept();
  }

  /** Types into the open box, which asks for a text, and accepts. */
  async answer(text: string): Promise<void> {
    await this.#type(text);
    await this.#accept();
  }

  /**
   * Runs a command and answers the box that it opens: again where that closes at once, as when a page takes the focus
   * back that the palette has left.
   */
  async runWith(title: string, text: string): Promise<void> {
    const input = this.#widget.locator("input[type=text]").first();
    await until(`a box of ${title} that takes ${text}`, async () => {
      await this.runCommand(title);
      const isFilled = input.fill(text, { timeout: BOX_MS }).then(() => true);
      return (await isFilled.catch(() => false)) && (await input.isVisible());
    });
    await this.#accept();
  }

  /** Answers VS Code's own file dialog, which would replace what is typed before it has proposed a name. */
  async answerFile(file: string, proposed: string): Promise<void> {
    const input = this.#widget.locator("input[type=text]").first();
    const isSaid = (value: string) => async (): Promise<boolean> => (await input.inputValue()).endsWith(value);
    await until(`the dialog to propose ${proposed}`, isSaid(proposed));
    const busy = this.#widget.locator(".monaco-progress-container.active");
    // It looks for the folder that is typed, and may put its own name back meanwhile.
    await until(`the dialog to take ${file}`, async () => {
      if (!(await isSaid(file)())) await input.fill(file);
      return (await busy.count()) === 0 && isSaid(file)();
    });
    // It drops an Enter that comes while it looks for the file.
    await until(`the dialog to close with ${file}`, async () => {
      await this.#page.keyboard.press("Enter");
      return isDone(input.waitFor({ state: "hidden", timeout: BOX_MS }));
    });
  }

  /** The rows on offer. */
  async rows(): Promise<string[]> {
    const labels = await this.#widget.locator(".monaco-list-row").allTextContents();
    return labels.map((label) => label.trim());
  }

  async #type(text: string): Promise<void> {
    const input = this.#widget.locator("input[type=text]").first();
    await input.waitFor();
    await input.fill(text);
  }

  /** Accepted when the box hides or goes on to ask something else. */
  async #accept(): Promise<void> {
    const content = (): Promise<string | undefined> => textNow(this.#widget.filter({ visible: true }));
    const before = await content();
    await this.#page.keyboard.press("Enter");
    await until("the quick input to take Enter", async () => (await content()) !== before);
  }
}
