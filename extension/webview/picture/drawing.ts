import type { Theme } from "../theme.ts";
import type { ColourScale } from "./colourScale.ts";
import type { ImageDrawing } from "./images.ts";
import type { Layout } from "./layout.ts";
import type { OverlayDrawing } from "./overlay.ts";
import type { NumberPicture, NumberPlane } from "./planes.ts";
import type { Viewport } from "./viewport.ts";

/** What is drawn: pictures of one view of a value, those with less detail first. */
export interface Drawing {
  readonly pictures: readonly NumberPicture[];
  readonly layout: Layout;
  readonly viewport: Viewport;
  readonly scale: ColourScale | undefined;
  /** Angles rather than magnitudes, of complex numbers. */
  readonly showsPhase: boolean;
  /** How planes are the channels of pictures, where they are. */
  readonly image: ImageDrawing | undefined;
  /** What lies over the pictures. */
  readonly overlay: OverlayDrawing | undefined;
  /** The categories of all that is looked at, where these are drawn: each keeps its colour while a part is in sight. */
  readonly labels: NumberPicture["picture"]["labels"] | undefined;
  readonly theme: Theme;
  /** The element that the mouse is on in one of several pictures, which is marked in all. */
  readonly pointed: Element | undefined;
}

/** An element of one of the planes. */
interface Element {
  readonly plane: number;
  readonly row: number;
  readonly column: number;
}

/** The planes that are drawn in one cell: one, or the channels of a picture. */
export function planesAt(
  { image }: Pick<Drawing, "image">,
  { planes }: Pick<NumberPicture, "planes">,
  at: number,
): readonly NumberPlane[] {
  const amount = image?.channels ?? 1;
  return planes.slice(at * amount, (at + 1) * amount);
}
