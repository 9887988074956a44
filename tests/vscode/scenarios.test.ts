/**
 * The situations people pause in, one program each: what must be seen in a side bar of 300 pixels without typing, at most
 * two clicks away. One session runs all the programs, one after the other, in the order of the tests.
 */
import { describe, expect } from "vitest";
import { placeOf } from "./bed/editor.ts";
import type { Row } from "./bed/rows.ts";
import { looks, shot, sourceOf, stopIn, testOfPrograms } from "./bed/programs.ts";
import { textNow, until } from "./bed/wait.ts";
import type { Workbench } from "./bed/workbench.ts";

const DIVERGES = "s05_sgd_diverges.py";
const DIVISION = "s06_division_by_zero.py";
const SHAPES = "s07_shapes.py";
const BY_HAND = "s08_manual_linear.py";
const GRADIENTS = "s09_gradients.py";
const NO_GRADIENT = "s10_no_gradient.py";
const DEVICES = "s11_devices.py";
const DTYPES = "s12_dtypes_and_labels.py";
const BACKWARD = "s13_backward.py";
const INPUTS = "s16_inputs.py";
const LOSSES = "s17_losses.py";
const MODES = "s18_modes.py";

const programs = [
  DIVERGES,
  DIVISION,
  SHAPES,
  BY_HAND,
  GRADIENTS,
  NO_GRADIENT,
  DEVICES,
  DTYPES,
  BACKWARD,
  INPUTS,
  LOSSES,
  MODES,
];
const { line } = placeOf(sourceOf(DIVERGES), "losses.append");
const test = testOfPrograms(programs, {
  breakpoints: [{ file: DIVERGES, line, condition: "step in (1, 2) or step > 8" }],
});

describe("5: a learning rate of 1000", () => {
  test("shows, from stop to stop, that the rate is too high", async ({ wb }) => {
    await stopIn(wb, DIVERGES, "main");
    // What the loss was at a stop is known once its step has been checked.
    await until("the check of the first stop", () => Promise.resolve(wb.recording.isChecked()));
    await wb.debug.continueToStop();
    await first(wb, "lr 1000 is too high", /loss rose from \d/);
    await shot(wb, DIVERGES, "rising");
  });

  test("shows the step at which the loss is NaN, which parameter was the first, and the gradients before", async ({
    wb,
  }) => {
    for (const step of ["9", "10", "11"]) {
      await wb.debug.continueToStop();
      await described(wb, "step", step);
      await first(wb, /^\d findings|^lr 1000 is too high|NaN or Inf/); // what is seen at a stop tells which was the first
    }
    await described(wb, "loss", "NaN");
    const finding = await first(wb, "2 parameters have NaN or Inf", "model.weight was the first");
    const below = await wb.inspector.expand(finding.label);
    expect(below.map(({ label }) => label).slice(0, 3)).toEqual(["model.weight", "model.bias", "seen"]);
    expect(below[2]?.description).toMatch(/^gradient norms \d.*e\d.* at the stops before$/);
    await described(wb, "losses", "11: 1.675, 8670839, 1.094e14");
    await wb.debug.continueToStop();
    await expect.poll(() => textNow(wb.status)).toBe("1 finding · 4 values with NaN, 1 with Inf");
    await shot(wb, DIVERGES);
  });
});

describe("6: preprocessing that divides by zero", () => {
  test("shows it at the input already, counted, with the first place and the line", async ({ wb }) => {
    await stopIn(wb, DIVISION, "main");
    await first(wb, "inputs has 2 Inf", /^line 11 · the first at \[3, 2\]/);
    const rows = await wb.inspector.rows();
    const loud = rows.filter(({ description }) => /^\d+ (NaN|Inf)/.test(description)).map(({ label }) => label);
    expect(loud).toEqual(["inputs", "scaled"]);
    await shot(wb, DIVISION);
  });
});

describe("7: an exception about shapes", () => {
  test.for([
    ["too_few_features", "5 ≠ 10 · head", "head (Linear 10 → 5) wants a last dimension of 10"],
    ["no_transpose", "10 ≠ 5 · features, weight", "must be the first dimension of weight, 5"],
    ["unequal_sizes", "3 ≠ 4 · predictions, targets", "dimension 1 is 3 and 4"],
    ["channels_last", "32 ≠ 3 channels · conv", "with the channels last"],
    ["no_channels", "3 ≠ 4 dimensions · conv", "the channel dimension is missing"],
  ] as const)("%s: names the operands, the dimension that disagrees and what would fit", async (row, { wb }) => {
    const [name, operands, reason] = row;
    await stopIn(wb, SHAPES, name);
    const finding = await first(wb, operands, reason);
    const below = await wb.inspector.expand(finding.label);
    expect(below.at(-1)?.label).toBe("try");
    if (name === "channels_last") await looks(wb, SHAPES, name);
    else await shot(wb, SHAPES, name);
  });

  test("is explained first in the hover of an operand, and its operands stand at the line's end", async ({ wb }) => {
    await stopIn(wb, SHAPES, "no_channels");
    const source = sourceOf(SHAPES);
    await wb.editor.exceptionShown();
    await wb.editor.hover(placeOf(source, "conv(digits)", "digits"));
    // What is wrong with this line the editor says by itself, at once; the card comes after it.
    await expect
      .poll(async () => (await wb.editor.shownHover())?.text)
      .toMatch(/^digits is .*the channel dimension is missing[^]*float32\[64, 28, 28\]/);
    await shot(wb, SHAPES, "hover");
    await wb.editor.leaveHover();
    const line = placeOf(source, "print(conv(digits))").line;
    await expect.poll(async () => (await wb.editor.inlineValues()).get(line)).toContain("digits = all 1 f32[64,28,28]");
  });
});

describe("8: a layer's output against the same by hand", () => {
  test("two clicks say that one is close, and how far and where another is not", async ({ wb }) => {
    await stopIn(wb, BY_HAND, "main");
    await wb.inspector.choose(["y"], "Select for Compare");
    await wb.inspector.choose(["by_hand"], "Compare with Selected");
    await answered(wb, "y ↔ by_hand", /^(equal|close · 1 difference) · 1 value compared$/);
    await wb.inspector.choose(["exact"], "Compare with Selected");
    await answered(wb, "y ↔ exact", /^close · 1 difference · 1 value compared$/);
    const [rounded] = await wb.inspector.expand("y ↔ exact");
    expect(rounded?.description).toMatch(
      /^\d+ of 24 differ, all close, \|Δ\| up to \d.*e-[78]: [\d.−]+ → [\d.−]+ at \[\d, \d\]$/,
    );
    await wb.inspector.choose(["forgotten"], "Compare with Selected");
    await answered(wb, "y ↔ forgotten", /^1 difference · 1 value compared$/);
    const [values] = await wb.inspector.expand("y ↔ forgotten");
    expect(values?.description).toMatch(/^24 of 24 differ, \|Δ\| up to 1\.437, .* at \[2, 5\]$/);
    await shot(wb, BY_HAND);
  });
});

describe("9: gradients after a backward", () => {
  test("an ordinary model has a table of them: norms, what a weight would change, each with its range", async ({
    wb,
  }) => {
    await stopIn(wb, GRADIENTS, "ordinary");
    await wb.inspector.choose(["model"], "Show Gradients");
    await answered(wb, "gradients of model", /^4 parameters · norm \d/);
    const rows = await wb.inspector.expand("gradients of model");
    expect(rows.map(({ label }) => label).toSorted()).toEqual([
      "model[0].bias",
      "model[0].weight",
      "model[2].bias",
      "model[2].weight",
    ]);
    const shares = rows.map(({ description }) => Number(/([\d.]+)% of weight$/.exec(description)?.[1]));
    expect(shares, "worst first").toEqual(shares.toSorted((one, other) => other - one));
    const [, gradient] = await wb.inspector.expand("gradients of model", "model[2].weight");
    expect(gradient).toMatchObject({
      label: "model[2].weight.grad",
      description: expect.stringMatching(/^f32\[1,16\] · −?\d.*…/),
    });
    await looks(wb, GRADIENTS, "ordinary");
  });

  test("of every kind: NaN first, then what has none, then zeros, then those that are fine", async ({ wb }) => {
    await stopIn(wb, GRADIENTS, "of_every_kind");
    await first(wb, "2 gradients are not finite though loss is", /root/);
    await wb.inspector.choose(["model"], "Show Gradients");
    await answered(wb, "gradients of model", /^2 with NaN · 2 None · 2 all zeros · 8 parameters/);
    const rows = await wb.inspector.expand("gradients of model");
    const kinds = rows.map(({ label, description }) => `${label}: ${description.split(" ").slice(0, 2).join(" ")}`);
    expect(kinds.slice(0, 6)).toEqual([
      expect.stringMatching(/root.*NaN/),
      expect.stringMatching(/root.*NaN/),
      expect.stringMatching(/unused.*None/),
      expect.stringMatching(/unused.*None/),
      expect.stringMatching(/off.*all zeros/),
      expect.stringMatching(/off.*all zeros/),
    ]);
    await shot(wb, GRADIENTS, "kinds");
  });

  test("that vanish along ten sigmoids are told by one click, with the two ends and the reason", async ({ wb }) => {
    await stopIn(wb, GRADIENTS, "vanishing");
    await wb.inspector.clickHeaderAction("Check This Step");
    const finding = await first(wb, "gradient norms fall from", "10 sigmoids in a row");
    expect(finding.label).toMatch(/3\.\d+ at model\[20\]\.weight to \d\.\d+e-8 at model\[0\]\.weight$/);
    await shot(wb, GRADIENTS, "vanishing");
  });

  test("that explode in time are told, with what a step would do", async ({ wb }) => {
    await stopIn(wb, GRADIENTS, "exploding");
    await first(wb, /^\w+[.\w]*\.grad has norm \d/, /would change it .* times over/);
    await shot(wb, GRADIENTS, "exploding");
  });
});

describe("10: parameters without a gradient", () => {
  test("behind a detach: how many, and where the path breaks", async ({ wb }) => {
    await stopIn(wb, NO_GRADIENT, "train");
    await first(wb, "model.encoder got no gradient", /^(line \d+ · )?detach cuts it off in /);
    await described(wb, "model", "2 of 4 grads None");
    await wb.inspector.choose(["model"], "Show Gradients");
    await answered(wb, "gradients of model", /^2 None · /);
    await whyNoGradient(
      wb,
      /^detached · torch.relu\(self.encoder\(x\)\).detach\(\) · line \d+ · 2 parameters · model.encoder.weight/,
    );
    await shot(wb, NO_GRADIENT, "detached");
  });

  test.for([
    [
      "unused",
      "model.norm took no part in the forward",
      "model.norm.weight, model.norm.bias got no gradient",
      /^not used in forward · self\.norm · line \d+ · 2 parameters · model\.norm\.weight/,
    ],
    [
      "list",
      "3 Linear layers in the plain list model.blocks are not registered",
      "not in model.parameters()",
      undefined,
    ],
  ] as const)("of a layer that is %s: which, and why", async ([name, label, reason, which], { wb }) => {
    await wb.debug.continueToStop();
    await first(wb, label, reason);
    if (which) await whyNoGradient(wb, which);
    await shot(wb, NO_GRADIENT, name);
  });

  test("that are frozen are no fault: a check finds nothing; the model says how many, and why when asked", async ({
    wb,
  }) => {
    await wb.debug.continueToStop();
    await wb.inspector.clickHeaderAction("Check This Step");
    await first(wb, /^nothing found \(\d+ rules/);
    await described(wb, "model", "2 of 4 frozen");
    await whyNoGradient(wb, /^frozen · requires_grad is False · 2 parameters · model.encoder.weight/);
  });

  test("that no optimizer holds: which, and that they are never updated", async ({ wb }) => {
    await wb.debug.continueToStop();
    await first(wb, "model.encoder", "2 trainable parameters in no optimizer");
    await shot(wb, NO_GRADIENT, "optimizer");
  });
});

describe("11: tensors on two devices", () => {
  test.for([
    [
      "batch_elsewhere",
      'batch["x"] is on meta',
      'meta ≠ cpu · batch["x"]',
      "model (Linear 6 → 3) is on cpu",
      "batch",
      "meta",
    ],
    [
      "spread",
      "the input of model[2] is on cpu",
      "cpu ≠ meta · the input of model[2]",
      "model[2] (Linear 4 → 3) is on meta",
      "model",
      "cpu, meta",
    ],
  ] as const)("%s: the pair, each with its device, before it fails and after", async (row, { wb }) => {
    const [name, label, differs, reason, spread, devices] = row;
    await stopIn(wb, DEVICES, name);
    await first(wb, label, new RegExp(`${escaped(reason)}: this call will fail$`));
    await described(wb, spread, devices);
    await shot(wb, DEVICES, name);
    await wb.debug.continueToStop();
    await first(wb, differs, new RegExp(`${escaped(reason)}$`));
  });
});

describe("12: dtypes and labels", () => {
  test.for([
    ["doubles", "x is float64", "model (Linear 8 → 2) has float32 parameters", "float64 ≠ float32 · "],
    ["int_labels", "labels is int64", "logits is float32", "int64 ≠ float32 · "],
    ["float_labels", "labels is float32[4]", "cross_entropy wants integer class labels", "labels is float32[4]"],
    ["labels_from_one", "labels runs from 1 to 3", "2 of 6 out of range", "labels runs from 1 to 3"],
  ] as const)(
    "%s: the pair that disagrees, counted where it is a count, before it fails and after",
    async (row, { wb }) => {
      const [name, label, reason, raised] = row;
      await stopIn(wb, DTYPES, name);
      await first(wb, label, reason);
      await wb.inspector.rowsWhen("no exception yet", (rows) => rows.every((one) => one.label !== "(exception)"));
      await shot(wb, DTYPES, name);
      await wb.debug.continueToStop();
      await wb.inspector.row("(exception)");
      await first(wb, raised, reason);
    },
  );

  test("overflow: the largest float16 is passed, counted", async ({ wb }) => {
    await stopIn(wb, DTYPES, "overflow");
    await first(wb, "x has 11 Inf", "65504, the largest float16");
    await shot(wb, DTYPES, "overflow");
  });
});

describe("13: a backward that will fail", () => {
  test("twice: it is said that an earlier one freed the graph, and the graph shows it", async ({ wb }) => {
    await stopIn(wb, BACKWARD, "twice");
    await first(wb, "an earlier backward of loss has freed its graph");
    await wb.inspector.choose(["loss"], "Show Autograd Graph");
    await answered(wb, "autograd of loss", /freed by a backward/);
    await wb.inspector.expand("autograd of loss");
    await looks(wb, BACKWARD, "twice");
  });

  test.for([
    ["in_place", "backward will fail", "hidden was changed in place since SigmoidBackward0 saved it"],
    ["no_graph", "loss has no grad_fn", "predicted is made by argmax()"],
    ["growing", "total keeps 4 freed graphs alive", "what was added to it"],
  ] as const)("%s: said before it happens", async ([name, label, reason], { wb }) => {
    await stopIn(wb, BACKWARD, name);
    await first(wb, label, reason);
    await shot(wb, BACKWARD, name);
  });
});

describe("16: inputs", () => {
  test("raw pixels are told by their range and mean", async ({ wb }) => {
    await stopIn(wb, INPUTS, "raw_pixels");
    await first(wb, /^images runs from 0 to 255 \(mean 1\d\d\)/, "not scaled");
    await shot(wb, INPUTS, "pixels");
  });

  test("constant columns are told by one click, with their values", async ({ wb }) => {
    await stopIn(wb, INPUTS, "constant_columns");
    await wb.inspector.clickHeaderAction("Check This Step");
    await first(wb, "columns 3 (0.5), 7 (0) of table hold one value in all 64 rows");
    await shot(wb, INPUTS, "columns");
  });

  test("a batch of few samples many times is told by one click", async ({ wb }) => {
    await stopIn(wb, INPUTS, "few_samples");
    await wb.inspector.clickHeaderAction("Check This Step");
    await first(wb, "the 16 rows of batch are 4 distinct ones", "each 4 times");
    await shot(wb, INPUTS, "sample");
  });

  test("labels of one class, of several that there are, are loud, and told by one click", async ({ wb }) => {
    await stopIn(wb, INPUTS, "one_class");
    await described(wb, "labels", "all zeros · i64[64] · view of [192]");
    await wb.inspector.clickHeaderAction("Check This Step");
    await first(wb, "all 64 labels in labels are 0", "though classes has 3 classes");
  });

  test("an unbalanced column of labels: its range, its mean, and how often each occurs", async ({ wb }) => {
    await stopIn(wb, INPUTS, "unbalanced");
    await described(wb, "labels", "0…2"); // shown: a hover while a stop is painted is dropped
    const place = placeOf(sourceOf(INPUTS), "labels[20:23] = 2, 1", "labels");
    const { text } = await wb.editor.hover(place);
    expect(text).toMatch(/range\s+0 … 2/);
    expect(text).toMatch(/mean\s+0\.078/);
    expect(text).toMatch(/distinct\s+3: 0 ×60, 1 ×3, 2 ×1/);
    await shot(wb, INPUTS, "unbalanced");
    await wb.editor.leaveHover();
  });
});

describe("17: what a loss is given", () => {
  test("probabilities into cross_entropy, with the evidence", async ({ wb }) => {
    await stopIn(wb, LOSSES, "softmax");
    const finding = await first(wb, "cross_entropy was given probabilities", "probabilities comes from a softmax");
    const [seen] = await wb.inspector.expand(finding.label);
    expect(seen).toMatchObject({
      label: "probabilities",
      description: expect.stringMatching(/0\.\d+…0\.\d+, each row sums to 1$/),
    });
    await shot(wb, LOSSES, "softmax");
  });

  test("logits into binary_cross_entropy, with their range, before it fails and after", async ({ wb }) => {
    await stopIn(wb, LOSSES, "raw_logits");
    await first(wb, /^scores runs from −4\.\d* to 5\.\d*/, "binary_cross_entropy wants 0…1: this call will fail");
    await shot(wb, LOSSES, "raw_logits");
    await wb.debug.continueToStop();
    await first(wb, /^scores runs from −4\.\d* to 5\.\d*/, /binary_cross_entropy wants 0…1$/);
  });

  test("log-probabilities into cross_entropy are no fault: a check finds nothing", async ({ wb }) => {
    await stopIn(wb, LOSSES, "log_softmax");
    await wb.inspector.clickHeaderAction("Check This Step");
    await first(wb, /^nothing found \(\d+ rules/);
    await shot(wb, LOSSES, "log_softmax");
  });
});

describe("18: modes", () => {
  test.for([
    ["eval_left_on", "model is in eval mode in a training step", "dropout model[3] is off"],
    ["train_left_on", "model is in train mode under no_grad", "dropout model[3] is active"],
  ] as const)("%s: what is off or on that should not be", async ([name, label, reason], { wb }) => {
    await stopIn(wb, MODES, name);
    await first(wb, label, reason);
    await shot(wb, MODES, name);
  });

  test("batch norm of a batch of one, before it fails and after", async ({ wb }) => {
    await stopIn(wb, MODES, "batch_of_one");
    await wb.debug.continueToStop();
    await wb.debug.continueToStop();
    await first(wb, "the input of model[1] is [1, 16]", /one value per channel.*this call will fail$/);
    await looks(wb, MODES, "batch_of_one");
    await wb.debug.continueToStop();
    await first(wb, "the input of model[1] is [1, 16]", /one value per channel.*can take no variance$/);
  });
});

/** The first row, once it begins so and goes on so. */
async function first(wb: Workbench, label: string | RegExp, rest: string | RegExp = ""): Promise<Row> {
  const isSo = (text: string, wanted: string | RegExp): boolean =>
    typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
  const [row] = await wb.inspector.rowsWhen(
    `${String(label)} · ${String(rest)}`,
    ([top]) => top !== undefined && isSo(top.label, label) && isSo(top.description, rest),
  );
  return row!;
}

/** Until a row's description has this text: a moment after a stop the rows are those of the stop before. */
async function described(wb: Workbench, label: string, text: string): Promise<void> {
  const has = (row: Row): boolean => row.label === label && row.description.includes(text);
  await wb.inspector.rowsWhen(`${label} · ${text}`, (rows) => rows.some(has));
}

/** Until an answer says so and has the keyboard: the rows then stand still. */
async function answered(wb: Workbench, label: string, text: RegExp): Promise<void> {
  await wb.inspector.rowsWhen(`${label}: ${text.source}`, (rows) =>
    rows.some((row) => row.label === label && text.test(row.description) && row.selected),
  );
}

/** Asks the model for the reasons: one says so. */
async function whyNoGradient(wb: Workbench, which: RegExp): Promise<void> {
  await wb.inspector.choose(["model"], "Why No Gradient?");
  const label = "no gradient? model";
  await answered(wb, label, /^\d+ reasons?$/);
  const rows = await wb.inspector.expand(label);
  const told = rows.map((row) => `${row.label} · ${row.description}`);
  expect(told).toContainEqual(expect.stringMatching(which));
  await wb.channel.execute("tensorInspector.removeAllAnswers");
}

function escaped(text: string): string {
  return text.replaceAll(/[()[\]]/g, String.raw`\$&`);
}
