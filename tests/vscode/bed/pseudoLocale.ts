/** A language in which each text of ours stands in brackets: what stands outside can't be translated. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ServerAddress } from "./server.ts";

export const PSEUDO = "qps-ploc";

/** A text as the pseudo-locale has it, with nothing of ours before, behind or between. */
export const TRANSLATED = /^(?:[^\p{L}]*⟦[^⟦⟧]*⟧)+[^\p{L}]*$/u;

/** Gives a server the language, and the extension that is installed there its texts in it. */
export function addPseudoLocale({ home }: ServerAddress): void {
  const extensions = path.join(home, "extensions");
  const name = readdirSync(extensions).find((folder) => folder.startsWith("tensor-inspector.tensor-inspector"));
  if (name === undefined) throw new Error("the extension is not installed");
  for (const file of ["package.nls", path.join("l10n", "bundle.l10n")]) {
    const texts = path.join(extensions, name, `${file}.json`);
    const english = JSON.parse(readFileSync(texts, "utf8")) as Record<string, string>;
    const pseudo = Object.entries(english).map(([key, text]) => [key, `⟦${text}⟧`]);
    writeFileSync(path.join(extensions, name, `${file}.${PSEUDO}.json`), JSON.stringify(Object.fromEntries(pseudo)));
  }
  // VS Code knows languages by their packs. One without texts leaves its own in English.
  const pack = path.join(home, "pseudo.json");
  writeFileSync(pack, JSON.stringify({ version: "1.0.0", contents: {} }));
  const known = {
    hash: "pseudo",
    label: "Pseudo",
    extensions: [{ extensionIdentifier: { id: "tests.pseudo", uuid: "pseudo" }, version: "1.0.0" }],
    translations: { vscode: pack },
  };
  writeFileSync(path.join(home, "user-data", "languagepacks.json"), JSON.stringify({ [PSEUDO]: known }));
}
