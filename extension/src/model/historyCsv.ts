import type { Integer, Measurement, Number as WireNumber } from "../protocol/generated.ts";
import type { HistoryRecord } from "./history.ts";
import { numberOf, shapeText } from "./measurements.ts";

const COLUMNS =
  "expression,stop,time,file,line,value,mean,std,min,max,nan,inf,shape,dtype,device,version,step,norm,gradient_norm,lr,sampled";

/** What was recorded of expressions as a table in CSV (RFC 4180), a row for each expression and stop, or step. */
export function historyCsv(
  histories: Iterable<readonly [expression: string, records: readonly HistoryRecord[]]>,
): string {
  const lines = [COLUMNS];
  for (const [expression, records] of histories) {
    for (const record of records) lines.push(lineOf(expression, record));
  }
  return lines.map((line) => `${line}\r\n`).join("");
}

function lineOf(expression: string, record: HistoryRecord): string {
  const { value, mean, std, min, max, nan, inf, shape, dtype, device, version, norm, sampled, ...more } =
    record.measurement;
  const stop = "stop" in record ? record : undefined;
  return [
    textCell(expression),
    numberCell(stop?.stop),
    record.time.toISOString(),
    textCell(stop?.frame.file),
    numberCell(stop?.line),
    ...[value, mean, std, min, max, nan, inf].map(numberCell),
    textCell(shape && shapeText(shape)),
    textCell(dtype),
    textCell(device),
    numberCell(version),
    numberCell("step" in record ? record.step : undefined),
    ...[norm, more.gradient_norm, more.lr].map(numberCell),
    sampled === true ? "true" : "",
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
