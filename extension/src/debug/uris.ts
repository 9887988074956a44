import type { Uri } from "vscode";

/**
 * Whether two URIs name one file, as VS Code compares them: by their parts, which are not encoded, and without regard to
 * case in paths of a platform that has none. Their texts may differ: `file:///c%3A/a.py` and `file:///C:/A.py` are one.
 */
export function isSameUri(a: Uri, b: Uri, platform = process.platform): boolean {
  const ignoresCase = platform === "win32" || platform === "darwin";
  const path = (uri: Uri): string => (ignoresCase && uri.scheme === "file" ? uri.path.toLowerCase() : uri.path);
  return (
    a.scheme === b.scheme &&
    a.authority.toLowerCase() === b.authority.toLowerCase() &&
    path(a) === path(b) &&
    a.query === b.query &&
    a.fragment === b.fragment
  );
}
