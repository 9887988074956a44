// Builds dist/extension.cjs and the page, and before them all that is generated.
import { writeFile } from "node:fs/promises";
import { build } from "esbuild";
import { graphOptions, options, pageOptions } from "./bundle.ts";
import { writeHelper } from "./bundleHelper.ts";
import { writeMessages } from "./l10n.ts";
import { writeManifest } from "./manifest.ts";
import { notices } from "./notices.ts";
import { writeProtocol } from "./protocol.ts";
import { writeSettingsPage } from "./settingsPage.ts";

await writeHelper();
await writeProtocol();
await writeMessages();
await writeManifest();
await writeSettingsPage();
const built = await Promise.all([options, pageOptions, graphOptions].map((one) => build({ ...one, metafile: true })));
await writeFile(
  new URL("../../dist/NOTICES.txt", import.meta.url),
  await notices(built.map(({ metafile }) => metafile)),
);
