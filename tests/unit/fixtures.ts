import type { Frame } from "../../extension/src/debug/frame.ts";
import type { Session } from "../../extension/src/debug/session.ts";
import type { Memento } from "../../extension/src/model/memento.ts";
import type { FrameAnswer, Node, NodeAnswer, SourceLine } from "../../extension/src/protocol/generated.ts";
import { Uri } from "./vscode.ts";

let ids = 100;

export function node(name: string, more: Partial<Node> = {}): Node {
  ids += 1;
  return { id: ids, name, kind: "number", type: "int", line: "1", path: name, ...more };
}

export function tensor(name: string, more: Partial<Node> = {}): Node {
  return node(name, { kind: "tensor", type: "Tensor", line: "float32[2, 3] · 0…1", children: null, ...more });
}

export function frameAnswer(nodes: Node[] = [], more: Partial<FrameAnswer> = {}): FrameAnswer {
  const rows = { start: 0, total: nodes.length, nodes };
  const where = { function: "train", first_line: 1, line: 3 };
  return { op: "frame", snapshot: 7, ms: 1, ...where, libraries: {}, rows, pins: [], types: [], ...more };
}

export function nodeAnswer(op: "inspect" | "evaluate", found: Node): NodeAnswer {
  return { op, snapshot: 7, ms: 1, node: found, types: [] };
}

export interface Paused {
  over: boolean;
}

const sessions = new Map<string, Session>();

/** The session of an id, always the same. */
export function session(id = "session"): Session {
  const found = sessions.get(id) ?? ({ id, debugSession: { name: id } } as Session);
  sessions.set(id, found);
  return found;
}

/** A paused frame; set `over` to end its stop. */
export function frame(
  stop = 1,
  more: { frameId?: number; place?: string; session?: string; thread?: number } = {},
): Frame & Paused {
  const { frameId = 2, place = "/train.py:train", session: id = "session", thread = 1 } = more;
  const key = `${id} ${stop} ${thread} ${frameId}`;
  return {
    session: session(id),
    threadId: thread,
    frameId,
    stop,
    key,
    place,
    file: place.slice(0, place.indexOf(":")),
    over: false,
    isIn: () => true,
    locate: ({ file, line: at }: SourceLine) => Promise.resolve({ uri: Uri.file(file), line: at }),
  } as unknown as Frame & Paused;
}

export function memory(kept: Record<string, unknown> = {}): Memento & { kept: Record<string, unknown> } {
  return {
    kept,
    get: (key) => kept[key],
    update: (key, value) => {
      kept[key] = value;
      return Promise.resolve();
    },
  };
}

/** A promise to settle by hand. */
export function deferred<T>(): { promise: Promise<T>; resolve(value: T): void; reject(reason: unknown): void } {
  return Promise.withResolvers<T>();
}
