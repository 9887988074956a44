import type { DetailsPart } from "../protocol/generated.ts";
import type { ElementWindow, ShownDetails } from "../protocol/page.ts";

/** What is asked of two values. */
export const OF_TWO: readonly DetailsPart[] = ["comparison", "error_map"];

/** A question about parts of a value, for a window of it, where it is not about all. */
interface PartsQuestion {
  readonly parts: readonly DetailsPart[];
  readonly exact?: boolean;
  readonly window?: ElementWindow | undefined;
}

/** A question that was answered. */
interface AnsweredQuestion extends PartsQuestion {
  /** All that is shown was asked for. */
  readonly whole: boolean;
  /** The user looks at something else by now. */
  readonly isMoved: boolean;
}

/** What was left out for a lack of time, or belongs to what was answered: it is asked next. */
export function furtherQuestions(
  { parts, exact, whole, window, isMoved }: AnsweredQuestion,
  { picture, comparison, other, error_map: errors }: ShownDetails,
  inSight: ElementWindow | undefined,
  isCompared: boolean,
): PartsQuestion[] {
  const questions: PartsQuestion[] = whole && isCompared ? [{ parts: OF_TWO }] : [];
  if (whole && ((picture !== undefined && inSight !== undefined) || isMoved)) {
    return [...questions, { parts: ["picture"], window: inSight }];
  }
  if (exact === true) return questions;
  if (parts.includes("picture") && picture?.complete === false) {
    questions.push({ parts: ["picture"], exact: true, window });
  }
  if (parts.includes("comparison") && comparison?.elements?.complete === false) {
    questions.push({ parts: ["comparison"], exact: true });
  }
  if (!parts.includes("error_map")) return questions;
  const isWindowed = window === undefined && inSight !== undefined && errors !== undefined;
  const isPart = errors?.complete === false || other?.complete === false;
  if (isWindowed) questions.push({ parts: ["error_map"], window: inSight });
  else if (isPart) questions.push({ parts: ["error_map"], exact: true, window });
  return questions;
}
