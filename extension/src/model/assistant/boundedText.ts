/** JSON that an assistant is told. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** The longest text of the program that is passed on, and the longest expression, which is passed on whole or not at all. */
const LONGEST = 300;
const LONGEST_EXPRESSION = 500;

/** Characters that are not seen, or turn what is: controls, marks of direction, tags, variation selectors. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\uFE00-\uFE0F\u{E0100}-\u{E01EF}]+/gu;

/** A text of the program as an assistant may read it: on one line, of bounded length, with nothing in it that is not seen. */
export function boundedText(text: string, longest = LONGEST): string {
  const line = text.replaceAll(UNSEEN, " ");
  if (line.length <= longest) return line;
  const cut = line.slice(0, longest - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** Fields that are texts, whatever they look like; in all others the wire writes numbers that JSON has not as texts. */
const TEXTS: ReadonlySet<string> = new Set(["name", "summary", "title", "fact", "text", "type", "values"]);
/** Those that name a value: one that is cut would name another. */
const EXPRESSIONS: ReadonlySet<string> = new Set(["expression", "path", "a", "b"]);

/** What the wire says, as JSON for an assistant. Undefined fields are left out; of longer lists `most` entries are told. */
export function asJson(value: unknown, most: number, field = ""): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return textOf(value, field);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "boolean") return value;
  if (Array.isArray(value)) {
    const told = value.slice(0, most).map((one) => asJson(one, most, field));
    return value.length > most ? [...told, `… ${value.length - most} more`] : told;
  }
  const known = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(known.map(([name, one]) => [boundedText(name), asJson(one, most, name)]));
}

function textOf(text: string, field: string): Json {
  if (EXPRESSIONS.has(field)) return text.length <= LONGEST_EXPRESSION ? boundedText(text, text.length) : null;
  return boundedText(TEXTS.has(field) ? text : (numberText(text) ?? text));
}

const NUMBERS: Readonly<Record<string, string>> = { "#nan": "NaN", "#inf": "Infinity", "#-inf": "-Infinity" };

/** A number that the wire writes as a text. */
function numberText(text: string): string | undefined {
  return NUMBERS[text] ?? (/^#-?\d+$/.test(text) ? text.slice(1) : undefined);
}
