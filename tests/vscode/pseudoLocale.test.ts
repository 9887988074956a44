/** Every text of ours that a window shows can be translated: in a pseudo-locale, each stands in brackets. */
import { expect, test } from "vitest";
import { DetailsPage } from "./bed/detailsPage.ts";
import { withWorkbench } from "./bed/fixture.ts";
import { vsix } from "./bed/package.ts";
import { shot } from "./bed/pictures.ts";
import { addPseudoLocale, PSEUDO, TRANSLATED } from "./bed/pseudoLocale.ts";
import { startServer } from "./bed/server.ts";
import { until } from "./bed/wait.ts";

const files = { "small.py": "import torch\nweights = torch.rand(8, 8)\nprint(weights)  # STOP\n" };

/** What is said by no text of VS Code's: the names of the product, of libraries and of settings. */
function notTranslated(texts: readonly string[]): string[] {
  return texts.filter((text) => /\p{L}{2}/u.test(text) && !TRANSLATED.test(text));
}

test("welcome texts, titles, menus, the palette, picks and pages are translated whole", async () => {
  const server = await startServer({ vsix, locale: PSEUDO });
  addPseudoLocale(server);
  try {
    await withWorkbench({ files, server }, async (wb) => {
      await wb.openFile("small.py", 1);
      await wb.showOnly("⟦Tensor Inspector⟧");
      const pane = wb.pane("⟦Tensor Inspector⟧");
      await until("a welcome text", async () => (await pane.welcome()).includes("⟦"));
      expect(notTranslated([await pane.welcome()])).toEqual([]);

      await wb.debug.start("small.py");
      await pane.row("weights");
      expect(notTranslated(await pane.menuItems("weights"))).toEqual([]);

      await wb.page.keyboard.press("F1");
      await wb.page.locator(".quick-input-widget input").first().fill(">Tensor Inspector: ⟦");
      // Below each, VS Code repeats the English title.
      const names = wb.page.locator(
        ".quick-input-widget .monaco-list-row .quick-input-list-row:first-child .label-name",
      );
      const commands = await until("the palette", async () => {
        const shown = await names.allInnerTexts();
        return shown.length > 5 && shown.every((name) => name.startsWith("Tensor Inspector: ")) && shown;
      });
      expect(notTranslated(commands.map((name) => name.replace("Tensor Inspector: ", "")))).toEqual([]);
      await wb.page.keyboard.press("Escape");

      await pane.choose(["weights"], "⟦Show Details⟧");
      const page = new DetailsPage(wb);
      await page.textWith("float32[8, 8]");
      const words = await (
        await page.frame()
      ).evaluate(() =>
        [...document.querySelectorAll("button, h2, summary, option, label")].map((element) =>
          [...element.childNodes]
            .filter((node) => node.nodeType === Node.TEXT_NODE)
            .map((node) => node.textContent)
            .join(""),
        ),
      );
      expect(words.filter((word) => word.includes("⟦")).length).toBeGreaterThan(20);
      expect(notTranslated(words)).toEqual([]);
      await shot(wb, "pseudo-locale");
    });
  } finally {
    server.close();
  }
});
