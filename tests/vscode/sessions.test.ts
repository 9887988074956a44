/** Several processes at once: each session with its own values, and the status bar says in which one you are. */
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
import { until } from "./bed/wait.ts";
import type { Workbench } from "./bed/workbench.ts";

const ranks = `\
import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    mine = torch.full((2, 3), 10.0 + dist.get_rank())
    print("ready")  # STOP
    dist.destroy_process_group()
    print("done", mine.sum().item())


main()
`;

const test = testIn({ files: { "ranks.py": ranks } });

describe("torchrun with two ranks", () => {
  test("each rank shows its own tensor, and says which rank it is", async ({ wb }) => {
    const program = path.join(wb.workspace.folder, "ranks.py");
    await wb.debug.breakAt("ranks.py", [8]);
    const args = ["--nproc-per-node", "2", "--master-port", String(await freePort()), program];
    await wb.debug.launch({
      type: "debugpy",
      request: "launch",
      name: "ranks",
      module: "torch.distributed.run",
      args,
      subProcess: true,
    });
    await until("both ranks to stop", () => wb.debug.stops() >= 2, 120_000);
    const seen = new Set<string>();
    await until("both ranks to be shown with their own tensors", async () => {
      for (const { label } of (await wb.callStack.rows()).filter((row) => row.label.startsWith("Subprocess"))) {
        await wb.callStack.expand("ranks", label);
        await wb.callStack.click("ranks", label, "main");
        const before = await status(wb);
        const line = (await wb.inspector.rows()).find((row) => row.label === "mine")?.description;
        const same = before !== undefined && before === (await status(wb));
        if (same && line === `float32[2, 3] · all 1${before.replace("rank ", "")}`) seen.add(before);
      }
      return seen.size === 2;
    });
    expect([...seen].toSorted()).toEqual(["rank 0", "rank 1"]);
  });

  test("both go on to their end", async ({ wb }) => {
    await wb.debug.breakAt("ranks.py", []);
    await until("both ranks to end", async () => {
      await wb.page.keyboard.press("F5");
      const printed = wb.recording.events("output").map(({ body }) => (body as { output: string }).output);
      return printed.join("").match(/done 6[06]/g)?.length === 2;
    });
    await wb.debug.waitForEnd();
  });
});

/** The process that the status bar names. */
async function status(wb: Workbench): Promise<string | undefined> {
  const item = wb.page.locator('[id="tensor-inspector.tensor-inspector.tensorInspector.status"]');
  return /rank \d+/.exec((await item.count()) > 0 ? await item.innerText() : "")?.[0];
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
