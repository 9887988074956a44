/** Pictures for people to look at: no test needs them, so they are taken only where the environment has PICTURES. */
import type { Workbench } from "./workbench.ts";

export const areWanted = process.env["PICTURES"] !== undefined;

export async function shot(wb: Workbench, name: string): Promise<void> {
  if (areWanted) await wb.screenshot(`test-results/${name}.png`);
}

/** In three themes, and on a screen at 150 %. */
export async function looks(wb: Workbench, name: string): Promise<void> {
  if (!areWanted) return;
  const size = wb.page.viewportSize()!;
  for (const theme of ["light", "high-contrast", "dark"] as const) {
    await wb.switchTheme(theme);
    await shot(wb, `${name}-${theme}`);
  }
  await wb.page.setViewportSize({ width: Math.round(size.width / 1.5), height: Math.round(size.height / 1.5) });
  await shot(wb, `${name}-zoomed`);
  await wb.page.setViewportSize(size);
}
