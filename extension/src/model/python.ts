/** A stretch of a line, from `start` up to but not including `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A token of Python, as far as telling names from strings, comments and the rest needs it. */
export interface Token extends Span {
  readonly kind: "name" | "number" | "string" | "comment" | "op";
  /** A name as Python compares it. */
  readonly text: string;
  /** Of an f-string, where in the line is what it evaluates. */
  readonly fields?: readonly Span[];
}

const TOKEN = new RegExp(
  [
    String.raw`(?<comment>#.*)`,
    String.raw`(?<string>[rRbBuUfFtT]{0,2}(?:"""(?:\\.|[^\\])*?(?:"""|$)|'''(?:\\.|[^\\])*?(?:'''|$)|"(?:\\.|[^"\\])*(?:"|$)|'(?:\\.|[^'\\])*(?:'|$)))`,
    String.raw`(?<number>(?:\d|\.\d)(?:[eE][+-]\d|[\w.])*)`,
    String.raw`(?<name>[\p{XIDS}_][\p{XIDC}]*)`,
    String.raw`(?<op>\S)`,
  ].join("|"),
  "gsu",
);
const KINDS = ["name", "op", "number", "string", "comment"] as const;

/** The tokens of one line that begins in code. */
export function tokenize(line: string): Token[] {
  const tokens: Token[] = [];
  for (let start = 0, end = 0; ; start = end) {
    TOKEN.lastIndex = start;
    const found = TOKEN.exec(line);
    if (found === null) return tokens;
    const { 0: text, index, groups = {} } = found;
    const kind = KINDS.find((name) => groups[name] !== undefined) ?? "op";
    end = index + text.length;
    const quote = kind === "string" ? text.search(/["']/) : 0;
    if (/[fFtT]/.test(text.slice(0, quote))) {
      const string = new FString(line, index + quote);
      end = string.end;
      tokens.push({ kind, text: line.slice(index, end), start: index, end, fields: string.fields });
    } else tokens.push({ kind, text: kind === "name" ? text.normalize("NFKC") : text, start: index, end });
  }
}

const QUOTED =
  /#[^\n]*|"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|(?<open>"""|''')[^]*$|"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?/g;

/** The quote of the triple-quoted string that this text leaves open, if it does. */
export function openQuote(text: string): string | undefined {
  if (!text.includes('"""') && !text.includes("'''")) return undefined;
  return [...text.matchAll(QUOTED)].at(-1)?.groups?.["open"];
}

/** Python itself allows no more levels of fields in fields. */
const DEEPEST = 100;

/** An f-string, which may hold others, since Python 3.12 also with its own quote. */
class FString {
  /** What it evaluates: of its fields what stands before `!r` and `:format`, and the fields in formats. */
  readonly fields: Span[] = [];
  readonly end: number;
  readonly #line: string;
  readonly #quote: string;
  #depth: number;

  /** `at` is where its opening quote stands. */
  constructor(line: string, at: number, depth = 0) {
    const quote = line.charAt(at);
    this.#line = line;
    this.#quote = line.startsWith(quote.repeat(3), at) ? quote.repeat(3) : quote;
    this.#depth = depth;
    this.end = this.#text(at + this.#quote.length);
  }

  /** Where the text between the fields ends: after the closing quote, or of a format before its brace. */
  #text(from: number, isFormat = false): number {
    let at = from;
    while (at < this.#line.length) {
      if (this.#line.startsWith(this.#quote, at)) return isFormat ? at : at + this.#quote.length;
      if (isFormat && this.#line[at] === "}") return at;
      const isDoubled = !isFormat && ["{{", "}}"].includes(this.#line.slice(at, at + 2));
      if (this.#line[at] === "\\" || isDoubled) at += 2;
      else if (this.#line[at] === "{") at = this.#field(at + 1);
      else at += 1;
    }
    return this.#line.length;
  }

  /** Where the field ends whose code begins at `start`: after its brace. */
  #field(start: number): number {
    this.#depth += 1;
    const end = this.#depth > DEEPEST ? this.#line.length : this.#code(start);
    this.#depth -= 1;
    return end;
  }

  #code(start: number): number {
    let brackets = 0;
    let at = start;
    while (at < this.#line.length) {
      const character = this.#line.charAt(at);
      if (character === '"' || character === "'") {
        at = this.#string(at);
        continue;
      }
      if ("([{".includes(character)) brackets += 1;
      else if (brackets > 0 && ")]}".includes(character)) brackets -= 1;
      else if (brackets === 0 && (":}".includes(character) || (character === "!" && this.#line[at + 1] !== "="))) {
        this.fields.push({ start, end: at });
        const end = character === "}" ? at : this.#text(at + 1, true);
        return this.#line[end] === "}" ? end + 1 : end;
      }
      at += 1;
    }
    return at;
  }

  /** Where the string in the field's code ends whose opening quote stands at `at`. */
  #string(at: number): number {
    const prefix = /[a-zA-Z]*$/.exec(this.#line.slice(Math.max(0, at - 2), at))?.[0] ?? "";
    if (/[fFtT]/.test(prefix)) return new FString(this.#line, at, this.#depth).end;
    TOKEN.lastIndex = at;
    TOKEN.exec(this.#line);
    return TOKEN.lastIndex;
  }
}

/** Words that look like names and are none. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from " +
    "global if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);
