/** Resting the mouse on an expression while the program is paused. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect } from "vitest";
import { placeOf } from "./bed/editor.ts";
import type { Place } from "./bed/editor.ts";
import { testIn } from "./bed/fixture.ts";
import { shot } from "./bed/pictures.ts";
import { until } from "./bed/wait.ts";

const program = `\
import sys
from collections import defaultdict

import torch
from torch import nn


class Holder:
    def __init__(self):
        self.weight = torch.full((2, 3), 0.5)

    @property
    def noisy(self):
        frame = sys._getframe()
        while frame:
            callers.add(frame.f_globals["__name__"])
            frame = frame.f_back
        return torch.ones(2)


def main():
    image = torch.linspace(-1, 1, 12).reshape(3, 4)
    batch = {"image": image, "label": torch.tensor([3, 1])}
    items = [torch.zeros(2), torch.tensor([1.0, float("nan")])]
    config = {"lr": 0.1, "betas": list(range(30))}
    model = nn.Sequential(nn.Linear(4, 2))
    logits = model(image)
    holder, groups = Holder(), defaultdict(list, seen=image)
    name, count, mask = "resnet", 42, torch.eye(8).log()
    found = image._version, torch.get_rng_state().tolist()
    if True:  # STOP
        left = image._version, torch.get_rng_state().tolist()
        print("untouched" if left == found else "touched", list(groups))
        print("looked in by", *(name for name in callers if "tensor_inspector" in name))
    return batch["image"], items[0], items[1], model[0].weight, holder.weight, logits
    return config["lr"], config["betas"]
    return groups["missing"], holder.noisy, max(count, 7), name, groups
    return mask
    return (holder
            .found)


callers = set()
main()
`;

const test = testIn({ files: { "hover.py": program }, programs: ["s24_hostile_objects.py"] });
const at = (text: string, on?: string) => placeOf(program, text, on);

describe("a hover while paused", () => {
  test.beforeAll(async ({ wb }) => {
    await wb.debug.start("hover.py");
    await wb.showOnly("Call Stack", wb.inspector.title); // the debugger's own views would run code of the program
  });

  test.for([
    [
      "model(image)",
      "image",
      ["image"],
      ["shape\t[3, 4]", "dtype\tfloat32", "range\t−1 … 1", "std\t0.656", "[0.4545, 0.6364"],
    ],
    ["logits", "logits", ["logits"], ["gradient\t← AddmmBackward0", "shape\t[3, 2]"]],
    ["model[0]", "model", ["model"], ["Sequential"]],
    ["groups", "groups", ["groups"], ["length\t1"]],
    ["holder.weight", "weight", ["holder", "weight"], ["[0.5, 0.5, 0.5]", "mean\t0.5"]],
    ["model[0].weight", "weight", ["model", "0", "weight"], ["torch.nn.parameter.Parameter", "required · leaf"]],
    ['batch["image"]', '"image"', ["batch", "'image'"], ["range\t−1 … 1"]],
    ["items[0]", "[0]", ["items", "[0]"], ["zeros\t2 (100%)"]],
    ["items[1]", "[1]", ["items", "[1]"], ["NaN\t1 (50%)", "[1, NaN]"]],
    ["items", "items", ["items"], ["length\t2", "[0]\tall zeros · f32[2]"]],
    ['config["lr"]', '"lr"', ["config", "'lr'"], ["0.1"]],
    ['config["betas"]', '"betas"', ["config", "'betas'"], ["[9]\t9", "and 20 more"]],
  ] as const)("on $0 at $1 tells what the tree's row tells, and more", async ([text, on, row, facts], { wb }) => {
    const hover = await wb.editor.hover(at(text, on));
    expect(hover.kind).toBe("language");
    await wb.inspector.expand(...row.slice(0, -1));
    const [, line = ""] = (hover.text.split("\n")[0] ?? "").split(" \u2002 ");
    expect((await wb.inspector.row(...row)).ariaLabel).toContain(line);
    expect(line).not.toBe("");
    for (const fact of facts) expect(cells(hover.text)).toContain(fact);
  });

  test("on a tensor has a picture of it, below which −Inf is counted", async ({ wb }) => {
    const hover = await wb.editor.hover(at("return mask", "mask"));
    const width = await hover.element.locator("img").evaluate((image: HTMLImageElement) => image.naturalWidth);
    expect(width).toBe(128);
    expect(hover.text).toContain("56 −Inf");
    await shot(wb, "hover/picture");
  });

  test.for([
    ["name", "name", "resnet"],
    ["count", "count", "42"],
    ["max(count, 7)", "max", "built-in function max"],
    ["holder.noisy", "noisy", "float32[2] · all 1"],
  ] as const)("on $0 at $1 is the debugger's own", async ([text, on, value], { wb }) => {
    expect(await wb.editor.hover(at(text, on))).toMatchObject({ kind: "debug", text: expect.stringContaining(value) });
  });

  test("on a line that goes on with an attribute is none of the variable of that name", async ({ wb }) => {
    const inspected = (): string[] => wb.recording.valueRequests().filter((request) => request.startsWith("inspect"));
    const before = inspected();
    await wb.editor.pointAt(at(".found", "found"));
    await until("an answer to the debugger's own hover", () => wb.recording.hasAnswered(".found"));
    expect(inspected()).toEqual(before);
  });

  test("asks the program once for each expression and stop", async ({ wb }) => {
    await wb.editor.hover(at("items[1]", "items"));
    const before = wb.recording.valueRequests();
    await wb.editor.hover(at("items[0]", "items"));
    expect(wb.recording.valueRequests()).toEqual(before);
  });

  test("shows though the mouse has moved on from another before that was answered", async ({ wb }) => {
    const [first, next] = [at('config["lr"]', "config"), at('batch["image"]', "batch")];
    const askedFor = ({ line, text, on = text }: Place) => {
      const start = program.split("\n")[line - 1]?.indexOf(on) ?? NaN;
      const last = wb.recording.hoversAsked().at(-1);
      return last?.line === line && last.character >= start && last.character < start + on.length;
    };
    // Until there is a file `go`, the program answers nothing else.
    const wait = "while not __import__('os').path.exists('go'): __import__('time').sleep(0.01)";
    const waiting = wb.console.run(`exec("${wait}")`);
    try {
      await until("the debugger to wait", () => wb.recording.evaluated().some((text) => text.startsWith("exec")));
      await wb.editor.pointAt(first);
      await until("VS Code to ask for the first", () => askedFor(first));
      await wb.editor.moveTo(next);
      await until("VS Code to ask for the next", () => askedFor(next));
    } finally {
      writeFileSync(path.join(wb.workspace.folder, "go"), "");
      await Promise.allSettled([waiting]); // its failure is not to hide what failed before
    }
    await until("the hover on `batch`", async () => (await wb.editor.shownHover())?.text.startsWith("batch"));
  });

  test("runs no code of the program and changes nothing in it", async ({ wb }) => {
    for (const [text, on] of [
      ['groups["missing"]', '"missing"'],
      ["holder.noisy", "noisy"],
    ] as const) {
      const request = `inspect ${text}`;
      await wb.editor.pointAt(at(text, on));
      await until(request, () => wb.recording.valueRequests().includes(request));
    }
    await wb.editor.leaveHover();
    await wb.debug.continueToEnd();
    // Where we have nothing to say the debugger's own hover has its say, and that one does run properties.
    expect(wb.recording.stdout()).toBe("untouched ['seen']\nlooked in by\n");
  });
});

test("a hover on hostile objects runs none of their code", async ({ wb }) => {
  const file = "s24_hostile_objects.py";
  const lines = readFileSync(path.join(wb.workspace.folder, file), "utf8").split("\n");
  // Variables would run their code, again after each of its answers, since pydevd then says that the program stopped anew.
  await wb.debug.start("hover.py");
  await wb.showOnly("Call Stack", wb.inspector.title);
  await wb.debug.stop();
  await wb.debug.start(file);
  for (const [name, summary] of [
    ["hostile_dict", "HostileDict · 2: a f32[2], b 2"],
    ["hostile_list", "HostileList · 2: f32[2], 2"],
    ["hostile_tensor", "HostileTensor"],
    ["hostile_module", "8 params"],
    ["hostile_parameter", "float32[2]"],
    ["factory", "defaultdict · 1: known"],
  ] as const) {
    const line = lines.findIndex((text) => text.startsWith("    ") && text.includes(` = `) && text.includes(name)) + 1;
    await wb.openFile(file, line); // it may be out of sight
    const hover = await wb.editor.hover({ line, text: name });
    expect(hover.text).toContain(summary);
  }
  await wb.debug.continueToEnd();
  expect(wb.recording.stdout()).toMatch(/tensors: 4 2 runs: 0\n$/);
});

/** The text of a hover without the blanks around the cells of its tables. */
function cells(text: string): string {
  return text.replaceAll(/[^\S\n\t]*\t[^\S\n\t]*/g, "\t");
}
