/**
 * Lays the files of a kind, a lens or a rule: skeletons, rows in the registries, tests. A recipe of CONTRIBUTING goes on there.
 *
 *     npm run new -- kind pint.Quantity      a class, after the library in which it stands
 *     npm run new -- lens holds              a question, after its name
 *     npm run new -- rule loss/always-zero   a rule, after its subject and its id
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { format, resolveConfig } from "prettier";
import { writeProtocol } from "../extension/build/protocol.ts";
import { python, root } from "./paths.mjs";

/** Reads a file of the project; undefined where there is none. */
export type Read = (file: string) => string | undefined;

/** What is laid: the whole text of each file, new or changed, and what to do then. */
export interface Laid {
  readonly files: ReadonlyMap<string, string>;
  readonly next: readonly string[];
}

/** The name can't be laid: a sentence for the user. */
export class Refused extends Error {}

const HELPER = "pyhelper/tensor_inspector";
const TESTS = "tests/python";

/** The files as they will be. */
class Files {
  readonly written = new Map<string, string>();
  readonly #read: Read;

  constructor(read: Read) {
    this.#read = read;
  }

  text(file: string): string {
    const text = this.written.get(file) ?? this.#read(file);
    if (text === undefined) throw new Error(`${file} is not there`);
    return text;
  }

  create(file: string, text: string): void {
    if (this.#read(file) !== undefined) throw new Refused(`${file} is there already: choose another name`);
    this.written.set(file, text);
  }

  /** Writes `lines` before the first line that begins with `mark`, below `after`. */
  insert(file: string, lines: string, { after, mark }: { after: string; mark: string }): void {
    const text = this.text(file);
    const from = text.indexOf(after);
    const at = from < 0 ? -1 : text.indexOf(`\n${mark}`, from + after.length);
    if (at < 0) throw new Error(`${file} has no place for the row: no ${JSON.stringify(mark)} after ${after}`);
    this.written.set(file, text.slice(0, at + 1) + lines + text.slice(at + 1));
  }

  replace(file: string, pattern: RegExp, by: (...found: string[]) => string): void {
    const text = this.text(file);
    if (!pattern.test(text)) throw new Error(`${file} has no place for the row: no ${pattern}`);
    this.written.set(file, text.replace(pattern, by));
  }
}

const snake = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
const camel = (name: string): string => name.replace(/(?:^|_)([a-z\d])/g, (_, first: string) => first.toUpperCase());

function check(name: string, pattern: RegExp, example: string): RegExpExecArray {
  const found = pattern.exec(name);
  if (found === null) throw new Refused(`“${name}” is no name for it: write one as ${example}`);
  return found;
}

function kind(name: string, files: Files): string[] {
  const [, library = "", cls = ""] = check(name, /^([a-z_]\w*)\.([A-Z]\w*)$/, "pint.Quantity");
  const file = snake(cls);
  const family = `others.${file}`;
  const known = camel(library) + cls;
  files.create(
    `${HELPER}/kinds/others/${file}.py`,
    `"""${library}: what a ${cls} says of itself."""

from __future__ import annotations

from collections.abc import Iterable

from ...safe.guard import instance_dict
from ..families import by_home
from ..python.objects import WordedObject


class ${known}(WordedObject):
    """TODO: what one asks of it first."""

    def words(self) -> Iterable[str | None]:
        return [f"{len(instance_dict(self.value))} attributes"]  # TODO: without calling code of the program


kind_for = by_home({${known}: ("${cls}",)}, "${library}")
`,
  );
  files.insert(`${HELPER}/kinds/registry.py`, `    ("${library}", "", "${family}"),\n`, {
    after: "_LAST = (",
    mark: '    ("", "", "python.objects"),',
  });
  files.insert(
    `${TESTS}/zoo/declared.py`,
    `    "${name}": Specimen(
        lambda: of("${library}", "${cls}"), says=("${cls} · TODO",), needs=("${library}",)
    ),
`,
    { after: "LIBRARIES: Zoo = {", mark: "}" },
  );
  return [
    `Write words() in ${HELPER}/kinds/others/${file}.py, and what must be said in ${TESTS}/zoo/declared.py.`,
    `Add ${library} to dev of pyproject.toml and to “What it understands” of docs/guide.md, if it is new there.`,
    `Prove it: pytest ${TESTS}/test_zoo.py ${TESTS}/test_architecture.py -k "${cls} or architecture"`,
  ];
}

function lens(name: string, files: Files): string[] {
  check(name, /^[a-z][a-z\d]*(?:_[a-z\d]+)*$/, "nan_origin");
  const type = camel(name);
  const schema = "pyhelper/protocol.schema.json";
  if (files.text(schema).includes(`"${type}Found"`)) throw new Refused(`there is a lens ${name} already`);
  files.insert(
    schema,
    `    "${type}Found": {
      "description": "TODO: what the answer says.",
      "type": "object",
      "additionalProperties": false,
      "required": ["lens", "type"],
      "properties": {
        "lens": { "const": "${name}" },
        "type": { "type": "string", "description": "TODO: a field of the answer." }
      }
    },
`,
    { after: '"definitions": {', mark: '    "Found": {' },
  );
  files.replace(
    schema,
    /("Found": \{.*?"\$ref": "#\/definitions\/\w+" \})(\n      \])/s,
    (_, rows = "", end = "") => `${rows},\n        { "$ref": "#/definitions/${type}Found" }${end}`,
  );
  files.create(`${HELPER}/lenses/${name}/__init__.py`, "");
  files.create(
    `${HELPER}/lenses/${name}/${name}.py`,
    `"""The lens \`${name}\`: TODO what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...kinds import Child, TextRow
from ...safe.budget import Budget
from ...safe.guard import class_name
from ..lens import Lens, Paused

if TYPE_CHECKING:
    from ...protocol import ${type}Found


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    return ${type}Lens(values["value"], budget)


class ${type}Lens(Lens):
    def __init__(self, asked: Child, budget: Budget) -> None:
        super().__init__(budget)
        self._asked = asked

    def go_on(self) -> bool:
        return True

    def progress(self) -> float:
        return 1.0

    def found(self) -> ${type}Found:
        return {"lens": "${name}", "type": class_name(type(self._asked.value))}

    def row(self) -> Child:
        return Child("${name}", TextRow(self.found()["type"]), "")
`,
  );
  files.insert(
    `${HELPER}/lenses/registry.py`,
    `    "${name}": Registered("${name}.${name}", ("value",), without_torch=True),\n`,
    { after: "LENSES: dict[str, Registered] = {", mark: "}" },
  );
  files.create(
    `${TESTS}/test_${name}.py`,
    `"""The lens \`${name}\`."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from asking import Paused

from tensor_inspector import ${name} as ask

#: value: its type
CASES: dict[str, tuple[Any, str]] = {
    "a number": (3, "int"),
    "a list": ([1, 2], "list"),
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_answered_at_a_stop_and_from_python(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value, said = CASES[case]
    answer = Paused(sys._getframe(), monkeypatch).lens("${name}", value="value")
    assert answer["found"]["type"] == ask(value)["type"] == said
`,
  );
  files.written.set(
    `${HELPER}/questions.py`,
    `${files.text(`${HELPER}/questions.py`)}

def ${name}(value: object) -> Answer:
    """TODO: what it answers."""
    return ask("${name}", {"value": value}, {}, 1, float("inf"))
`,
  );
  const face = `${HELPER}/__init__.py`;
  const sorted = (names: readonly string[]): string[] => names.toSorted((a, b) => (a < b ? -1 : 1));
  files.replace(face, /(from \.questions import \(\n)(.*?)(\n\))/s, (_, head = "", names = "", end = "") => {
    const lines = sorted([...names.split("\n"), `    ${name},`]);
    return head + lines.join("\n") + end;
  });
  files.replace(face, /(__all__ = \[\n)(.*?)(\n\])/s, (_, head = "", names = "", end = "") => {
    const [classes, functions] = [/"[A-Z]/, /"[a-z]/].map((of) => names.split("\n").filter((line) => of.test(line)));
    return head + [...(classes ?? []), ...sorted([...(functions ?? []), `    "${name}",`])].join("\n") + end;
  });
  const manual = "docs/python.md";
  files.insert(manual, `| TODO: what you ask? | [${name}](#${name}) | TODO: what it answers |\n`, {
    after: "| you ask",
    mark: "\n## What holds for all of them",
  });
  const sections = [...files.text(manual).matchAll(/^## ([a-z]\w*)$/gm)].map(([, section = ""]) => section);
  const following = sections.find((section) => section > name);
  const section = `## ${name}\n\n\`${name}(value)\`\n\nTODO: what it answers.\n\n`;
  if (following === undefined) files.written.set(manual, `${files.text(manual)}\n${section.trimEnd()}\n`);
  else files.insert(manual, section, { after: "## What holds", mark: `## ${following}\n` });
  files.insert(`${TESTS}/test_json.py`, `    "${name}": lambda: ti.${name}(ROWS),\n`, {
    after: "ANSWERS: dict[",
    mark: "}",
  });
  return [
    `Write the answer: its type in ${schema}, the lens in ${HELPER}/lenses/${name}/, the cases in ${TESTS}/test_${name}.py. npm run build`,
    `Say in ${HELPER}/questions.py and docs/python.md what it answers; give it budget_ms, if it may take long, and a row in test_limited.py.`,
    `Prove it: pytest tests/contract ${TESTS}/test_{${name},lens,architecture,examples,json,limited,refused}.py`,
    "For the menu of rows go on with the recipe “Add a lens” of CONTRIBUTING.",
  ];
}

/** Names from a module in the order and form that ruff wants: in one line, or a line each. */
function imported(from: string, names: readonly string[]): string {
  const sorted = names.toSorted();
  const line = `from ${from} import ${sorted.join(", ")}`;
  return line.length <= 120 ? line : `from ${from} import (\n${sorted.map((name) => `    ${name},\n`).join("")})`;
}

const SUBJECTS = ["call", "data", "graph", "loss", "model", "numbers", "optimizer"];

function rule(name: string, files: Files): string[] {
  const [, subject = "", id = ""] = check(name, /^(\w+)\/([a-z][a-z\d]*(?:-[a-z\d]+)+)$/, "loss/always-zero");
  if (!SUBJECTS.includes(subject)) throw new Refused(`a rule is about one of ${SUBJECTS.join(", ")}, not ${subject}`);
  const named = id.replaceAll("-", "_");
  const rules = `${HELPER}/lenses/findings/rules`;
  const never = `${TESTS}/faults/never.py`;
  if (files.text(never).includes(`"${id}": {`)) throw new Refused(`there is a rule ${id} already`);
  files.create(
    `${rules}/${subject}/${named}.py`,
    `"""TODO: what is wrong with the step, in a sentence.

Why: TODO: why it matters.

Example:
    todo = "a few lines with the fault"

Instead:
    todo = "the right lines"

Silent when:
    - TODO: a condition that keeps it silent
"""

from __future__ import annotations

from collections.abc import Iterator

from ....step.step import Step
from ...finding import Violation
from ...rule import rule


@rule("warning", why="TODO: why it matters.", suggestion="TODO: one thing to try", needs="loss")
def ${named}(step: Step) -> Iterator[Violation]:
    yield from ()  # TODO: a Violation for each thing that is wrong, with what was seen
`,
  );
  files.replace(
    `${rules}/registry.py`,
    new RegExp(`^from \\.${subject} import (\\([^)]+\\)|.+)$`, "m"),
    (_, names = "") => imported(`.${subject}`, [...(names.match(/\w+/g) ?? []), named]),
  );
  files.insert(`${rules}/registry.py`, `    ${named},\n`, { after: "_FILES = (", mark: ")" });
  files.insert(
    `${TESTS}/faults/${subject}.py`,
    `    "${named}_laid": (
        "${id}",
        """
 net = nn.Linear(6, 3)
 optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
 optimizer.zero_grad()
-loss = F.cross_entropy(net(x), y)  # TODO: the fault
+loss = F.cross_entropy(net(x), y)
 loss.backward()
 stop()
 optimizer.step()
""",
    ),
`,
    { after: "PROGRAMS: dict[", mark: "}" },
  );
  files.insert(never, `    "${id}": {"TODO: a healthy situation": "two_phases"},\n`, {
    after: "NEVER: dict[",
    mark: "}",
  });
  files.insert(`${TESTS}/rule_examples.py`, `    "${id}": _NET + "{}" + _STEP,\n`, { after: "AROUND = {", mark: "}" });
  return [
    `Write the fault and what is right in ${TESTS}/faults/${subject}.py, and healthy situations in ${never}.`,
    `Write the rule in ${rules}/${subject}/${named}.py: its docstring is its page, so write all of its parts.`,
    `Write the step in which its example can be run in ${TESTS}/rule_examples.py.`,
    "Make its page: npm run rules",
    `Prove it: pytest ${TESTS}/test_{rules,findings,structures}.py -k "${named} or ${id} or every_rule or pages"`,
  ];
}

const KINDS: Readonly<Record<string, (name: string, files: Files) => string[]>> = { kind, lens, rule };

/** What to write for a new kind, lens or rule. Throws `Refused` where it can't be laid under this name. */
export function lay(what: string, name: string, read: Read): Laid {
  const laid = KINDS[what];
  if (laid === undefined) throw new Refused(`lays a kind, a lens or a rule, no “${what}”`);
  const files = new Files(read);
  const next = laid(name, files);
  return { files: files.written, next };
}

async function main([what = "", name = ""]: readonly string[]): Promise<void> {
  const at = (file: string): string => path.join(root, file);
  const { files, next } = lay(what, name, (file) =>
    existsSync(at(file)) ? readFileSync(at(file), "utf8") : undefined,
  );
  for (const [file, text] of files) {
    mkdirSync(path.dirname(at(file)), { recursive: true });
    const options = { ...(await resolveConfig(at(file))), filepath: at(file) };
    writeFileSync(at(file), file.endsWith(".md") ? await format(text, options) : text);
    console.log(file);
  }
  await writeProtocol();
  const sources = [...files.keys()].filter((file) => file.endsWith(".py")).map(at);
  for (const task of [
    ["check", "--quiet", "--select", "I", "--fix"],
    ["format", "--quiet"],
  ])
    spawnSync(python, ["-m", "ruff", ...task, ...sources], { cwd: root, stdio: "inherit" });
  console.log(`\nThen:\n${next.map((step, index) => `${index + 1}. ${step}`).join("\n")}`);
}

if (import.meta.main) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    console.error(`npm run new -- kind|lens|rule NAME: ${error.message}`);
    process.exitCode = 2;
  }
}
