/** The pane as it opens: by a click, or because the user asked for what it shows. */
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";

const variables = Array.from({ length: 30 }, (_, number) => `v${number} = ${number}\n`).join("");
const test = testIn({ files: { "many.py": `${variables}print("made")  # STOP\n` } });

test("opens with its rows drawn where there is little room", async ({ wb }) => {
  await wb.debug.start("many.py");
  await wb.showOnly("Variables", "Watch", "Call Stack");
  await wb.inspector.show();
  await expect.poll(() => wb.inspector.root.locator(".monaco-list-row").count()).toBeGreaterThan(0);
});
