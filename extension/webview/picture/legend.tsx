import * as l10n from "@vscode/l10n";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Picture } from "../../src/protocol/page.ts";
import { countText, numberText, shareText, toldApart } from "../numbers.ts";
import { css, CYCLIC, NOT_FINITE } from "../palettes.ts";
import type { ColourScale } from "./colourScale.ts";
import { coloursOf } from "./pixels.ts";
import { isLine } from "./planes.ts";

interface Props {
  /** All of what is looked at, also while only a part of it is in sight. */
  readonly picture: Picture;
  /** That of what is in sight. */
  readonly tile: Picture["tile"];
  readonly scale: ColourScale | undefined;
  readonly showsPhase: boolean;
}

const BAR = 160;
/** So many labels are named. */
const MOST_LABELS = 24;

/** What the colours mean, how often NaN and infinities occur, and how much was read. */
export function Legend({ picture, tile, scale, showsPhase }: Props) {
  const { labels, planes, complete, read, left_out: leftOut, shown } = picture;
  const canBeMasked = planes.some(({ masked }) => masked !== undefined);
  const counts = Object.entries(NOT_FINITE).flatMap(([key, kind]) => {
    if (key === "masked" && !canBeMasked) return [];
    const name = key === "masked" ? l10n.t("masked") : kind.name;
    return [
      { ...kind, name, count: planes.reduce((sum, plane) => sum + (plane[key as keyof typeof NOT_FINITE] ?? 0), 0) },
    ];
  });
  const axes = axisTexts(picture);
  const isReduced = tile[0] * tile[1] > 1;
  const isOverviewReduced = picture.tile[0] * picture.tile[1] > 1;
  return (
    <div class="legend">
      {!isLine(picture) &&
        (labels === undefined || (isOverviewReduced && shown !== "nearest")) &&
        scale !== undefined && <ScaleBar scale={scale} showsPhase={showsPhase} />}
      {labels !== undefined && !isLine(picture) && <Labels labels={labels} isBool={picture.sort === "bool"} />}
      {scale?.note === "no_log" && (
        <p class="note">{l10n.t("No logarithm: the values are not of one sign. Shown as symlog.")}</p>
      )}
      <ul class="counts">
        {counts.map(({ name, glyph, colour, ink, count }) => (
          <li class={count === 0 ? "none" : ""}>
            <span class="glyph" style={{ backgroundColor: css(colour), color: css(ink) }} aria-hidden="true">
              {glyph}
            </span>{" "}
            {countText(count)} {name}
          </li>
        ))}
      </ul>
      {axes.length > 0 && <p class="note">{axes.join(" · ")}</p>}
      {isReduced && <p class="note">{l10n.t("Each tile stands for {0} × {1} elements.", tile[0], tile[1])}</p>}
      {!complete && <p class="note">{l10n.t("≈ {0} read; NaN, Inf not all counted.", shareText(read))}</p>}
      {leftOut > 0 && <p class="note">{l10n.t("{0} more are not shown.", countText(leftOut))}</p>}
    </div>
  );
}

/** What goes down and what goes across, where that has a name. */
function axisTexts({ dims, names }: Picture): string[] {
  const arrows = dims.length === 1 ? ["→"] : ["↓", "→"];
  return dims.flatMap((dim, at) => {
    const name = names?.[dim];
    return name === undefined || name === null ? [] : [`${arrows[at]} ${name}`];
  });
}

function ScaleBar({ scale, showsPhase }: Pick<Props, "showsPhase"> & { readonly scale: ColourScale }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = showsPhase ? CYCLIC : scale.palette;
  useLayoutEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (context === null || context === undefined) return;
    for (let x = 0; x < BAR; x += 1) {
      context.fillStyle = css(palette[Math.floor((x / BAR) * palette.length)] ?? [0, 0, 0]);
      context.fillRect(x, 0, 1, 10);
    }
  }, [palette]);
  const [low, high] = showsPhase ? ["−π", "π"] : toldApart(scale.low, scale.high);
  return (
    <div class="scale">
      <span>{low}</span>
      <canvas ref={canvas} width={BAR} height={10} aria-hidden="true" />
      <span>{high}</span>
    </div>
  );
}

function Labels({ labels, isBool }: { readonly labels: NonNullable<Picture["labels"]>; readonly isBool: boolean }) {
  const colours = coloursOf(labels);
  return (
    <ul class="labels">
      {labels.slice(0, MOST_LABELS).map(([label, count]) => (
        <li>
          <span
            class="glyph"
            style={{ backgroundColor: css(colours.get(label) ?? [128, 128, 128]) }}
            aria-hidden="true"
          />{" "}
          {isBool ? (label === 0 ? "False" : "True") : numberText(label)} ×{countText(count)}
        </li>
      ))}
    </ul>
  );
}
