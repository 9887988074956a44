import { expect, test } from "vitest";
import { withWorkbench } from "./bed/fixture.ts";

const program = `\
def double(number):
    result = number * 2  # STOP
    return result


total = double(21)
print("total", total)
`;

test("the bed debugs a program as a user would", async () => {
  await withWorkbench({ files: { "program.py": program } }, async (wb) => {
    expect(await wb.debug.start("program.py")).toBe(2);
    expect(await wb.variables.row("Locals", "number")).toMatchObject({ description: "21" });

    const hover = await wb.editor.hover({ line: 2, text: "number" });
    expect(hover).toMatchObject({ kind: "debug", text: expect.stringContaining("21") });

    await wb.selectFrame("<module>");
    await wb.variables.row("Locals", "function variables");
    await wb.selectFrame("double");

    await wb.addWatch("number + 1");
    await expect.poll(() => wb.watch.row("number + 1")).toMatchObject({ description: "22" });

    await wb.setValue(["Locals", "number"], "50");
    expect(await wb.debug.stepOver()).toBe(3);
    expect(await wb.variables.row("Locals", "result")).toMatchObject({ description: "100" });
    expect(await wb.console.run("result + 1")).toBe("101");

    expect(wb.recording.evaluated()).toContain("number + 1");
    expect(await wb.notifications()).toEqual([]);
    await wb.debug.continueToEnd();
  });
});
