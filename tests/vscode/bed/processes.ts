/** Ends what was started, by process id, however this process ends. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

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

/** Ends a process and all that it started, at once: none of them has anything to save. */
export function killProcessTree(root: number): void {
  for (const pid of processTree(root)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // it has ended meanwhile
    }
  }
}

/** Makes signals run the `exit` listeners, which clean up; Node by itself would just end. */
export function exitOnSignals(code = 130): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(code));
}
