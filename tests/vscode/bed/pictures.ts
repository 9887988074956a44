/** Pictures for people to look at: no test needs them, so they are taken only where the environment has PICTURES. */
import { until } from "./wait.ts";
import type { Workbench } from "./workbench.ts";

/** In pixels, in a picture for docs/tour.md. */
const SIDE_BAR = 308;
const ROOM_FOR_ROWS = 620;
const HEIGHT_OF_ROWS = 240;
/** Milliseconds in which nothing has changed. */
const STILL = 700;

export const areWanted = process.env["PICTURES"] !== undefined;
export const NOT_WANTED = "pictures are taken only where the environment has PICTURES";

export async function shot(wb: Workbench, name: string): Promise<void> {
  if (areWanted) await wb.screenshot(`test-results/${name}.png`);
}

/** Of the page alone, for docs/tour.md: only where PICTURES is `tour`, since each run draws a little differently. */
export async function tour(wb: Workbench, name: string): Promise<void> {
  await shot(wb, `details/${name}`);
  if (process.env["PICTURES"] !== "tour") return;
  await prepare(wb);
  if (name === "editor") return shotOfEditor(wb, name);
  const panel = wb.page.locator(".part.panel");
  await wb.channel.execute("workbench.action.toggleMaximizedPanel");
  await until("a high panel", async () => ((await panel.boundingBox())?.height ?? 0) > 600);
  await wb.screenshot(`docs/tour/${name}.png`, panel);
  await wb.channel.execute("workbench.action.toggleMaximizedPanel");
}

/** The next frame of media/moving.png: a window of the README's first minute, once nothing in it moves any more. */
export async function movingFrame(wb: Workbench, name: string): Promise<void> {
  if (!areWanted) return;
  let last: Buffer | undefined;
  await until("a window that stays as it is", async () => {
    const before = last;
    await new Promise((resolve) => setTimeout(resolve, STILL));
    last = await wb.page.screenshot({ animations: "disabled", caret: "hide" });
    return before?.equals(last) === true;
  });
  await shot(wb, `moving/${name}`);
}

/** Of an open quick pick alone, likewise. */
export async function tourOfPick(wb: Workbench, name: string): Promise<void> {
  await shot(wb, `details/${name}`);
  const pick = wb.page.locator(".quick-input-widget");
  if (process.env["PICTURES"] === "tour") await wb.screenshot(`docs/tour/${name}.png`, pick);
}

/** Of a tab beside the source, with all the room of the editor, for docs/tour.md. */
export async function tourOfEditor(wb: Workbench, name: string): Promise<void> {
  if (process.env["PICTURES"] !== "tour") return;
  await prepare(wb);
  await wb.channel.execute("workbench.action.focusSecondEditorGroup");
  await wb.channel.execute("workbench.action.toggleMaximizeEditorGroup");
  await shotOfEditor(wb, name);
  await wb.channel.execute("workbench.action.toggleMaximizeEditorGroup");
}

/** What differs from run to run: how wide the side bar is, and what the mouse rests on. */
async function prepare(wb: Workbench, width = SIDE_BAR): Promise<void> {
  await wb.widenSideBar(width);
  await wb.page.mouse.move(700, 300, { steps: 3 });
  await wb.page.keyboard.press("Escape");
}

/** The first rows of the Tensor Inspector view, with room for them, likewise. */
export async function tourOfView(wb: Workbench, name: string): Promise<void> {
  await shot(wb, `details/${name}`);
  if (process.env["PICTURES"] !== "tour") return;
  await prepare(wb, ROOM_FOR_ROWS);
  await wb.screenshot(`docs/tour/${name}.png`, wb.inspector.root, HEIGHT_OF_ROWS);
  await wb.widenSideBar(SIDE_BAR);
}

function shotOfEditor(wb: Workbench, name: string): Promise<void> {
  return wb.screenshot(`docs/tour/${name}.png`, wb.page.locator(".part.editor"));
}

/** How wide a window is that leaves the panel, beside the side bar, some 300 pixels. */
const NARROW = 660;

/** In four themes, on a screen at 150 %, and in a narrow window. */
export async function looks(wb: Workbench, name: string): Promise<void> {
  if (!areWanted) return;
  await inLooks(wb, name);
}

/** The same with a panel that has all the height, so that a page in it is seen as far as it goes. */
export async function looksOfPanel(wb: Workbench, name: string): Promise<void> {
  if (!areWanted) return;
  await wb.channel.execute("workbench.action.toggleMaximizedPanel");
  await inLooks(wb, name);
  await wb.channel.execute("workbench.action.toggleMaximizedPanel");
}

async function inLooks(wb: Workbench, name: string): Promise<void> {
  const size = wb.page.viewportSize()!;
  for (const theme of ["light", "high-contrast-light", "high-contrast", "dark"] as const) {
    await wb.switchTheme(theme);
    await shot(wb, `${name}-${theme}`);
  }
  await wb.page.setViewportSize({ width: Math.round(size.width / 1.5), height: Math.round(size.height / 1.5) });
  await shot(wb, `${name}-zoomed`);
  await wb.page.setViewportSize({ width: NARROW, height: size.height });
  await shot(wb, `${name}-narrow`);
  await wb.page.setViewportSize(size);
}
