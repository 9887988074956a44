import { type Name, namesIn } from "./python.ts";

/** A name that stands for a variable of the function, and where on its line. */
export interface Mention extends Name {
  readonly line: number;
}

/** More on one line than this is not legible. */
const MAX_PER_LINE = 3;

/** The function, or module, in which a program has stopped. Lines are counted from 0. */
export interface StoppedFunction {
  readonly firstLine: number;
  readonly stopLine: number;
  readonly isModule?: boolean;
  /** The line of the stop has raised an exception. */
  readonly raised?: boolean;
}

/**
 * The names at which values are shown in the lines above a stop, and in a line that raised: in each line the variables that
 * get their value there, or else those that it uses, each once and only the first few. A line that raised gave no
 * variable a value.
 */
export function mentionsIn(
  source: string,
  { firstLine, stopLine, isModule = false, raised = false }: StoppedFunction,
  variables: ReadonlySet<string>,
): Mention[] {
  const starts = [0, ...Array.from(source.matchAll(/\n/g), ({ index }) => index + 1)];
  const [begin = source.length, until = source.length] = [starts[firstLine], starts[raised ? stopLine + 1 : stopLine]];
  let line = firstLine;
  const mentions = namesIn(source, begin, until, isModule).map((one) => {
    while ((starts[line + 1] ?? Infinity) <= one.start) line += 1;
    const start = starts[line] ?? 0;
    return { ...one, line, start: one.start - start, end: one.end - start };
  });
  return [...Map.groupBy(mentions, ({ line }) => line).values()].flatMap((onLine) => {
    const bound = onLine.filter(({ binds, line }) => binds && line !== stopLine);
    const used = onLine.filter(({ binds }) => !binds);
    const told = (bound.length > 0 ? bound : used).filter(({ name }) => variables.has(name));
    return told.filter(({ name }, at) => told.findIndex((one) => one.name === name) === at).slice(0, MAX_PER_LINE);
  });
}
