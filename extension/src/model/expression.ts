import { KEYWORDS, openQuote, type Span, type Token, tokenize } from "./python.ts";

/** Pointing at the span means the expression from `from` to the span's end. */
interface Part extends Span {
  readonly from: number;
}

/**
 * The name, attribute or subscript that a column of a line points at, with all that leads to it: `b` in `a.b.c` is
 * `a.b`, `0` in `a["k"][0]` is all of it, `i` in `a[i]` is `i`. Nothing in strings, comments, or after a call.
 * `before` is the text above the line: it tells whether the line begins inside a string, or goes on after a `.`.
 */
export function expressionAt(line: string, column: number, before = ""): Span | undefined {
  const quote = openQuote(before);
  if (quote === undefined) return pointedAt(line, column, endsWithDot(before));
  const close = line.indexOf(quote);
  if (close < 0 || column < close + 3) return undefined;
  return pointedAt(" ".repeat(close + 3) + line.slice(close + 3), column);
}

/** With `dotted`, the line's first name is an attribute of what stands above. */
function pointedAt(line: string, column: number, dotted = false): Span | undefined {
  const tokens = [...(dotted ? [DOT] : []), ...tokenize(line)];
  for (const { fields = [] } of tokens) {
    const field = fields.find((span) => contains(span, column));
    if (field) return pointedAt(" ".repeat(field.start) + line.slice(field.start, field.end), column);
  }
  const parts: Part[] = [];
  collect(tokens, parts);
  const [smallest] = parts
    .filter((part) => contains(part, column))
    .toSorted((a, b) => a.end - a.start - (b.end - b.start));
  return smallest && { start: smallest.from, end: smallest.end };
}

function contains({ start, end }: Span, column: number): boolean {
  return start <= column && column < end;
}

const DOT: Token = { kind: "op", text: ".", start: 0, end: 0 };

/** Whether code ends with the `.` of an attribute that follows below, blank lines and comments aside. */
function endsWithDot(before: string): boolean {
  for (const line of before.split("\n").toReversed()) {
    const tokens = tokenize(line).filter(({ kind, text }) => kind !== "comment" && text !== "\\");
    if (tokens.length > 0) return tokens.at(-1)?.text === "." && tokens.at(-2)?.text !== "."; // three are `...`
  }
  return false;
}

/** All parts of all chains among these tokens, those inside brackets too. */
function collect(tokens: readonly Token[], parts: Part[]): void {
  let at = 0;
  while (at < tokens.length) {
    const token = tokens[at] as Token;
    at += 1;
    const isName = token.kind === "name" && !KEYWORDS.has(token.text);
    if (isName) parts.push({ start: token.start, end: token.end, from: token.start });
    // What follows a call, a literal or a bracket has no name that leads to it, nor has a line that goes on with `.name`;
    // but its subscripts may hold some.
    if (isName || token.kind === "string" || ")]}".includes(token.text)) {
      at = trailers(tokens, at, isName ? token.start : undefined, parts);
    } else if (token.text === ".") at = Math.max(at, trailers(tokens, at - 1, undefined, parts));
  }
}

/** Reads `.name` and `[…]` from `at` on; the parts they make, if the chain has a beginning. Where they end. */
function trailers(tokens: readonly Token[], at: number, from: number | undefined, parts: Part[]): number {
  for (;;) {
    const [first, second] = [tokens[at], tokens[at + 1]];
    if (first?.text === "." && second?.kind === "name") {
      if (from !== undefined) parts.push({ start: second.start, end: second.end, from });
      at += 2;
    } else if (first?.text === "[") {
      const close = closing(tokens, at);
      if (close === undefined) return at;
      const end = (tokens[close] as Token).end;
      if (from !== undefined) parts.push({ start: first.start, end, from });
      collect(tokens.slice(at + 1, close), parts);
      at = close + 1;
    } else return at;
  }
}

function closing(tokens: readonly Token[], open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    if (token.kind !== "op") continue;
    if ("([{".includes(token.text)) depth += 1;
    if (")]}".includes(token.text)) depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}

/** Whether reading it runs no code of the user's: a name, then attributes and subscripts with literals in them. */
export function isStatic(expression: string): boolean {
  const tokens = tokenize(expression);
  const [name] = tokens;
  if (name?.kind !== "name" || KEYWORDS.has(name.text)) return false;
  let at = 1;
  while (at < tokens.length) {
    const [first, second] = [tokens[at], tokens[at + 1]];
    if (first?.text === "." && second?.kind === "name") at += 2;
    else if (first?.text === "[") {
      const close = closing(tokens, at);
      if (close === undefined || !isLiteral(tokens.slice(at + 1, close))) return false;
      at = close + 1;
    } else return false;
  }
  return true;
}

// Over tokens that are written as `shape` does.
const LITERAL = "(?:-?1|0)";
const TUPLE = new RegExp(String.raw`\((?:${LITERAL},(?:${LITERAL},)*${LITERAL}?|${LITERAL}?)\)`);
const PART = `(?:${LITERAL}|${LITERAL}?:${LITERAL}?(?::${LITERAL}?)?)`;
const SUBSCRIPT = new RegExp(`^${PART}(?:,${PART})*,?$`);

/** Whether a subscript holds literals and nothing else: numbers, strings, constants, slices and tuples of them. */
function isLiteral(tokens: readonly Token[]): boolean {
  let text = tokens.map(shape).join("").replaceAll("...", "0");
  while (TUPLE.test(text)) text = text.replace(TUPLE, "0");
  return SUBSCRIPT.test(text);
}

/** `1` for a number, `0` for another literal, an operator as it is, `?` for all else. */
function shape({ kind, text }: Token): string {
  if (kind === "op") return text;
  if (kind === "number") return Number.isNaN(Number(text.replaceAll("_", ""))) ? "?" : "1";
  const constant = kind === "name" && ["None", "True", "False"].includes(text);
  const string = kind === "string" && !/^\w*[fFtT]/.test(text) && /^\w*(["'])[^]*\1$/.test(text);
  return constant || string ? "0" : "?";
}

/** What VS Code itself takes for the expression at a column where no extension says otherwise. */
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
