/** Several processes at once: each session with its own values, and the status bar says in which one you are. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect } from "vitest";
import { python } from "../../scripts/paths.mjs";
import { markedLines } from "./bed/debugging.ts";
import { placeOf } from "./bed/editor.ts";
import { testIn } from "./bed/fixture.ts";
import type { Row } from "./bed/rows.ts";
import { textNow, until } from "./bed/wait.ts";
import type { Workbench } from "./bed/workbench.ts";

const ranks = `\
import os
import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    print(f"rank {rank} is {os.getpid()}", flush=True)  # in one piece: two ranks print at once
    mine = torch.full((2, 3), 10.0 + rank)
    print("ready")  # STOP
    dist.destroy_process_group()
    print(f"done {mine.sum().item()}")


main()
`;

const library = `\
import torch


def step(x):
    return torch.nn.Linear(3, 2)(x)


step(torch.ones(2, 4))
`;

/** A program in which `work(1)` is reached in some way, in whatever process or thread. */
const reaching = (how: string): string => `\
import asyncio, multiprocessing, threading
import numpy


def work(rank):
    mine = numpy.full((2, 3), 10.0 + rank, dtype="float32")
    print("ready")  # STOP
    return mine


class Data:
    def __len__(self):
        return 1

    def __getitem__(self, index):
        return work(index + 1)


def fails():
    raise ValueError(work(1).shape)


async def waits():
    await asyncio.sleep(0)
    return work(1)


if __name__ == "__main__":
    ${how}
    print("done")
`;

const ways = {
  "a spawned process": processOf("spawn"),
  "a forked process": processOf("fork"),
  "a worker of a DataLoader": "import torch; list(torch.utils.data.DataLoader(Data(), num_workers=1))",
  "another thread": "thread = threading.Thread(target=work, args=(1,)); thread.start(); thread.join()",
  "a coroutine": "asyncio.run(waits())",
};

const waiting = 'print("up", flush=True); input(); work(1)';

function processOf(method: string): string {
  return `child = multiprocessing.get_context("${method}").Process(target=work, args=(1,)); child.start(); child.join()`;
}

const fileOf = (way: string): string => `${way.replaceAll(" ", "_")}.py`;
const files = Object.fromEntries(Object.entries(ways).map(([way, how]) => [fileOf(way), reaching(how)]));

const test = testIn({
  files: {
    "ranks.py": ranks,
    "library.py": library,
    "raises.py": reaching("fails()"),
    "alone.py": reaching("work(1)"),
    "waiting.py": reaching(waiting),
    ...files,
  },
});

describe("torchrun with two ranks", () => {
  test("each rank shows its own tensor, and says which rank it is", async ({ wb }) => {
    const program = path.join(wb.workspace.folder, "ranks.py");
    await wb.debug.breakAt("ranks.py", markedLines(program));
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
    for (const rank of [0, 1]) {
      const subprocess = await processOfRank(wb, rank);
      await wb.callStack.expand("ranks", subprocess);
      await wb.callStack.click("ranks", subprocess, "main");
      await until(`rank ${rank} in the status bar`, async () => (await textNow(wb.status))?.includes(`rank ${rank}`));
      await wb.inspector.rowsWhen(`the tensor of rank ${rank}`, (rows) =>
        rows.some(({ label, description }) => label === "mine" && description === `all 1${rank} · f32[2,3]`),
      );
    }
  });

  test("the line ends follow each switch between the ranks, which number their frames alike", async ({ wb }) => {
    const { line } = placeOf(ranks, "mine = torch.full");
    const processes = [await processOfRank(wb, 0), await processOfRank(wb, 1)];
    for (const rank of [0, 1, 0, 1, 0, 1, 0]) {
      await wb.callStack.click("ranks", processes[rank]!, "main");
      await until(`rank ${rank} in the status bar`, async () => (await textNow(wb.status))?.includes(`rank ${rank}`));
      await expect.poll(async () => (await wb.editor.inlineValues()).get(line)).toBe(`mine = all 1${rank} f32[2,3]`);
    }
  });

  test("a value of one rank is not offered for comparison with one of the other", async ({ wb }) => {
    const offered: boolean[] = [];
    for (const rank of [0, 1, 0]) {
      await wb.callStack.click("ranks", await processOfRank(wb, rank), "main");
      await wb.inspector.rowsWhen(`the values of rank ${rank}`, (rows) =>
        rows.some(({ label, description }) => label === "rank" && description === String(rank)),
      );
      if (offered.length === 0) await wb.inspector.choose(["mine"], "Select for Compare");
      offered.push((await wb.inspector.menuItems("rank")).includes("Compare with Selected"));
    }
    expect(offered).toEqual([true, false, true]);
  });

  test("both go on to their end", async ({ wb }) => {
    await wb.debug.breakAt("ranks.py", []);
    await until("both ranks to end", async () => {
      await wb.page.keyboard.press("F5");
      return printed(wb).match(/done 6[06]/g)?.length === 2;
    });
    await wb.debug.waitForEnd();
  });
});

describe("the values of the frame that stands there are shown", () => {
  test.for(Object.keys(ways))("in %s", async (way, { wb }) => {
    await wb.debug.start(fileOf(way), { subProcess: true });
    await shown(wb);
    await wb.debug.continueToEnd();
  });

  test.for(["python", "Python Kernel Debug Adapter"])("in a session of type %s", async (type, { wb }) => {
    await wb.debug.start("alone.py", { type });
    await shown(wb);
    await wb.debug.continueToEnd();
  });

  test("where an exception is raised that nobody catches", async ({ wb }) => {
    await wb.debug.start("raises.py");
    await wb.debug.breakAt("raises.py", []);
    await wb.debug.continueToStop();
    await wb.inspector.rowsWhen("the exception", (rows) =>
      rows.some(({ label, description }) => label === "(exception)" && description.startsWith("ValueError")),
    );
    await wb.debug.continueToEnd();
  });

  test("where a library raises an exception: it tells the user's own line, and a pin of it has a name", async ({
    wb,
  }) => {
    await wb.debug.start("library.py");
    await wb.inspector.rowsWhen("its explanation on top", ([first]) => first?.label === "4 ≠ 3 · Linear");
    const tooltip = (): Promise<string> => wb.inspector.tooltip("(exception)");
    await expect.poll(tooltip).toMatch(/in your code\s+library\.py:5 in step/);
    await expect.poll(tooltip).toMatch(/raised at\s+linear\.py:\d+ in forward/);
    await wb.inspector.clickAction(["(exception)"], "Pin");
    await wb.inspector.rowsWhen("the pin of it", (rows) =>
      rows.some(({ icon, label }) => icon === "pinned" && label === "(exception)"),
    );
    await wb.debug.continueToEnd();
  });

  test("where a library raises it and its code is debugged too: the user's own frame", async ({ wb }) => {
    const program = path.join(wb.workspace.folder, "library.py");
    const own = { type: "debugpy", request: "launch", name: "library", program, justMyCode: false } as const;
    await wb.debug.launch(own);
    const rows = await wb.inspector.rowsWhen("x", (all) => all.some(({ label }) => label === "x"));
    const [first, second] = rows.filter(({ icon }) => icon !== "pinned" && icon !== "error");
    expect(first).toMatchObject({ label: "(exception)", description: expect.stringMatching(/library\.py:5 in step$/) });
    expect(second).toMatchObject({ label: "x", description: "all 1 · f32[2,4]" });
    await wb.debug.continueToEnd();
  });

  test("in a program that is attached to", async ({ wb }) => {
    const file = path.join(wb.workspace.folder, "alone.py");
    const endpoints = path.join(wb.workspace.folder, "endpoints.json");
    const env = { ...process.env, DEBUGPY_ADAPTER_ENDPOINTS: endpoints };
    const command = ["-m", "debugpy", "--listen", "127.0.0.1:0", "--wait-for-client", file];
    const program = spawn(python, command, { stdio: "ignore", env });
    try {
      const connect = await until("the debugger to be ready for clients", () => listens(endpoints));
      const attach = { type: "debugpy", request: "attach", name: "attached", connect } as const;
      await wb.debug.breakAt("alone.py", markedLines(file));
      await wb.debug.stopAfter(() => wb.debug.launch(attach));
      await shown(wb);
      await wb.debug.continueToEnd();
      await until("the program to end", () => program.exitCode === 0);
    } finally {
      program.kill("SIGKILL");
    }
  });
});

test("the values of a program that runs already, attached to by its id, are shown", async ({ wb, skip }) => {
  skip(!canBeEntered(), "gdb, which the debugger needs for that, can't call a function in a running process here");

  const file = path.join(wb.workspace.folder, "waiting.py");
  const program = spawn(python, [file], { stdio: ["pipe", "pipe", "ignore"] });
  try {
    await new Promise((resolve) => program.stdout.once("data", resolve)); // it is up
    await wb.debug.breakAt("waiting.py", markedLines(file));
    await wb.debug.stopAfter(async () => {
      const attached = wb.recording.responses("attach").length;
      await wb.debug.launch({ type: "debugpy", request: "attach", name: "entered", processId: program.pid });
      await until("the debugger to be in", () => wb.recording.responses("attach").length > attached);
      program.stdin.write("go on\n");
    });
    await shown(wb);
    await wb.debug.continueToEnd();
    await until("the program to end", () => program.exitCode === 0);
  } finally {
    program.kill("SIGKILL");
  }
});

/** Whether gdb, by which the debugger gets into a running program on Linux, can call a function in one. */
function canBeEntered(): boolean {
  const victim = spawn(python, ["-c", "while True: pass"], { stdio: "ignore" });
  try {
    const asked = ["--nx", "--batch", "--pid", String(victim.pid), "--eval-command", "print 6 * (int)getppid()"];
    return spawnSync("gdb", asked, { encoding: "utf8", timeout: 30_000 }).stdout?.includes(`= ${6 * process.pid}`);
  } finally {
    victim.kill("SIGKILL");
  }
}

async function shown(wb: Workbench): Promise<void> {
  await wb.inspector.rowsWhen("the array of this process", (rows) =>
    rows.some(({ label, description }) => label === "mine" && description === "all 11 · f32[2,3]"),
  );
}

/** Where a debugger listens, once it has written so: it may fail a client that connects before. */
function listens(endpoints: string): { host: string; port: number } | undefined {
  const text = existsSync(endpoints) ? readFileSync(endpoints, "utf8") : "";
  if (!text.endsWith("\n")) return undefined; // not all of it
  const { client } = JSON.parse(text) as { client: { host: string; port: number } };
  return client;
}

/** The row of a rank's session in the call stack, once the rank has said which process it is. */
async function processOfRank(wb: Workbench, rank: number): Promise<string> {
  const said = new RegExp(`rank ${rank} is (\\d+)`);
  const pid = await until(`rank ${rank} to say its process id`, () => said.exec(printed(wb))?.[1]);
  const ofRank = ({ label }: Row): boolean => label.startsWith("Subprocess") && label.includes(pid);
  return (await wb.callStack.rowsWhen(`the process ${pid} of rank ${rank}`, (rows) => rows.some(ofRank))).find(ofRank)!
    .label;
}

function printed(wb: Workbench): string {
  return wb.recording
    .events("output")
    .map(({ body }) => (body as { output: string }).output)
    .join("");
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
