/** Ends a process and all that it started, by process id. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

interface Process {
  readonly pid: number;
  readonly parent: number;
}

/** Linux without `ps` is common in containers. */
function listProcesses(): Process[] {
  return existsSync("/proc/self/stat") ? readdirSync("/proc").flatMap(readProc) : askPs();
}

function readProc(entry: string): Process[] {
  if (!/^\d+$/.test(entry)) return [];
  try {
    // "PID (NAME) STATE PARENT …", and the name may hold blanks and brackets.
    const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
    const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [{ pid: Number(entry), parent: Number(parent) }];
  } catch {
    return []; // it has ended meanwhile
  }
}

function askPs(): Process[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  return lines.map((line) => {
    const [pid, parent] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent) };
  });
}

/** The process and its living descendants, parents first. */
function processTree(root: number): number[] {
  const children = Map.groupBy(listProcesses(), ({ parent }) => parent);
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []).map((child) => child.pid));
  return tree;
}

/** Whether the process was there to take the signal; 0 only asks. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Asks the whole tree to end, and insists after two seconds. */
export async function endProcessTree(root: number): Promise<void> {
  const tree = processTree(root);
  for (const pid of tree) signal(pid, "SIGTERM");
  const deadline = Date.now() + 2000;
  while (Date.now() < deadline && tree.some((pid) => signal(pid, 0))) await sleep(20);
  for (const pid of tree) signal(pid, "SIGKILL");
}
