/**
 * The colours of pictures: light to dark evenly to the eye, told apart by colour-blind eyes too. They are those of the
 * helper's `picture()`, which `tests/contract/palettes.json` says. Anchors are in OKLCH (lightness, chroma, hue in degrees), between which OKLab is linear (Björn
 * Ottosson, "A perceptual color space for image processing", 2020).
 */

export type Colour = readonly [red: number, green: number, blue: number];
type Anchor = readonly [lightness: number, chroma: number, hue: number];

const STEPS = 241;
const NEGATIVE: readonly Anchor[] = [
  [0.34, 0.1, 245],
  [0.52, 0.1, 235],
  [0.74, 0.07, 225],
  [0.95, 0, 0],
];
const POSITIVE: readonly Anchor[] = [
  [0.95, 0, 0],
  [0.78, 0.11, 65],
  [0.58, 0.14, 50],
  [0.4, 0.11, 45],
];
const RISING: readonly Anchor[] = [
  [0.28, 0.09, 265],
  [0.45, 0.1, 240],
  [0.62, 0.08, 200],
  [0.79, 0.07, 150],
  [0.94, 0.05, 110],
];
const LIGHTNESSES = [0.45, 0.8, 0.62] as const;

/** Blue over light grey, which is zero, to orange. */
export const DIVERGING: readonly Colour[] = [...between(NEGATIVE, 121).slice(0, -1), ...between(POSITIVE, 121)];
/** Dark blue to light yellow. */
export const SEQUENTIAL: readonly Colour[] = between(RISING, STEPS);
/** Angles from −π to π, which meet. */
export const CYCLIC: readonly Colour[] = Array.from({ length: STEPS }, (_, at) => rgb([0.7, 0.11, (360 * at) / STEPS]));

/** What no value has: NaN, Inf, −Inf and masked elements, by the bits of their marks, each with the colour of its glyph. */
export const NOT_FINITE = {
  nan: { bit: 1, name: "NaN", colour: [255, 0, 255], ink: [140, 0, 140], glyph: "×" },
  pos_inf: { bit: 2, name: "Inf", colour: [0, 255, 0], ink: [0, 130, 0], glyph: "▲" },
  neg_inf: { bit: 4, name: "−Inf", colour: [0, 0, 0], ink: [120, 120, 120], glyph: "▼" },
  masked: { bit: 8, name: "masked", colour: [85, 0, 0], ink: [170, 85, 85], glyph: "∕" },
} as const satisfies Record<
  string,
  { readonly bit: number; readonly name: string; readonly colour: Colour; readonly ink: Colour; readonly glyph: string }
>;

/** So many colours, neighbours of which differ in lightness and in hue. */
export function labelColours(amount: number): Colour[] {
  if (amount <= 2) return [SEQUENTIAL.slice(0, 1), SEQUENTIAL.slice(-1)].flat().slice(0, amount);
  return Array.from({ length: amount }, (_, at) => rgb([LIGHTNESSES[at % 3] ?? 0.6, 0.1, 30 + (360 * at) / amount]));
}

export function css([red, green, blue]: Colour): string {
  return `rgb(${red} ${green} ${blue})`;
}

/** Black or white, whichever is seen on a colour. */
export function inkOn([red, green, blue]: Colour): string {
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#000" : "#fff";
}

function between(anchors: readonly Anchor[], amount: number): Colour[] {
  const points = anchors.map(oklab);
  return Array.from({ length: amount }, (_, step) => {
    const at = (step * (points.length - 1)) / (amount - 1);
    const first = Math.min(Math.floor(at), points.length - 2);
    const [from = [0, 0, 0], to = [0, 0, 0]] = points.slice(first, first + 2);
    return fromOklab(from.map((part, axis) => part + ((to[axis] ?? 0) - part) * (at - first)));
  });
}

function rgb(anchor: Anchor): Colour {
  return fromOklab(oklab(anchor));
}

function oklab([lightness, chroma, hue]: Anchor): number[] {
  const angle = (hue * Math.PI) / 180;
  return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)];
}

/** sRGB of a colour in OKLab, by Ottosson's matrices; what sRGB lacks is cut to it. */
function fromOklab([lightness = 0, a = 0, b = 0]: readonly number[]): Colour {
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    channel(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
    channel(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
    channel(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
  ];
}

/** One channel of sRGB, of 0 to 255, from linear light (IEC 61966-2-1). */
function channel(linear: number): number {
  const part = Math.min(1, Math.max(0, linear));
  return Math.round(255 * (part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055));
}
