/** The first stop of a program: the debugger's own views ask us, however soon they ask. */
import { describe, expect, test } from "vitest";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { withWorkbench } from "./bed/fixture.ts";
import { type DapRecord, requestTextIn } from "./bed/recording.ts";
import type { Workbench } from "./bed/workbench.ts";

const huge = "s30_huge_storage.py";
const files = { "small.py": "import torch\nx = torch.zeros(2)\nprint(x)  # STOP\n" };
const OFF = { "tensorInspector.stockViews.enabled": false };

/** VS Code asks for variables 0.4 s after a stop for its view, and at once for line ends that are not ours. */
const askers = {
  Variables: {},
  "VS Code's inline values": { "debug.inlineValues": "on", "tensorInspector.inlineValues.enabled": false },
};

describe("a storage and an array that the debugger would write out are shown", () => {
  test.for(Object.entries(askers))("where %s asks first", async ([, settings]) => {
    await withWorkbench({ programs: [huge], settings }, async (wb) => {
      await wb.debug.start(huge);
      await shown(wb, ["UntypedStorage · 30.0 MiB", "float64[6, 6, 6, 6, 6, 6, 6, 6, 6]"]);
      const traffic = wb.recording.all();
      expect(landmarks(traffic)).toEqual(["initialized", "inject", "configurationDone", "stopped"]);
      const bytes = wb.recording.responses("variables").map((response) => JSON.stringify(response).length);
      expect(Math.max(...bytes), "no reply carries what the storage holds").toBeLessThan(20_000);
      expect(wb.recording.events("invalidated"), "nothing is asked twice").toEqual([]);
      await wb.debug.continueToEnd();
    });
  });
});

test("with the setting for them off, the debugger's own views are as without us", async () => {
  await withWorkbench({ files, settings: OFF }, async (wb) => {
    await wb.debug.start("small.py");
    await shown(wb, ["tensor([0., 0.])"]);
    expect(wb.recording.events("invalidated")).toEqual([]);
    await wb.debug.continueToEnd();
  });
});

/** Variables has rows that begin with these texts. */
async function shown(wb: Workbench, texts: readonly string[]): Promise<void> {
  await wb.variables.rowsWhen(texts.join(", "), (rows) =>
    texts.every((text) => rows.some(({ description }) => description.startsWith(text))),
  );
}

/** Where our injection stands among what is said up to the first stop. */
function landmarks(traffic: readonly DapRecord[]): string[] {
  return traffic.flatMap(({ message }) => {
    if (message.type === "event") {
      const { event } = message as DebugProtocol.Event;
      return ["initialized", "stopped"].includes(event) ? [event] : [];
    }
    if (message.type === "response") return [];
    const { command, arguments: args } = message as DebugProtocol.Request;
    if (command === "configurationDone") return [command];
    const sent =
      command === "evaluate" ? requestTextIn((args as DebugProtocol.EvaluateArguments).expression) : undefined;
    return sent === "inject" ? [sent] : [];
  });
}
