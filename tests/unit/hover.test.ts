/** Whose hover shows a value, ours or the debugger's own, and what ours shows where the program can't be asked. */
import { describe, expect, test } from "vitest";
import type * as api from "vscode";
import { Cancelled } from "../../extension/src/debug/queue.ts";
import { Refusal } from "../../extension/src/helper/refusal.ts";
import { Expansion } from "../../extension/src/model/expansion.ts";
import { type FrameCalls, Frames } from "../../extension/src/model/frames.ts";
import { History } from "../../extension/src/model/history.ts";
import { Inspector } from "../../extension/src/model/inspector.ts";
import { Pins } from "../../extension/src/model/pins.ts";
import { Questions } from "../../extension/src/model/questions.ts";
import { Results } from "../../extension/src/model/results.ts";
import type { Row } from "../../extension/src/model/row.ts";
import type { Node } from "../../extension/src/protocol/generated.ts";
import { Hover } from "../../extension/src/views/hover.ts";
import type { Settings } from "../../extension/src/views/settings.ts";
import { deferred, frame, frameAnswer, memory, node, nodeAnswer, tensor } from "./fixtures.ts";
import { document, Position } from "./vscode.ts";
import { Watchpoints } from "../../extension/src/model/watchpoints.ts";

const LINE = "x = count + loss + model.bias";
const TRAIN = document("/train.py", LINE) as unknown as api.TextDocument;
const TOKEN = {
  isCancellationRequested: false,
  onCancellationRequested: () => undefined,
} as unknown as api.CancellationToken;

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** A frame that is paused, and read: `readings` are the rows of one reading after the other. `inspect` answers what is asked beyond them. */
async function stopped(
  readings: (Node[] | Promise<Node[]>)[],
  inspect: () => Node | Promise<Node> = () => deferred<Node>().promise,
) {
  const here = frame(1);
  const asked: string[] = [];
  const helper = {
    frame: async () => frameAnswer(await readings.shift()),
    inspect: async (_: unknown, { expression }: { expression: string }) => {
      asked.push(expression);
      return nodeAnswer("inspect", await inspect());
    },
    children: () => Promise.reject(new Refusal("raised", "the property raised")),
  } as unknown as FrameCalls;
  const [pins, questions, expansion] = [new Pins(memory()), new Questions(), new Expansion()];
  const frames = new Frames(
    helper,
    pins,
    questions,
    new Watchpoints(memory()),
    expansion,
    { filter: "all", pageSize: 100 },
    new Results(),
    new History(),
  );
  const inspector = new Inspector(helper, frames);
  const hover = new Hover(inspector, { hover: true } as unknown as Settings);
  const at = (text: string): api.Position => new Position(0, LINE.indexOf(text) + 1) as api.Position;
  inspector.focus(here);
  await settled();
  return {
    here,
    asked,
    inspector,
    /** What the debugger's own hover is given to evaluate; undefined where ours is to show. */
    stock: async (text: string) => (await hover.provideEvaluatableExpression(TRAIN, at(text), TOKEN))?.expression,
    shown: async (text: string) => {
      const shown = await hover.provideHover(TRAIN, at(text), TOKEN);
      return (shown?.contents[0] as api.MarkdownString | undefined)?.value;
    },
  };
}

const refused = (code: "lost" | "not_found") => (): never => {
  throw new Refusal(code, `it is ${code}`);
};

describe("whose hover it is", () => {
  test("a variable's row tells, and the program is not asked", async () => {
    const { asked, stock } = await stopped([[tensor("loss"), node("count")]]);
    expect([await stock("loss"), await stock("count")]).toEqual([undefined, "count"]);
    expect(asked).toEqual([]);
  });

  test("for what is no variable the program tells", async () => {
    const ours = await stopped([[]], () => tensor("bias"));
    expect(await ours.stock("bias")).toBeUndefined();
    expect(ours.asked).toEqual(["model.bias"]);
    const number = await stopped([[]], () => node("bias"));
    expect(await number.stock("bias")).toBe("model.bias");
  });

  test("the debugger's own is shown where the program can't tell", async () => {
    const { stock, shown } = await stopped([[]], refused("lost"));
    expect(await stock("bias")).toBe("model.bias");
    expect(await shown("bias")).toBeUndefined();
  });
});

describe("our hover", () => {
  test("asks nothing for what the debugger's own shows", async () => {
    const { asked, shown } = await stopped([[node("count")]]);
    expect(await shown("count")).toBeUndefined();
    expect(asked).toEqual([]);
  });

  test("shows a number where a tensor was, as it is being read again: the debugger's own was not asked", async () => {
    const again = deferred<Node[]>();
    const { inspector, stock, shown } = await stopped([[tensor("loss")], again.promise], () => node("loss"));
    void inspector.readAgain();
    expect(await stock("loss")).toBeUndefined();
    const hover = shown("loss");
    again.resolve([node("loss")]);
    expect(await hover).toMatch(/loss.* 1$/m);
  });

  test("shows a number where a tensor was before a property was run", async () => {
    const { inspector, stock, shown } = await stopped([[tensor("loss")]], () => node("loss"));
    const property = { snapshot: 7, node: node("noisy", { lazy: true }) };
    await inspector.load({ contents: inspector.contents, value: property } as unknown as Row);
    expect(inspector.stale).toBe("run");
    expect(await stock("loss")).toBeUndefined();
    expect(await shown("loss")).toMatch(/loss.* 1$/m);
  });

  test("tells of a variable what its row says where the program does not reply, and that it does not", async () => {
    const { shown } = await stopped([[tensor("loss")]], refused("lost"));
    expect(await shown("loss")).toMatch(/0…1[^]*it is lost/);
  });

  test("tells why a variable can't be had, and not what was true before", async () => {
    const { shown } = await stopped([[tensor("loss")]], refused("not_found"));
    expect(await shown("loss")).toMatch(/it is not\\_found/);
    expect(await shown("loss")).not.toContain("0…1");
  });

  test("shows nothing when the program runs on meanwhile", async () => {
    const reply = deferred<Node>();
    const { here, inspector, shown } = await stopped([[tensor("loss")]], () => reply.promise);
    const hover = shown("loss");
    await settled();
    here.over = true;
    inspector.focus(undefined);
    reply.reject(new Cancelled());
    expect(await hover).toBeUndefined();
  });
});
