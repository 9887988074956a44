import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { graphOptions, options, pageOptions } from "../../extension/build/bundle.ts";
import { writtenMessages } from "../../extension/build/l10n.ts";
import { contributed as contributions, texts as textsOfTables } from "../../extension/build/manifest.ts";
import { settingsPage } from "../../extension/build/settingsPage.ts";
import { COLOR, COMMAND, CONTEXT, DEBUG_TYPE, DETAILS_VIEW, SECTION, VIEW } from "../../extension/src/ids.ts";
import { VALUE_LENSES } from "../../extension/src/model/valueLenses.ts";
import manifest from "../../package.json" with { type: "json" };
import texts from "../../package.nls.json" with { type: "json" };

const SOURCE = "extension/src";
const files = globSync(`${SOURCE}/**/*.ts`).map((file) => file.replaceAll("\\", "/"));

/** What a file imports; `types` tells whether imports of types alone count, which are gone when it runs. */
function imports(file: string, types: boolean): string[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/^(?:import|export) (type )?(?:[^;"]*? from )?"([^"]+)";/gms)]
    .filter(([, type]) => types || type === undefined)
    .map(([, , name = ""]) => (name.startsWith(".") ? posix.join(posix.dirname(file), name) : name));
}

const sorted = (texts: readonly string[]): string[] => texts.toSorted((a, b) => a.localeCompare(b));
const layer = (file: string): string => posix.relative(SOURCE, file).split("/")[0] ?? "";

describe("layers", () => {
  // Each may import itself and what stands after it.
  const order = ["extension.ts", "views", "model", "helper", "debug", "protocol", "ids.ts"];

  test("every file is in one of them", () => {
    expect(new Set(files.map(layer))).toEqual(new Set(order));
  });

  test("no import goes against their direction", () => {
    const against = files.flatMap((file) =>
      imports(file, true)
        .filter((name) => name.startsWith(SOURCE) && order.indexOf(layer(name)) < order.indexOf(layer(file)))
        .map((name) => `${file} imports ${name}`),
    );
    expect(against).toEqual([]);
  });

  test("the model never loads vscode, neither itself nor through others", () => {
    const reached = new Set<string>();
    const waiting = files.filter((file) => layer(file) === "model");
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      for (const name of imports(file, false)) {
        if (!reached.has(name) && name.startsWith(SOURCE)) waiting.push(name);
        reached.add(name);
      }
    }
    expect(reached.size).toBeGreaterThan(5);
    expect([...reached]).not.toContain("vscode");
  });
});

describe("names", () => {
  test("of classes and types stand for one thing each", () => {
    const names = files.flatMap((file) => [
      ...readFileSync(file, "utf8").matchAll(/^(?:export )?(?:abstract )?(?:class|interface|type|enum) (\w+)/gm),
    ]);
    const met = names.map(([, name = ""]) => name);
    expect(met.filter((name, at) => met.indexOf(name) !== at)).toEqual([]);
  });
});

/** What people read: fields of nodes, findings, rows and refusals. */
const SPOKEN = "description|fact|label|message|more|reason|short|speech|summary|title|tooltip";
const READERS = "endsWith|includes|indexOf|match|matchAll|replace|replaceAll|search|slice|split|startsWith";
const READINGS = [
  `\\b(?:${SPOKEN}|\\w+\\.(?:line|text))\\.(?:${READERS})\\(`,
  `\\b(?:${SPOKEN}|\\w+\\.(?:line|text)) [!=]== (?!""|null|undefined)`,
  `(?<!""|null|undefined) [!=]== (?!position)(?:\\w+\\.)*(?:${SPOKEN}|\\w+\\.(?:line|text))\\b(?![.(])`,
  `\\.test\\((?:\\w+\\.)*(?:${SPOKEN}|\\w+\\.(?:line|text))\\)`,
].map((reading) => new RegExp(reading, "g"));

/** Where text for people is read as data. */
function readings(source: string): string[] {
  return READINGS.flatMap((reading) => Array.from(source.matchAll(reading), ([found]) => found));
}

describe("text for people", () => {
  /** Where lines of the program's own source are read, or what the user typed. */
  const OF_SOURCES: readonly string[] = ["model/python.ts", "model/stockExpression.ts", "model/inline.ts"];

  test.each([
    "row.label === 'x'",
    "if ('x' !== node.description)",
    "node.line.startsWith(type)",
    "({ title }) => title.split(':')",
    "result.text.includes('NaN')",
    "/NaN/.test(one.summary)",
  ])("read as data is seen: %s", (code) => {
    expect(readings(code)).toHaveLength(1);
  });

  test.each(["line === undefined", 'description !== ""', "{ label: node.label }"])("is not read by %s", (code) => {
    expect(readings(code)).toEqual([]);
  });

  test.each(files.filter((file) => !OF_SOURCES.some((name) => file.endsWith(name))))(
    "takes no branch in %s",
    (file) => {
      expect(readings(readFileSync(file, "utf8"))).toEqual([]);
    },
  );
});

describe("the manifest", () => {
  const { commands, colors, menus, keybindings, views, viewsWelcome } = manifest.contributes;
  const contributed = sorted(commands.map(({ command }) => command));
  const conditions = [...JSON.stringify(manifest).matchAll(/"when":"([^"]*)"/g)].map(([, when = ""]) => when);

  test("has the commands and tools of the tables: run npm run build", () => {
    expect(manifest.contributes).toMatchObject(JSON.parse(JSON.stringify(contributions)));
    expect(texts).toMatchObject(textsOfTables);
  });

  test("has the commands, colors and views that the code has, no more and no fewer", () => {
    expect(contributed).toEqual(sorted(Object.values(COMMAND)));
    expect(sorted(colors.map(({ id }) => id))).toEqual(sorted(Object.values(COLOR)));
    expect(Object.values(views).flatMap((some) => some.map(({ id }) => id))).toEqual([VIEW, DETAILS_VIEW]);
    expect(new Set(viewsWelcome.map(({ view }) => view))).toEqual(new Set([VIEW]));
  });

  test("asks in its conditions for the context keys and the view of the code, no more and no fewer", () => {
    const asked = conditions.flatMap((when) => when.match(new RegExp(`(?<!config\\.)${SECTION}\\.\\w+`, "g")) ?? []);
    expect(new Set(asked)).toEqual(new Set([...Object.values(CONTEXT), VIEW, DETAILS_VIEW]));
  });

  test("activates for every debug type of the code", () => {
    const types = manifest.activationEvents.flatMap((event) => event.split("onDebugAdapterProtocolTracker:")[1] ?? []);
    expect(sorted(types)).toEqual(sorted(Object.values(DEBUG_TYPE)));
  });

  test("shares no name with the code but by its ids", () => {
    const written = files.filter((file) => file !== `${SOURCE}/ids.ts`).map((file) => readFileSync(file, "utf8"));
    const ids = [COMMAND, CONTEXT, COLOR, { VIEW, DETAILS_VIEW }].flatMap((some) => Object.values(some));
    expect(ids.filter((id) => written.some((text) => text.includes(`"${id}"`)))).toEqual([]);
  });

  test("uses in its menus and keys only commands that it contributes", () => {
    const used = [...Object.values(menus).flat(), ...keybindings].map(({ command }) => command);
    expect(used.filter((command) => !contributed.includes(command))).toEqual([]);
  });

  test.each(Object.entries(VALUE_LENSES))(
    "has the lens %s in the menu of the rows that it is for",
    (name, { command }) => {
      const rows = menus["view/item/context"].filter((entry) => entry.command === command);
      expect(rows.map(({ when }) => when)).toEqual([
        `view == ${VIEW} && viewItem =~ /\\b${name}\\b/ && !listMultiSelection`,
      ]);
    },
  );

  test("has no two commands at one place of a menu, but those of which one is shown at a time", () => {
    const places = menus["view/item/context"].map(
      ({ group, when }) => `${group} ${when.includes("elected") ? when : ""}`,
    );
    expect(places.filter((place, index) => !place.startsWith("inline") && places.indexOf(place) !== index)).toEqual([]);
  });

  test("has a walkthrough of which no step is done before somebody did it", () => {
    const events = manifest.contributes.walkthroughs.flatMap(({ steps }) =>
      steps.flatMap((one) => one.completionEvents),
    );
    expect(events.length).toBeGreaterThan(4);
    expect(events).not.toContain(`onContext:${CONTEXT.active}`); // which is so once we are started
  });

  test("says of every command whether the palette shows it", () => {
    expect(sorted(menus.commandPalette.map(({ command }) => command))).toEqual(contributed);
  });

  test("has a text for every %key%, and no text without one", () => {
    const used = [...JSON.stringify(manifest).matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key);
    expect(new Set(used)).toEqual(new Set(Object.keys(texts)));
  });

  test("has its settings, commands and colours in docs/settings.md as they are", async () => {
    const { now, written } = await settingsPage();
    expect(written, "run node extension/build/settingsPage.ts").toBe(now);
  });

  test("leaves it to one context key to tell which sessions are Python's", () => {
    expect(conditions.filter((when) => /\bdebugType (=|!|in )/.test(when))).toEqual([]);
  });

  test("leaves the keys of its rows to the find box while that is typed into", () => {
    expect(keybindings.map(({ when }) => when).filter((when) => !/\blistFocus && !inputFocus\b/.test(when))).toEqual(
      [],
    );
  });

  test("has the version that all other files have", () => {
    const first = (file: string, version: RegExp): string | undefined => version.exec(readFileSync(file, "utf8"))?.[1];
    expect(first("package-lock.json", /"version": "([\d.]+)"/)).toBe(manifest.version);
    expect(first("pyproject.toml", /^version = "([\d.]+)"/m)).toBe(manifest.version);
    expect(first("CHANGELOG.md", /^## ([\d.]+)/m)).toBe(manifest.version);
  });

  test("brings no packages along", () => {
    expect(manifest.dependencies).toEqual({});
  });
});

describe("the bundle", () => {
  test("reaches out nowhere; one file listens, on this machine alone", async () => {
    const { metafile, outputFiles } = await build({ ...options, write: false, metafile: true });
    const platform = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
    expect(new Set(platform)).toEqual(
      new Set([
        "fs",
        "fs/promises",
        "node:crypto",
        "node:fs",
        "node:fs/promises",
        "node:http",
        "node:path",
        "node:zlib",
        "vscode",
      ]),
    );
    const listening = files.filter((file) => /(?<!import type [^;]*)"node:http"/.test(readFileSync(file, "utf8")));
    expect(listening).toEqual([`${SOURCE}/model/assistant/mcpServer.ts`]);
    const server = readFileSync(listening[0] ?? "", "utf8");
    expect(server.match(/.*"node:http".*/g)).toEqual([
      'import type { IncomingMessage, Server, ServerResponse } from "node:http";',
      '    const { createServer } = await import("node:http");',
    ]);
    expect(server).toContain('const HOST = "127.0.0.1";');
    const text = outputFiles.map((file) => file.text).join("\n");
    const ways = /\b(?:fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|getBuiltinModule|createRequire)\b/g;
    expect(text.match(ways)).toBeNull();
  });
});

describe("the page", () => {
  const LARGEST = 150_000;

  test.each([
    ["of details and tables", pageOptions],
    ["of a graph", graphOptions],
  ])("%s is bundled with nothing that its policy forbids, and is small", async (_, bundled) => {
    const { outputFiles } = await build({ ...bundled, write: false, metafile: true });
    const [script = ""] = outputFiles.filter(({ path }) => path.endsWith(".js")).map(({ text }) => text);
    expect(script.length).toBeGreaterThan(10_000);
    expect(script.length).toBeLessThan(LARGEST);
    expect(script.match(/\b(?:eval\(|new Function|WebAssembly|fetch\(|XMLHttpRequest|WebSocket)/g)).toBeNull();
  });

  const own = globSync("extension/webview/**/*.{ts,tsx}").map((file) => file.replaceAll("\\", "/"));

  test("sets what it is told as text", () => {
    expect(own.filter((file) => /innerHTML|outerHTML|insertAdjacent/i.test(readFileSync(file, "utf8")))).toEqual([]);
  });

  test("imports of the extension the protocol alone", () => {
    const foreign = own
      .flatMap((file) => imports(file, true))
      .filter((name) => name.startsWith(`${SOURCE}/`) && layer(name) !== "protocol");
    expect(own.length).toBeGreaterThan(5);
    expect(foreign).toEqual([]);
  });
});

describe("messages", () => {
  test.each([
    ["of the model", "The values of this frame can't be shown: {0}"],
    ["of a badge", "storage freed"],
    ["of a refusal", "the program did not reply"],
    ["of a view", "Click for the log."],
  ])("%s can be translated", async (_, message) => {
    expect(JSON.parse(await writtenMessages())).toHaveProperty([message], message);
  });

  test("are looked up where the manifest says, and packaged", () => {
    expect(manifest.l10n).toBe("./l10n");
    expect(manifest.files).toContain("l10n");
  });
});
