import { KEYWORDS, openQuote, type Span, type Token, tokenize } from "./python.ts";

/** A name that stands for a variable of the function, and where. */
export interface Place extends Span {
  readonly line: number;
  readonly name: string;
  /** It gets its value there. */
  readonly binds: boolean;
}

interface Placed extends Token {
  readonly line: number;
  /** Its line is a part of the statement above. */
  readonly continues: boolean;
}

type Named = Pick<Place, "name" | "start" | "end">;

/** Names that are bound from here to where `depth` brackets are no more open: a comprehension's or a lambda's. */
interface Bound {
  readonly depth: number;
  readonly names: ReadonlySet<string>;
  /** Of a lambda, the token that ends its parameters: a comma ends it only after that. */
  readonly colon?: number;
}

/** Statements whose names stand for no value there. */
const VALUELESS: ReadonlySet<string> = new Set(["import", "from", "global", "nonlocal", "del"]);
/** Words that begin a statement with a body, which may follow on its line. */
const COMPOUND: ReadonlySet<string> = new Set(
  "async class def elif else except finally for if try while with".split(" "),
);
/** More on one line than this is not legible. */
const MOST = 3;
/** Lines below the stop in which a bracket that is open there may close. */
const AHEAD = 20;

/**
 * Where the variables of a function are named in its lines from `first` up to, not including, `stop`: of each line those
 * that get their value there, or else those that it uses, each once and the first few. Lines of functions and classes
 * inside it are theirs; names that a comprehension or a lambda binds are its own. `known` are the names of the variables.
 * Of a module, the first line is no function's.
 */
export function namedIn(
  lines: readonly string[],
  first: number,
  stop: number,
  known: ReadonlySet<string>,
  isModule = false,
): Place[] {
  const byLine = new Map<number, Place[]>();
  for (const place of names(tokensOf(lines, first, stop + AHEAD), !isModule)) {
    if (place.line >= stop) break;
    const onLine = byLine.get(place.line);
    if (onLine === undefined) byLine.set(place.line, [place]);
    else onLine.push(place);
  }
  return [...byLine.values()].flatMap((onLine) => {
    const bound = onLine.filter(({ binds }) => binds);
    const told = (bound.length > 0 ? bound : onLine).filter(({ name }) => known.has(name));
    return told.filter(({ name }, at) => told.findIndex((one) => one.name === name) === at).slice(0, MOST);
  });
}

/** The tokens of these lines. A string of several lines is left out. */
function tokensOf(lines: readonly string[], first: number, stop: number): Placed[] {
  const tokens: Placed[] = [];
  let quote: string | undefined;
  for (const [index, text] of lines.slice(first, stop).entries()) {
    const close = quote === undefined ? -3 : text.indexOf(quote);
    if (quote !== undefined && close < 0) continue;
    const code = " ".repeat(close + 3) + text.slice(close + 3);
    const continues = quote !== undefined || tokens.at(-1)?.text === "\\";
    for (const token of tokenize(code)) {
      if (token.kind !== "comment") tokens.push({ ...token, line: first + index, continues });
    }
    quote = openQuote(code);
  }
  return tokens;
}

/** Names that stand for variables of the outermost function among these tokens, in their order. */
function* names(tokens: readonly Placed[], inFunction: boolean): Generator<Place> {
  const brackets: string[] = [];
  const bound: Bound[] = [];
  /** The indent of a function or class inside this one, while its lines last. */
  let deeper: number | undefined;
  /** Where the next statement begins. */
  let next = 0;
  /** Up to this token the statement's names get their values. */
  let target = -1;
  let valueless = false;
  /** Decorators, defaults and annotations stand for what the function's surroundings have under these names. */
  let header = inFunction && /^(?:@|def|async|class)$/.test(tokens[0]?.text ?? "");
  let defined = false;
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    if (at === next) {
      next = statementEnd(tokens, at);
      bound.length = 0;
      if (deeper !== undefined && token.start <= deeper) deeper = undefined;
      if (isDefinition(tokens, at) && !header) deeper ??= token.start;
      target = targetEnd(tokens, at, next);
      valueless = VALUELESS.has(token.text);
    }
    if (token.kind === "op") {
      if ("([{".includes(token.text)) {
        brackets.push(token.text);
        bound.push({ depth: brackets.length, names: comprehended(tokens, at + 1) });
      } else if (")]}".includes(token.text)) brackets.pop();
      if (header && token.text === ":" && brackets.length === 0) header = false;
      while (isOver(bound.at(-1), brackets.length, token.text, at)) bound.pop();
    } else if (token.text === "lambda") {
      bound.push({ depth: brackets.length, ...parameters(tokens, at + 1) });
    } else if (header) {
      defined ||= token.text === "def";
      const isOwn = defined && brackets.length === 1 && brackets[0] === "(" && isParameter(tokens, at);
      if (!isOwn || bound.some((one) => one.names.has(token.text))) continue;
      for (const { name, start, end } of named(token)) yield { name, line: token.line, start, end, binds: true };
    } else if (deeper === undefined && !valueless) {
      for (const { name, start, end } of token.kind === "string" ? inFields(token) : named(token)) {
        const isKeyword = brackets.at(-1) === "(" && isArgument(tokens, at);
        if (before?.text === "." || isKeyword || bound.some((one) => one.names.has(name))) continue;
        const binds = at < target || before?.text === "as" || isWalrus(tokens, at);
        yield { name, line: token.line, start, end, binds };
      }
    }
  }
}

function named({ kind, text, start, end }: Token): Named[] {
  return kind === "name" && !KEYWORDS.has(text) ? [{ name: text, start, end }] : [];
}

/** The names in what an f-string evaluates. */
function inFields({ text, start: from, fields = [] }: Placed): Named[] {
  return fields.flatMap(({ start, end }) => {
    const moved = (span: Span): Span => ({ start: span.start + start, end: span.end + start });
    const tokens = tokenize(text.slice(start - from, end - from)).map((one) => ({
      ...one,
      ...moved(one),
      fields: (one.fields ?? []).map(moved),
      line: 0,
      continues: false,
    }));
    return [...names(tokens, false)];
  });
}

/** Where the statement ends that begins at `at`: at a line's end, after a `;`, or after the `:` that its body follows. */
function statementEnd(tokens: readonly Placed[], at: number): number {
  const hasBody = COMPOUND.has(tokens[at]?.text ?? "");
  let depth = 0;
  let lambdas = 0;
  for (let next = at; next < tokens.length; next += 1) {
    const { kind, text, line, continues } = tokens[next] as Placed;
    if (next > at && depth <= 0 && line !== tokens[next - 1]?.line && !continues) return next;
    if (kind !== "op") lambdas += text === "lambda" && depth === 0 ? 1 : 0;
    else if ("([{".includes(text)) depth += 1;
    else if (")]}".includes(text)) depth -= 1;
    else if (depth === 0 && text === ";") return next + 1;
    else if (depth === 0 && text === ":" && hasBody && !isWalrus(tokens, next - 1)) {
      if (lambdas === 0) return next + 1;
      lambdas -= 1;
    }
  }
  return tokens.length;
}

/** Where the targets of the statement from `at` to `end` end: at its last `=`, or at the `in` of a loop. */
function targetEnd(tokens: readonly Placed[], at: number, end: number): number {
  const loop = tokens[at]?.text === "for" || (tokens[at]?.text === "async" && tokens[at + 1]?.text === "for");
  let depth = 0;
  let found = -1;
  for (let next = at; next < end; next += 1) {
    const token = tokens[next] as Placed;
    if (loop && token.text === "in") return next;
    if (token.kind !== "op") continue;
    if ("([{".includes(token.text)) depth += 1;
    else if (")]}".includes(token.text)) depth -= 1;
    else if (depth === 0 && token.text === "=" && !isComparison(tokens, next)) found = next;
  }
  return loop ? -1 : found;
}

function isComparison(tokens: readonly Token[], at: number): boolean {
  const [before, token, after] = [tokens[at - 1], tokens[at], tokens[at + 1]];
  const doubled = after?.text === "=" && after.start === token?.end;
  if (before !== undefined && "<>".includes(before.text) && tokens[at - 2]?.text === before.text) return false; // shifts
  return doubled || ("=!<>:".includes(before?.text ?? " ") && before?.end === token?.start);
}

function isWalrus(tokens: readonly Token[], at: number): boolean {
  const [colon, equals] = [tokens[at + 1], tokens[at + 2]];
  return colon?.text === ":" && equals?.text === "=" && equals.start === colon.end;
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

/** Whether the name is a parameter: the first of its part of the list, after the stars. */
function isParameter(tokens: readonly Token[], at: number): boolean {
  let before = at - 1;
  while (tokens[before]?.text === "*") before -= 1;
  return ["(", ",", "lambda"].includes(tokens[before]?.text ?? "");
}

function isOver(one: Bound | undefined, depth: number, text: string, at: number): boolean {
  if (one === undefined) return false;
  return one.depth > depth || (one.colon !== undefined && at > one.colon && one.depth === depth && text === ",");
}

/** The names that `for … in` binds inside the bracket whose content begins at `at`. */
function comprehended(tokens: readonly Token[], at: number): ReadonlySet<string> {
  const found = new Set<string>();
  let depth = 0;
  let binding = false;
  for (let next = at; next < tokens.length; next += 1) {
    const { kind, text } = tokens[next] as Token;
    if (kind === "op" && "([{".includes(text)) depth += 1;
    else if (kind === "op" && ")]}".includes(text)) depth -= 1;
    if (depth < 0) break;
    if (depth === 0 && text === "for") binding = true;
    else if (text === "in") binding = false;
    else if (binding && kind === "name") found.add(text);
  }
  return found;
}

/** The parameters of the lambda whose list begins at `at`, and where it ends. */
function parameters(tokens: readonly Token[], at: number): Required<Pick<Bound, "names" | "colon">> {
  const found = new Set<string>();
  let depth = 0;
  let next = at;
  for (; next < tokens.length; next += 1) {
    const { kind, text } = tokens[next] as Token;
    if (kind === "op" && "([{".includes(text)) depth += 1;
    else if (kind === "op" && ")]}".includes(text)) depth -= 1;
    if (depth < 0 || (depth === 0 && text === ":")) break;
    if (depth === 0 && kind === "name" && isParameter(tokens, next)) found.add(text);
  }
  return { names: found, colon: next };
}
