import { deflateSync } from "node:zlib";
import type { Preferences, Request, Watchpoint } from "../protocol/generated.ts";

/** The Python helper, packed when it is built: at a program's start there is no time for it. */
export interface Bundle {
  readonly version: string;
  /** JSON: module name below the package ("" for the package itself) → number of its folder in `folders`. */
  readonly modules: string;
  /** For each folder the sources of its modules, in their order, with a zero byte between: Python keeps them packed until one is needed. */
  readonly folders: readonly string[];
  readonly loader: string;
  /** What is run before all else: the debugger is not to act when this takes long. */
  readonly timeOuts: string;
}

/** Every expression of ours ends with this, so that anyone reading the protocol can tell them from the user's. */
export const MARK = "# tensor-inspector";

/** An expression that is answered as soon as the frame's thread is free. */
export const PROBE = `0 ${MARK}`;

// A frame's names may shadow any builtin, `__import__` and `sys` included: syntax alone reaches the real `sys`.
const SYS =
  "(c for c in ().__class__.__base__.__subclasses__() if c.__name__=='ModuleSpec').__next__().__init__.__globals__['sys']";

/** Calls the injected helper; the request travels as data, never as code. */
export function callExpression(request: Request): string {
  return `${SYS}.modules['_tensor_inspector.gateway'].call('${base64(JSON.stringify(request))}') ${MARK}`;
}

/**
 * Puts the helper into the process: one expression that leaves no name behind in the user's frame. In it, `m` are the
 * modules of `sys`, `g` the globals of the loader and of what comes before it; `z` unpacks a text, and `b` decodes what stays packed.
 */
export function injectExpression(
  bundle: Bundle,
  preferences: Preferences,
  watchpoints: readonly Watchpoint[] = [],
): string {
  const { timeOuts, loader, modules, folders, version } = bundle;
  const ran = (source: string, name: string): string =>
    `m['builtins'].exec(m['builtins'].compile(z('${source}'), '<frozen _tensor_inspector.${name}>', 'exec'), g)`;
  const json = (value: unknown): string => `m['json'].loads(z('${packed(JSON.stringify(value))}'))`;
  const watched = watchpoints.length > 0 ? `, ${json(watchpoints)}` : "";
  const run =
    `(${ran(timeOuts, "time_outs")}, g['dispose'](), ${ran(loader, "loader")}, ` +
    `g['install'](m['json'].loads(z('${modules}')), '${version}', ` +
    `${json(preferences)}, [${folders.map((sources) => `b('${sources}')`).join(", ")}]${watched}))[3]`;
  const unpack = "lambda text: m['zlib'].decompress(m['binascii'].a2b_base64(text))";
  const globals = "{'__name__': '_tensor_inspector', '__builtins__': m['builtins']}";
  return `(lambda m: (lambda g, z, b: ${run})(${globals}, ${unpack}, m['binascii'].a2b_base64))(${SYS}.modules) ${MARK}`;
}

/** Compressed: as data it is read faster than Python would read it as a literal. */
export function packed(text: string): string {
  return deflateSync(text, { level: 9 }).toString("base64");
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
