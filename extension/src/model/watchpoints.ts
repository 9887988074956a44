import { Emitter } from "./emitter.ts";
import type { Memento } from "./memento.ts";
import { BOUNDS, CONDITIONS } from "./watchable.ts";
import type { Frame } from "../debug/frame.ts";
import type {
  FrameAnswer,
  FunctionName,
  Gear,
  WatchedFor,
  Watchpoint,
  WatchpointState,
} from "../protocol/generated.ts";

/** What is watched for, and of what: of the whole program, or of what an expression of a function reaches. */
export interface Watched {
  readonly what: WatchedFor;
  readonly gear: Gear;
  readonly bound?: number;
  readonly of?: string;
  readonly function?: FunctionName;
}

/** What is watched for, and from which step on. */
export interface ConditionalWatched extends Watched {
  readonly after_step?: number;
}

/** A watchpoint of the user: what is watched for, and whether it is on. */
export interface UserWatchpoint extends Watchpoint {
  readonly enabled: boolean;
  /** It was disabled since its function does not know the name any more with which its expression begins. */
  readonly gone?: boolean;
}

/** What the user chooses of a watchpoint: false and 0 take a condition away. */
export interface WatchpointChoice {
  readonly enabled?: boolean;
  readonly log?: boolean;
  readonly skip_hits?: number;
  readonly every?: number;
  readonly after_step?: number;
}

const KEY = "watchpoints";
const WATCHED: ReadonlySet<unknown> = new Set(CONDITIONS);

/** The watchpoints of this workspace. Only one of the exact gear can be on: another takes the place of the first. */
export class Watchpoints {
  readonly #memory: Memento;
  readonly #changed = new Emitter();
  #all: readonly UserWatchpoint[];
  /** The numbers of those that were set in an earlier window and not enabled by the user since. */
  #restored: ReadonlySet<number>;

  readonly onDidChange = this.#changed.event;

  constructor(memory: Memento) {
    this.#memory = memory;
    const kept = memory.get(KEY);
    this.#all = Array.isArray(kept) ? kept.map(withGear).filter(isWatchpoint) : [];
    this.#restored = new Set(this.#all.map(({ id }) => id));
  }

  get all(): readonly UserWatchpoint[] {
    return this.#all;
  }

  /** Those that are to be on in a program, as the helper is told of them. */
  get armed(): readonly Watchpoint[] {
    return this.#all.flatMap(({ enabled, ...watchpoint }) => (enabled ? [watchpoint] : []));
  }

  /** Whether an expression is watched. */
  has(expression: string): boolean {
    return this.#all.some(({ of }) => of === expression);
  }

  /** Those that setting this one would take away: one for the same, and of the exact gear the one that is set. */
  replacedBy(watched: Watched): readonly UserWatchpoint[] {
    return this.#all.filter((one) => isSame(one, watched) || (watched.gear === "exact" && one.gear === "exact"));
  }

  /** Sets one. Where one for the same is set already, it keeps the conditions that are not given. */
  watch({ after_step: from, ...watched }: ConditionalWatched): void {
    const before = this.#all.find((one) => isSame(one, watched));
    const id = Math.max(0, ...this.#all.map((one) => one.id)) + 1;
    const { log, skip_hits, every } = before ?? {};
    const after_step = from ?? before?.after_step;
    const one = chosen({ ...watched, id, enabled: true }, compact({ log, skip_hits, every, after_step }));
    const replaced = this.replacedBy(watched);
    const others = this.#all.filter((other) => !replaced.includes(other));
    this.#set([...others, one]);
  }

  change(id: number, choice: WatchpointChoice): void {
    if (choice.enabled === true) this.#restored = new Set([...this.#restored].filter((one) => one !== id));
    this.#set(this.#all.map((one) => (one.id === id ? chosen(one, choice) : one)));
  }

  /** A program has told what it knows of them: one of an earlier window whose name is gone there is disabled. */
  learn(states: readonly WatchpointState[]): void {
    const isGone = ({ id, enabled }: UserWatchpoint): boolean =>
      enabled && this.#restored.has(id) && states.some((state) => state.id === id && state.gone === true);
    if (this.#all.some(isGone)) {
      this.#set(this.#all.map((one) => (isGone(one) ? { ...one, enabled: false, gone: true } : one)));
    }
  }

  remove(id: number): void {
    this.#set(this.#all.filter((one) => one.id !== id));
  }

  #set(all: readonly UserWatchpoint[]): void {
    this.#all = all;
    this.#restored = new Set(all.flatMap(({ id }) => (this.#restored.has(id) ? [id] : [])));
    void this.#memory.update(KEY, all);
    this.#changed.fire();
  }
}

/** The function in which a frame stands, as watchpoints name it: its file as the program does. */
export function functionOf({ file }: Pick<Frame, "file">, answer: FrameAnswer): FunctionName {
  return { name: answer.function, file: answer.files?.[0]?.file ?? file };
}

/** A watchpoint as it is after a choice, with those conditions alone that are set. */
function chosen(before: UserWatchpoint, choice: WatchpointChoice): UserWatchpoint {
  const { log, skip_hits = 0, every = 0, after_step = 0, gone, ...one } = { ...before, ...choice };
  return {
    ...one,
    ...(gone === true && !one.enabled ? { gone } : {}),
    ...(log === true ? { log } : {}),
    ...(skip_hits > 0 ? { skip_hits } : {}),
    ...(every > 1 ? { every } : {}),
    ...(after_step > 0 ? { after_step } : {}),
  };
}

/** Without what is undefined. */
function compact(choice: { [K in keyof WatchpointChoice]: WatchpointChoice[K] | undefined }): WatchpointChoice {
  return Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== undefined));
}

function isSame(one: Watched, another: Watched): boolean {
  return (
    one.what === another.what &&
    one.gear === another.gear &&
    one.of === another.of &&
    one.function?.name === another.function?.name &&
    one.function?.file === another.function?.file
  );
}

function isBounded(what: unknown): boolean {
  return typeof what === "string" && Object.hasOwn(BOUNDS, what);
}

/** One that was kept before there were gears was exact. */
function withGear(one: unknown): unknown {
  return typeof one === "object" && one !== null ? { gear: "exact", ...one } : one;
}

/** Whether what was kept is one: it may come from another version. */
function isWatchpoint(one: unknown): one is UserWatchpoint {
  if (typeof one !== "object" || one === null) return false;
  const { id, what, gear, bound, enabled, of, function: place } = one as Readonly<Record<string, unknown>>;
  const isNamed = of === undefined ? place === undefined : typeof of === "string" && isFunctionName(place);
  return (
    (typeof bound === "number") === isBounded(what) &&
    typeof id === "number" &&
    typeof enabled === "boolean" &&
    WATCHED.has(what) &&
    (gear === "exact" || gear === "light") &&
    isNamed
  );
}

function isFunctionName(place: unknown): place is FunctionName {
  if (typeof place !== "object" || place === null) return false;
  const { name, file } = place as Readonly<Record<string, unknown>>;
  return typeof name === "string" && typeof file === "string";
}
