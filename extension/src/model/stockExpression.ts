import type { Span } from "./python.ts";

/** The expression that VS Code itself finds at a column, where no extension provides one. */
export function stockExpressionAt(line: string, column: number): Span | undefined {
  for (const { 0: token, index } of line.matchAll(/([^()[\]{}<>\s+\-/%~#^;=|,`!]|->)+/g)) {
    if (index > column || index + token.length < column) continue;
    const spread = /^\.\.\../.test(token) ? 3 : 0;
    const [start, text] = [index + spread, token.slice(spread)];
    const word = [...text.matchAll(/[\w\p{L}]+/gu)].find((match) => start + match.index + match[0].length >= column);
    const end = word ? start + word.index + word[0].length : start + text.length;
    return { start, end };
  }
  return undefined;
}
