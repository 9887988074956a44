import * as l10n from "@vscode/l10n";
import { render } from "preact";
import { GuardedPage } from "../guardedPage.tsx";
import { GraphPage } from "./graphPage.tsx";

l10n.config({ contents: JSON.parse(document.body.dataset["messages"] ?? "{}") as Record<string, string> });
render(
  <GuardedPage>
    <GraphPage />
  </GuardedPage>,
  document.body,
);
