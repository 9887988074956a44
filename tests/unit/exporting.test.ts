import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Uri } from "vscode";
import { Cancelled } from "../../extension/src/debug/queue.ts";
import { exportInSlices, type ExportOptions } from "../../extension/src/model/exporting.ts";
import type { LensAnswer, LensRequest } from "../../extension/src/protocol/generated.ts";
import { askPlace, fileName, writeNew } from "../../extension/src/views/newFile.ts";
import { frame } from "./fixtures.ts";
import { Uri as FakeUri, window, workspace } from "./vscode.ts";

const slice: Pick<LensAnswer, "op" | "snapshot" | "ms" | "types"> = { op: "lens", snapshot: 7, ms: 1, types: [] };
const SLICES: readonly LensAnswer[] = [
  { ...slice, done: false, progress: 0.25, resume: 1, data: "AAAA" },
  { ...slice, done: false, progress: 0.5, resume: 2, data: "BBBB" },
  { ...slice, done: true, progress: 1, data: "CC==" },
];

/** What a program is asked that makes a file in three slices, and how that ends. */
async function exported(options: ExportOptions, run = false) {
  const asked: Partial<LensRequest>[] = [];
  const helper = {
    lens: (_: unknown, fields: Partial<LensRequest>) => {
      asked.push(fields);
      return Promise.resolve(SLICES[fields.resume ?? 0]!);
    },
  } as unknown as Parameters<typeof exportInSlices>[0];
  const input = { lens: "export", values: {}, options: { format: "npy", ...(run ? { run } : {}) } };
  const end = await exportInSlices(helper, frame(), input, options).catch((error: unknown) => error);
  return { end, asked: asked.map(({ resume, cancel, limits }) => ({ resume, cancel, limits })) };
}

describe("a file that the program makes", () => {
  test("comes in pieces, in their order", async () => {
    const pieces: string[] = [];
    const shares: number[] = [];
    const onData = (data: string): Promise<void> => Promise.resolve(void pieces.push(data));
    const { end, asked } = await exported({ onData, onProgress: (share) => shares.push(share) });
    expect(end).toBe(SLICES[2]);
    expect(pieces).toEqual(["AAAA", "BBBB", "CC=="]);
    expect(shares).toEqual([0.25, 0.5]);
    expect(asked.map(({ resume }) => resume)).toEqual([undefined, 1, 2]);
    expect(asked.map(({ cancel }) => cancel)).toEqual([undefined, undefined, undefined]);
  });

  test("is undone where it is cancelled between two slices", async () => {
    const aborting = new AbortController();
    const { end, asked } = await exported({ signal: aborting.signal, onProgress: () => aborting.abort() });
    expect(end).toBeInstanceOf(Cancelled);
    expect(asked.at(-1)).toMatchObject({ resume: 2, cancel: true });
  });

  test("is undone where a piece of it can't be taken", async () => {
    const full = new Error("no space left");
    const { end, asked } = await exported({ onData: () => Promise.reject(full) });
    expect(end).toBe(full);
    expect(asked).toMatchObject([{ resume: undefined }, { resume: 1, cancel: true }]);
  });

  test("is not begun where nobody waits any more", async () => {
    const { end, asked } = await exported({ signal: AbortSignal.abort() });
    expect(end).toBeInstanceOf(Cancelled);
    expect(asked).toEqual([]);
  });

  test("has more time for a slice only where code of the program runs", async () => {
    expect((await exported({})).asked[0]?.limits).toBeUndefined();
    expect((await exported({}, true)).asked[0]?.limits).toEqual({ ms: 1500 });
  });
});

describe("a file that VS Code writes", () => {
  const folderWith = (files: Record<string, string>): string => {
    const folder = mkdtempSync(path.join(tmpdir(), "export-"));
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    return folder;
  };
  const at = (folder: string, name: string): Uri =>
    ({ scheme: "file", fsPath: path.join(folder, name) }) as unknown as Uri;
  const text = (some: string): Uint8Array => new TextEncoder().encode(some);

  test.each([{}, { x: "before" }])("is whole, in the place of what was there: %j", async (before: object) => {
    const folder = folderWith(before as Record<string, string>);
    await writeNew(at(folder, "x"), async (file) => {
      await file.write(text("one "));
      await file.write(text("two"));
    });
    expect(readdirSync(folder)).toEqual(["x"]);
    expect(readFileSync(path.join(folder, "x"), "utf8")).toBe("one two");
  });

  test("leaves nothing behind where it fails, and what was there as it was", async () => {
    const folder = folderWith({ x: "before" });
    const written = writeNew(at(folder, "x"), async (file) => {
      await file.write(text("half"));
      throw new Cancelled();
    });
    await expect(written).rejects.toBeInstanceOf(Cancelled);
    expect(readdirSync(folder)).toEqual(["x"]);
    expect(readFileSync(path.join(folder, "x"), "utf8")).toBe("before");
  });

  test("does not replace one that came meanwhile", async () => {
    const folder = folderWith({});
    const written = writeNew(at(folder, "x"), () =>
      Promise.resolve(writeFileSync(path.join(folder, "x"), "another's")),
    );
    await expect(written).rejects.toThrow(/there is a file at .*x now/);
    expect(readdirSync(folder)).toEqual(["x"]);
    expect(readFileSync(path.join(folder, "x"), "utf8")).toBe("another's");
  });

  test("takes the place of a link, and leaves what that leads to", async () => {
    const folder = folderWith({ there: "before" });
    symlinkSync("there", path.join(folder, "x"));
    await writeNew(at(folder, "x"), (file) => file.write(text("new")));
    expect(readFileSync(path.join(folder, "there"), "utf8")).toBe("before");
    expect(() => readlinkSync(path.join(folder, "x"))).toThrow(/EINVAL/);
  });

  test.each([0o600, 0o666])("may be read by whom that before it was: mode %i", async (mode) => {
    const folder = folderWith({ x: "before" });
    chmodSync(path.join(folder, "x"), mode);
    const modes = (): number[] => readdirSync(folder).map((name) => statSync(path.join(folder, name)).mode & 0o777);
    await writeNew(at(folder, "x"), async (file) => {
      expect(modes()).toEqual([mode, mode]); // of that and of the part
      await file.write(text("new"));
    });
    expect(modes()).toEqual([mode]);
  });

  test("is whole on a file system of another scheme too", async () => {
    const { texts } = workspace.fs;
    const place = new FakeUri("memory", "", "/x") as unknown as Uri;
    texts.clear();
    for (const said of ["one", "two"]) {
      await writeNew(place, (file) => file.write(text(said)));
      expect([...texts]).toEqual([["/x", said]]);
    }
  });

  test("does not replace one that came meanwhile there either", async () => {
    const { texts } = workspace.fs;
    const place = new FakeUri("memory", "", "/x") as unknown as Uri;
    texts.clear();
    const written = writeNew(place, () => Promise.resolve(void texts.set("/x", "another's")));
    await expect(written).rejects.toThrow("there is a file at /x");
    expect([...texts]).toEqual([["/x", "another's"]]);
  });

  test.each([
    ['model["a/b"].weight', "model_a_b_.weight.npy"],
    ["größe.名前.हिन्दी2", "größe.名前.हिन्दी2.npy"],
    ["a".repeat(300), `${"a".repeat(100)}.npy`],
    ["名".repeat(300), `${"名".repeat(60)}.npy`],
  ])("has a name that all file systems take: %s", (name, file) => {
    expect(fileName(name, "npy")).toBe(file);
  });

  test.each([
    [undefined, homedir()],
    [[{ uri: FakeUri.file("/open") }], "/open"],
  ])("is proposed with its name, whether a folder is open or not: %#", async (folders, folder) => {
    workspace.workspaceFolders = folders;
    await askPlace("x", "npy", "Export");
    expect(window.proposed.at(-1)).toEqual(FakeUri.file(`${folder}/x.npy`));
    workspace.workspaceFolders = undefined;
  });
});
