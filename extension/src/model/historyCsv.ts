import type { Integer, Measurement, Number as WireNumber } from "../protocol/generated.ts";
import type { Point } from "./history.ts";
import { numberOf, shapeText } from "./measurements.ts";

const COLUMNS = "expression,stop,time,file,line,value,mean,std,min,max,nan,inf,shape,dtype,device,version";

/** What was recorded of expressions as a table in CSV (RFC 4180), a row for each expression and stop. */
export function historyCsv(histories: Iterable<readonly [expression: string, points: readonly Point[]]>): string {
  const lines = [COLUMNS];
  for (const [expression, points] of histories) {
    for (const point of points) lines.push(lineOf(expression, point));
  }
  return lines.map((line) => `${line}\r\n`).join("");
}

function lineOf(expression: string, { stop, time, frame, line, measurement }: Point): string {
  const { value, mean, std, min, max, nan, inf, shape, dtype, device, version } = measurement;
  return [
    textCell(expression),
    stop,
    time.toISOString(),
    textCell(frame.file),
    line,
    ...[value, mean, std, min, max, nan, inf].map(numberCell),
    textCell(shape && shapeText(shape)),
    textCell(dtype),
    textCell(device),
    numberCell(version),
  ].join(",");
}

/** All its digits: an integer beyond ±(2^53-1) came as text. */
function numberCell(value: WireNumber | Integer | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" && /^#-?\d/.test(value) ? value.slice(1) : String(numberOf(value));
}

/** Text of the program. A table program would take one that begins like a formula for one, and run it. */
function textCell(text: Measurement["dtype"]): string {
  if (text === undefined) return "";
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
