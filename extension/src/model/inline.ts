import { KEYWORDS, openQuote, replacementFields, type Span, type Token, tokenize } from "./python.ts";

/** A name that stands for a variable of the function, and where. */
export interface Place extends Span {
  readonly line: number;
  readonly name: string;
}

interface Placed extends Token {
  readonly line: number;
}

/** Names that are bound from here to where `depth` brackets are no more open: a comprehension's or a lambda's. */
interface Bound {
  readonly depth: number;
  readonly names: ReadonlySet<string>;
  readonly lambda: boolean;
}

/** More on one line than this is not legible. */
const MOST = 3;
/** Lines below the stop in which a bracket that is open there may close. */
const AHEAD = 20;

/**
 * Where the variables of a function are named in its lines from `first` up to, not including, `stop`: each once a line,
 * the first few of a line. Lines of functions and classes inside it are theirs; names that a comprehension or a lambda
 * binds are its own. `known` are the names of the variables.
 */
export function namedIn(lines: readonly string[], first: number, stop: number, known: ReadonlySet<string>): Place[] {
  const shown = new Map<number, Set<string>>();
  const places: Place[] = [];
  for (const place of names(tokensOf(lines, first, stop + AHEAD))) {
    if (place.line >= stop) break;
    const onLine = shown.get(place.line) ?? new Set();
    if (!known.has(place.name) || onLine.has(place.name) || onLine.size === MOST) continue;
    shown.set(place.line, onLine.add(place.name));
    places.push(place);
  }
  return places;
}

/** The tokens of these lines. A string of several lines is left out. */
function tokensOf(lines: readonly string[], first: number, stop: number): Placed[] {
  const tokens: Placed[] = [];
  let quote: string | undefined;
  for (const [index, text] of lines.slice(first, stop).entries()) {
    const close = quote === undefined ? -3 : text.indexOf(quote);
    if (quote !== undefined && close < 0) continue;
    const code = " ".repeat(close + 3) + text.slice(close + 3);
    for (const token of tokenize(code)) if (token.kind !== "comment") tokens.push({ ...token, line: first + index });
    quote = openQuote(code);
  }
  return tokens;
}

/** Names that stand for variables of the outermost function among these tokens, in their order. */
function* names(tokens: readonly Placed[]): Generator<Place> {
  const brackets: string[] = [];
  const bound: Bound[] = [];
  /** The indent of a function or class inside this one, while its lines last. */
  let deeper: number | undefined;
  let header = /^(?:@|def|async|class)$/.test(tokens[0]?.text ?? "");
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    if (brackets.length === 0 && before?.line !== token.line) {
      bound.length = 0;
      if (deeper !== undefined && token.start <= deeper) deeper = undefined;
      if (isDefinition(tokens, at) && !header) deeper ??= token.start;
    }
    if (token.kind === "op") {
      if ("([{".includes(token.text)) {
        brackets.push(token.text);
        bound.push({ depth: brackets.length, names: comprehended(tokens, at + 1), lambda: false });
      } else if (")]}".includes(token.text)) brackets.pop();
      if (header && token.text === ":" && brackets.length === 0) header = false;
      while (isOver(bound.at(-1), brackets.length, token.text)) bound.pop();
    } else if (token.text === "lambda") {
      bound.push({ depth: brackets.length, names: parameters(tokens, at + 1), lambda: true });
    } else if (deeper === undefined) {
      for (const { name, start, end } of token.kind === "string" ? inFields(token) : named(token)) {
        const isKeyword = !header && brackets.at(-1) === "(" && isArgument(tokens, at);
        if (before?.text === "." || isKeyword || bound.some((one) => one.names.has(name))) continue;
        yield { name, line: token.line, start, end };
      }
    }
  }
}

function named({ kind, text, start, end }: Token): Omit<Place, "line">[] {
  return kind === "name" && !KEYWORDS.has(text) ? [{ name: text, start, end }] : [];
}

/** The names in the replacement fields of an f-string. */
function inFields(string: Placed): Omit<Place, "line">[] {
  return replacementFields(string).flatMap(({ start, end }) => {
    const code = string.text.slice(start - string.start, end - string.start);
    const tokens = tokenize(code).map((one) => ({ ...one, line: 0, start: one.start + start, end: one.end + start }));
    return [...names(tokens)];
  });
}

function isDefinition(tokens: readonly Token[], at: number): boolean {
  const [first, second] = [tokens[at]?.text, tokens[at + 1]?.text];
  return first === "def" || first === "class" || (first === "async" && second === "def");
}

/** Whether the name is a keyword of a call: `name=`, but not `name==`. */
function isArgument(tokens: readonly Token[], at: number): boolean {
  const [before, after, next] = [tokens[at - 1], tokens[at + 1], tokens[at + 2]];
  return after?.text === "=" && next?.text !== "=" && (before?.text === "(" || before?.text === ",");
}

function isOver(one: Bound | undefined, depth: number, text: string): boolean {
  return one !== undefined && (one.depth > depth || (one.lambda && one.depth === depth && text === ","));
}

/** The names that `for … in` binds inside the bracket whose content begins at `at`. */
function comprehended(tokens: readonly Token[], at: number): ReadonlySet<string> {
  const found = new Set<string>();
  let depth = 0;
  let binding = false;
  for (const { kind, text } of tokens.slice(at)) {
    if (kind === "op" && "([{".includes(text)) depth += 1;
    else if (kind === "op" && ")]}".includes(text)) depth -= 1;
    if (depth < 0) break;
    if (depth === 0 && text === "for") binding = true;
    else if (text === "in") binding = false;
    else if (binding && kind === "name") found.add(text);
  }
  return found;
}

/** The parameters of the lambda whose list begins at `at`. */
function parameters(tokens: readonly Token[], at: number): ReadonlySet<string> {
  const end = tokens.findIndex(({ text }, index) => index >= at && text === ":");
  const inList = tokens.slice(at, end < 0 ? undefined : end).filter(({ kind }) => kind === "name");
  return new Set(inList.map(({ text }) => text));
}
