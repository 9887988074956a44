/** Rows that one answer can't hold. */
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";
import { shot } from "./bed/pictures.ts";
import { textNow } from "./bed/wait.ts";

const program = `\
def step():
    print("here")  # STOP


globals().update({f"name{number:03}": number for number in range(700)})
step()
`;

const names = Array.from({ length: 200 }, (_, number) => `v${String(number).padStart(3, "0")}`);

const many = `\
def many():
${names.map((name) => `    ${name} = 0`).join("\n")}
    print("here")  # STOP


many()
`;

const test = testIn({
  files: { "pages.py": program, "many.py": many },
  settings: { "tensorInspector.pageSize": 1000 },
});

test("none of 700 global variables is left out, however long the pages", async ({ wb }) => {
  await wb.debug.start("pages.py");
  await wb.showOnly(wb.inspector.title);
  const first = await wb.inspector.expand("global variables");
  const groups = 2; // the functions and the special variables
  const left = 700 + groups - (first.length - 1);
  const next = `${left} more`;
  expect(left).toBeGreaterThan(0);
  expect(first.at(-1)).toMatchObject({
    label: next,
    description: "not all is shown here: more rows than one answer holds",
  });
  await wb.inspector.click("global variables", next);
  await wb.inspector.rowsWhen("the rest", (rows) => rows.every(({ label }) => label !== next));
  const rows = await wb.inspector.rows();
  const names = rows.map(({ label }) => label).filter((label) => label.startsWith("name"));
  expect(names).toEqual(Array.from({ length: 700 }, (_, number) => `name${String(number).padStart(3, "0")}`));
});

test("of 200 local variables 100 are listed, which is said, and Find finds the others too", async ({ wb }) => {
  wb.changeSettings({ "tensorInspector.pageSize": 100 });
  await wb.debug.continueToEnd();
  await wb.debug.start("many.py");
  await expect.poll(() => textNow(wb.status)).toBe("incomplete");
  await expect.poll(() => textNow(wb.inspector.root.locator(".pane-header .description"))).toBe("100 of 200 variables");
  await wb.status.hover();
  await expect.poll(() => textNow(wb.page.locator(".workbench-hover-container"))).toContain("100 of 200 variables");
  await wb.page.mouse.move(2, 2);
  await wb.inspector.click("v000");
  await wb.page.keyboard.press("Control+f");
  const box = wb.inspector.root.locator(".monaco-tree-type-filter input:focus");
  await box.waitFor();
  await wb.page.keyboard.type("v199");
  expect(await box.inputValue()).toBe("v199");
  const row = wb.inspector.root.locator(".monaco-list-row", { hasText: "v199" });
  await row.waitFor();
  await expect.poll(() => textNow(wb.status)).toBe("");
  await shot(wb, "find");
  await wb.page.keyboard.press("Escape");
  await box.waitFor({ state: "detached" });
  await wb.openFile("many.py", 1);
  await wb.channel.execute("tensorInspector.find");
  await box.waitFor();
  await wb.page.keyboard.press("Escape");
  await box.waitFor({ state: "detached" });
});
