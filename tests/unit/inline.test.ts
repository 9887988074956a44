import { describe, expect, test } from "vitest";
import { namedIn } from "../../extension/src/model/inline.ts";

const KNOWN = new Set(["x", "y", "xs", "model", "batch", "i", "loss"]);

/** Names by line, of the lines before the one marked `# STOP`; the function begins at the first line. */
function named(source: string, first = 0): string[] {
  const lines = source.replace(/^\n/, "").split("\n");
  const stop = lines.findIndex((line) => line.includes("# STOP"));
  const found: string[][] = lines.map(() => []);
  for (const { line, name, start, end } of namedIn(lines, first, stop < 0 ? lines.length : stop, KNOWN)) {
    expect(lines[line]?.slice(start, end)).toBe(name);
    found[line]?.push(name);
  }
  return found.slice(0, stop < 0 ? undefined : stop).map((names) => names.join(" "));
}

describe("names of variables", () => {
  const table: [string, string, string[]][] = [
    ["each once a line", "x = x + x", ["x"]],
    ["only known ones", "z = x + other", ["x"]],
    ["the first three of a line", "x, y, xs, model = batch", ["x y xs"]],
    ["none from the stop on", "x = 1\ny = 2  # STOP\nx = 3", ["x"]],
    ["no attributes", "model.x.y(batch.loss)", ["model batch"]],
    ["no keywords of calls", "model(x=y, loss=1)", ["model y"]],
    ["no keywords on lines of their own", "model(\n    x=y,\n    loss=1,\n)", ["model", "y", "", ""]],
    ["comparisons are no keywords", "print(x==y)", ["x y"]],
    ["nothing in strings and comments", 'print("x")  # y\nx = """\ny\n""" + loss', ["", "x", "", "loss"]],
    ["what f-strings show", 'print(f"{loss:.3f} {{x}} {y!r}")', ["loss y"]],
    ["no name that a comprehension binds", "y = [x for x in xs]\nz = x", ["y xs", "x"]],
    ["nor one of several lines", "y = [\n    x + loss\n    for x in xs\n]", ["y", "loss", "xs", ""]],
    ["nor a nested one", "y = {x: [i for i in x] for x in xs}", ["y xs"]],
    ["no parameter of a lambda", "y = model(lambda x: x + loss, x)", ["y model loss"]],
    ["the parameters of the function", "def f(x, y=loss, *xs):\n    pass", ["x y loss", ""]],
    ["its decorator's too", "@model\ndef f(x):\n    y = x", ["model", "x", "y x"]],
    ["nothing of functions inside", "def f(x):\n    def g(y):\n        x = y\n    y = x", ["x", "", "", "y x"]],
    ["nothing of classes inside", "def f(x):\n    class G:\n        x = 1\n\n    y = x", ["x", "", "", "", "y x"]],
    ["of a module, nothing of its functions", "x = 1\ndef f(y):\n    x = y\n\nloss = x", ["x", "", "", "", "loss x"]],
    ["loops", "for i, x in enumerate(xs):\n    loss += x", ["i x xs", "loss x"]],
    ["assignments in expressions", "if (x := model(y)) is None:\n    pass", ["x model y", ""]],
  ];
  test.each(table)("%s", (_, source, expected) => {
    expect(named(source)).toEqual(expected);
  });

  test("begin where the function does", () => {
    expect(named("x = 1\ndef f(y):\n    loss = y\n    # STOP", 1)).toEqual(["", "y", "loss y"]);
  });
});
