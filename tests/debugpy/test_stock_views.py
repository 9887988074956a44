"""The debugger's own views, Variables, Watch, hover and console, through the real adapter: our lines and rows in them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from client import Client, DapError, Stop
from helper import Helper
from table import DROPPED, Start

PREFERRED = {"stock_views": True}

TRAINING = """
    import torch
    from collections import OrderedDict, defaultdict, deque, namedtuple
    from dataclasses import dataclass
    from torch import nn

    @dataclass
    class Batch:
        image: object
        label: int

    Pair = namedtuple("Pair", "left right")

    def train():
        torch.manual_seed(0)
        image = torch.linspace(-1, 1, 2400).reshape(600, 4)
        image[0, 0] = float("nan")
        model = nn.Sequential(nn.Linear(4, 2), nn.ReLU())
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        loss = model(image[1:]).sum()
        loss.backward()
        batch = {"image": image, "label": 3}
        sample = Batch(image, 1)
        pair = Pair(image, 2)
        plain = [1, 2.5, "three", None, {"four": (4, 5)}]
        texts = {"a": "x" * 300, ("b", 1): b"y"}
        kinds = [OrderedDict(a=1), defaultdict(int, a=1), deque([1, 2]), {1, 2}, frozenset([3]), Pair(1, 2), Batch(1, 2)]
        many = list(range(1000))
        print("here")  # STOP
        return image, batch, sample, pair, plain, texts, kinds, many, optimizer
    train()
"""

NAMES = ("image", "model", "batch", "optimizer", "pair", "plain")
PLAIN = ("plain", "texts", "kinds", "many")


def show(stop: Stop, helper: Helper, on: bool = True) -> None:
    helper.frame(stop, preferences={"stock_views": on})


def children(client: Client, row: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = client.variables(row["variablesReference"])
    rows = {child["name"]: child for child in found}
    assert len(rows) == len(found), "two rows of one name"
    return rows


def everything(client: Client, row: dict[str, Any], depth: int = 3) -> list[Any]:
    """What the Variables view shows of a row, without the numbers that stand for its objects."""
    shown = {name: item for name, item in row.items() if name != "variablesReference"}
    below = client.variables(row["variablesReference"]) if row["variablesReference"] and depth else []
    return [shown, bool(row["variablesReference"]), [everything(client, child, depth - 1) for child in below[:30]]]


def test_variables_show_our_lines(paused: Start) -> None:
    client, stop, helper = paused(TRAINING)
    show(stop, helper)
    values = {name: row["value"] for name, row in client.locals(stop.frame).items()}
    assert values["image"] == "float32[600, 4] · −0.9992…1 · μ 0.000417 σ 0.577 · 1 NaN · view of [2400]"
    assert values["model"].startswith("Sequential(2) · 10 params")
    assert values["optimizer"].startswith("SGD · lr 0.1")
    assert values["loss"].startswith("float32[] ")
    assert values["batch"] == "dict · NaN in image · 2: image f32[600,4], label 3"
    assert values["sample"].startswith("Batch · NaN in image · image f32[600,4]")
    assert values["pair"].startswith("Pair · ")


def test_a_tensor_opens_to_finite_rows_and_each_expression_reaches_what_its_row_shows(paused: Start) -> None:
    client, stop, helper = paused(TRAINING)
    show(stop, helper)
    waiting = [(row, 0) for row in client.locals(stop.frame).values() if row["name"] in ("image", "model", "loss")]
    seen = 0
    for row, depth in waiting:
        seen += 1
        assert row["name"] not in ("T", "H", "mT", "mH", "data", "real")
        expression = row.get("evaluateName")
        if expression and row["type"]:
            again = client.evaluate(expression, stop.frame, context="watch")
            assert again["type"] == row["type"]
            assert again["result"].startswith(row["value"]), expression
        if row["variablesReference"] and depth < 5 and seen < 300:
            waiting.extend((child, depth + 1) for child in client.variables(row["variablesReference"])[:8])
    assert seen < 300


def test_a_row_that_no_expression_reaches_offers_none(paused: Start) -> None:
    client, stop, helper = paused(TRAINING)
    show(stop, helper)
    stats = children(client, client.locals(stop.frame)["image"])["stats"]
    rows = children(client, stats)
    assert rows["NaN"]["value"] == "1 · first at [0, 0]"
    assert not any("evaluateName" in row for row in [stats, *rows.values()])
    assert not any(row["variablesReference"] for name, row in rows.items() if name not in ("percentiles", "histogram"))


def test_a_group_offers_no_expression(paused: Start) -> None:
    client, stop, helper = paused(TRAINING)
    show(stop, helper)
    values = children(client, client.locals(stop.frame)["image"])["values"]
    assert values["evaluateName"] == ""
    assert children(client, values)["[100…199]"]["evaluateName"] == ""


def test_many_rows_are_paged_by_ranges(paused: Start) -> None:
    client, stop, helper = paused(TRAINING)
    show(stop, helper)
    values = children(client, children(client, client.locals(stop.frame)["image"])["values"])
    assert list(values)[:2] == ["[0]", "[1]"]
    assert list(values)[100:] == [f"[{at}…{at + 99}]" for at in range(100, 600, 100)]
    last = children(client, values["[500…599]"])
    assert list(last)[-1] == "[599]"
    assert last["[599]"]["evaluateName"] == "image[599]"
    assert last["[599]"]["type"] == "Tensor"


PRINTED = {
    "image[:2]": [
        "float32[2, 4] · −0.9992…−0.9942 · μ −0.997 σ 0.0018 · 1 NaN · view of [2400]",
        "[NaN, −0.9992, −0.9983, −0.9975]",
        "[−0.9967, −0.9958, −0.995, −0.9942]",
    ],
    "image[0, 1:3].numpy()": ["float32[2] · −0.9992…−0.9983 · μ −0.999 σ 0.00059 · view", "[−0.9992, −0.9983]"],
    "torch.tensor([3, 1])": ["int64[2] [3, 1]"],
    "image[0, 1]": ["float32[] −0.9992 · view of [2400]"],
    "batch": ["dict · NaN in image · 2: image f32[600,4], label 3", "'image'  float32[600, 4] · −0.9992…1 · μ 0.000417 σ 0.577 · 1 NaN · view of [2400]", "'label'  3"],
    "[image[0, 1]] * 12": ["list · 12: (f32[] −0.9992) ×12", *(f"[{at}]  float32[] −0.9992 · view of [2400]" for at in range(10)), "…"],
    "plain": ["[1, 2.5, 'three', None, {'four': (...)}]"],
}  # fmt: skip


@pytest.mark.parametrize("expression", PRINTED)
def test_the_console_prints_the_first_values_too(paused: Start, expression: str) -> None:
    client, stop, helper = paused(TRAINING)
    show(stop, helper)
    printed = client.evaluate(expression, stop.frame, context="repl")["result"]
    assert printed.splitlines() == PRINTED[expression]
    copied = client.evaluate(expression, stop.frame, context="clipboard")["result"]
    assert " · " not in copied, "copying gives the value's own text"


HOLDING = """
    import torch
    from collections import OrderedDict, defaultdict, deque, namedtuple
    from dataclasses import dataclass
    from types import SimpleNamespace

    Pair = namedtuple("Pair", "left right")

    @dataclass
    class Sample:
        image: object

    class Hostile(dict):
        def __iter__(self): raise SystemExit("touched")
        __len__ = keys = values = items = __getitem__ = __iter__

    def train():
        x = torch.ones(3)
        named = [Pair(x, 1), Pair(x, 2)]
        cache = tuple((x, x) for _ in range(12))
        nested = {"train": {"x": x}, "test": {"x": x}}
        samples = [Sample(x)]
        ordered = OrderedDict(a=[Sample((1, x))])
        grouped = defaultdict(list, a=[Pair(1, [x])])
        spaced = SimpleNamespace(pairs=[Pair(x, x)])
        recent = deque([Pair(x, x)])
        deep = {"a": [{"b": ({"c": [Sample(image=Pair(1, x))]},)}]}
        late = [[1]] * 12 + [Pair(x, x)]
        hostile = [Hostile(a=x)]
        looped = [1]
        looped.append((looped, x))
        numbers = [Pair(1, 2), {"a": {"b": (3, 4)}}]
        print("here")  # STOP
    train()
"""
HELD = {
    "named": "list · 2: Pair, Pair",
    "cache": "tuple · 12: (tuple of 2 f32[3]) ×12",
    "nested": "dict · 2: train dict of 1, test dict of 1",
    "samples": "list · 1: Sample",
    "ordered": "OrderedDict · 1: a list of 1",
    "grouped": "defaultdict · 1: a list of 1",
    "spaced": "SimpleNamespace · pairs list of 1",
    "recent": "deque · 1: Pair",
    "deep": "dict · 1: a list of 1",
    "late": "list · 13: (list of 1) ×12, …",
    "hostile": "list · 1: Hostile of 1",
    "looped": "list · 2: 1, tuple of 2",
}


def test_what_would_write_out_tensors_further_down_shows_our_line(start: Start) -> None:
    client, stop, helper = start(HOLDING)
    show(stop, helper)
    rows = client.locals(stop.frame)
    assert {name: rows[name]["value"] for name in HELD} == HELD
    assert rows["numbers"]["value"] == "[Pair(left=1, right=2), {'a': {...}}]"


@pytest.mark.parametrize("context", ["hover", "watch", "repl"])
def test_hover_watch_and_console_show_our_lines(paused: Start, context: str) -> None:
    client, stop, helper = paused(TRAINING)
    show(stop, helper)
    answer = client.evaluate("image[1:] * 2", stop.frame, context=context)
    assert answer["result"].startswith("float32[599, 4] · ")
    rows = children(client, answer)
    first = children(client, rows["values"])["[0]"]
    assert first["evaluateName"] == "(image[1:] * 2)[0]"
    assert client.evaluate(first["evaluateName"], stop.frame)["result"].startswith(first["value"])


def test_copying_a_value_gives_all_of_it(paused: Start) -> None:
    client, stop, helper = paused(TRAINING)
    show(stop, helper, on=False)
    before = client.evaluate("image", stop.frame, context="clipboard")["result"]
    show(stop, helper)
    assert client.evaluate("image", stop.frame, context="clipboard")["result"] == before
    assert before.startswith("tensor([[")


def test_setting_a_value_answers_with_our_line(start: Start) -> None:
    client, stop, helper = start(TRAINING)
    show(stop, helper)
    scope = client.scopes(stop.frame)[0]["variablesReference"]
    client.variables(scope)
    assert client.set_variable(scope, "loss", "torch.zeros(2, 2)")["value"] == "float32[2, 2] · all zeros"
    assert client.set_expression("batch['image']", "torch.ones(3)", stop.frame)["value"] == "float32[3] · all 1"
    values = children(client, children(client, client.locals(stop.frame)["loss"])["values"])["[1]"]
    client.variables(values["variablesReference"])
    client.set_variable(values["variablesReference"], "[0]", "7")
    assert client.evaluate("loss[1, 0].item()", stop.frame)["result"] == "7.0"


def test_what_the_standard_library_writes_out_is_our_line_where_it_holds_tensors(start: Start) -> None:
    client, stop, helper = start("""
        import argparse, collections, torch, types
        x = torch.ones(600, 4)
        held = [
            types.SimpleNamespace(x=x), argparse.Namespace(x=x), collections.UserDict(x=x), collections.UserList([x]),
            types.MappingProxyType({"x": x}), {"x": x}.values(), {"x": x}.items(),
        ]
        plain = [
            types.SimpleNamespace(x=1), argparse.Namespace(x=1), collections.UserDict(x=1), collections.UserList([1]),
            types.MappingProxyType({"x": 1}), {"x": 1}.values(), {"x": 1}.items(),
        ]
        print("here")  # STOP
    """)
    before = everything(client, client.locals(stop.frame)["plain"])
    show(stop, helper)
    assert everything(client, client.locals(stop.frame)["plain"]) == before
    held = children(client, client.locals(stop.frame)["held"])
    texts = [row["value"] for name, row in held.items() if name.isdigit()]
    assert len(texts) == 7
    assert [text for text in texts if "tensor([[" in text] == []


def test_a_group_is_nothing_that_can_be_set(paused: Start) -> None:
    client, stop, helper = paused(TRAINING)
    show(stop, helper)
    image = client.locals(stop.frame)["image"]
    values = children(client, image)["values"]
    with pytest.raises(DapError):
        client.set_variable(image["variablesReference"], "values", "5")
    client.variables(values["variablesReference"])
    with pytest.raises(DapError):
        client.set_variable(values["variablesReference"], "[100…199]", "5")
    assert client.locals(stop.frame)["image"]["value"].startswith("float32[600, 4]")


#: Each of these values is set, or refused to be set, by one test.
SET = """
    import numpy, pandas, polars, torch
    linear = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(linear.parameters(), lr=0.1)
    frame = pandas.DataFrame({"a": [1, 2, 3], "b": [4.0, 5.0, 6.0]})
    series = pandas.Series([1, 2, 3])
    index = pandas.Index([1, 2, 3])
    table = polars.DataFrame({"v": [1, 2, 3]})
    column = polars.Series("v", [1, 2, 3])
    quantized = torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8)
    sparse = torch.eye(3).to_sparse()
    array = numpy.arange(3)
    record = numpy.zeros(3, [("x", "i4")])
    print("here")  # STOP
"""


@pytest.mark.parametrize(
    ("path", "expression", "is_set"),
    [
        (["frame", "'a'", "values", "[0]"], "int(frame['a'].iloc[0])", False),
        (["table", "'v'", "values", "[0]"], "table['v'][0]", False),
        (["index", "values", "[0]"], "int(index[0])", False),
        (["quantized", "int_repr", "[0]"], "int(quantized.int_repr()[0])", False),
        (["frame", "'b'"], "int(frame['b'].iloc[0])", True),
        (["series", "values", "[0]"], "int(series.iloc[0])", True),
        (["column", "values", "[0]"], "column[0]", True),
        (["sparse", "values", "[0]"], "int(sparse._values()[0])", True),
        (["array", "values", "[0]"], "int(array[0])", True),
        (["record", "'x'", "[0]"], "int(record['x'][0])", True),
    ],
    ids=lambda given: " › ".join(given) if isinstance(given, list) else "",
)
def test_what_answers_that_it_was_set_is_set(paused: Start, path: list[str], expression: str, is_set: bool) -> None:
    client, stop, helper = paused(SET)
    show(stop, helper)
    before = client.evaluate(expression, stop.frame)["result"]
    row = client.locals(stop.frame)[path[0]]
    for name in path[1:-1]:
        row = children(client, row)[name]
    assert path[-1] in children(client, row)
    if is_set:
        client.set_variable(row["variablesReference"], path[-1], "7")
    else:
        with pytest.raises(DapError, match="Unable to change"):
            client.set_variable(row["variablesReference"], path[-1], "7")
    after = client.evaluate(expression, stop.frame)["result"]
    assert after == ("7" if is_set else before)


CONFIG = """
    import torch
    from omegaconf import OmegaConf
    asked = []
    OmegaConf.register_new_resolver("port", lambda base: asked.append(base) or base)
    settings = OmegaConf.create({
        "paths": {"root": "/data", "train": "${paths.root}/train", "cache": "${paths.scratch}"},
        "serve": {"port": "${port:8000}", "ports": [1, "???"]},
    })
    print("here")  # STOP
"""


def test_a_config_is_shown_as_written_and_not_set(paused: Start) -> None:
    pytest.importorskip("omegaconf")
    client, stop, helper = paused(CONFIG)
    show(stop, helper)
    settings = client.locals(stop.frame)["settings"]
    assert settings["value"].startswith("DictConfig · 1 missing · 1 broken reference · 2: paths DictConfig of 3")
    below = children(client, settings)
    paths, serve = children(client, below["'paths'"]), children(client, below["'serve'"])
    assert below["'paths'"]["evaluateName"] == "settings.paths"
    assert paths["'root'"]["evaluateName"] == "settings.paths.root"
    assert paths["'train'"]["value"] == "AnyNode · '${paths.root}/train' · reference, not resolved"
    assert "evaluateName" not in paths["'train'"]
    for row, name in (
        (settings, "'paths'"),
        (below["'paths'"], "'root'"),
        (below["'serve'"], "'port'"),
        (serve["'ports'"], "[0]"),
    ):
        children(client, row)
        with pytest.raises(DapError, match="Unable to change"):
            client.set_variable(row["variablesReference"], name, "7")
    assert (
        client.evaluate("(asked, settings.paths.root, settings.serve.ports[0])", stop.frame)["result"]
        == "([], '/data', 1)"
    )


@pytest.mark.parametrize(("name", "attribute"), [("linear", "in_features"), ("optimizer", "_zero_grad_profile_name")])
def test_an_attribute_that_was_set_is_shown_at_once(paused: Start, name: str, attribute: str) -> None:
    client, stop, helper = paused(SET)
    show(stop, helper)
    others = children(client, client.locals(stop.frame)[name])["other attributes"]
    assert attribute in children(client, others)
    assert client.set_variable(others["variablesReference"], attribute, "9")["value"] == "9"
    assert children(client, others)[attribute]["value"] == "9"


def test_what_lies_about_its_class_stays_as_it_is(start: Start) -> None:
    source = """
        import torch
        from unittest.mock import Mock
        lying = Mock(spec=dict, name="conf")
        tensor = Mock(spec=torch.Tensor, name="image")
        print("here")  # STOP
    """
    client, stop, helper = start(source)
    before = [everything(client, client.locals(stop.frame)[name], 1) for name in ("lying", "tensor")]
    show(stop, helper)
    assert [everything(client, client.locals(stop.frame)[name], 1) for name in ("lying", "tensor")] == before


def test_what_holds_no_tensor_stays_as_it_is(paused: Start) -> None:
    client, stop, helper = paused(TRAINING)
    show(stop, helper, on=False)
    before = {name: everything(client, row) for name, row in client.locals(stop.frame).items() if name in PLAIN}
    show(stop, helper)
    after = {name: everything(client, row) for name, row in client.locals(stop.frame).items() if name in PLAIN}
    assert before == after
    assert len(before) == len(PLAIN)


def test_switched_off_all_is_as_before(start: Start) -> None:
    client, stop, helper = start(TRAINING)

    def shown() -> str:
        rows = [everything(client, row, 1) for name, row in client.locals(stop.frame).items() if name in NAMES]
        return re.sub("0x[0-9a-f]+", "0x…", repr(rows))

    before = shown()
    show(stop, helper)
    assert shown() != before
    show(stop, helper, on=False)
    assert shown() == before


def test_the_views_are_told_twice_when_what_they_show_has_changed(start: Start) -> None:
    """The second time nothing is other than before, so that they mark nothing as changed by the program."""
    client, stop, helper = start(TRAINING)
    client.locals(stop.frame)
    for on in (True, True, False, False, True):
        show(stop, helper, on)
    assert client.events("invalidated") == [{"areas": ["variables"]}] * 2 * 3


def test_the_views_are_told_when_what_the_user_asked_for_has_run(start: Start) -> None:
    client, stop, helper = start(TRAINING)
    helper.inspect(stop, "model")
    assert client.events("invalidated") == []
    helper.evaluate(stop, "model.eval()")
    assert client.events("invalidated") == [{"areas": ["variables"]}]


HOSTILE = """
    import time, torch
    class Hostile(torch.Tensor):
        @classmethod
        def __torch_function__(cls, *arguments, **names):
            raise SystemExit
        def __repr__(self):
            raise KeyboardInterrupt
    class Lying(list):
        __class__ = property(lambda self: torch.Tensor)
        def __len__(self):
            raise SystemExit
    class Scans(torch.utils.data.Dataset):
        @property
        def slow(self):
            return 1 / 0
        def __getattr__(self, name):
            raise RuntimeError(name)
    def run():
        hostile = torch.ones(3).as_subclass(Hostile)
        lying = Lying([torch.ones(2)])
        freed = torch.ones(4)
        freed.untyped_storage().resize_(0)
        holds = {"a": hostile, "b": [freed]}
        scans = Scans()
        good = torch.ones(2)
        print("here")  # STOP
        print("after")
        return hostile, lying, freed, holds, scans, good
    run()
"""


def test_no_value_switches_the_views_off(start: Start) -> None:
    client, stop, helper = start(HOSTILE)
    show(stop, helper)
    for _ in range(3):
        rows = client.locals(stop.frame)
        assert rows["good"]["value"] == "float32[2] · all 1"
        assert rows["hostile"]["value"] == "Hostile · float32[3] · all 1 · view of [3]"
        assert "freed" in rows["freed"]["value"]
        assert rows["holds"]["value"] == "dict · 2: a f32[3], b list of 1"
        for name in ("hostile", "lying", "freed", "holds", "scans"):
            client.variables(rows[name]["variablesReference"])
    properties = children(client, children(client, rows["scans"])["class properties"])
    assert (properties["slow"]["value"], properties["slow"]["variablesReference"]) == ("property · not read", 0)
    assert properties["slow"]["evaluateName"] == "scans.slow"
    assert client.run_to_end(stop.thread) == 0


def test_what_was_opened_dies_when_the_program_drops_it(start: Start) -> None:
    client, stop, helper = start(DROPPED)
    show(stop, helper)
    tensor = children(client, client.locals(stop.frame)["big"])["0"]
    client.variables(children(client, tensor)["values"]["variablesReference"])
    client.run_to_end(client.resume(stop.thread).thread)
    assert client.output("stdout").split() == ["shown", "dead", "end"]


def test_a_range_that_is_gone_is_refused_and_the_next_stop_answers(start: Start) -> None:
    client, stop, helper = start(TRAINING)
    show(stop, helper)
    values = children(client, client.locals(stop.frame)["image"])["values"]
    later = client.step(stop.thread)
    with pytest.raises(DapError):
        client.variables(values["variablesReference"])
    assert client.locals(later.frame)["image"]["value"].startswith("float32[600, 4]")
