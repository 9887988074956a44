import { VALUE_LENSES, type ValueLens, type ValueLensCommand } from "../model/valueLenses.ts";
import { askLens, subjectOf } from "./asking.ts";
import { type Command, isRow } from "./command.ts";
import { pickSubject } from "./picking.ts";

export const LENS_COMMANDS = Object.fromEntries(
  (Object.keys(VALUE_LENSES) as ValueLens[]).map((lens) => [VALUE_LENSES[lens].command, asking(lens)]),
) as Readonly<Record<ValueLensCommand, Command>>;

/** Asks about the value of the row, or about one that the user picks. */
function asking(lens: ValueLens): Command {
  const { value, pick } = VALUE_LENSES[lens];
  return async (parts, argument) => {
    const subject = isRow(argument) ? subjectOf(argument) : await pickSubject(parts, pick(), lens);
    if (subject) await askLens(parts, { lens, subjects: { [value]: subject } });
  };
}
