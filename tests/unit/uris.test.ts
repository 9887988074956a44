import { describe, expect, test } from "vitest";
import type * as api from "vscode";
import { isSameUri } from "../../extension/src/debug/uris.ts";
import { Uri } from "./vscode.ts";

const isSame = (a: string, b: string, platform: NodeJS.Platform): boolean =>
  isSameUri(Uri.parse(a) as unknown as api.Uri, Uri.parse(b) as unknown as api.Uri, platform);

describe("two URIs are the same", () => {
  test.each([
    ["file:///home/train.py", "file:///home/train.py", "linux"],
    ["file:///c%3A/train.py", "file:///C:/train.py", "win32"],
    ["file:///C:/Code/Train.py", "file:///c:/code/train.py", "win32"],
    ["file:///Users/A/train.py", "file:///users/a/train.py", "darwin"],
    ["file:///a%20b/größe.py", "file:///a b/gr%C3%B6%C3%9Fe.py", "linux"],
    ["file://Server/share/train.py", "file://server/share/train.py", "linux"],
    ["vscode-notebook-cell:/a.ipynb#W0sZQ%3D%3D", "vscode-notebook-cell:/a.ipynb#W0sZQ==", "linux"],
  ] as const)("%s and %s on %s", (a, b, platform) => expect(isSame(a, b, platform)).toBe(true));
});

describe("two URIs are not the same", () => {
  test.each([
    ["file:///home/train.py", "file:///home/Train.py", "linux"],
    ["file:///a%2520b.py", "file:///a%20b.py", "linux"],
    ["file:///train.py", "untitled:/train.py", "win32"],
    ["vscode-notebook-cell:/a.ipynb#W0s", "vscode-notebook-cell:/a.ipynb#w0s", "win32"],
    ["vscode-remote://wsl/train.py", "vscode-remote://ssh/train.py", "linux"],
  ] as const)("%s and %s on %s", (a, b, platform) => expect(isSame(a, b, platform)).toBe(false));
});
