/** How many characters of a row's name are shown: the summaries need the room. */
export const MAX_LABEL_LENGTH = 24;

/** Text from the program, harmless in Markdown: every character that could mean something is escaped. */
export function escapeMarkdown(text: string): string {
  return printable(text).replace(/[!-/:-@[-`{-~]/g, String.raw`\$&`);
}

/** How many rows there are, in groups of three: values of the program are put into words by the helper. */
export function countText(count: number): string {
  return count.toLocaleString("en");
}

/** The parts that are not empty, with a separator between them. */
export function joined(separator: string, ...parts: readonly (string | null | undefined)[]): string {
  return parts.filter(Boolean).join(separator);
}

/** `comparing… 42%` */
export function withPercent(working: string, progress: number): string {
  const percent = Math.floor(100 * progress);
  return percent === 0 ? working : `${working} ${percent}%`;
}

/** Shortened in the middle: long names of one family are told apart by their ends. */
export function shortened(text: string, limit: number): string {
  const characters = Array.from(text);
  if (characters.length <= limit) return text;
  const head = Math.floor(limit / 3);
  return [...characters.slice(0, head), "…", ...characters.slice(head + 1 - limit)].join("");
}

/**
 * Names of rows that stand together, each in at most `limit` characters: of long ones that would read the same, the
 * dotted parts that all of them have are left out instead; where some still do, their first parts become initials.
 */
export function namesApart(names: readonly string[], limit: number): string[] {
  const labels = new Map(names.map((name) => [name, shortened(name, limit)]));
  const relabel = (apart: ReadonlyMap<string, string>): void => {
    for (const [name, label] of apart) labels.set(name, shortened(label, limit));
  };
  const groups = alike(labels);
  relabel(withoutShared(groups.flat()));
  const unsettled = new Set(alike(labels).flat());
  for (const group of groups) if (group.some((name) => unsettled.has(name))) relabel(withInitials(group, limit));
  for (const group of alike(labels)) relabel(fromDifference(group));
  return names.map((name) => labels.get(name) ?? name);
}

/** Groups of names that have one label. */
function alike(labels: ReadonlyMap<string, string>): string[][] {
  const groups = Map.groupBy(labels.keys(), (name) => labels.get(name));
  return [...groups.values()].filter(({ length }) => length > 1);
}

/**
 * Each name without the dotted parts with which all begin; as many of the next as need be are initials: of
 * `bert.encoder.layer[0].attention.output.dense.weight` is left `…[0].a.o.dense.weight`.
 */
function withInitials(names: readonly string[], limit: number): Map<string, string> {
  const all = names.map((name) => name.split(/(?=[.[])/));
  const [first = []] = all;
  const differs = first.findIndex((part, at) => all.some((parts) => parts[at] !== part));
  const shared = Math.max(0, Math.min(differs < 0 ? first.length : differs, ...all.map(({ length }) => length - 1)));
  const left = shared === 0 ? "" : "…";
  const abbreviated = (name: string, parts: string[]): string => {
    const own = parts.slice(shared);
    const quote = shared === 0 ? "" : (/^['"]?/.exec(name)?.[0] ?? "");
    const label = (): string => `${quote}${left}${own.join("")}`.replace("….", "…");
    for (let at = 0; at < own.length - 1 && label().length > limit; at++) {
      own[at] = own[at]?.replace(/^(\.?['"]?[^\W\d])\w+$/u, "$1") ?? "";
    }
    return label();
  };
  return new Map(names.map((name, at) => [name, abbreviated(name, all[at] ?? [])]));
}

/** Each name from where the first two differ. */
function fromDifference(names: readonly string[]): Map<string, string> {
  const [first = "", second = ""] = names;
  let at = 0;
  while (at < first.length && first[at] === second[at]) at += 1;
  return new Map(names.map((name) => [name, `…${name.slice(at)}`]));
}

/** Each name without the dotted parts that all names of as many parts have, if there are others; the last one stays. */
function withoutShared(names: readonly string[]): Map<string, string> {
  const families = new Map<number, [name: string, parts: string[]][]>();
  for (const name of names) {
    const parts = name.replace(/^['"]/, "").split(".");
    const family = families.get(parts.length);
    if (family === undefined) families.set(parts.length, [[name, parts]]);
    else family.push([name, parts]);
  }
  const apart = new Map<string, string>();
  for (const [length, family] of families) {
    if (family.length === 1) continue;
    const shared = Array.from({ length: length - 1 }, (_, at) =>
      family.every(([, parts]) => parts[at] === family[0]?.[1][at]),
    );
    for (const [name, parts] of family) {
      const quote = /^['"]?/.exec(name)?.[0] ?? "";
      const own = parts.map((part, at) => (shared[at] === true ? "…" : part)).join(".");
      apart.set(name, quote + own.replaceAll(/\.?…(\.…)*\.?/g, "…"));
    }
  }
  return apart;
}

/** Text from the program where VS Code makes `$(name)` an icon. */
export function escapeIcons(text: string): string {
  return text.replaceAll("$(", String.raw`\$(`);
}

/** Text from the program, harmless in HTML that stands in Markdown: nothing but letters, digits and blanks is left as it is. */
export function escapeHtml(text: string): string {
  return printable(text).replace(/[!-/:-@[-`{-~]/g, (character) => `&#${character.codePointAt(0)};`);
}

/** Without control characters, and those that turn the reading direction. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ");
}

/** Text from the program as a block of code, which nothing in it can close. */
export function codeBlock(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text.replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, " ")}\n${fence}`;
}
