// Builds dist/extension.cjs, and before it all that is generated.
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { options } from "./bundle.ts";
import { bundleHelper } from "./bundle-helper.ts";
import { writeMessages } from "./l10n.ts";
import { notices } from "./notices.ts";
import { writeProtocol } from "./protocol.ts";

const root = new URL("../../", import.meta.url);
const path = (name: string): string => fileURLToPath(new URL(name, root));

await mkdir(path("dist"), { recursive: true });
await writeFile(path("dist/helper.json"), JSON.stringify(await bundleHelper()));
await writeProtocol();
await writeMessages();
const { metafile } = await build({ ...options, metafile: true });
await writeFile(path("dist/NOTICES.txt"), await notices(metafile));
