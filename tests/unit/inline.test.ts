import { describe, expect, test } from "vitest";
import { mentionsIn } from "../../extension/src/model/inline.ts";

const KNOWN = new Set(["x", "y", "xs", "model", "batch", "i", "loss"]);

/** Names by line, of the lines before the one marked `# STOP`; the function begins at the first line. */
function named(source: string, first = 0): string[] {
  const lines = source.replace(/^\n/, "").split("\n");
  const stop = lines.findIndex((line) => line.includes("# STOP"));
  const found: string[][] = lines.map(() => []);
  for (const { line, name, start, end } of mentionsIn(
    lines.join("\n"),
    { firstLine: first, stopLine: stop < 0 ? lines.length : stop },
    KNOWN,
  )) {
    expect(lines[line]?.slice(start, end).normalize("NFKC")).toBe(name);
    found[line]?.push(name);
  }
  return found.slice(0, stop < 0 ? undefined : stop).map((names) => names.join(" "));
}

describe("names of variables", () => {
  const table: [string, string, string[]][] = [
    ["each once a line", "print(x + x)", ["x"]],
    ["only known ones", "print(z, x, other)", ["x"]],
    ["the first three of a line", "print(x, y, xs, model)", ["x y xs"]],
    ["none from the stop on", "x = 1\ny = 2  # STOP\nx = 3", ["x"]],
    [
      "only those that get their value, where some do",
      "x, (y, z) = model(batch)\nxs: list = i = loss",
      ["x y", "xs i"],
    ],
    ["of each statement on a line", "x = y + i; xs = loss\nmodel(x); y = 1", ["x xs", "y"]],
    [
      "of a body on the line of its header",
      "for x in xs: y = x\nif x == y: i = loss\nelse: loss = x",
      ["x y", "i", "loss"],
    ],
    ["of a header that gives a value itself", "while x := model(y): xs = x\nif i == x: print(x)", ["x xs", "i x"]],
    ["none where what gets a value has none to show", "z = x\nmodel(z)", ["", "model"]],
    ["of an assignment to a part, what it is part of", "model.x[0] = y\nbatch[i] += x", ["model", "batch i"]],
    ["comparisons assign nothing", "print(x)if x==y or x<=loss else 0", ["x y loss"]],
    ["no attributes", "model.x.y(batch.loss)", ["model batch"]],
    ["no keywords of calls", "model(x=y, loss=1)", ["model y"]],
    ["no keywords on lines of their own", "model(\n    x=y,\n    loss=1,\n)", ["model", "y", "", ""]],
    ["a keyword of the same name as its value", "model(x=x)", ["model x"]],
    ["nothing in strings and comments", 'print("x")  # y\nprint("""\ny\n""", loss)', ["", "", "", "loss"]],
    ["what f-strings show", 'print(f"{loss:.3f} {{x}} {y!r}")', ["loss y"]],
    ["not how f-strings show it", 'print(f"{x!r:>{y}} {loss:i} {model != batch}")', ["x y loss"]],
    ["no name that a comprehension binds", "print([x for x in xs])\nprint(x)", ["xs", "x"]],
    ["nor one of several lines", "print([\n    x + loss\n    for x in xs\n])", ["", "loss", "xs", ""]],
    ["nor a nested one", "print({x: [i for i in x] for x in xs})", ["xs"]],
    ["no parameter of a lambda", "print(model(lambda x: x + loss, x))", ["model loss x"]],
    ["nor one of several", "model(lambda x, *y, **xs: (x, y, xs), i)", ["model i"]],
    ["what f-strings in their own quotes show", 'print(f"{batch["x"]} {y}", i)', ["batch y i"]],
    ["nothing of how an f-string pads", `print(f"{x:'>10} {y:{i}}", f"{loss!r:'<3}")`, ["x y i"]],
    ["what f-strings in f-strings show", `print(f"{f"{x:{y}}" + 'i'} {{loss}}")`, ["x y"]],
    ["what f-strings of several lines show", 'print(f"""{x}\n{y!r} {{i}}\n""")', ["x", "y", ""]],
    ["what t-strings show", 'print(t"{x}", rT"{y}")', ["x y"]],
    ["what is annotated, not what with", "loss: model[x] = y\nbatch: xs", ["loss", "batch"]],
    [
      "what patterns bind, and no keywords of theirs",
      "match model:\n    case batch(i=[x, *y]):\n        pass\n    case {'loss': xs} | (1 as i):\n        pass",
      ["model", "x y", "", "xs i", ""],
    ],
    ["names with combining marks as they are", "x\u0302 = 1\nprint(x)", ["", "x"]],
    ["names as Python compares them", "print(\uff58, y)", ["x y"]],
    ["nor one in an f-string", 'print(f"{model(lambda x, y: x + y)} {y}")', ["model y"]],
    ["the default of a lambda's parameter", "model(lambda x=loss, y={1: batch}: x + y)", ["model loss batch"]],
    ["the parameters of the function", "def f(x, /, y: i = 1, *xs, **batch):\n    pass", ["x y xs", ""]],
    [
      "the parameters on lines of their own",
      "def f(\n    x,\n    *,\n    y=2 * loss,\n):\n    pass",
      ["", "x", "", "y", "", ""],
    ],
    [
      "no defaults, annotations and decorators: they are of its surroundings",
      "@model(loss)\ndef f(x: batch[i] = (y, xs), *, loss=lambda y, i: i) -> y:\n    pass",
      ["", "x loss", ""],
    ],
    ["no bases of a class", "class F(model, x=y):\n    loss = 1", ["", "loss"]],
    ["nothing of functions inside", "def f(x):\n    def g(y):\n        x = y\n    print(x)", ["x", "", "", "x"]],
    [
      "nothing where a line of theirs goes on",
      "def f(x):\n    def g():\n        return y + \\\n  loss\n    y = x",
      ["x", "", "", "", "y"],
    ],
    [
      "nor where a string of theirs ends",
      'def f(x):\n    def g():\n        y = """\nselect\n""" + x\n        return x\n    y = x',
      ["x", "", "", "", "", "", "y"],
    ],
    ["nothing of imports", "from loss import model\nimport x\ndel y\nx <<= y", ["", "", "", "x"]],
    ["nothing of classes inside", "def f(x):\n    class G:\n        x = 1\n\n    y = x", ["x", "", "", "", "y"]],
    ["of a module, nothing of its functions", "x = 1\ndef f(y):\n    x = y\n\nprint(x)", ["x", "", "", "", "x"]],
    ["what loops bind", "for i, x in enumerate(xs):\n    loss += x", ["i x", "loss"]],
    ["what `with` and `:=` bind", "with model(y) as x:\n    if (loss := x) == y:\n        pass", ["x", "loss", ""]],
  ];
  test.each(table)("%s", (_, source, expected) => {
    expect(named(source)).toEqual(expected);
  });

  test("of a module that begins with a function are the module's", () => {
    const source = "def f(x):\n    y = x\nloss = 1\nprint(loss)";
    const found = mentionsIn(source, { firstLine: 0, stopLine: 4, isModule: true }, KNOWN).map(
      ({ line, name }) => `${line} ${name}`,
    );
    expect(found).toEqual(["2 loss", "3 loss"]);
  });

  test("are found in a long program at once", () => {
    const line = "x = model(y, [batch(i) for i in xs], loss)[0]";
    expect(mentionsIn(Array(20_000).fill(line).join("\n"), { firstLine: 0, stopLine: 20_000 }, KNOWN)).toHaveLength(
      20_000,
    );
    expect(mentionsIn(`print(${'f"{x}" '.repeat(20_000)})`, { firstLine: 0, stopLine: 1 }, KNOWN)).toHaveLength(1);
  });

  test("begin where the function does", () => {
    expect(named("x = 1\ndef f(y):\n    loss = y\n    # STOP", 1)).toEqual(["", "y", "loss"]);
  });
});
