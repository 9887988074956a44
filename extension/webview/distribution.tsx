import * as l10n from "@vscode/l10n";
import { useState } from "preact/hooks";
import type { Distribution, Look } from "../src/protocol/page.ts";
import { Table } from "./facts.tsx";
import { say } from "./host.ts";
import type { LookChange } from "./looks.ts";
import { countText, numberText, shareText, toldApart } from "./numbers.ts";
import { css, NOT_FINITE } from "./palettes.ts";

const WIDTH = 320;
const HEIGHT = 110;
/** Bars of what stands apart: NaN, infinities and zeros. */
const APART = 14;

interface Props {
  readonly distribution: Distribution;
  readonly gradient: Distribution | undefined;
  readonly look: Look;
  readonly onLook: (change: LookChange) => void;
}

interface Bar {
  readonly name: string;
  readonly count: number;
  readonly colour: string;
  readonly isInBins?: boolean;
}

/** How the elements are spread, and below, those of the gradient: each on its own axis. */
export function DistributionPlot({ distribution, gradient, look, onLook }: Props) {
  const [isLog, setLog] = useState(false);
  return (
    <div class="distribution">
      <div class="controls">
        <label>
          <input type="checkbox" checked={isLog} onChange={({ currentTarget }) => setLog(currentTarget.checked)} />
          {l10n.t("Logarithmic counts")}
        </label>
        <label>
          <input
            type="checkbox"
            checked={look.robust === true}
            onChange={({ currentTarget }) => onLook({ robust: currentTarget.checked })}
          />
          {l10n.t("Without the outermost 1%")}
        </label>
      </div>
      <Spread of={distribution} isLog={isLog} />
      {gradient !== undefined && (
        <>
          <h3>{l10n.t("Gradient")}</h3>
          <Spread of={gradient} isLog={isLog} />
        </>
      )}
    </div>
  );
}

/** A histogram with what is not finite beside it, percentiles, and both as tables. */
function Spread({ of, isLog }: { readonly of: Distribution; readonly isLog: boolean }) {
  const { edges, counts, exact, read, count } = of;
  const apart = barsApart(of);
  return (
    <>
      {of.magnitudes === true && <p class="note">{l10n.t("Of the magnitudes |z| of complex numbers.")}</p>}
      <Histogram of={of} apart={apart} isLog={isLog} />
      {!exact && (
        <p class="note">
          {l10n.t("≈ from {0} of {1} elements; NaN and Inf are not all counted.", countText(read), countText(count))}{" "}
          <button type="button" onClick={() => say({ type: "readAll" })}>
            {l10n.t("Read All")}
          </button>
        </p>
      )}
      {of.masked !== undefined && of.masked > 0 && (
        <p class="note">{l10n.t("Without {0} masked of {1}.", countText(of.masked), countText(read + of.masked))}</p>
      )}
      <Table label={l10n.t("Percentiles")} rows={percentiles(of)} />
      <details class="table">
        <summary>{l10n.t("The histogram as a table")}</summary>
        <Table
          label={l10n.t("Histogram")}
          rows={[
            ...counts.map((amount, at) => [rangeText(edges, at), countText(amount)]),
            ...apart.map((bar) => [
              bar.isInBins ? l10n.t("{0}, in the bins too", bar.name) : bar.name,
              countText(bar.count),
            ]),
          ]}
        />
      </details>
    </>
  );
}

function Histogram({
  of,
  apart,
  isLog,
}: {
  readonly of: Distribution;
  readonly apart: Bar[];
  readonly isLog: boolean;
}) {
  const { edges, counts, read } = of;
  const most = Math.max(1, ...counts, ...apart.map((bar) => bar.count));
  const heightOf = (amount: number): number => {
    if (amount === 0) return 0;
    return Math.max(1, HEIGHT * (isLog ? Math.log1p(amount) / Math.log1p(most) : amount / most));
  };
  const plot = WIDTH - (apart.length === 0 ? 0 : apart.length * (APART + 4) + 8);
  const wide = plot / Math.max(1, counts.length);
  const [low, high] = toldApart(edges[0] ?? Number.NaN, edges.at(-1) ?? Number.NaN);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT + 16}`}
      role="img"
      aria-label={
        of.magnitudes === true
          ? l10n.t("Histogram of the magnitudes of {0} elements", countText(read))
          : l10n.t("Histogram of {0} elements", countText(read))
      }
    >
      {counts.map((amount, at) => (
        <rect
          class="bar"
          x={at * wide}
          width={Math.max(0.5, wide - 0.5)}
          y={HEIGHT - heightOf(amount)}
          height={heightOf(amount)}
        >
          <title>{binText(of, at)}</title>
        </rect>
      ))}
      {apart.map((bar, at) => (
        <g transform={`translate(${plot + 8 + at * (APART + 4)} 0)`}>
          <rect
            fill={bar.colour}
            class="apart"
            width={APART}
            y={HEIGHT - heightOf(bar.count)}
            height={heightOf(bar.count)}
          >
            <title>{`${bar.name}: ${countText(bar.count)}${bar.isInBins ? l10n.t(" (in the bins too)") : ""}`}</title>
          </rect>
          <text x={APART / 2} y={HEIGHT + 12} text-anchor="middle">
            {bar.name}
          </text>
        </g>
      ))}
      <line class="axis" x1={0} x2={plot} y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} />
      {edges.length > 0 && (
        <>
          <text x={0} y={HEIGHT + 12}>
            {low}
          </text>
          <text x={plot} y={HEIGHT + 12} text-anchor="end">
            {high}
          </text>
        </>
      )}
    </svg>
  );
}

/** What no bin holds, or what is asked for first: each with a bar of its own, where there is any. */
function barsApart({ nan, pos_inf: above, neg_inf: below, zeros, below: less, above: more }: Distribution): Bar[] {
  const bars = [
    { name: "<", count: less, colour: "currentColor" },
    { name: ">", count: more, colour: "currentColor" },
    { name: "0", count: zeros, colour: "currentColor", isInBins: true },
    { name: NOT_FINITE.neg_inf.name, count: below, colour: css(NOT_FINITE.neg_inf.colour) },
    { name: NOT_FINITE.pos_inf.name, count: above, colour: css(NOT_FINITE.pos_inf.colour) },
    { name: NOT_FINITE.nan.name, count: nan, colour: css(NOT_FINITE.nan.colour) },
  ];
  return bars.filter(({ count }) => count > 0);
}

function rangeText(edges: readonly number[], at: number): string {
  return `${numberText(edges[at] ?? Number.NaN)} … ${numberText(edges[at + 1] ?? Number.NaN)}`;
}

function binText(of: Distribution, at: number): string {
  const amount = of.counts[at] ?? 0;
  return `${rangeText(of.edges, at)}: ${countText(amount)} (${shareText(of.read === 0 ? 0 : amount / of.read)})`;
}

function percentiles({ quantiles }: Distribution): string[][] {
  const nameOf = (share: number): string => {
    if (share === 0) return l10n.t("min");
    return share === 1 ? l10n.t("max") : `${numberText(100 * share)}%`;
  };
  return quantiles.map(([share, value]) => [nameOf(share), value === null ? "–" : numberText(value)]);
}
