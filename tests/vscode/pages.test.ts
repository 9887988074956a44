/** Rows that one answer can't hold. */
import { expect } from "vitest";
import { testIn } from "./bed/fixture.ts";

const program = `\
def step():
    print("here")  # STOP


globals().update({f"name{number:03}": number for number in range(700)})
step()
`;

const test = testIn({ files: { "pages.py": program }, settings: { "tensorInspector.pageSize": 1000 } });

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
