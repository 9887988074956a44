/** A stretch of a line, from `start` up to but not including `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A token of Python, as far as telling names from strings, comments and the rest needs it. */
export interface Token extends Span {
  readonly kind: "name" | "number" | "string" | "comment" | "op";
  readonly text: string;
}

const TOKEN = new RegExp(
  [
    String.raw`(?<comment>#.*)`,
    String.raw`(?<string>[rRbBuUfFtT]{0,2}(?:"""(?:\\.|[^\\])*?(?:"""|$)|'''(?:\\.|[^\\])*?(?:'''|$)|"(?:\\.|[^"\\])*(?:"|$)|'(?:\\.|[^'\\])*(?:'|$)))`,
    String.raw`(?<number>(?:\d|\.\d)(?:[eE][+-]\d|[\w.])*)`,
    String.raw`(?<name>[\p{L}_][\p{L}\p{N}_]*)`,
    String.raw`(?<op>\S)`,
  ].join("|"),
  "gsu",
);
const KINDS = ["name", "op", "number", "string", "comment"] as const;

/** The tokens of one line that begins in code. */
export function tokenize(line: string): Token[] {
  return [...line.matchAll(TOKEN)].map(({ 0: text, index, groups = {} }) => {
    const kind = KINDS.find((name) => groups[name] !== undefined) ?? "op";
    return { kind, text, start: index, end: index + text.length };
  });
}

const QUOTED =
  /#[^\n]*|"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|(?<open>"""|''')[^]*$|"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?/g;

/** The quote of the triple-quoted string that this text leaves open, if it does. */
export function openQuote(text: string): string | undefined {
  if (!text.includes('"""') && !text.includes("'''")) return undefined;
  return [...text.matchAll(QUOTED)].at(-1)?.groups?.["open"];
}

/** The replacement fields of an f-string: what stands between its braces. None if it is another kind of string. */
export function replacementFields({ text, start }: Token): Span[] {
  const quote = text.search(/["']/);
  if (!/[fFtT]/.test(text.slice(0, quote))) return [];
  const fields: Span[] = [];
  let depth = 0;
  let open = 0;
  for (let at = quote; at < text.length; at += 1) {
    if (depth === 0 && (text.startsWith("{{", at) || text.startsWith("}}", at))) at += 1;
    else if (text[at] === "{") {
      if (depth === 0) open = at + 1;
      depth += 1;
    } else if (text[at] === "}" && depth > 0) {
      depth -= 1;
      if (depth === 0) fields.push({ start: start + open, end: start + at });
    }
  }
  return fields;
}

/** Words that look like names and are none. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from " +
    "global if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);
