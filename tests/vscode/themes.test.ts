/** What is loud stands out in every theme. */
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
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
  "in %s, icons of NaN and of all zeros have colours of their own",
  async (theme, { wb }) => {
    if (wb.debug.stops() === 0) await wb.debug.start("themes.py");
    await wb.showOnly(wb.inspector.title);
    await wb.switchTheme(theme);
    const rows = await wb.inspector.rowsWhen("the tensors", (all) => all.some(({ label }) => label === "plain"));
    const colors = ["plain", "unknown", "unused"].map((name) => rows.find(({ label }) => label === name)?.iconColor);
    expect(new Set(colors).size, colors.join()).toBe(3);
  },
);
