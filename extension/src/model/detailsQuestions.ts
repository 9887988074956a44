import type { DetailsPart } from "../protocol/generated.ts";
import type { ElementWindow, Look, Picture, ShownDetails, Tolerance } from "../protocol/page.ts";

/** What is asked of two values. */
export const OF_TWO: readonly DetailsPart[] = ["comparison", "error_map"];

/** A question about parts of a value, for a window of it, where it is not about all. */
interface PartsQuestion {
  readonly parts: readonly DetailsPart[];
  readonly exact?: boolean;
  readonly window?: ElementWindow | undefined;
  /** It is asked once the user rests. */
  readonly later?: boolean;
}

/** What is asked of a value first, so that its picture is there soon, and what is asked next. */
export const FIRST: readonly DetailsPart[] = ["facts", "picture", "table"];
export const NEXT: readonly DetailsPart[] = ["distribution"];

/** Tiles along a side, at most, of a first picture: more of them travel slower than they are read. */
const ROUGH_TILES = 192;

/** What the helper is told of a question. */
export function optionsOf(
  { parts, exact = false, rough, window }: PartsQuestion & { readonly rough: boolean },
  { window: _window, image: _image, ...look }: Look,
  tolerance: Tolerance,
): Record<string, number | string | boolean | number[]> {
  return {
    ...Object.fromEntries(Object.entries(look).filter(([, value]) => value !== undefined)),
    ...(parts.includes("comparison") ? tolerance : {}),
    parts: parts.join(" "),
    ...(window === undefined ? {} : { window: [...window] }),
    ...(exact ? { exact } : {}),
    ...(rough ? { tiles: ROUGH_TILES } : {}),
  };
}

/** A question that was answered. */
interface AnsweredQuestion extends PartsQuestion {
  /** All that is shown was asked for. */
  readonly whole: boolean;
  /** Its pictures have fewer tiles than they may have. */
  readonly rough: boolean;
  /** The user looks at something else by now. */
  readonly isMoved: boolean;
}

/** What stands beside the picture. */
interface Beside {
  readonly isCompared: boolean;
  /** The picture has few tiles as well: all get more at once, when the user rests. */
  readonly isRough: boolean;
}

/** Whether a tile is of several elements. */
export function hasFewTiles(picture: Pick<Picture, "tile"> | undefined): boolean {
  return picture !== undefined && Math.max(...picture.tile) > 1;
}

/** What was left out for a lack of time, or belongs to what was answered: it is asked next. */
export function furtherQuestions(
  { parts, exact, whole, rough, window, isMoved }: AnsweredQuestion,
  { picture, comparison, other, error_map: errors }: ShownDetails,
  inSight: ElementWindow | undefined,
  { isCompared, isRough }: Beside,
): PartsQuestion[] {
  const questions: PartsQuestion[] = whole ? [{ parts: NEXT }] : [];
  if (whole && isCompared) questions.push({ parts: OF_TWO });
  if (whole && ((picture !== undefined && inSight !== undefined) || isMoved)) {
    return [...questions, { parts: ["picture"], window: inSight }];
  }
  if (exact === true) return questions;
  if (parts.includes("picture") && picture?.complete === false) {
    questions.push({ parts: ["picture"], exact: true, window });
  } else if (isRough && parts.includes("picture")) {
    questions.push({ parts: ["picture"], exact: true, later: true });
  }
  if (parts.includes("comparison") && comparison?.elements?.complete === false) {
    questions.push({ parts: ["comparison"], exact: true });
  }
  if (!parts.includes("error_map")) return questions;
  const isWindowed = window === undefined && inSight !== undefined && errors !== undefined;
  const isPart = errors?.complete === false || other?.complete === false || (rough && hasFewTiles(errors));
  if (isWindowed) questions.push({ parts: ["error_map"], window: inSight });
  else if (isPart && !isRough) questions.push({ parts: ["error_map"], exact: true, window });
  return questions;
}
