"""The helper's shape: data flows one way, and nothing but the standard library is needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from bundle import SOURCE

from tensor_inspector.kinds import registry

# From the front door down. A module imports from its own layer or from those below it.
LAYERS = [
    {"__init__"},
    {"api", "questions", "gateway"},
    {"asking", "operations"},
    {"addressed"},
    {"failure"},
    {"arguments"},
    {"stock"},
    {"stop", "watching"},
    {"lenses"},
    {"kinds"},
    {"words"},
    {"measure"},
    {"debugger_views"},
    {"debugger", "time_outs"},
    {"safe"},
    {"session"},
    {"preferences"},
    {"protocol", "wire"},
]
STANDARD = {
    "__future__", "_thread", "ast", "binascii", "keyword", "collections", "contextlib", "ctypes", "functools", "gc", "importlib", "itertools", "json", "linecache", "math", "os", "re", "socket",
    "stat", "struct", "sys", "threading", "time", "types", "typing", "weakref", "zlib",
}  # fmt: skip
#: All but the command line, which is not injected.
FILES = sorted({*SOURCE.rglob("*.py")} - {SOURCE / "__main__.py"})


def part_of(module: str) -> str:
    return module.split(".")[0] or "__init__"


def module_of(path: str) -> str:
    """``kinds/torch/tensor.py`` is `kinds.torch.tensor`, ``kinds/__init__.py`` is `kinds`."""
    return ".".join(part for part in Path(path).with_suffix("").parts if part != "__init__")


MODULES = {module_of(str(file.relative_to(SOURCE))) for file in FILES}


def imports(path: str, *, for_types: bool = False) -> tuple[set[str], set[str]]:
    """Modules of the helper, and of elsewhere, that a file imports anywhere in it; with ``for_types`` also for types alone."""
    file = SOURCE / path
    package = list(file.relative_to(SOURCE).parts[:-1])
    ours, others = set(), set()
    tree = ast.parse(file.read_text("utf-8"))
    tests = (node for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    of_types = {below for node in tests for below in ast.walk(node)}  # never run
    for node in set(ast.walk(tree)) - (set() if for_types else of_types):
        if isinstance(node, ast.Import):
            others |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            others.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1]
            base = ".".join([*above, *([node.module] if node.module else [])])
            names = {".".join(filter(None, (base, alias.name))) for alias in node.names}
            ours |= names & MODULES or {base}
    return ours, others


PATHS = [str(file.relative_to(SOURCE)) for file in FILES if file.name != "loader.py"]


@pytest.mark.parametrize("path", PATHS)
def test_imports_point_down(path: str) -> None:
    own = part_of(path.replace(".py", "").replace("/", "."))
    level = next(index for index, layer in enumerate(LAYERS) if own in layer)
    allowed = set().union(*LAYERS[level:])
    above = sorted(module for module in imports(path)[0] if part_of(module) not in allowed)
    assert above == [], f"these stand above `{own}`: move what is needed of them into `{own}` or below (see LAYERS)"


#: Below the other lenses: what is in sight of a stop, and above it the one reading of the program's source.
READING = {"step": {"step"}, "flow": {"flow", "step"}}
READERS_OF_SOURCE = [path for path in PATHS if path.split("/")[:2] in [["lenses", floor] for floor in READING]]


@pytest.mark.parametrize("path", READERS_OF_SOURCE)
def test_the_reading_of_the_source_knows_no_lens_that_asks_it(path: str) -> None:
    """`flow` answers data: what is wrong with it, and in which words, is said by findings, observations and explanations."""
    lenses = {module.split(".")[1] for module in imports(path, for_types=True)[0] if part_of(module) == "lenses"}
    assert lenses <= READING[path.split("/")[1]], "move what is needed of them into `flow` or `step`"


def test_the_reading_of_the_source_has_no_words() -> None:
    spoken = [
        path for path in PATHS if path.startswith("lenses/flow/") and "words" in {*map(part_of, imports(path)[0])}
    ]
    assert spoken == []


def circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Sets of modules that import each other, directly or through others."""

    def reached(module: str) -> set[str]:
        found: set[str] = set()
        waiting = [module]
        while waiting:
            for below in graph[waiting.pop()] - found:
                found.add(below)
                waiting.append(below)
        return found

    below = {module: reached(module) for module in graph}
    return [
        {module, *(other for other in below[module] if module in below[other])}
        for module in graph
        if module in below[module]
    ]


def test_where_memory_is_only_one_file_asks() -> None:
    """Another way to ask crashes where it is gone, or makes a copy of what is copied on write."""
    assert [path for path in PATHS if "data_ptr" in (SOURCE / path).read_text("utf-8")] == ["measure/torch/readable.py"]


def test_no_file_reaches_another_but_by_an_import_or_the_registry() -> None:
    reaching = [path for path in PATHS if "sys.modules[__package__]" in (SOURCE / path).read_text("utf-8")]
    assert reaching == ["gateway.py"]  # for the version that the loader left


def test_a_class_has_a_name_of_its_own() -> None:
    """Two classes of one name, a leading underscore aside, are one word for two things. Types of the wire are others'."""
    files = [file for file in FILES if file.name != "protocol.py"]
    named: dict[str, list[str]] = {}  # in which files
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                named.setdefault(node.name.lstrip("_"), []).append(str(file.relative_to(SOURCE)))
    assert {name: where for name, where in named.items() if len(where) > 1} == {}, "give one another name"


#: Where each rule, and each detector, has a file of its own, short or long: ruff's limit of complexity holds the functions.
RULES = SOURCE / "lenses/findings"
DETECTORS = SOURCE / "lenses/observations/detectors"
WALLED = [file for file in FILES if not {RULES, DETECTORS} & {*file.parents}]


@pytest.mark.parametrize("folder", sorted({file.parent for file in WALLED}), ids=lambda folder: folder.name)
def test_a_folder_has_at_most_twenty_files(folder: Path) -> None:
    files = [file.name for file in folder.glob("*.py") if file.name != "__init__.py"]
    assert len(files) <= 20, "put it in a file that has its like, or make a folder of those that belong together"


def test_a_circle_is_seen() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [{"a", "b", "c"}] * 3
    assert circles({"a": {"b"}, "b": set()}) == []


def test_no_files_import_each_other() -> None:
    assert circles({module_of(path): imports(path, for_types=True)[0] - {module_of(path)} for path in PATHS}) == []


@pytest.mark.parametrize("path", [str(file.relative_to(SOURCE)) for file in FILES])
def test_only_standard_modules_that_a_debugger_has_loaded_are_imported(path: str) -> None:
    assert sorted(imports(path)[1] - STANDARD) == [], "look a library up with `guard.module`, which imports nothing"


def test_a_rule_is_imported_by_the_registry_alone() -> None:
    """What several rules share stands in `parts/`: a file of a rule is one rule."""
    files = RULES.glob("rules/*/*.py")
    rules = {module_of(str(file.relative_to(SOURCE))) for file in files if file.name != "__init__.py"}
    assert [path for path in PATHS if imports(path)[0] & rules] == ["lenses/findings/rules/registry.py"]


def test_importing_the_package_loads_neither_torch_nor_numpy() -> None:
    code = "import sys, tensor_inspector as t; t.summarize([1]); print({'torch', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("path", [str(file.relative_to(SOURCE)) for file in WALLED])
def test_a_module_holds_one_idea(path: str) -> None:
    lines = (SOURCE / path).read_text("utf-8").splitlines()
    if not any("Generated by" in line for line in lines[:3]):
        assert len(lines) <= 300, f"{path} is full: move one of its ideas into a file of its own"


SPOKEN = {"brief", "head", "inline", "line", "parts", "reason", "short", "stats_words", "summary", "text", "words"}
KEYS = {"inline", "line", "short", "text", "unread"}
READERS = {
    "count", "endswith", "find", "index", "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rpartition",
    "rsplit", "rstrip", "split", "splitlines", "startswith", "strip",
}  # fmt: skip
#: Where texts themselves are what is compared: `compare` falls back on them, and says so.
OF_TEXTS = {"lenses/compare/atoms.py": {"read_alike", "_alike_texts"}}


def is_spoken(node: ast.AST) -> bool:
    """Whether an expression is text for people: a line, words, a reason, or a piece of one."""
    if isinstance(node, ast.Call):
        wrapped = isinstance(node.func, ast.Name) and node.func.id in ("str", "list", "next")
        return any(map(is_spoken, node.args)) if wrapped else is_spoken(node.func)
    if isinstance(node, ast.Subscript):
        return (isinstance(node.slice, ast.Constant) and node.slice.value in KEYS) or is_spoken(node.value)
    return isinstance(node, ast.Attribute) and node.attr in SPOKEN


def readings(tree: ast.AST) -> list[int]:
    """Lines in which text for people is read as data."""
    found = []
    for node in ast.walk(tree):
        compared = isinstance(node, ast.Compare) and any(map(is_spoken, [node.left, *node.comparators]))
        method = node.func if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
        if compared or (method is not None and method.attr in READERS and is_spoken(method.value)):
            found.append(node.lineno)
    return found


@pytest.mark.parametrize(
    "code",
    [
        "'freed' in reading.reason", "reading.text == 'off'", "self.head().startswith('bool')", "a.line() != b.line()",
        "str(kind.head()).partition('[')[0]", "node['line'].endswith('NaN')", "self.words()[0].split(' · ')",
        "facts['unread'] in known",
    ],
)  # fmt: skip
def test_reading_text_as_data_is_seen(code: str) -> None:
    assert readings(ast.parse(code)) == [1]


@pytest.mark.parametrize("path", [str(file.relative_to(SOURCE)) for file in FILES])
def test_no_branch_is_taken_on_text_for_people(path: str) -> None:
    tree = ast.parse((SOURCE / path).read_text("utf-8"))
    allowed = OF_TEXTS.get(path, set())
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name in allowed]
    assert {node.name for node in texts} == allowed
    skipped = {line for node in texts for line in readings(node)}
    lines = [line for line in readings(tree) if line not in skipped]
    assert lines == [], "in these lines text for people is read: ask for typed data, as `Unread.code`"


def test_every_family_that_the_registry_names_is_there() -> None:
    named = [name for _, _, name in (*registry._FIRST, *registry._BUILT_IN, *registry._LAST)]
    assert [name for name in named if not (SOURCE / "kinds" / f"{name.replace('.', '/')}.py").exists()] == []


def test_every_family_is_named_in_the_registry() -> None:
    named = {name for _, _, name in (*registry._FIRST, *registry._BUILT_IN, *registry._LAST)}
    chosen = {path for path in PATHS if path.startswith("kinds/") and "kind_for" in names_made_in(path)}
    assert {module_of(path).partition(".")[2] for path in chosen} == named, "give it a row in kinds/registry.py"


def names_made_in(path: str) -> set[str]:
    """Functions, and names that something is assigned to, at the top of a file."""
    body = ast.parse((SOURCE / path).read_text("utf-8")).body
    targets = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    return functions | {target.id for target in targets if isinstance(target, ast.Name)}


def test_mutants_that_are_explained_are_of_lines_that_stand_there() -> None:
    toml = pytest.importorskip("tomllib")  # before Python 3.11
    explained = Path(__file__).parents[1] / "mutants" / "explained.toml"
    for survivor in toml.loads(explained.read_text("utf-8"))["survivors"]:
        source = (SOURCE / survivor["file"]).read_text("utf-8")
        assert f"def {survivor['function'].rpartition('.')[2]}(" in source, survivor
        assert survivor["was"] in " ".join(line.strip() for line in source.splitlines()), survivor
        assert survivor["was"] != survivor["becomes"]


#: Whose instances the helper made itself: only of these may be asked with `isinstance`, which runs a ``__class__``.
OURS = {"ArrayKind", "Container", "Mapping", "PlainObject", "Set", "Table", "Unread"}
SCANNED = [path for path in PATHS if path.startswith("lenses/")]


def asks_for_a_class(tree: ast.AST) -> list[int]:
    """Lines in which a value of the program's could be asked what it is by code of its own.

    ``isinstance(value, …)`` runs its ``__class__``; ``type(value) == …`` and ``type(value) in (…)`` run its metaclass's
    ``__eq__``, or ``__hash__`` where a set is asked.
    """
    nodes = list(ast.walk(tree))
    sets = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and is_collection(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return [
        node.lineno
        for node in nodes
        if (isinstance(node, ast.Call) and is_of_others(node))
        or (isinstance(node, ast.Compare) and is_by_equality(node, sets))
    ]


def is_collection(node: ast.AST) -> bool:
    made = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("frozenset", "set")
    return isinstance(node, (ast.Tuple, ast.List, ast.Set)) or (made and "map(id" not in ast.unparse(node))


def is_of_others(call: ast.Call) -> bool:
    """Whether it is an `isinstance` of another class than those of a syntax tree and the helper's own."""
    if not (isinstance(call.func, ast.Name) and call.func.id == "isinstance"):
        return False
    classes = call.args[1].elts if isinstance(call.args[1], ast.Tuple) else [call.args[1]]
    return not all(
        (isinstance(one, ast.Attribute) and ast.unparse(one.value) == "ast")
        or (isinstance(one, ast.Name) and (one.id in OURS or one.id in OF_TREES))
        for one in classes
    )


OF_TREES = {
    "LOOPS",
    "SCOPES",
    "_CONDITIONS",
    "_DEFINITIONS",
    "_IDLE",
    "_LATER",
    "_LEAVING",
    "_SKIPPING",
    "_TRIES",
    "_LEFT_OUT",
    "_MATCHES",
    "_OPERATIONS",
    "_ORDERS",
    "_Optional",
    "_UNDECIDED",
    "kinds",
}  #: names that stand for classes of a syntax tree


def is_by_equality(node: ast.Compare, sets: set[str]) -> bool:
    sides = [node.left, *node.comparators]
    if not any(is_class_of(side) for side in sides):
        return False
    return any(
        isinstance(op, (ast.Eq, ast.NotEq))
        or (
            isinstance(op, (ast.In, ast.NotIn))
            and (is_collection(side) or (isinstance(side, ast.Name) and side.id in sets))
        )
        for op, side in zip(node.ops, node.comparators)
    )


def is_class_of(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "type"
    return isinstance(node, ast.Name) and node.id == "cls"


@pytest.mark.parametrize(
    ("code", "is_seen"),
    [
        ("isinstance(value, Operand)", True), ("isinstance(called, type)", True),
        ("isinstance(value, (ast.Name, dict))", True), ("type(value) in (list, tuple)", True),
        ("type(items[0]) not in {int, float}", True), ("type(value) == list", True), ("cls != dict", True),
        ("FIXED = frozenset((int, str)); cls in FIXED", True),
        ("isinstance(node, (ast.Name, ast.Call))", False), ("type(value) is Operand", False),
        ("type(value) in SEQUENCES", False), ("FIXED = Classes(int, str); cls in FIXED", False),
        ("issubclass(type(value), (list, tuple))", False),
    ],
)  # fmt: skip
def test_asking_a_value_for_its_class_is_seen(code: str, is_seen: bool) -> None:
    assert asks_for_a_class(ast.parse(code)) == [1] * is_seen


@pytest.mark.parametrize("path", SCANNED)
def test_no_lens_asks_a_value_for_its_class(path: str) -> None:
    lines = asks_for_a_class(ast.parse((SOURCE / path).read_text("utf-8")))
    assert lines == [], (
        "in these lines write `issubclass(type(value), …)`, `type(value) is …` or `type(value) in Classes(…)`"
    )


@pytest.mark.parametrize("path", sorted(str(file.relative_to(SOURCE)) for file in FILES))
def test_no_union_is_evaluated_in_an_annotation(path: str) -> None:
    """Python 3.9 has no ``int | None``."""
    tree = ast.parse((SOURCE / path).read_text("utf-8"))
    arguments = [node.annotation for node in ast.walk(tree) if isinstance(node, (ast.arg, ast.AnnAssign))]
    results = [node.returns for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    below = (node for note in (*arguments, *results) if note is not None for node in ast.walk(note))
    if any(isinstance(node, ast.BinOp) for node in below):
        assert any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body)
