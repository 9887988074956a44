import type { SyntaxNode, SyntaxNodeRef, Tree } from "@lezer/common";
import type * as Grammar from "@lezer/python";

/** A stretch of a text, from `start` up to but not including `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A name that stands for a variable. */
export interface Name extends Span {
  /** As Python compares it. */
  readonly name: string;
  /** The variable gets its value there. */
  readonly binds: boolean;
}

/** The syntax tree of a text, also of one that is wrong or not written to its end yet. */
function parse(source: string): Tree {
  // Loaded when it is needed first: its tables take as long as all else of the activation.
  const { parser } = require("@lezer/python") as typeof Grammar;
  // The grammar does not know t-strings, whose fields are those of f-strings.
  return parser.parse(source.replace(/\b(?:t|tr|rt)(?=["'])/gi, (prefix) => prefix.replace(/t/i, "f")));
}

let last: { readonly source: string; readonly tree: Tree } | undefined;

/** The syntax tree of a document: parsed once for all questions about one version of it. */
function treeOf(source: string): Tree {
  if (last?.source !== source) last = { source, tree: parse(source) };
  return last.tree;
}

/**
 * The name, attribute or subscript at an offset, with all that leads to it: `b` in `a.b.c` is `a.b`, `0` in `a["k"][0]`
 * is all of it, `i` in `a[i]` is `i`. Nothing in strings and comments, after a call, or where it takes several lines.
 * Where nothing begins at the offset, it is what ends there: VS Code takes the right half of a character for the next offset.
 */
export function expressionAt(source: string, offset: number): Span | undefined {
  return expressionOf(source, offset) ?? (offset > 0 ? expressionOf(source, offset - 1) : undefined);
}

/** The same, for what covers the character right after the offset. */
function expressionOf(source: string, offset: number): Span | undefined {
  let node: SyntaxNode | null = treeOf(source).resolveInner(offset, 1);
  for (; node !== null; node = node.parent) {
    const start = isPointedAt(node, offset) ? beginning(node) : undefined;
    if (start !== undefined) return source.slice(start, node.to).includes("\n") ? undefined : { start, end: node.to };
  }
  return undefined;
}

/** Whether an offset in this node means all that ends with it. */
function isPointedAt(node: SyntaxNode, offset: number): boolean {
  if (offset >= node.to) return false;
  if (node.name !== "MemberExpression") return node.name === "VariableName" || node.name === "PropertyName";
  const bracket = node.getChild("[");
  return bracket !== null && bracket.from <= offset && node.lastChild?.name === "]";
}

/** The offset of the name with which the expression begins that ends in this node; undefined where it begins with none. */
function beginning(node: SyntaxNode): number | undefined {
  let first: SyntaxNode | null = node;
  // In imports and decorators, names with dots between them are no expression of their own.
  while (first?.name === "VariableName" && first.prevSibling?.name === ".") first = first.prevSibling.prevSibling;
  if (first?.name === "PropertyName") first = first.parent;
  while (first?.name === "MemberExpression" || first?.name === "AttributePattern") first = first.firstChild;
  return first?.name === "VariableName" ? first.from : undefined;
}

/** What a static expression may be made of. */
const STATIC: ReadonlySet<string> = new Set(
  (
    "Script ExpressionStatement MemberExpression VariableName PropertyName . [ ] , : " +
    "Number UnaryExpression ArithOp String Escape None Boolean Ellipsis TupleExpression ( )"
  ).split(" "),
);

/**
 * Whether reading it runs no code of the user's: a name, then attributes and subscripts that hold numbers, strings,
 * constants, slices and tuples of them, and nothing else.
 */
export function isStatic(expression: string): boolean {
  const text = expression.trim();
  const tree = parse(text);
  const isWhole = tree.topNode.firstChild?.firstChild?.to === text.length;
  let isMade = isWhole && tree.resolveInner(0, 1).name === "VariableName";
  tree.iterate({
    enter: ({ name, from, to }) => {
      isMade &&= STATIC.has(name);
      if (name === "VariableName" || name === "MemberExpression") isMade &&= from === 0;
      if (name === "UnaryExpression") isMade &&= /^-\s*[\d.]/.test(text.slice(from, to));
      if (name === "Number") isMade &&= !/j$/i.test(text.slice(from, to));
      return isMade;
    },
  });
  return isMade;
}

/** An expression's tokens: blanks between them, and which quotes a string stands in, make no difference. */
export function tokensOf(expression: string): string {
  const tokens: string[] = [];
  parse(expression).iterate({
    enter: ({ name, from, to, node }) => {
      const text = expression.slice(from, to);
      if (name === "String") tokens.push(quoted(text));
      else if (node.firstChild === null) tokens.push(text);
      return name !== "String";
    },
  });
  return tokens.join(" ");
}

/** One with escapes is left as it is. */
function quoted(text: string): string {
  const [, , inner] = /^(["'])([^\\]*)\1$/.exec(text) ?? [];
  return inner === undefined ? text : JSON.stringify(inner);
}

/** What a call would be given: the expressions between the commas, `x` and `f(y, 1)` in `x, f(y, 1)`. */
export function argumentsOf(text: string): string[] {
  const call = `f(${text})`;
  const list = parse(call).topNode.firstChild?.firstChild?.getChild("ArgList");
  const commas = list?.to === call.length ? list.getChildren(",") : [];
  const ends = [...commas.map(({ from }) => from), call.length - 1];
  const parts = ends.map((end, at) => call.slice(at === 0 ? "f(".length : (ends[at - 1] ?? 0) + 1, end).trim());
  return parts.filter((part) => part !== "");
}

/**
 * What the calls of a callee are given in a source, the same only once: `["noisy", "t.float()"]` for `model(noisy, t.float())`.
 * Calls with names or stars before arguments are left out. What stands nearest to the offset `near` comes first.
 */
export function callsOf(source: string, callee: string, near = 0): string[][] {
  const wanted = tokensOf(callee);
  const found = new Map<string, { readonly given: string[]; readonly away: number }>();
  treeOf(source).iterate({
    enter: ({ name, node }) => {
      const [called, list] = [node.firstChild, node.getChild("ArgList")];
      if (name !== "CallExpression" || called === null || list === null) return;
      const isPlain = !list.getChild("AssignOp") && !list.getChild("*") && !list.getChild("**");
      if (!isPlain || tokensOf(source.slice(called.from, called.to)) !== wanted) return;
      const given = argumentsOf(source.slice(list.from + 1, list.to - 1));
      const key = given.map(tokensOf).join(" , ");
      const away = Math.min(Math.abs(node.from - near), found.get(key)?.away ?? Infinity);
      if (given.length > 0) found.set(key, { given, away });
    },
  });
  return [...found.values()].toSorted((one, other) => one.away - other.away).map(({ given }) => given);
}

/** Statements whose names are left out: they have a scope of their own, or their names have no value there. */
const LEFT_OUT: ReadonlySet<string> = new Set(
  "FunctionDefinition ClassDefinition ImportStatement ScopeStatement DeleteStatement TypeDef".split(" "),
);

/**
 * Where the variables of a function are named, in the lines from the one that begins at `first` up to `until`: its
 * parameters, and all in its body but what functions and classes in there name, and what a comprehension or a lambda
 * binds. Decorators, defaults and annotations name variables of its surroundings. With `isModule`, those of the module.
 */
export function namesIn(source: string, first: number, until: number, isModule = false): Name[] {
  const tree = treeOf(source);
  const scope = isModule ? tree.topNode : definitionAt(tree, first + source.slice(first).search(/\S/));
  const found = scope.name === "FunctionDefinition" ? parameters(scope) : [];
  const names = found.map((node) => nameOf(source, node, true));
  /** Up to here, the names of the statement get their values. */
  let target = 0;
  const hidden: { readonly names: ReadonlySet<string>; readonly end: number }[] = [];
  (scope.getChild("Body") ?? scope).cursor().iterate((at) => {
    if (at.to <= first || at.from >= until || LEFT_OUT.has(at.name)) return false;
    target = targetEnd(at) ?? target;
    if (at.name !== "VariableName") {
      const own = bound(at).map((node) => nameOf(source, node, true).name);
      if (own.length > 0) hidden.push({ names: new Set(own), end: at.to });
      return true;
    }
    while ((hidden.at(-1)?.end ?? Infinity) <= at.from) hidden.pop();
    const node = at.node;
    const name = nameOf(source, node, at.from < target || isBound(source, node));
    if (isVariable(source, node) && !hidden.some(({ names }) => names.has(name.name))) names.push(name);
    return true;
  });
  return names.filter(({ start }) => first <= start && start < until);
}

function nameOf(source: string, { from, to }: SyntaxNode, binds: boolean): Name {
  return { name: source.slice(from, to).normalize("NFKC"), start: from, end: to, binds };
}

/** The function or class whose first line begins at an offset, else the innermost around it, else the module. */
function definitionAt(tree: Tree, offset: number): SyntaxNode {
  let node = tree.resolveInner(offset, 1);
  while (node.parent !== null && !node.name.endsWith("Definition")) {
    if (node.name === "DecoratedStatement" && node.from === offset) return node.lastChild ?? node;
    node = node.parent;
  }
  return node;
}

/** The parameters of a function or a lambda. */
function parameters(node: SyntaxNode): SyntaxNode[] {
  const names = node.getChild("ParamList")?.getChildren("VariableName") ?? [];
  return names.filter(({ prevSibling }) => prevSibling?.name !== "AssignOp");
}

/** Where the targets of a statement end: at its last `=`, or at the `in` of a loop. */
function targetEnd({ name, node }: SyntaxNodeRef): number | undefined {
  if (name === "AssignStatement") return node.getChildren("AssignOp").at(-1)?.from;
  if (name === "UpdateStatement") return node.getChild("UpdateOp")?.from;
  return name === "ForStatement" ? node.getChild("in")?.from : undefined;
}

/** The names that a lambda, or the `for … in` of a comprehension, binds for itself. */
function bound({ name, node }: SyntaxNodeRef): SyntaxNode[] {
  if (name === "LambdaExpression") return parameters(node);
  if (name !== "ArgList" && !name.endsWith("ComprehensionExpression")) return [];
  const names: SyntaxNode[] = [];
  for (const { nextSibling } of node.getChildren("for")) {
    for (let target = nextSibling; target !== null && target.name !== "in"; target = target.nextSibling) {
      target.cursor().iterate((at) => {
        if (at.name === "VariableName") names.push(at.node);
      });
    }
  }
  return names;
}

/** Whether a name stands for a variable: it is no attribute of a decorator's name and no keyword of a call or pattern. */
function isVariable(source: string, { prevSibling, nextSibling, parent }: SyntaxNode): boolean {
  const isKeyword = parent?.name === "ArgList" && isOperator(source, nextSibling, "=");
  return prevSibling?.name !== "." && !isKeyword && parent?.name !== "KeywordPattern";
}

/** Whether a name gets its value by `as`, by `:=` or by a pattern. */
function isBound(source: string, { prevSibling, nextSibling, parent }: SyntaxNode): boolean {
  return prevSibling?.name === "as" || parent?.name === "CapturePattern" || isOperator(source, nextSibling, ":=");
}

function isOperator(source: string, node: SyntaxNode | null, text: string): boolean {
  return node?.name === "AssignOp" && source.slice(node.from, node.to) === text;
}
