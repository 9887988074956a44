/** Whose hover shows a value, ours or the debugger's own, and what ours knows before the program has answered. */
import { describe, expect, test } from "vitest";
import type * as api from "vscode";
import { Contents } from "../../extension/src/model/contents.ts";
import type { Failure } from "../../extension/src/model/failure.ts";
import type { Inspector } from "../../extension/src/model/inspector.ts";
import type { Node, NodeAnswer } from "../../extension/src/protocol/generated.ts";
import { Hover } from "../../extension/src/views/hover.ts";
import type { Settings } from "../../extension/src/views/settings.ts";
import { deferred, frame, frameAnswer, node, nodeAnswer, tensor } from "./fixtures.ts";
import { document, Position } from "./vscode.ts";

type Answer = NodeAnswer | Failure | undefined;

const LINE = "x = count + loss + model.bias";
const TRAIN = document("/train.py", LINE) as unknown as api.TextDocument;
const TOKEN = {
  isCancellationRequested: false,
  onCancellationRequested: () => undefined,
} as unknown as api.CancellationToken;

/** A hover at the second stop, whose rows are these; with `read` false they are of the first, and this one is being read. */
function stopped({ rows, answer, read = true }: { rows: Node[]; answer: Promise<Answer>; read?: boolean }) {
  const here = frame(2);
  const contents = new Contents(read ? here : frame(1), frameAnswer(rows));
  const asked: string[] = [];
  const inspector = {
    frame: here,
    contents,
    settled: () => Promise.resolve(new Contents(here, frameAnswer(rows))),
    inspect: ({ expression }: { expression: string }) => {
      asked.push(expression);
      return answer;
    },
  };
  const hover = new Hover(inspector as unknown as Inspector, { hover: true } as unknown as Settings);
  const at = (text: string): api.Position => new Position(0, LINE.indexOf(text) + 1) as api.Position;
  return {
    asked,
    expression: (text: string) => hover.provideEvaluatableExpression(TRAIN, at(text), TOKEN),
    text: async (text: string) => {
      const shown = await hover.provideHover(TRAIN, at(text), TOKEN);
      return (shown?.contents[0] as api.MarkdownString | undefined)?.value;
    },
  };
}

const never = deferred<Answer>().promise;
const lost: Failure = { code: "lost", message: "no reply" };

describe("whose hover it is", () => {
  test("for a variable the rows of this stop tell, and the program is not asked", async () => {
    const at = stopped({ rows: [tensor("loss"), node("count")], answer: never });
    expect(await at.expression("loss")).toBeUndefined();
    expect(await at.expression("count")).toMatchObject({ expression: "count" });
    expect(at.asked).toEqual([]);
  });

  test("rows of the last stop do not tell that it is ours", async () => {
    const answer = Promise.resolve(nodeAnswer("inspect", node("loss")));
    const at = stopped({ rows: [tensor("loss")], answer, read: false });
    expect(await at.expression("loss")).toMatchObject({ expression: "loss" });
  });

  test("for what is no variable the program tells", async () => {
    const ours = stopped({ rows: [], answer: Promise.resolve(nodeAnswer("inspect", tensor("bias"))) });
    expect(await ours.expression("bias")).toBeUndefined();
    expect(ours.asked).toEqual(["model.bias"]);
    const stock = stopped({ rows: [], answer: Promise.resolve(nodeAnswer("inspect", node("bias"))) });
    expect(await stock.expression("bias")).toMatchObject({ expression: "model.bias" });
  });

  test("the debugger's own is shown where the program can't tell", async () => {
    const at = stopped({ rows: [], answer: Promise.resolve(lost) });
    expect(await at.expression("bias")).toMatchObject({ expression: "model.bias" });
    expect(await at.text("bias")).toBeUndefined();
  });
});

test("a variable that the program does not tell of is shown as its row has it", async () => {
  const at = stopped({ rows: [tensor("loss")], answer: Promise.resolve(lost) });
  expect(await at.text("loss")).toContain("0…1");
});
