/** What the documents have to hold: they stay short, and what they name exists. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import texts from "../../package.nls.json" with { type: "json" };

const documents = globSync(["*.md", "docs/**/*.md"]).map((file) => file.replaceAll("\\", "/"));
const read = (file: string): string => readFileSync(file, "utf8");
const lines = (file: string): string[] => read(file).trimEnd().split("\n");

/** A document without its blocks and spans of code: what is a link, or in italics, there. */
const prose = (file: string): string =>
  read(file)
    .replace(/^( *)```.*?^\1```$/gms, "")
    .replace(/`[^`\n]*`/g, "``");

/** The targets of its links and pictures. */
const targets = (file: string): string[] =>
  [...prose(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);

/** The anchors that GitHub and VS Code give to headings. */
const anchors = (file: string): string[] =>
  [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );

describe("documents are short:", () => {
  test("README.md has 1,200 words at most", () => {
    expect(read("README.md").split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(1200);
  });

  test("CONTRIBUTING.md has 150 lines at most", () => {
    expect(lines("CONTRIBUTING.md").length).toBeLessThanOrEqual(150);
  });

  test("CHANGELOG.md has a line of 120 characters at most for each change", () => {
    expect(lines("CHANGELOG.md").filter((line) => line.length > 120 || line.startsWith("  "))).toEqual([]);
  });

  test("the newest section of CHANGELOG.md has Added, Changed and Fixed, once each, and 60 lines at most", () => {
    const [, newest = ""] = read("CHANGELOG.md").split(/^## /m);
    expect([...newest.matchAll(/^### (.+)$/gm)].map(([, kind]) => kind)).toEqual(["Added", "Changed", "Fixed"]);
    expect(newest.split("\n").filter(Boolean).length).toBeLessThanOrEqual(60);
  });
});

describe("what documents name exists:", () => {
  test.each(documents)("files, pictures and headings that %s links to", (file) => {
    const missing = targets(file)
      .filter((target) => !/^(?:https?|mailto|command):/.test(target))
      .filter((target) => {
        const [name = "", anchor] = target.split("#");
        const path = name === "" ? file : posix.join(posix.dirname(file), name);
        return !existsSync(path) || (anchor !== undefined && !anchors(path).includes(anchor));
      });
    expect(missing).toEqual([]);
  });

  test("every picture of docs/tour is shown in the tour", () => {
    const shown = targets("docs/tour.md").filter((target) => target.endsWith(".png"));
    expect(new Set(shown)).toEqual(new Set(globSync("docs/tour/*.png").map((file) => `tour/${posix.basename(file)}`)));
  });

  test.each(documents)("settings and colours of %s", (file) => {
    const { configuration, colors, commands } = manifest.contributes;
    const known = new Set([
      ...Object.keys(configuration.properties),
      ...colors.map(({ id }) => id),
      ...commands.map(({ command }) => command),
    ]);
    const named = [...read(file).matchAll(/`(tensorInspector\.[\w.]+)`/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  /** What README.md and the guide have in italics that is no command: controls of the details page and rows of the view. */
  const NOT_COMMANDS = "Compare with|Distribution|History|Locked|Picture|Program|Read All|Values|Watchpoints".split(
    "|",
  );

  test.each(["README.md", "docs/guide.md", "SUPPORT.md", "SECURITY.md"])("commands of %s, in italics", (file) => {
    const known = Object.entries(texts).flatMap(([key, text]) => (key.startsWith("command.") ? text : []));
    const named = [...prose(file).matchAll(/(?<![\w*])_([^_]+)_(?!\w)/g)].map(([, name = ""]) =>
      name.replace(/\s+/g, " ").replace(/^Tensor Inspector: /, ""),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => ![...known, ...NOT_COMMANDS].includes(name))).toEqual([]);
  });
});
