/** Workspace Trust: what we run in a program is code of the folder, so nothing is there before the user trusts it. */
import { expect, test } from "vitest";
import { withWorkbench } from "./bed/fixture.ts";
import { vsix } from "./bed/package.ts";
import { startServer } from "./bed/server.ts";
import { until } from "./bed/wait.ts";

const ours = "tensor-inspector.tensor-inspector";
const files = { "small.py": "values = [1, 2]\nprint(values)  # STOP\n" };

test("in a folder that is not trusted nothing of ours is there; once it is trusted, values are shown", async () => {
  const server = await startServer({ vsix, asksForTrust: true });
  try {
    await withWorkbench({ files, server }, async (wb) => {
      await wb.openFile("small.py", 1);
      await wb.page.getByRole("button", { name: "Restricted Mode" }).waitFor();
      expect(await wb.channel.has(ours)).toBe(false);
      expect(await wb.inspector.root.isVisible()).toBe(false);
      await wb.channel.execute("workbench.trust.manage");
      await wb.page.getByRole("button", { name: "Trust", exact: true }).click();
      await until("the extension", () => wb.channel.has(ours));
      await wb.debug.start("small.py");
      await wb.inspector.row("values");
      await wb.debug.continueToEnd();
    });
  } finally {
    server.close();
  }
});
