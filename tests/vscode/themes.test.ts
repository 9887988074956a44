/** What is loud stands out in every theme. */
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
import { shot } from "./bed/pictures.ts";
import { themes } from "./bed/workbench.ts";

const program = `\
import torch

plain = torch.arange(3.0)
unknown = torch.tensor([1.0, float("nan")])
unused = torch.zeros(3)
print("here")  # STOP
`;

const test = testIn({ files: { "themes.py": program } });

test.for(Object.keys(themes) as (keyof typeof themes)[])(
  "in %s, icons of NaN and of all zeros have colours of their own, and so has NaN in the status bar",
  async (theme, { wb }) => {
    if (wb.debug.stops() === 0) await wb.debug.start("themes.py");
    await wb.showOnly(wb.inspector.title);
    await wb.switchTheme(theme);
    const rows = await wb.inspector.rowsWhen("the tensors", (all) => all.some(({ label }) => label === "plain"));
    const colors = ["plain", "unknown", "unused"].map((name) => rows.find(({ label }) => label === name)?.iconColor);
    expect(new Set(colors).size, colors.join()).toBe(3);
    const paint = (item: Element): string => {
      const transparent = "rgba(0, 0, 0, 0)";
      let painted: Element | null = item;
      while (painted && getComputedStyle(painted).backgroundColor === transparent) painted = painted.parentElement;
      return `${getComputedStyle(item).color} on ${painted && getComputedStyle(painted).backgroundColor}`;
    };
    const other = wb.page.locator('[id="status.problems"]');
    const looksAlike = async (): Promise<boolean> => {
      const [ours, theirs] = [wb.status, other].map((item) => item.locator("a").first().evaluate(paint));
      return (await ours) === (await theirs);
    };
    await expect.poll(looksAlike).toBe(false);
    await shot(wb, `themes-${theme}`);
  },
);
