// What a program compiles of a Python source: the same lines, without comments and docstrings.
import type { SyntaxNode } from "@lezer/common";
import { parser } from "@lezer/python";

/** The source with all code on the lines where it was, so that tracebacks name them, and a quarter less to send. */
export function bareSource(source: string): string {
  let bare = "";
  let end = 0;
  parser.parse(source).iterate({
    enter: ({ name, from, to, node }) => {
      if (name === "Comment") bare += source.slice(end, from).replace(/[ \t]+$/, "");
      else if (isDocstring(node))
        bare += `${source.slice(end, from)}""${source.slice(from, to).replaceAll(/[^\n]/g, "")}`;
      else return;
      end = to;
    },
  });
  return bare + source.slice(end);
}

/** Whether it is a string that is the first statement of a module, a class or a function. */
function isDocstring(node: SyntaxNode): boolean {
  const { parent } = node;
  if (node.name !== "ExpressionStatement" || node.firstChild?.name !== "String") return false;
  let before = node.prevSibling;
  while (before?.name === "Comment") before = before.prevSibling;
  if (parent?.name === "Script") return before === null;
  const owner = parent?.name === "Body" ? parent.parent?.name : undefined;
  return (owner === "ClassDefinition" || owner === "FunctionDefinition") && before?.name === ":";
}
