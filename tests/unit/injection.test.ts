import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { bundleHelper } from "../../extension/build/bundleHelper.ts";
import { bundleIn } from "../../extension/src/helper/bundle.ts";
import { type Bundle, callExpression, injectExpression, MARK, packed } from "../../extension/src/helper/injection.ts";

const unpacked = (text: string): string => inflateSync(Buffer.from(text, "base64")).toString("utf8");

/** The texts packed inside an injecting expression. */
const within = (expression: string): string[] =>
  [...expression.matchAll(/[zb]\('([^']*)'\)/g)].map(([, payload = ""]) => unpacked(payload));

describe("a call", () => {
  test("carries its request as data: nothing of it can become code", () => {
    const request = {
      op: "inspect",
      version: "v",
      expression: "x') or __import__('os').system('ls #@LINE@ é \u{1f600}",
    } as const;
    const expression = callExpression(request);
    expect(expression).not.toMatch(/system|LINE|é/);
    const [, data = ""] = /\.call\('([A-Za-z0-9+/=]*)'\)/.exec(expression) ?? [];
    expect(JSON.parse(Buffer.from(data, "base64").toString("utf8"))).toEqual(request);
  });

  test("is marked as ours, and is one line of ASCII", () => {
    const expression = callExpression({ op: "frame", version: "v", expanded: { 日本: {} } });
    expect(expression.endsWith(MARK)).toBe(true);
    expect(expression).toMatch(/^[\x20-\x7e]*$/);
  });

  test("names no builtin that the frame could shadow", () => {
    const names = callExpression({ op: "frame", version: "v" }).matchAll(/(?<![\w.'])[A-Za-z_]\w*(?=[\w.]*\()/g);
    expect([...names].map(([name]) => name)).toEqual([]);
  });
});

describe("the injection", () => {
  const modules = JSON.stringify({ "": 0, kinds: 1 });
  const sources = ["pass\n", 'x = "é \u{1f600}\\n\u2028"\n'];
  const loader = "def install(): ...\n";
  const timeOuts = "def dispose(): ...\n";
  const bundle: Bundle = {
    version: "v1",
    modules: packed(modules),
    folders: sources.map(packed),
    loader: packed(loader),
    timeOuts: packed(timeOuts),
  };

  test("disposes of time-outs, and is then the loader and one call of it with all sources, the version and what the user prefers", () => {
    const expression = injectExpression(bundle, { digits: 6 });
    expect(within(expression)).toEqual([timeOuts, loader, modules, '{"digits":6}', ...sources]);
    expect(expression).toMatch(/g\['dispose'\]\(\), .*g\['install'\]\(.*, 'v1', .*\)/);
  });

  test("is one line of ASCII, compiled under a name that the debugger does not step into", () => {
    const expression = injectExpression(bundle, {});
    expect(expression).toMatch(/^[\x20-\x7e]*$/);
    expect(expression).toContain("'<frozen _tensor_inspector.loader>'");
    expect(expression.endsWith(MARK)).toBe(true);
  });
});

describe("the bundle", () => {
  test("has every module of the helper but the loader, and a version that follows from it", async () => {
    const bundle = await bundleHelper();
    const modules = JSON.parse(unpacked(bundle.modules)) as Record<string, number>;
    const names = Object.keys(modules);
    expect(names).toEqual(expect.arrayContaining(["", "gateway", "stop.snapshot", "kinds", "measure.stats"]));
    expect(names).not.toContain("loader");
    const sources = bundle.folders.map((folder) => unpacked(folder).split("\0"));
    expect(sources.map((folder) => folder.length)).toEqual(
      sources.map((_, at) => names.filter((name) => modules[name] === at).length),
    );
    const found = names.filter((name) => modules[name] === modules["stop.snapshot"]).indexOf("stop.snapshot");
    expect(sources[modules["stop.snapshot"] ?? -1]?.[found]).toContain("class Snapshot");
    expect(unpacked(bundle.loader)).toContain("def install(");
    expect(unpacked(bundle.timeOuts)).toContain("def dispose(");
    expect(names).toContain("time_outs");
    expect(bundle.version).toMatch(/^[0-9a-f]{12}$/);
    expect(await bundleHelper()).toEqual(bundle);
  });

  test("is read from its file once, when it is first asked for", () => {
    const folder = mkdtempSync(join(tmpdir(), "bundle-"));
    const file = join(folder, "helper.json");
    const bundle: Bundle = { version: "v1", modules: "", folders: [], loader: "", timeOuts: "" };
    const ask = bundleIn(file);
    writeFileSync(file, JSON.stringify(bundle));
    expect(ask()).toEqual(bundle);
    rmSync(folder, { recursive: true });
    expect(ask()).toEqual(bundle);
  });

  test("stays far from what one evaluate may carry", async () => {
    expect(injectExpression(await bundleHelper(), {}).length).toBeLessThan(1_100_000); // of 16 million, beyond which the adapter hangs
  });
});
