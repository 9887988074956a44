// The licences of the packages that are bundled into the extension, which must travel with it.
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Metafile } from "esbuild";

const root = fileURLToPath(new URL("../../", import.meta.url));
const packageOf = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/** Name, version and licence of every package that the bundles hold code of. Throws where one names no licence. */
export async function notices(bundles: readonly Metafile[]): Promise<string> {
  const inputs = bundles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.keys(output.inputs));
  const packages = new Set(inputs.flatMap((input) => packageOf.exec(input)?.[1] ?? []));
  const texts = await Promise.all([...packages].toSorted().map(notice));
  return `This extension contains code of these packages.\n\n${texts.join("\n")}`;
}

async function notice(name: string): Promise<string> {
  const folder = join(root, "node_modules", name);
  const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Record<
    string,
    string
  >;
  const [file] = globSync("{LICENSE,LICENCE,license}*", { cwd: folder });
  const text = file === undefined ? undefined : await readFile(join(folder, file), "utf8");
  if (text === undefined && license === undefined) throw new Error(`${name} is bundled, and names no licence`);
  return `${name} ${version}\n\n${text ?? `Licence: ${license}\n`}`;
}
