/** JSON that an assistant is told. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** The longest text of the program that is passed on. */
const LONGEST = 300;

/** Characters that are not seen, or turn what is: controls, marks of direction, tags, variation selectors. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\uFE00-\uFE0F\u{E0100}-\u{E01EF}]+/gu;

/** A text of the program as an assistant may read it: on one line, of bounded length, with nothing in it that is not seen. */
export function boundedText(text: string, longest = LONGEST): string {
  const line = text.replaceAll(UNSEEN, " ");
  if (line.length <= longest) return line;
  const cut = line.slice(0, longest - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** What the wire says, as JSON for an assistant: numbers that JSON has not are texts, undefined fields are left out. */
export function asJson(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return boundedText(numberText(value) ?? value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(asJson);
  const known = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(known.map(([name, one]) => [boundedText(name), asJson(one)]));
}

const NUMBERS: Readonly<Record<string, string>> = { "#nan": "NaN", "#inf": "Infinity", "#-inf": "-Infinity" };

/** A number that the wire writes as a text. */
function numberText(text: string): string | undefined {
  return NUMBERS[text] ?? (/^#-?\d+$/.test(text) ? text.slice(1) : undefined);
}
