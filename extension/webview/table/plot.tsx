import * as l10n from "@vscode/l10n";
import type { WholeTable } from "../../src/protocol/table.ts";
import { countText, numberText } from "../numbers.ts";
import { marksOf } from "./marks.ts";
import { limitsOf, shareOf } from "./scale.ts";

const WIDTH = 640;
const HEIGHT = 64;

interface Props {
  readonly table: WholeTable;
  readonly selected: string | undefined;
  readonly onSelect: (row: string) => void;
}

/** A column of numbers, drawn row by row in their first order. */
export function Plot({ table: { rows, columns, plot }, selected, onSelect }: Props) {
  if (plot === undefined || rows.length < 2) return null;
  const marks = marksOf(rows, plot.column, plot.how);
  const { low, high } = limitsOf(rows, plot.column, plot.how) ?? { low: 0, high: 0 };
  const name = columns[plot.column]?.name ?? "";
  const label = l10n.t(
    "{0} of {1} rows, from {2} to {3}",
    name,
    countText(rows.length),
    numberText(low),
    numberText(high),
  );
  const heightOf = (value: number): number => 2 + (HEIGHT - 2) * shareOf(value, low, high, plot.how);
  const points = marks.flatMap(({ value, left, wide }) =>
    value === undefined || !Number.isFinite(value)
      ? []
      : [`${(left + wide / 2) * WIDTH},${HEIGHT + 2 - heightOf(value)}`],
  );
  return (
    <figure class="plot">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 4}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {plot.how === "line" && <polyline class="curve" points={points.join(" ")} />}
        {marks.map(({ row, value, tone, ...mark }) => {
          const [x, wide] = [mark.left * WIDTH, mark.wide * WIDTH];
          const isNumber = value !== undefined && Number.isFinite(value);
          const isBar = plot.how === "log" || !isNumber;
          const height = isNumber ? (value > 0 || plot.how === "line" ? heightOf(value) : 2) : HEIGHT;
          const isLoud = tone === "alarm" || tone === "warning";
          const classes = [
            isBar ? "bar" : "point",
            isLoud ? tone : "",
            isNumber || isLoud ? "" : "none",
            row.id === selected ? "chosen" : "",
          ];
          return (
            <g onClick={() => onSelect(row.id)}>
              <title>{`${row.cells[0]?.text ?? ""}: ${row.cells[plot.column]?.text ?? ""}`}</title>
              <rect class="reach" x={x} y={0} width={wide} height={HEIGHT + 4} />
              <rect
                class={classes.filter(Boolean).join(" ")}
                x={x + (isBar ? 0 : Math.max(0, wide / 2 - 2))}
                width={isBar ? Math.max(0.5, wide - Math.min(1.5, wide / 4)) : Math.min(4, wide)}
                y={isBar ? HEIGHT + 4 - height : HEIGHT - height}
                height={isBar ? height : 4}
              />
            </g>
          );
        })}
      </svg>
      <figcaption class="note">{plot.how === "log" ? l10n.t("{0}, on a logarithmic scale", label) : label}</figcaption>
    </figure>
  );
}
