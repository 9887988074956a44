import * as l10n from "@vscode/l10n";
import { render } from "preact";
import { DetailsPage } from "./detailsPage.tsx";
import { GuardedPage } from "./guardedPage.tsx";
import { TablePage } from "./table/tablePage.tsx";

l10n.config({ contents: JSON.parse(document.body.dataset["messages"] ?? "{}") as Record<string, string> });
const { page } = document.body.dataset;
render(<GuardedPage>{page === "table" ? <TablePage /> : <DetailsPage />}</GuardedPage>, document.body);
