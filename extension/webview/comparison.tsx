import * as l10n from "@vscode/l10n";
import { useState } from "preact/hooks";
import type { Compared, Comparison, Farthest, OtherValue, Tolerance } from "../src/protocol/page.ts";
import { Table } from "./facts.tsx";
import { say } from "./host.ts";
import { countText, numberText, shareText } from "./numbers.ts";

type Elements = NonNullable<Comparison["elements"]>;

/** The choice of what the value is compared with: nothing, itself at the last stop, a kept copy, or an expression. */
export function CompareWith({ compared: { other, kept } }: { readonly compared: Compared }) {
  const [isTyping, setTyping] = useState(false);
  const choose = (value: string): void => {
    const copy = kept.find(({ number }) => keyOf({ how: "kept", number, name: "" }) === value);
    setTyping(value === "expression");
    if (copy !== undefined) say({ type: "compare", other: { how: "kept", ...copy } });
    else if (value === "nothing" || value === "last") say({ type: "compare", other: { how: value } });
  };
  const isGone = other.how === "kept" && kept.every(({ number }) => number !== other.number);
  const copies = isGone ? [...kept, other] : kept;
  const asksForExpression = isTyping || other.how === "expression";
  return (
    <>
      <label>
        {l10n.t("Compare with")}{" "}
        <select
          class="compare-with"
          value={isTyping ? "expression" : keyOf(other)}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          <option value="nothing">{l10n.t("nothing")}</option>
          <option value="last">{l10n.t("itself at the last stop")}</option>
          {copies.map(({ number, name }) => (
            <option value={keyOf({ how: "kept", number, name })}>{name}</option>
          ))}
          <option value="expression">{l10n.t("an expression…")}</option>
        </select>
      </label>
      {asksForExpression && (
        <form
          class="goto"
          onSubmit={(event) => {
            event.preventDefault();
            const entry = new FormData(event.currentTarget).get("expression");
            const typed = typeof entry === "string" ? entry.trim() : "";
            if (typed === "") return;
            setTyping(false);
            say({ type: "compare", other: { how: "expression", expression: typed } });
          }}
        >
          <input
            type="text"
            name="expression"
            key={other.how === "expression" ? other.expression : ""}
            defaultValue={other.how === "expression" ? other.expression : ""}
            placeholder={l10n.t("a name, attributes, subscripts")}
            aria-label={l10n.t("Expression to compare with")}
            spellcheck={false}
          />
          <button type="submit">{l10n.t("Compare")}</button>
        </form>
      )}
    </>
  );
}

function keyOf(other: OtherValue): string {
  return other.how === "kept" ? `kept ${other.number}` : other.how;
}

interface Props {
  readonly comparison: Comparison | undefined;
  readonly compared: Compared;
  readonly name: string;
  /** Why there is none. */
  readonly missing: string | undefined;
}

/** How close two values are: a verdict, the tolerances that it is by, and the numbers. */
export function ComparisonView({ comparison, compared, name, missing }: Props) {
  const other = compared.name ?? "";
  const reason = comparison === undefined ? (missing ?? l10n.t("Comparing…")) : comparison.reason;
  const elements = comparison?.elements;
  return (
    <div class="comparison">
      {reason !== undefined && (
        <p class="note" role="status">
          {reason}
        </p>
      )}
      {elements !== undefined && (
        <>
          <p class={`verdict ${elements.close ? "close" : "apart"}`} role="status">
            {verdict(elements)}
          </p>
          <Tolerances tolerance={compared.tolerance} />
        </>
      )}
      {compared.note !== undefined && <p class="note">{compared.note}</p>}
      <div class="facts">
        {comparison !== undefined && (
          <Table label={l10n.t("Both values")} head={[name, other]} rows={sideRows(comparison)} />
        )}
        {elements !== undefined && <Table label={l10n.t("Elements")} rows={countRows(elements)} />}
        {elements !== undefined && elements.different > 0 && (
          <Table
            label={l10n.t("Farthest apart")}
            head={[l10n.t("largest"), l10n.t("at"), name, other]}
            rows={farthestRows(elements)}
          />
        )}
      </div>
    </div>
  );
}

function Tolerances({ tolerance }: { readonly tolerance: Tolerance }) {
  const set = (change: Partial<Tolerance>): void => say({ type: "tolerance", tolerance: { ...tolerance, ...change } });
  return (
    <div class="controls">
      {(["rtol", "atol"] as const).map((which) => (
        <label>
          {which}{" "}
          <input
            type="number"
            class="tolerance"
            min={0}
            step="any"
            key={tolerance[which]}
            defaultValue={String(tolerance[which])}
            onChange={({ currentTarget }) => {
              const typed = currentTarget.valueAsNumber;
              if (typed >= 0 && Number.isFinite(typed)) set({ [which]: typed });
              else currentTarget.value = String(tolerance[which]);
            }}
          />
        </label>
      ))}
      <label>
        <input
          type="checkbox"
          checked={tolerance.equal_nan}
          onChange={({ currentTarget }) => set({ equal_nan: currentTarget.checked })}
        />
        {l10n.t("NaN equals NaN")}
      </label>
    </div>
  );
}

function verdict({ close, complete, count, read, different, beyond, masked = 0 }: Elements): string {
  if (count === 0 && masked > 0) return l10n.t("Nothing is compared: all {0} are masked.", countText(masked));
  const far = l10n.t("allclose: False. {0} of {1} are beyond the tolerance.", countText(beyond), countText(read));
  if (!complete) {
    const text = close ? l10n.t("no element beyond the tolerance so far") : far;
    return l10n.t("≈ {0} read: {1}", shareText(count === 0 ? 1 : read / count), text);
  }
  if (!close) return far;
  if (different === 0) return l10n.t("allclose: True. All {0} are equal.", countText(count));
  return l10n.t("allclose: True. {0} of {1} differ, within the tolerance.", countText(different), countText(count));
}

function sideRows({ a, b }: Comparison): string[][] {
  const shapeOf = ({ shape }: Comparison["a"]): string => (shape === undefined ? "–" : `[${shape.join(", ")}]`);
  const rows = [
    [l10n.t("type"), a.type, b.type],
    [l10n.t("shape"), shapeOf(a), shapeOf(b)],
    ["dtype", a.dtype ?? "–", b.dtype ?? "–"],
    [l10n.t("device"), a.device ?? "–", b.device ?? "–"],
  ];
  return rows.map(([row = "", one = "", two = ""]) => [one === two ? row : `${row} ≠`, one, two]);
}

function countRows(elements: Elements): string[][] {
  const rows: [string, number][] = [
    [l10n.t("beyond the tolerance"), elements.beyond],
    [l10n.t("different"), elements.different],
    [l10n.t("NaN in one alone"), elements.nan_in_one],
    [l10n.t("NaN in both"), elements.nan_in_both],
    [l10n.t("infinite in one alone"), elements.inf_in_one],
  ];
  if (elements.masked !== undefined) {
    rows.push([l10n.t("masked, not compared"), elements.masked]);
    rows.push([l10n.t("masked in one alone"), elements.masked_in_one ?? 0]);
  }
  return rows.map(([row, amount]) => [row, countText(amount)]);
}

function farthestRows({ max_abs, max_relative, max_ulps }: Elements): string[][] {
  const rows: [string, Farthest | undefined][] = [
    ["|a − b|", max_abs],
    ["|a − b| / |b|", max_relative],
    ["ULP", max_ulps],
  ];
  return rows.flatMap(([row, found]) =>
    found === undefined ? [] : [[row, amountText(found.by), `[${found.at.join(", ")}]`, found.a, found.b]],
  );
}

/** A whole amount with all its digits. */
function amountText(by: number): string {
  return Number.isSafeInteger(by) ? countText(by) : numberText(by, 7);
}
