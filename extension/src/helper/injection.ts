import { deflateSync } from "node:zlib";
import type { Request } from "../protocol/generated.ts";

/** The Python helper as text: module name below the package ("" for the package itself) → source. */
export interface Bundle {
  readonly version: string;
  readonly modules: Readonly<Record<string, string>>;
  readonly loader: string;
}

/** Every expression of ours ends with this, so that anyone reading the protocol can tell them from the user's. */
export const MARK = "# tensor-inspector";

// A frame's names may shadow any builtin, `__import__` and `sys` included: syntax alone reaches the real `sys`.
const SYS =
  "(c for c in ().__class__.__base__.__subclasses__() if c.__name__=='ModuleSpec').__next__().__init__.__globals__['sys']";

/** Calls the injected helper; the request travels as data, never as code. */
export function callExpression(request: Request): string {
  return `${SYS}.modules['_tensor_inspector'].call('${base64(JSON.stringify(request))}') ${MARK}`;
}

/** Puts the helper into the process: one expression that leaves no name behind in the user's frame. */
export function injectExpression(bundle: Bundle): string {
  const sources = Object.entries(bundle.modules).map(([name, text]) => `${literal(name)}: ${literal(text)}`);
  const program = `${bundle.loader}\nanswer = install({${sources.join(", ")}}, ${literal(bundle.version)})\n`;
  const payload = deflateSync(program, { level: 9 }).toString("base64");
  const run =
    `(m['builtins'].exec(m['builtins'].compile(m['zlib'].decompress(m['binascii'].a2b_base64('${payload}')), ` +
    `'<frozen _tensor_inspector.loader>', 'exec'), g), g['answer'])[1]`;
  const globals = "{'__name__': '_tensor_inspector', '__builtins__': m['builtins']}";
  return `(lambda m: (lambda g: ${run})(${globals}))(${SYS}.modules) ${MARK}`;
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

/** A Python string literal in ASCII. JSON's own escapes fit, but Python would read a surrogate pair as two characters. */
function literal(text: string): string {
  return JSON.stringify(text).replace(/[^\x20-\x7e]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
  });
}
