import { Emitter } from "./emitter.ts";
import type { Memento } from "./memento.ts";
import type { WatchedFor, Watchpoint } from "../protocol/generated.ts";

/** A watchpoint of the user: what is watched for, and whether it is on. */
export interface UserWatchpoint extends Watchpoint {
  readonly enabled: boolean;
}

/** What the user chooses of a watchpoint: false and 0 take a condition away. */
export interface WatchpointChoice {
  readonly enabled?: boolean;
  readonly log?: boolean;
  readonly skip_hits?: number;
  readonly after_step?: number;
}

const KEY = "watchpoints";
const WATCHED: ReadonlySet<unknown> = new Set<WatchedFor>(["nonfinite", "nan", "inf"]);

/** The watchpoints of this workspace. One is for the whole program: another condition takes the place of its first. */
export class Watchpoints {
  readonly #memory: Memento;
  readonly #changed = new Emitter();
  #all: readonly UserWatchpoint[];

  readonly onDidChange = this.#changed.event;

  constructor(memory: Memento) {
    this.#memory = memory;
    const kept = memory.get(KEY);
    this.#all = Array.isArray(kept) ? kept.filter(isWatchpoint) : [];
  }

  get all(): readonly UserWatchpoint[] {
    return this.#all;
  }

  /** Those that are to be on in a program, as the helper is told of them. */
  get armed(): readonly Watchpoint[] {
    return this.#all.flatMap(({ enabled, ...watchpoint }) => (enabled ? [watchpoint] : []));
  }

  /** Watches the whole program for something; under the conditions that were chosen before. */
  watch(what: WatchedFor): void {
    const [before] = this.#all;
    this.#set([{ ...before, id: (before?.id ?? 0) + 1, what, enabled: true }]);
  }

  change(id: number, choice: WatchpointChoice): void {
    this.#set(this.#all.map((one) => (one.id === id ? chosen(one, choice) : one)));
  }

  remove(id: number): void {
    this.#set(this.#all.filter((one) => one.id !== id));
  }

  #set(all: readonly UserWatchpoint[]): void {
    this.#all = all;
    void this.#memory.update(KEY, all);
    this.#changed.fire();
  }
}

/** A watchpoint as it is after a choice, with those conditions alone that are set. */
function chosen({ id, what, ...before }: UserWatchpoint, choice: WatchpointChoice): UserWatchpoint {
  const { enabled, log, skip_hits = 0, after_step = 0 } = { ...before, ...choice };
  return {
    id,
    what,
    enabled,
    ...(log === true ? { log } : {}),
    ...(skip_hits > 0 ? { skip_hits } : {}),
    ...(after_step > 0 ? { after_step } : {}),
  };
}

function isWatchpoint(one: unknown): one is UserWatchpoint {
  if (typeof one !== "object" || one === null || !("what" in one) || !("id" in one) || !("enabled" in one))
    return false;
  return typeof one.id === "number" && typeof one.enabled === "boolean" && WATCHED.has(one.what);
}
