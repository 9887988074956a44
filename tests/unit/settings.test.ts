/** What the user's settings mean to the helper. */
import { expect, test } from "vitest";
import { Settings } from "../../extension/src/views/settings.ts";
import { workspace } from "./vscode.ts";

test.each([
  ["auto", "auto"],
  ["metadataOnly", "off"],
  ["metadata only", "off"], // as version 0.1 called it
  ["exact", "auto"],
  ["nonsense", "auto"],
])("statistics: %s", (setting, statistics) => {
  workspace.settings.set("statistics", setting);
  expect(new Settings({ get: () => undefined, update: async () => {} }).preferences).toMatchObject({ statistics });
});
