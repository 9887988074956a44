// Builds dist/extension.cjs, and before it all that is generated.
import { writeFile } from "node:fs/promises";
import { build } from "esbuild";
import { options } from "./bundle.ts";
import { writeHelper } from "./bundleHelper.ts";
import { writeMessages } from "./l10n.ts";
import { notices } from "./notices.ts";
import { writeProtocol } from "./protocol.ts";
import { writeSettings } from "./readmeSettings.ts";

await writeHelper();
await writeProtocol();
await writeMessages();
await writeSettings();
const { metafile } = await build({ ...options, metafile: true });
await writeFile(new URL("../../dist/NOTICES.txt", import.meta.url), await notices(metafile));
