import type * as vscode from "vscode";
import type { Sessions } from "../debug/sessions.ts";
import type { Calls } from "../helper/calls.ts";
import type { Expansion } from "../model/expansion.ts";
import type { Inspector } from "../model/inspector.ts";
import { WATCHPOINTS } from "../model/rowPath.ts";
import type { Watchpoints } from "../model/watchpoints.ts";

/** What has to do with watchpoints when they change. */
interface Followers {
  readonly calls: Pick<Calls, "watch">;
  readonly inspector: Pick<Inspector, "frame" | "readAgain" | "fireDidChange">;
  readonly sessions: Pick<Sessions, "all">;
  readonly expansion: Expansion;
}

/** Tells all programs of the watchpoints whenever these change, and shows them. */
export function followWatchpoints(watchpoints: Watchpoints, followers: Followers): vscode.Disposable {
  const { calls, inspector, sessions, expansion } = followers;
  expansion.open(WATCHPOINTS);
  return watchpoints.onDidChange(() => {
    inspector.fireDidChange();
    for (const session of sessions.all) {
      const frame = inspector.frame?.session === session ? inspector.frame : undefined;
      void calls.watch(session, frame).then(
        () => inspector.readAgain(session),
        () => inspector.fireDidChange(),
      );
    }
  });
}
