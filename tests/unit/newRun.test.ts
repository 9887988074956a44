import * as files from "node:fs/promises";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Uri } from "vscode";
import { isFolder, writeNewRun } from "../../extension/src/views/newRun.ts";

// A disk that fails is not to be had: all else is the real one.
vi.mock("node:fs/promises", async (real) => {
  const all = await real<typeof files>();
  return { ...all, rename: vi.fn(all.rename) };
});

const text = (some: string): Uint8Array => new TextEncoder().encode(some);
const folder = (): string => mkdtempSync(path.join(tmpdir(), "run-"));
const at = (where: string, name: string): Uri => ({ scheme: "file", fsPath: path.join(where, name) }) as unknown as Uri;

interface Writing {
  /** Whether the user has agreed that the run is added to a folder that is there. */
  readonly isAdded?: boolean;
  /** What happens before it gets its name. */
  readonly meanwhile?: () => void;
}

async function write(
  where: string,
  written: readonly (readonly [name: string, said: string])[],
  { isAdded = false, meanwhile }: Writing = {},
): Promise<void> {
  await writeNewRun(at(where, "x"), isAdded, async (run) => {
    for (const [name, said] of written) await run.write(name, text(said));
    meanwhile?.();
  });
}

const below = (where: string): string[] => readdirSync(where, { recursive: true, encoding: "utf8" }).toSorted();

/** An event file, and a folder with another one. */
const RUN = [
  ["a/events.out.tfevents.1", "one"],
  ["b", "two"],
  ["events.out.tfevents.2", "three"],
] as const;
const WHOLE = ["a", "a/events.out.tfevents.1", "b", "events.out.tfevents.2"];

afterEach(() => {
  vi.mocked(files.rename).mockClear();
});

describe("a run that VS Code writes", () => {
  test("has its files, which come in pieces, in folders of their own", async () => {
    const where = folder();
    await write(where, [
      ["a/b.tsv", "one "],
      ["a/b.tsv", "two"],
      ["events.1", "three"],
    ]);
    expect(readdirSync(where)).toEqual(["x"]);
    expect(readFileSync(path.join(where, "x", "a", "b.tsv"), "utf8")).toBe("one two");
    expect(readFileSync(path.join(where, "x", "events.1"), "utf8")).toBe("three");
  });

  test("is added to a folder that is there, over none of its files", async () => {
    const where = folder();
    mkdirSync(path.join(where, "x"));
    writeFileSync(path.join(where, "x", "mine"), "mine");
    await write(where, [["events.1", "one"]], { isAdded: true });
    expect(readdirSync(path.join(where, "x"))).toEqual(["events.1", "mine"]);
    const again = write(where, [["mine", "another's"]], { isAdded: true });
    await expect(again).rejects.toThrow(/there is a file at .*mine now/);
    expect(readFileSync(path.join(where, "x", "mine"), "utf8")).toBe("mine");
    expect(readdirSync(where)).toEqual(["x"]);
  });

  test("is not added to a folder that came after the user was asked", async () => {
    const where = folder();
    const written = write(where, RUN, { meanwhile: () => mkdirSync(path.join(where, "x")) });
    await expect(written).rejects.toThrow(/there is a folder at .*x now/);
    expect(below(where)).toEqual(["x"]);
  });

  test("takes the place of no event file that is there", async () => {
    const where = folder();
    mkdirSync(path.join(where, "x"));
    writeFileSync(path.join(where, "x", "events.out.tfevents.2"), "mine");
    await expect(write(where, RUN, { isAdded: true })).rejects.toThrow(/there is a file at .*tfevents.2 now/);
    expect(below(where)).toEqual(["x", "x/events.out.tfevents.2"]);
    expect(readFileSync(path.join(where, "x", "events.out.tfevents.2"), "utf8")).toBe("mine");
  });

  test("has no event files for TensorBoard until it is whole", async () => {
    const where = folder();
    let before: string[] = [];
    await write(where, RUN, { meanwhile: () => (before = below(where)) });
    expect(before).toHaveLength(5);
    expect(before.filter((name) => name.includes("tfevents"))).toEqual([]);
    expect(below(path.join(where, "x"))).toEqual(WHOLE);
    expect(readFileSync(path.join(where, "x", "a", "events.out.tfevents.1"), "utf8")).toBe("one");
  });

  test.each([
    ["new", false, [1, 2, 3]],
    ["added", true, [1, 2, 3, 4, 5]],
  ] as const)("leaves what there was where the disk fails while it gets its name: %s", async (_, isAdded, moves) => {
    const { rename } = await vi.importActual<typeof files>("node:fs/promises");
    for (const failing of moves) {
      const where = folder();
      if (isAdded) {
        mkdirSync(path.join(where, "x"));
        writeFileSync(path.join(where, "x", "mine"), "mine");
      }
      const before = below(where);
      let left = 0;
      vi.mocked(files.rename).mockImplementation(async (...names) => {
        left -= 1;
        if (left === 0) throw new Error("the disk fails");
        await rename(...names);
      });
      await expect(write(where, RUN, { isAdded, meanwhile: () => (left = failing) })).rejects.toThrow("the disk fails");
      expect(below(where)).toEqual(before);
    }
    vi.mocked(files.rename).mockImplementation(rename);
  });

  test("leaves nothing behind where it fails", async () => {
    const where = folder();
    const written = writeNewRun(at(where, "x"), false, async (run) => {
      await run.write("a/b", text("half"));
      throw new Error("no more");
    });
    await expect(written).rejects.toThrow("no more");
    expect(readdirSync(where)).toEqual([]);
  });

  test("has no file outside of its folder", async () => {
    const where = folder();
    await expect(write(where, [["../out", "one"]])).rejects.toThrow("../out is outside of the folder");
    expect(readdirSync(where)).toEqual([]);
  });

  test("is not added to a file, nor to what a link leads to", async () => {
    const where = folder();
    writeFileSync(path.join(where, "x"), "mine");
    symlinkSync(folder(), path.join(where, "link"));
    await expect(isFolder(path.join(where, "x"))).rejects.toThrow("there is a file at");
    await expect(isFolder(path.join(where, "link"))).rejects.toThrow("there is a file at");
    const written = write(where, RUN, {
      isAdded: true,
      meanwhile: () => {
        rmSync(path.join(where, "x"));
        symlinkSync(folder(), path.join(where, "x"));
      },
    });
    await expect(written).rejects.toThrow("there is a file at");
    expect(below(where)).toEqual(["link", "x"]);
    expect([await isFolder(where), await isFolder(path.join(where, "none"))]).toEqual([true, false]);
  });
});
