/** A table of pandas on the details page: its cells, sorted and filtered, further rows on request. */
import { expect } from "vitest";
import { DetailsPage } from "./bed/detailsPage.ts";
import { testIn } from "./bed/fixture.ts";
import { looksOfPanel, tour } from "./bed/pictures.ts";
import { until } from "./bed/wait.ts";

const program = `\
import pandas

frame = pandas.DataFrame(
    {
        "loss": [0.5, float("nan"), 0.125, 10.0, float("inf")],
        "name": ["b", "a", "=SUM(1)", "d", "c"],
        "epoch": [1, 2, 3, 4, 5],
    },
    index=["first", "second", "third", "fourth", "fifth"],
)
long = pandas.DataFrame({"number": range(12_000)})
print("here")  # STOP
`;

const test = testIn({ files: { "tables.py": program } });

async function firstCells(page: DetailsPage): Promise<string> {
  return (await (await page.locator(".cells tbody th")).allInnerTexts()).join();
}

test("shows the cells of a DataFrame, and sorts them by their numbers", async ({ wb }) => {
  await wb.debug.start("tables.py");
  await wb.showOnly(wb.inspector.title);
  await wb.inspector.choose(["frame"], "Show Details");
  const page = new DetailsPage(wb);
  await page.textWith("DataFrame", "first", "=SUM(1)", "5 rows");
  expect(await firstCells(page)).toBe("first,second,third,fourth,fifth");
  expect(await (await page.locator("main")).innerText(), "no reason why a table has no picture").not.toContain(
    "a picture is of",
  );
  const loss = await page.locator(".cells thead button:has-text('loss')");
  await loss.click();
  await until("the largest first", async () => (await firstCells(page)) === "fifth,fourth,first,third,second");
  await loss.click();
  await until("the least first, NaN last", async () => (await firstCells(page)) === "third,first,fourth,fifth,second");
  await page.reveal("main");
  await tour(wb, "dataframe");
  await looksOfPanel(wb, "details/dataframe");
});

test("filters the rows, and copies no formula", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await (await page.locator(".cells input[type=search]")).fill("epoch > 2");
  await page.textWith("3 of 5 rows");
  await (await page.locator(".cells button:has-text('Copy as TSV')")).click();
  await wb.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await until("what was copied", async () => {
    const text = await wb.page.evaluate(() => navigator.clipboard.readText());
    return text === "\tloss\tname\tepoch\nthird\t0.125\t'=SUM(1)\t3\nfourth\t10\td\t4\nfifth\tinf\tc\t5";
  });
});

test("reads further rows of a long table on request", async ({ wb }) => {
  const page = new DetailsPage(wb);
  await wb.inspector.click("long");
  await page.textWith("Rows 0 to 499 of 12,000");
  await (await page.locator("button[aria-label='Rows behind these']")).click();
  await page.textWith("Rows 500 to 999 of 12,000");
  expect(await firstCells(page)).toMatch(/^500,501,502,/);
});
