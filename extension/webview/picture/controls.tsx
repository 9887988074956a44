import * as l10n from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import type { Look, Overlay, Picture } from "../../src/protocol/page.ts";
import { type Colouring, type Stretch, STRETCHES } from "./colourScale.ts";
import { imageDimsOf, imageLook, type RangeName, RANGES } from "./images.ts";
import { say } from "../host.ts";
import type { LookChange } from "../looks.ts";
import { Indices } from "./indices.tsx";
import { BOX_FORMATS, type BoxFormat } from "./boxes.ts";
import { dimText, isLine, otherDims } from "./planes.ts";

interface Props {
  readonly picture: Picture;
  readonly look: Look;
  readonly onLook: (change: LookChange) => void;
  readonly colouring: Colouring;
  readonly onColouring: (colouring: Colouring) => void;
  readonly showsPhase: boolean;
  readonly onShowsPhase: (shows: boolean) => void;
  /** The range of the numbers, where they are shown as pictures. */
  readonly image: RangeName | undefined;
  readonly onRange: (range: RangeName) => void;
  /** What lies over the pictures, the expression that says what is to, and what four numbers of a box are. */
  readonly overlay: Overlay["kind"] | undefined;
  readonly over: string | undefined;
  readonly format: BoxFormat;
  readonly onFormat: (format: BoxFormat) => void;
  /** More of them. */
  readonly children: ComponentChildren;
}

const CLIPS = [0, 0.001, 0.01, 0.05] as const;
const SHOWN = ["mean", "min", "max", "nearest"] as const;

/** Which dimensions are drawn, at which index of the others, and how numbers become colours. */
export function Controls(props: Props) {
  const { image } = props;
  return (
    <div class="controls">
      <Dims {...props} />
      <Indices {...props} />
      <Shown {...props} />
      <Images {...props} />
      {image === undefined && <Colours {...props} />}
      {props.children}
    </div>
  );
}

function Colours({ picture, colouring, onColouring, showsPhase, onShowsPhase }: Props) {
  return (
    <>
      <label>
        {l10n.t("Scale")}{" "}
        <select
          value={colouring.stretch}
          onChange={({ currentTarget }) => onColouring({ ...colouring, stretch: currentTarget.value as Stretch })}
        >
          {STRETCHES.map((stretch) => (
            <option value={stretch}>{STRETCH_TEXTS[stretch]()}</option>
          ))}
        </select>
      </label>
      <label>
        {l10n.t("Range")}{" "}
        <select
          value={colouring.clip}
          onChange={({ currentTarget }) => onColouring({ ...colouring, clip: Number(currentTarget.value) })}
        >
          {CLIPS.map((clip) => (
            <option value={clip}>{clip === 0 ? l10n.t("full") : `${100 * clip}…${100 - 100 * clip}%`}</option>
          ))}
        </select>
      </label>
      {picture.sort === "complex" && !isLine(picture) && (
        <label>
          <input
            type="checkbox"
            checked={showsPhase}
            onChange={({ currentTarget }) => onShowsPhase(currentTarget.checked)}
          />
          {l10n.t("Phase")}
        </label>
      )}
    </>
  );
}

/** Channels as the colours of a picture, of a batch one beside the other. */
function Images({ picture, look, onLook, image, onRange, overlay, over, format, onFormat }: Props) {
  const dims = imageDimsOf(picture.shape);
  if (dims === undefined) return null;
  const toggle = (isOn: boolean): void => {
    const plain = { dims: undefined, facets: undefined, index: undefined, window: undefined, image: undefined };
    onLook(isOn ? imageLook(dims) : plain);
  };
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={look.image === true}
          onChange={({ currentTarget }) => toggle(currentTarget.checked)}
        />
        {l10n.t("As image")}
      </label>
      {image !== undefined && (
        <label>
          {l10n.t("Range")}{" "}
          <select value={image} onChange={({ currentTarget }) => onRange(currentTarget.value as RangeName)}>
            {(Object.keys(RANGES) as RangeName[]).map((range) => (
              <option value={range}>{RANGE_TEXTS[range]()}</option>
            ))}
          </select>
        </label>
      )}
      {image !== undefined && (
        <label>
          {l10n.t("Over it")}{" "}
          <input
            type="text"
            size={12}
            placeholder={l10n.t("mask, boxes or labels")}
            key={over ?? ""} // what is being typed stays while the page hears of something else
            defaultValue={over ?? ""}
            onChange={({ currentTarget: { value } }) => {
              const expression = value.trim();
              say({ type: "overlay", ...(expression === "" ? {} : { expression }) });
            }}
          />
        </label>
      )}
      {image !== undefined && overlay === "boxes" && (
        <label>
          {l10n.t("Boxes are")}{" "}
          <select value={format} onChange={({ currentTarget }) => onFormat(currentTarget.value as BoxFormat)}>
            {BOX_FORMATS.map((one) => (
              <option value={one}>{one}</option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}

const RANGE_TEXTS: Record<RangeName, () => string> = {
  unit: () => "0 … 1",
  bytes: () => "0 … 255",
  signed: () => "−1 … 1",
  imagenet: () => l10n.t("ImageNet"),
  minmax: () => l10n.t("min … max of each"),
};

/** Choosing the dimension that another has gives that one its own. */
function Dims({ picture, onLook }: Props) {
  const { shape, dims, facets } = picture;
  if (shape.length < 2) return null;
  const roles = [
    ...(isLine(picture) ? [] : [{ name: l10n.t("Rows"), dim: dims[0] }]),
    { name: l10n.t("Columns"), dim: dims.at(-1) },
    { name: l10n.t("Side by side"), dim: facets[0] },
  ];
  const choose = (at: number, chosen: number | undefined): void => {
    const before = roles.map(({ dim }) => dim);
    const next = before.map((dim, role) => (role === at ? chosen : dim === chosen ? before[at] : dim));
    const drawn = next.slice(0, -1).flatMap((dim) => dim ?? []);
    const facet = next.at(-1);
    if (drawn.length < roles.length - 1) return;
    onLook(moved(picture, drawn, facet === undefined ? [] : [facet]));
  };
  return (
    <>
      {roles.map(({ name, dim }, at) => (
        <label>
          {name}{" "}
          <select
            value={dim ?? ""}
            onChange={({ currentTarget: { value } }) => choose(at, value === "" ? undefined : Number(value))}
          >
            {at === roles.length - 1 && <option value="">–</option>}
            {shape.map((size, of) => (
              <option value={of}>{dimText(picture, of, size)}</option>
            ))}
          </select>
        </label>
      ))}
      <label>
        <input
          type="checkbox"
          checked={isLine(picture)}
          onChange={({ currentTarget }) =>
            onLook(moved(picture, currentTarget.checked ? dims.slice(-1) : pair(picture), facets))
          }
        />
        {l10n.t("As lines")}
      </label>
    </>
  );
}

/** The dimension that a line has, and another for the rows. */
function pair({ shape, dims, facets }: Picture): number[] {
  const across = dims.at(-1) ?? 0;
  const free = shape.map((_, dim) => dim).filter((dim) => dim !== across && !facets.includes(dim));
  const down = free.at(-1);
  return down === undefined ? [across] : [down, across];
}

/** The look at other dimensions: what stays among the others keeps its index. */
function moved(picture: Picture, dims: number[], facets: number[]): LookChange {
  const before = otherDims(picture);
  const others = otherDims({ ...picture, dims, facets });
  const index = others.map((dim) => picture.index[before.indexOf(dim)] ?? 0);
  return { dims, facets, index, window: undefined, image: undefined };
}

function Shown({ picture, onLook }: Props) {
  const { tile, shown } = picture;
  if (shown === "range" || tile[0] * tile[1] === 1) return null;
  return (
    <label>
      {l10n.t("Of each tile")}{" "}
      <select
        value={shown}
        onChange={({ currentTarget }) => onLook({ shown: currentTarget.value as (typeof SHOWN)[number] })}
      >
        {SHOWN.map((one) => (
          <option value={one}>{one === "nearest" ? l10n.t("first") : l10n.t(one)}</option>
        ))}
      </select>
    </label>
  );
}

const STRETCH_TEXTS: Record<Stretch, () => string> = {
  linear: () => l10n.t("linear"),
  log: () => l10n.t("logarithmic"),
  symlog: () => l10n.t("symlog"),
};
