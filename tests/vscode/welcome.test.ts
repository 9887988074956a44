/** What the view says where there is no tree to show, and programs that it has little to say about. */
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
import { until } from "./bed/wait.ts";

const files = {
  "waits.py": `\
import os
import time

print("running", flush=True)
while not os.path.exists("go"):
    time.sleep(0.05)
print("done")
`,
  "plain.py": `\
import sys
words = {"two": 2, "one": 1}
print("torch" in sys.modules, "numpy" in sys.modules)  # STOP
`,
  "shadows.py": `\
def main(sys, str, len, type, object, isinstance, __import__, list=None, dict=None, id=None):
    import array
    values = array.array("d", [1.5])
    return values  # STOP


out = print
main(*range(7))
globals().update(print=1, getattr=2, eval=3, exec=4, tuple=5, sys=6, json=7)
out("shadowed")  # STOP
`,
  "page.js": "const values = [1, 2];\ndebugger;\nconsole.log(values);\n",
};

// As plain text, since VS Code's own TypeScript server is not in this bed, which a window would pop up to say.
const test = testIn({ files, settings: { "files.associations": { "*.js": "plaintext" } }, alone: true });

test.afterEach(({ wb }) => wb.channel.stopDebugging());

test("has no pane where no Python is at work, not while something else is debugged either", async ({ wb }) => {
  const program = path.join(wb.workspace.folder, "page.js");
  await wb.debug.stopAfter(() =>
    wb.debug.launch({ type: "node", request: "launch", name: "page", program, console: "internalConsole" }),
  );
  await expect.poll(() => wb.variables.root.isVisible()).toBe(true);
  expect(await wb.inspector.root.isVisible()).toBe(false);
  await wb.channel.execute("workbench.action.debug.stop");
  await wb.debug.waitForEnd();
});

test("says how to begin beside a Python file, and what that takes", async ({ wb }) => {
  await wb.openFile("plain.py", 1);
  await until("a welcome text", async () => (await wb.inspector.welcome()).includes("Debug a Python program"));
  expect(await wb.inspector.welcome()).toContain("This needs the Python Debugger extension.");
});

test("says that it waits while the program runs, and follows it through a pause to its end", async ({ wb }) => {
  const go = path.join(wb.workspace.folder, "go");
  const program = path.join(wb.workspace.folder, "waits.py");
  await wb.debug.breakAt("waits.py", []);
  await wb.debug.launch({ type: "debugpy", request: "launch", name: "waits", program, cwd: wb.workspace.folder });
  await until("output", () => wb.recording.stdout().includes("running"));
  await until("a welcome text", async () => (await wb.inspector.welcome()).includes("The program is running."));
  await wb.page.keyboard.press("F6");
  await wb.callStack.click("<module>"); // a pause selects no frame
  await wb.inspector.row("module variables");
  await wb.page.keyboard.press("F5");
  await until("a welcome text", async () => (await wb.inspector.welcome()).includes("The program is running."));
  writeFileSync(go, "");
  await wb.debug.waitForEnd();
  rmSync(go);
  await until("a welcome text", async () => (await wb.inspector.welcome()).includes("Debug a Python program"));
  expect(wb.recording.stdout()).toBe("running\ndone\n");
});

test("shows a program that has neither torch nor numpy, and brings in neither", async ({ wb }) => {
  await wb.debug.start("plain.py");
  await wb.inspector.rowsWhen("words", (rows) =>
    rows.some(({ label, description }) => label === "words" && description === "dict · 2: two 2, one 1"),
  );
  await wb.debug.continueToEnd();
  expect(wb.recording.stdout()).toContain("False False\n");
});

test("reads a frame whose names hide the builtins", async ({ wb }) => {
  await wb.debug.start("shadows.py");
  expect(await wb.inspector.row("sys")).toMatchObject({ description: "0" });
  expect(await wb.inspector.row("isinstance")).toMatchObject({ description: "5" });
  await wb.debug.continueToStop();
  await expect.poll(() => wb.inspector.row("getattr")).toMatchObject({ description: "2" });
  await wb.debug.continueToEnd();
  expect(wb.recording.stdout()).toMatch(/\nshadowed\n$/);
});

test("says that it reads Python where something else is debugged", async ({ wb }) => {
  const program = path.join(wb.workspace.folder, "page.js");
  await wb.debug.launch({ type: "node", request: "launch", name: "page", program, console: "internalConsole" });
  await until("a welcome text", async () => (await wb.inspector.welcome()).includes("does not debug Python"));
  await wb.channel.execute("workbench.action.debug.stop");
  await wb.debug.waitForEnd();
});
