import * as l10n from "@vscode/l10n";
import type { Picture } from "../../src/protocol/page.ts";

/** Names of dimensions by their numbers; empty where there is none. */
export type DimensionNames = readonly string[];

/** The picture with the names that the user has typed in the places of its own. */
export function withNames(picture: Picture, typed: DimensionNames): Picture {
  if (!typed.some((name) => name !== "")) return picture;
  return { ...picture, names: picture.shape.map((_, dim) => typed[dim] || (picture.names?.[dim] ?? null)) };
}

interface DimensionNamesProps {
  readonly shape: readonly number[];
  readonly names: DimensionNames;
  readonly onNames: (names: DimensionNames) => void;
}

/** Boxes for what the dimensions mean: of each its own. */
export function NameBoxes({ shape, names, onNames }: DimensionNamesProps) {
  return (
    <details class="names">
      <summary>{l10n.t("Name the dimensions")}</summary>
      <div class="controls">
        {shape.map((size, dim) => (
          <label>
            {`${dim} (${size})`}{" "}
            <input
              type="text"
              maxLength={40}
              size={8}
              key={names[dim] ?? ""} // what is being typed stays while the page hears of something else
              defaultValue={names[dim] ?? ""}
              aria-label={l10n.t("Name of dimension {0}", dim)}
              onChange={({ currentTarget: { value } }) =>
                onNames(shape.map((_, of) => (of === dim ? value.trim() : (names[of] ?? ""))))
              }
            />
          </label>
        ))}
      </div>
    </details>
  );
}
