import { type Name, namesIn } from "./python.ts";

/** A name that stands for a variable of the function, and where on its line. */
export interface Mention extends Name {
  readonly line: number;
}

/** More on one line than this is not legible. */
const MAX_PER_LINE = 3;

/**
 * Where values are shown in the lines of a function from `first` up to, not including, `stop`: of each line at the names
 * that get their value there, or else at those that it uses, each once and the first few. `known` are the names of the
 * variables. Of a module, the first line is no function's. Of a line that has `failed`, no name has got a value.
 */
export function namedIn(
  source: string,
  first: number,
  stop: number,
  known: ReadonlySet<string>,
  isModule = false,
  failed = -1,
): Mention[] {
  const starts = [0, ...Array.from(source.matchAll(/\n/g), ({ index }) => index + 1)];
  const [begin = source.length, until = source.length] = [starts[first], starts[stop]];
  let line = first;
  const mentions = namesIn(source, begin, until, isModule).map((one) => {
    while ((starts[line + 1] ?? Infinity) <= one.start) line += 1;
    const start = starts[line] ?? 0;
    return { ...one, line, start: one.start - start, end: one.end - start };
  });
  return [...Map.groupBy(mentions, ({ line }) => line).values()].flatMap((onLine) => {
    const bound = onLine.filter(({ binds, line }) => binds && line !== failed);
    const used = onLine.filter(({ binds }) => !binds);
    const told = (bound.length > 0 ? bound : used).filter(({ name }) => known.has(name));
    return told.filter(({ name }, at) => told.findIndex((one) => one.name === name) === at).slice(0, MAX_PER_LINE);
  });
}
