/** What the workbench shows under a mouse that rests. */
import type { Page } from "playwright-core";
import { until } from "./wait.ts";

const TOOLTIP = ".workbench-hover-container:visible";

/**
 * Moves the mouse away, and waits until no tooltip lies over what is clicked next. One that was answered late comes when the
 * mouse has left already: it goes once the mouse was on it.
 */
export async function leaveTooltip(page: Page): Promise<void> {
  await page.mouse.move(2, 2);
  await until("the tooltip to go", async () => {
    const [box] = await page
      .locator(TOOLTIP)
      .evaluateAll((shown) => shown.map((one) => one.getBoundingClientRect().toJSON() as DOMRect));
    if (box === undefined) return true;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.move(2, 2);
    return false;
  });
}
