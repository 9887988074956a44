import * as l10n from "@vscode/l10n";
import { countText } from "../numbers.ts";

interface FilteringProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly shown: number;
  readonly all: number;
}

/** A box for what rows must have, and how many of them do. */
export function Filtering({ text, onText, shown, all }: FilteringProps) {
  return (
    <>
      <input
        type="search"
        class="filter"
        aria-label={l10n.t("Filter: words, or conditions such as NaN > 0")}
        placeholder={l10n.t("Filter: words, NaN > 0")}
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      <span class="count" role="status">
        {countedText(shown, all)}
      </span>
    </>
  );
}

function countedText(shown: number, all: number): string {
  if (shown !== all) return l10n.t("{0} of {1} rows", countText(shown), countText(all));
  return all === 1 ? l10n.t("1 row") : l10n.t("{0} rows", countText(all));
}
