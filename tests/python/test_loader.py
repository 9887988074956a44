"""The helper put into a process as text, in a child process each: what it leaves behind, and what it does not."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from bundle import program

FRAME = """
import base64, json, sys
def ask(**request):
    text = base64.b64encode(json.dumps({"version": "test", **request}).encode()).decode()
    return json.loads(sys.modules["_tensor_inspector.gateway"].call(text))
def frame(function):
    # as the debugger calls us: from a function of that name, in a module of that name, with the frame as a local
    space = {"__name__": "_pydevd_bundle.pydevd_vars", "ask": ask}
    exec("def evaluate_expression(frame): return ask(op='frame', limits={'ms': 60000})", space)
    return space["evaluate_expression"](function())
"""


def run(after: str, before: str = "", put_in: str = "") -> Any:
    """What `after` printed as JSON, in a fresh interpreter into which the helper was put."""
    text = f"{before}\n{FRAME}\nspace = {{}}\n{put_in}\nexec({program()!r}, space)\nanswer = space['answer']\n{after}"
    command = [sys.executable, "-W", "error", "-"]
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_it_answers_its_version_and_the_process() -> None:
    answer = run("print(answer)")
    assert answer["version"] == "test"
    assert answer["python"] == sys.version.split()[0]
    assert answer["pid"] > 0


#: Of each module of the helper: "_Folder" while it is packed, "bytes" until it is compiled, "code" until it is run, then
#: "NoneType".
STATES = (
    "def states(): return {n[18:]: type(m.__dict__.get('_source')).__name__ for n, m in list(sys.modules.items())"
    " if n.startswith('_tensor_inspector.')}\n"
)


def test_modules_that_no_value_needs_are_not_compiled() -> None:
    states = run(f"{STATES}frame(sys._getframe)\nprint(json.dumps(states()))")
    assert states["kinds.torch.tensor"] == "code"
    assert [states[name] for name in ("kinds.tables.pandas_tables", "lenses.findings.lens")] == ["_Folder", "_Folder"]
    assert [states[name] for name in ("lenses.answer", "api")] == ["bytes", "bytes"]


def test_at_the_first_stop_of_a_torch_program_nothing_is_compiled_any_more() -> None:
    before, then = run(
        f"{STATES}before = states()\n"
        "import torch\n"
        "def stop():\n"
        "    x, labels, mask = torch.randn(1000), torch.arange(5), torch.ones(3) > 0\n"
        "    model = torch.nn.Linear(2, 3)\n"
        "    optimizer = torch.optim.SGD(model.parameters())\n"
        "    out = model(torch.ones(4, 2)); loss = out.sum(); loss.backward(); view = x[1:]\n"
        "    batch, history, name, step, rate, nothing = {'x': x}, [1.0, 2.0], 'run', 3, 0.1, None\n"
        "    return sys._getframe()\n"
        "frame(stop)\n"
        "print(json.dumps([before, states()]))"
    )
    compiled = [name for name, state in then.items() if state == "NoneType" and before[name] in ("_Folder", "bytes")]
    assert compiled == [], "to be named in loader.py, among what is compiled soon"


def test_answering_loads_neither_torch_nor_numpy_nor_any_module_but_its_own() -> None:
    loaded = run(
        "import debugpy\n"
        "before = set(sys.modules)\n"
        "frame(sys._getframe)\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))",
        before="import ctypes, socket, zlib, binascii, base64, json, weakref, typing, collections, re",
    )
    assert loaded == []


def test_a_torch_program_answers_with_its_tensors() -> None:
    rows = run(
        "def stop():\n x = torch.ones(3)\n return sys._getframe()\nprint(json.dumps(frame(stop)['rows']))",
        before="import torch",
    )
    assert rows["nodes"][0]["line"] == "float32[3] · all 1"


def test_code_is_compiled_as_frozen_so_that_no_debugger_steps_into_it() -> None:
    names = run(
        "frame(sys._getframe)\n"
        "from types import FunctionType\n"
        "files = {v.__code__.co_filename for n, m in list(sys.modules.items()) if n.startswith('_tensor_inspector')"
        " for v in vars(m).values() if type(v) is FunctionType and v.__module__.startswith('_tensor')}\n"
        "print(json.dumps(sorted(files)))"
    )
    assert len(names) > 5
    assert all(name.startswith("<frozen _tensor_inspector") for name in names)


def test_another_version_takes_the_place_and_the_same_one_is_left_alone() -> None:
    same, other = run(
        f"first = sys.modules['_tensor_inspector']\n"
        f"exec({program()!r}, {{}})\n"
        f"same = sys.modules['_tensor_inspector'] is first\n"
        f"exec({program('newer')!r}, {{}})\n"
        f"other = sys.modules['_tensor_inspector'] is first\n"
        f"print(json.dumps([same, other]))"
    )
    assert (same, other) == (True, False)


def test_it_is_not_said_to_be_there_before_all_of_it_is() -> None:
    """A child that the program forks in the meantime has a half of it, and is to get another."""
    gateway = "seen = vars(sys.modules['_tensor_inspector']).get('version')"
    during, then = run(
        f"exec({program('newer', gateway)!r}, {{}})\n"
        "names = vars(sys.modules['_tensor_inspector'])\n"
        "print(json.dumps([names['gateway'].seen, names['version']]))"
    )
    assert (during, then) == (None, "newer")


def test_a_python_that_is_too_old_gets_a_sentence_and_nothing_else() -> None:
    answer, left = run(
        "for name in [n for n in sys.modules if n.startswith('_tensor_inspector')]: del sys.modules[name]\n"
        "real, sys.version_info = sys.version_info, (3, 8, 18)\n"
        "answer = space['install']({}, 'x', {}, [])\n"
        "sys.version_info = real\n"
        "print(json.dumps([json.loads(answer), [n for n in sys.modules if n.startswith('_tensor_inspector')]]))"
    )
    assert answer["error"].endswith("and Tensor Inspector needs 3.9 or newer")
    assert left == []


def test_a_helper_that_does_not_start_leaves_nothing_behind() -> None:
    left = run(
        "def gone(*_): raise OSError('no')\n"
        "for name in [n for n in sys.modules if n.startswith('_tensor_inspector')]: del sys.modules[name]\n"
        "broken = dict(space['install'].__globals__)\n"
        "try: space['install']({'': 0, 'debugger': 0}, 'x', {}, [__import__('zlib').compress(b'\\0raise OSError(1)')])\n"
        "except OSError: pass\n"
        "print(json.dumps([n for n in sys.modules if n.startswith('_tensor_inspector')]))"
    )
    assert left == []


SEARCHES = """
import builtins, sys
searches = []
sys.addaudithook(lambda event, given: searches.append(event) if event == "gc.get_referrers" else None)
"""


def test_names_that_the_program_adds_to_the_built_in_ones_are_not_searched_for() -> None:
    assert run("print(len(searches))", before=SEARCHES, put_in="builtins._ = builtins.ic = str.upper") == 0


def test_what_is_replaced_is_searched_for_once() -> None:
    replaced = "length = len\nbuiltins.len = lambda given: length(given)"
    again = f"exec({program()!r}, {{}})\nexec({program('newer')!r}, {{}})\nprint(len(searches))"
    assert run(again, before=SEARCHES, put_in=replaced) == 1


REPLACED = """
import builtins, gc, re, sysconfig, threading, typing, weakref
called, own, names = [], {}, vars(builtins)
standard, installed = sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")
def is_standard(file):
    of_a_library = file.startswith(installed) or "site-packages" in file
    return not of_a_library and file.startswith((standard, "<frozen ", "<string>"))
def is_ours(asks, through_standard):
    while asks is not None:
        file = asks.f_code.co_filename
        if file.startswith("<frozen _tensor_inspector"):
            return True
        if not through_standard or not is_standard(file):
            return False
        asks = asks.f_back
def replacement(name, who_asks):
    def function(*given, **named):
        if who_asks == "anybody" or is_ours(sys._getframe(1), who_asks == "we, or the standard library for us"):
            called.append(name)
            raise OSError(f"{name} of the program")
        return own[name](*given, **named)
    return function
def replace(who_asks):
    function, of_their_caller = type(len), ("dir", "eval", "exec", "globals", "locals", "vars")
    found = {name: item for name, item in names.items() if type(item) is function and name[0] != "_"}
    own.update({name: item for name, item in found.items() if name not in of_their_caller})
    if who_asks != "anybody":
        own.update({cls.__name__: cls for cls in (enumerate, filter, map, reversed, zip)})
    names.update({name: replacement(name, who_asks) for name in own})
def restore():
    names.update(own)
"""
#: Replaces, calls the helper about the frame of `stop`, and restores.
ASKED = """
space = {"__name__": "_pydevd_bundle.pydevd_vars", "call": sys.modules["_tensor_inspector.gateway"].call}
question = {"op": "frame", "version": "test", "limits": {"ms": 60000}}
space["text"] = base64.b64encode(json.dumps(question).encode()).decode()
exec("def evaluate_expression(frame): return call(text)", space)
def stop():
    words, table, seen = ["one"], {"a": [1, 2.5]}, {4}
    return sys._getframe()
paused = stop()
Lines = sys.modules["_tensor_inspector.stock.provider"].Lines
sys.modules["_tensor_inspector.gateway"].prefer({"budget_ms": 1200})  # on a busy machine too there is time for all
Lines().get_str([1])
REPLACE
shown = Lines().get_str([1])
answer = space["evaluate_expression"](paused)
restore()
answer = json.loads(answer)
rows = answer["rows"]["nodes"] if "rows" in answer else [{"name": "error", "line": answer["error"]["message"]}]
print(json.dumps([{node["name"]: node["line"] for node in rows}, called, shown]))
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("replace('we')", ""),
        ("", "replace('we')"),
        ("", "frame(stop)\nreplace('anybody')"),  # all modules are there: none of the standard library's either
    ],
    ids=["before the helper was put there", "after it", "for everybody"],
)
def test_what_a_program_puts_in_the_place_of_built_in_functions_is_not_called(before: str, after: str) -> None:
    lines, called, shown = run(ASKED.replace("REPLACE", after), before=REPLACED, put_in=before)
    assert lines == {"words": "list · 1: 'one'", "table": "dict · 1: a list of 2", "seen": "set · 1: 4"} | lines
    assert called == []
    assert shown is None, "a plain list is the debugger's"


#: A library, and values of its.
FAMILIES = {
    "builtins": "words, table, seen, key = ['one', None], {'a': [1, 2.5], 2: (1,)}, {4}, b'x'\n"
    " error, files, pattern, thing = ValueError('no'), sys.stdin, re.compile('a', re.I), threading.Event()\n"
    " weak, proxy, numbers, code = weakref.ref(thing), weakref.proxy(thing), range(3), stop\n",
    "torch": "x, labels, off = torch.randn(2, 3), torch.arange(5), torch.tensor([1.0, float('nan')])\n"
    " model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())\n"
    " optimizer, out = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), model(x)\n"
    " out.sum().backward(); optimizer.step(); view = x[1:]; sparse = x.to_sparse()\n"
    " nested, packed = torch.nested.nested_tensor([x, x]), torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)\n"
    " data = torch.utils.data.TensorDataset(x, x); loader = torch.utils.data.DataLoader(data, 2)\n"
    " dtype, size, device, storage = x.dtype, x.shape, x.device, x.untyped_storage()\n",
    "numpy": "a, mask, names = numpy.eye(3), numpy.ma.masked_array([1.0, 2.0], [0, 1]), numpy.array(['a', 'b'])\n"
    " mixed, days = numpy.array([1, 'x', None], dtype=object), numpy.array(['2026-01-01'], 'M8[D]')\n",
    "pandas": "table = pandas.DataFrame({'a': [1, 2], 'b': ['x', None]}); column, index = table['a'], table.index\n",
    "polars": "table = polars.DataFrame({'a': [1, 2], 'b': ['x', None]}); column = table['a']\n",
    "jax": "a = jax.numpy.arange(6.0).reshape(2, 3); nested = {'w': a}\n",
}
#: The answers about a frame, its rows, and some of the paths that they offer; and what the debugger's own views show.
ALL_ASKED = """
def stop():
 VALUES
 return sys._getframe()
def questions():
    answers = [evaluated(op="frame")]
    assert "rows" in answers[0], answers[0]
    rows = [row for row in answers[0]["rows"]["nodes"] if "path" in row]
    for row in rows:
        if "children" in row:
            answers.append(evaluated(op="children", snapshot=answers[0]["snapshot"], node=row["id"], start=0, count=20))
    paths = [row["path"] for answer in answers[1:] for row in answer["page"]["nodes"] if "path" in row]
    answers += [evaluated(op="inspect", expression=path) for path in paths]
    places = [{"snapshot": answers[0]["snapshot"], "node": row["id"]} for row in rows]
    for a, b in zip(places, places[1:] + places):
        answers.append(evaluated(op="lens", lens="compare", values={"a": a, "b": b}))
        assert answers[-1].get("done"), answers[-1]
    return [[row["name"] + ": " + row["line"] for row in rows]] + [
        [row.get("path", row["name"]) + ": " + row["line"]
         for row in (answer["page"]["nodes"] if "page" in answer else [answer["node"]])] for answer in answers[1:]]
def evaluated(**request):
    said = json.dumps({"version": "test", "limits": {"ms": 60000}, **request})
    space["text"] = base64.b64encode(said.encode()).decode()
    kept.append(space["evaluate_expression"](paused))
    return json.loads(kept[-1])
kept, space = [], {"__name__": "_pydevd_bundle.pydevd_vars", "call": sys.modules["_tensor_inspector.gateway"].call}
exec("def evaluate_expression(frame): return call(text)", space)
paused = stop()
Lines = sys.modules["_tensor_inspector.stock.provider"].Lines
session = sys.modules["_tensor_inspector.session"].session
def shown():
    session.preferred = session.preferred._replace(budget_ms=60000.0)  # a busy machine says no less
    session.burst = None
    return [Lines().get_str(value) for value in paused.f_locals.values()]
replace("we, or the standard library for us")
answers = [shown(), questions()]
restore()
print(json.dumps([answers, [shown(), questions()], called]))
"""


@pytest.mark.parametrize("library", FAMILIES)
def test_nor_is_it_called_by_the_standard_library_on_our_behalf(library: str) -> None:
    pytest.importorskip(library)
    script = ALL_ASKED.replace("VALUES", FAMILIES[library])
    replaced, original, called = run(
        script, before=f"import warnings\nwarnings.simplefilter('ignore')\nimport {library}\n{REPLACED}"
    )
    assert called == []
    assert replaced == original
    assert len(original[1]) > 1
