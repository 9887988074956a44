import { describe, expect, test } from "vitest";
import { argumentsOf, callsOf, expressionAt, isStatic, tokensOf } from "../../extension/src/model/python.ts";
import { stockExpressionAt } from "../../extension/src/model/stockExpression.ts";

/** What a bar in the last line of a program points at: `a.b|.c` is at what follows the bar. */
function pointed(marked: string, before = ""): string | undefined {
  const source = before + marked.replace("|", "");
  const span = expressionAt(source, before.length + marked.indexOf("|"));
  return span && source.slice(span.start, span.end);
}

describe("the expression under the cursor", () => {
  test.each([
    ["|x", "x"],
    ["loss = |model(x)", "model"],
    ["loss = model(|x)", "x"],
    ["|a.b.c", "a"],
    ["a.|b.c", "a.b"],
    ["a.b.|c", "a.b.c"],
    ["a . |b", "a . b"],
    ['|a["k"][0]', "a"],
    ['a["|k"][0]', 'a["k"]'],
    ['a["k"][|0]', 'a["k"][0]'],
    ['a["k"]|[0]', 'a["k"][0]'],
    ["a.b[2].|weight", "a.b[2].weight"],
    ["a[|i]", "i"],
    ["a[i|]", "a[i]"],
    ["a[i + |j]", "j"],
    ["a[i].|b", "a[i].b"],
    ["x[|-1]", "x[-1]"],
    ["a[b[|c]]", "c"],
    ["größe.|wért", "größe.wért"],
    ["f(a.|b, c)", "a.b"],
    ["[x[|0] for x in xs]", "x[0]"],
    ['f"{loss.|item} is"', "loss.item"],
    ["f'{x[|0]:.3f}'", "x[0]"],
    ["  .fc1[|i])", "i"],
    ["x[..., |i]", "i"],
    ["x[... if |c else 0]", "c"],
    ["rf'''{|x}'''", "x"],
    ['f"{d["|k"]}"', 'd["k"]'],
    ['t"{loss.|item}"', "loss.item"],
    ["import torch.|nn as nn", "torch.nn"],
    ['f"{x:\'>{|y}}"', "y"],
  ])("in %s is %s", (marked, expression) => expect(pointed(marked)).toBe(expression));

  test.each([
    ["loss| = 1", "loss"],
    ["f(a.b|)", "a.b"],
    ["x[0]|", "x[0]"],
    ["a|+b", "a"],
  ])("in %s, where nothing begins, is what ends there: %s", (marked, expression) =>
    expect(pointed(marked)).toBe(expression),
  );

  test.each([
    ['"|x"'],
    ["'it\\'s |x'"],
    ["# |x"],
    ["y  # loss.|item"],
    ["f(x).|b"],
    ["f(x)[|0]"],
    ["(a + b).|c"],
    ['"text".|join'],
    ["|for x in y"],
    ["x i|n y"],
    ["x |+ y"],
    ["1|23"],
    ['f"{{|x}}"'],
    ['f"|x{y}"'],
    ["a[|"],
    ["from .|layers import Linear"],
  ])("is none in %s", (marked) => expect(pointed(marked)).toBeUndefined());

  test.each([
    ["|fc1", "(model.\n", undefined],
    [".|weight)", "(model\n", undefined],
    [".fc1.|weight)", "(model\n", undefined],
    [".fc1[|0])", "(model\n", undefined],
    ["|fc1.weight", "model. \\\n\n", undefined],
    ["|fc1", "(model.\n    # the first\n\n", undefined],
    ["|fc1", "(model.  # its.\r\n", undefined],
    ["fc1[|i]", "(model.  # its first\n", "i"],
    ["|RED:", "match x:\n  case Color.", "Color.RED"],
    ["|0]", "model[\n", undefined],
    ["|{x}", "f'''\n", undefined],
    ["{x[|0]}", "f'''\n", "x[0]"],
    ["|x", "# Explains.\n", "x"],
    ["|x", "y = 1\n# Explains.\n", "x"],
    ["|x", "def f(): ...\n", "x"],
  ])("in %s below %j is %s", (marked, before, expression) => expect(pointed(marked, before)).toBe(expression));

  test("is none inside a string of several lines", () => {
    expect(pointed("text |x", 'def f():\n    """A story\n')).toBeUndefined();
    expect(pointed('text |x """ + y', 'def f():\n    """A story\n')).toBeUndefined();
    expect(pointed('text """.|join', 'def f():\n    """A story\n')).toBeUndefined();
    expect(pointed('text x """ + |y', 'def f():\n    """A story\n')).toBe("y");
    expect(pointed("|x", 'def f():\n    """A story.\n    """\n')).toBe("x");
    expect(pointed("|x", "a = '\"\"\"'  # '''\n")).toBe("x");
  });
});

describe("an expression is static if reading it runs nothing", () => {
  test.each([
    "x",
    " x ",
    "a.b.c",
    'a["k"][0]',
    "x[-1]",
    "x[0, 1:3]",
    "x[..., None]",
    "x[True]",
    "d[(1, 'a')]",
    "x[1.5]",
    "x[-1.5e-3]",
    "x[1_000]",
    "x[0x10]",
    "x[:]",
    "x[::-1]",
    "x[1:2:3, ...]",
    "x[0,]",
    "d[()]",
    "d[((1, 2), 'a',)]",
    String.raw`d["a\n\"b\u00e9"]`,
    "d[r'a']",
    'd["#"]',
    'd["""a"""]',
    "d[b'a']",
    "d[None]",
  ])("%s is", (expression) => expect(isStatic(expression)).toBe(true));

  test.each([
    "",
    "model(x)",
    "a + b",
    "a[i]",
    "next(it)",
    "a.b()",
    "x[f'{y}']",
    "None",
    "for",
    "1",
    "'text'",
    "a.",
    "x[",
    "x[]",
    "x y",
    `d["a" "b"]`,
    "d[b'a' b'b']",
    "x[1 2]",
    "x[-]",
    "x[--1]",
    "x[,]",
    "x[1:2:3:4]",
    "x[(1:2)]",
    "d[-'a']",
    "x[1j]",
    "x[a.b]",
    "x[1 if 2 else 3]",
    "x[1-2]",
    "x[[1]]",
    "d[f'a']",
    "x[0](1)",
  ])("%s is not", (expression) => expect(isStatic(expression)).toBe(false));
});

describe("what VS Code takes where we have nothing to say", () => {
  test.each([
    ["a.b|.c + d", "a.b"],
    ["a.|b.c", "a.b"],
    ["lo|ss = 1", "loss"],
    ["f(x).|b", ".b"],
    ["  .|fc1", ".fc1"],
    ["*|args", "*args"],
    ["...|rest", "rest"],
    ["x| + y", "x"],
    ["x[in|dex]", "index"],
  ])("in %s is %s", (marked, expression) => {
    const line = marked.replace("|", "");
    const span = stockExpressionAt(line, marked.indexOf("|"));
    expect(span && line.slice(span.start, span.end)).toBe(expression);
  });

  test("is none among operators", () => expect(stockExpressionAt("x  +  y", 3)).toBeUndefined());
});

describe("what is typed as the inputs of a call", () => {
  test.each([
    ["x", ["x"]],
    ["x, mask", ["x", "mask"]],
    ["x[:, (0, 1)], f(1, 2),", ["x[:, (0, 1)]", "f(1, 2)"]],
    ["(x, y)", ["(x, y)"]],
    ["'a, b'", ["'a, b'"]],
    ["x), (y", ["x), (y"]],
  ])("%s is %j", (text, expressions) => expect(argumentsOf(text)).toEqual(expressions));
});

describe("two expressions have the same tokens", () => {
  test.each([
    [`batch["input"]`, `batch['input']`],
    ["x [ 0 ]", "x[0]"],
    ["model.layers[ -1 ].weight", "model.layers[-1].weight"],
  ])("whatever the blanks and the quotes: %s, %s", (one, other) => {
    expect(tokensOf(one)).toBe(tokensOf(other));
  });

  test.each([
    [`batch["in put"]`, `batch["input"]`],
    [`batch["it's"]`, `batch["its"]`],
    [`batch["0"]`, "batch[0]"],
    ["x.y", "x.z"],
    ["x[0, 1]", "x[0][1]"],
  ])("but not where a key or a name differs: %s, %s", (one, other) => {
    expect(tokensOf(one)).not.toBe(tokensOf(other));
  });
});

describe("what calls in the source are given", () => {
  test.each([
    ["loss = F.mse_loss(model(noisy, t.float()), noise)", "model", [["noisy", "t.float()"]]],
    ["y = self.net(x)\nz = self . net(x)\nother(x)", "self.net", [["x"]]],
    ["model(a, b)\nmodel(c)", "model", [["a", "b"], ["c"]]],
    ["model(x, mask=m)\nmodel(*xs)\nmodel()\nmodel(**batch)", "model", []],
    ["self.model(f(x, 1), y[0, 1])", "self.model", [["f(x, 1)", "y[0, 1]"]]],
    ["mymodel(x)", "model", []],
  ])("%s", (source, callee, given) => {
    expect(callsOf(source, callee)).toEqual(given);
  });

  test("the nearest first", () => {
    expect(callsOf("model(a)\nx = 1\nmodel(b)\nmodel(a)", "model", 16)).toEqual([["b"], ["a"]]);
  });
});
