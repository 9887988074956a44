"""Finite trees (promise 5), and nothing that outlives its stop (promise 2)."""

from __future__ import annotations

import gc
import json
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tensor_inspector.kinds import Child, Rows
from tensor_inspector.protocol import Node
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.stop import snapshot as snapshots
from tensor_inspector.stop.snapshot import Snapshot, _cost, alive


class Thing:
    def __init__(self) -> None:
        self.link: object = None


def opened(**variables: object) -> tuple[Snapshot, dict[str, Node]]:
    snapshot = Snapshot(Rows.of("", [Child(name, value, name) for name, value in variables.items()]))
    page = snapshot.page(0, 0, 100, Budget())
    return snapshot, {node["name"]: node for node in page["nodes"]}


def below(snapshot: Snapshot, node: Node, start: int = 0, count: int = 100) -> dict[str, Node]:
    return {child["name"]: child for child in snapshot.page(node["id"], start, count, Budget())["nodes"]}


@pytest.mark.parametrize("text", ["line", "short", "inline", "name", "path", "type"])
def test_every_text_of_a_row_counts_and_one_that_is_not_there_costs_nothing(text: str) -> None:
    row: Any = {"id": 1, "name": "x", "kind": "int", "type": "int", "line": "3"}
    assert _cost({**row, text: row.get(text, "") + "12345"}) == _cost(row) + 5


def test_so_does_the_place_that_a_mark_names() -> None:
    row: Any = {"id": 1, "name": "x", "kind": "int", "type": "int", "line": "3"}
    assert _cost({**row, "mark": {"kind": "cycle", "path": "loop"}}) == _cost(row) + 4


@pytest.mark.parametrize("limits", [{"nodes": 3}, {"ms": 0}], ids=lambda limits: next(iter(limits)))
def test_where_a_budget_ends_early_few_elements_are_read_that_are_not_shown(
    limits: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    as_kind = snapshots.as_kind
    monkeypatch.setattr(snapshots, "as_kind", lambda value, budget: asked.append(value) or as_kind(value, budget))
    values = [torch.ones(3) for _ in range(50)]
    snapshot = Snapshot(Rows.of("", [Child("all", values, "all")]))
    snapshot.page(0, 0, 1, Budget())
    asked.clear()
    shown = snapshot.page(1, 0, 100, Budget(**limits))["nodes"]
    met = [one for one in asked if any(one is value for value in values)]
    assert len(shown) <= len(met) <= len(shown) + 2


def test_a_list_that_holds_itself_ends_in_a_cycle_mark() -> None:
    loop: list[object] = [1]
    loop.append(loop)
    snapshot, rows = opened(loop=loop)
    again = below(snapshot, rows["loop"])["[1]"]
    assert again["mark"] == {"kind": "cycle", "path": "loop"}
    assert "children" not in again


def test_two_objects_that_point_at_each_other() -> None:
    one, other = Thing(), Thing()
    one.link, other.link = other, one
    snapshot, rows = opened(one=one)
    second = below(snapshot, rows["one"])["link"]
    third = below(snapshot, second)["link"]
    assert third["mark"] == {"kind": "cycle", "path": "one"}


def test_a_value_met_elsewhere_is_marked_and_stays_expandable() -> None:
    shared = [1]
    snapshot, rows = opened(first=shared, second={"k": shared})
    again = below(snapshot, rows["second"])["'k'"]
    assert again["mark"] == {"kind": "shared", "path": "first"}
    assert again["children"] == 1


def test_atoms_are_never_marked() -> None:
    _, rows = opened(a=1, b=1, s="x", t="x", f=len, g=len, c=int, d=int)
    assert not any("mark" in node for node in rows.values())


def test_the_path_of_a_node_is_the_expression_that_reaches_it() -> None:
    value = {"net": torch.nn.Sequential(torch.nn.Linear(1, 1)), "rows": [(1, {2: 3})]}
    snapshot, rows = opened(value=value)
    local = {"value": value}
    waiting = list(rows.values())
    checked = 0
    while waiting:
        node = waiting.pop()
        if "path" in node and "mark" not in node:
            reached = eval(node["path"], {}, local)
            kept = snapshot.value(node["id"])
            if not isinstance(kept, Rows) and not type(kept).__module__.startswith("tensor_inspector"):
                assert reached is kept or torch.is_tensor(reached)
                checked += 1
        if node.get("children") and "lazy" not in node and len(node.get("path", "")) < 60:
            waiting.extend(below(snapshot, node).values())
    assert checked > 10


def test_a_chain_of_a_hundred_thousand_lists_costs_what_is_shown() -> None:
    chain: list[Any] = []
    for _ in range(100_000):
        chain = [chain]
    snapshot, rows = opened(chain=chain)
    node = rows["chain"]
    for _ in range(50):
        node = below(snapshot, node)["[0]"]
    assert node["line"] == "list · 1: list of 1"
    del snapshot, rows, node
    while chain:  # taken apart by hand: freeing it at once would recurse in C on old Pythons
        chain = chain[0]


@pytest.mark.parametrize("value", [list(range(10**6)), {f"k{i}": i for i in range(10**5)}], ids=["list", "dict"])
def test_pages_reach_the_end(value: Any) -> None:
    snapshot, rows = opened(value=value)
    assert rows["value"]["children"] == len(value)
    last = snapshot.page(rows["value"]["id"], len(value) - 1, 100, Budget())
    assert len(last["nodes"]) == 1
    assert last["total"] == len(value)


def listed_lazily(amount: int) -> Snapshot:
    """Rows whose number is known only by asking for them, as that of globals with tensors is not."""
    return Snapshot(
        Rows("", None, lambda start, count: [Child(f"r{i}", i) for i in range(amount)][start : start + count])
    )


@pytest.mark.parametrize(("amount", "total"), [(0, 0), (9, 9), (10, 10), (11, None), (700, None)])
def test_rows_of_an_unknown_number_have_a_total_on_their_last_page_only(amount: int, total: int | None) -> None:
    page = listed_lazily(amount).page(0, 0, 10, Budget())
    assert (page["total"], len(page["nodes"])) == (total, min(amount, 10))
    assert "cut" not in page


def test_a_page_that_the_budget_ends_says_so_and_that_there_are_more() -> None:
    page = listed_lazily(700).page(0, 0, 1000, Budget(nodes=500))
    assert (page["total"], len(page["nodes"])) == (None, 500)
    assert page["cut"] == "not all is shown here: more rows than one answer holds"
    rest = listed_lazily(700).page(0, 500, 1000, Budget(nodes=500))
    assert (rest["total"], len(rest["nodes"])) == (700, 200)
    assert "cut" not in rest


def test_a_dag_of_two_to_the_thirty_paths_is_expanded_within_its_budget() -> None:
    value: list[Any] = []
    for _ in range(30):
        value = [value, value]
    everything: Any = {}
    for _ in range(30):
        everything = {"[0]": {"rows": everything}, "[1]": {"rows": everything}}
    snapshot = Snapshot(Rows.of("", [Child("value", value, "value")]))
    budget = Budget(nodes=500)
    page = snapshot.page(0, 0, 100, budget)
    snapshot.expand(page, {"value": {"rows": everything}}, budget)
    assert budget.cut == ["not all is shown here: more rows than one answer holds"]


@pytest.mark.parametrize("bytes", [2_000, 20_000])
def test_a_page_is_about_as_long_as_its_budget_allows(bytes: int) -> None:
    snapshot, rows = opened(value=["x" * 90] * 1000)
    page = snapshot.page(rows["value"]["id"], 0, 1000, Budget(bytes=bytes))
    assert bytes / 2 < len(json.dumps(page["nodes"])) < 1.2 * bytes


class Ticking:
    """A clock on which every look costs a tenth of the budget."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.01
        return self.now


def test_out_of_time_the_rest_stays_collapsed_and_is_said() -> None:
    value = [[i] for i in range(50)]
    snapshot = Snapshot(Rows.of("", [Child("value", value, "value")]))
    page = snapshot.page(0, 0, 100, Budget())
    budget = Budget(100, clock=Ticking())
    snapshot.expand(page, {"value": {"rows": {f"[{i}]": {} for i in range(50)}}}, budget)
    assert "page" in page["nodes"][0]
    assert budget.cut == ["not all is shown here: there was no time for more"]


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
def test_a_snapshot_dies_with_the_last_reference_and_frees_what_it_showed() -> None:
    tensor = torch.ones(10, requires_grad=True)
    gone = weakref.ref(tensor)
    with Untouched():
        snapshot, rows = opened(held={"deep": [tensor, {"again": tensor}]})
        for node in list(rows.values()):
            for child in below(snapshot, node).values():
                for grandchild in below(snapshot, child).values():
                    below(snapshot, grandchild)
    number = snapshot.id
    del tensor
    assert gone() is not None
    del snapshot, rows, node, child, grandchild
    assert gone() is None
    assert number not in alive


def graphs() -> st.SearchStrategy[list[Any]]:
    """Random graphs of containers and objects, cycles and shared nodes included."""

    @st.composite
    def build(draw: st.DrawFn) -> list[Any]:
        kinds = draw(st.lists(st.sampled_from([list, dict, Thing, torch.nn.Module]), min_size=1, max_size=8))
        nodes: list[Any] = [kind() for kind in kinds]
        for node in nodes:
            for target in draw(st.lists(st.integers(0, len(nodes) - 1), max_size=4)):
                held = nodes[target]
                if isinstance(node, list):
                    node.append(held)
                elif isinstance(node, dict):
                    node[len(node)] = held
                else:
                    object.__setattr__(node, f"a{len(vars(node))}", held)
        return nodes

    return build()


@given(graphs())
@settings(max_examples=150)
def test_every_walk_is_finite_and_every_mark_is_right(nodes: list[Any]) -> None:
    snapshot = Snapshot(Rows.of("", [Child("top", nodes[0], "top")]))
    first_met: set[int] = set()
    opened_once: list[int] = []

    def walk(page: list[Node], above: tuple[int, ...]) -> None:
        for node in page:
            value = snapshot.value(node["id"])
            mark = node.get("mark", {}).get("kind")
            assert (mark == "cycle") == (_holds(value) and id(value) in above)
            assert mark != "shared" or id(value) in first_met
            if mark is None and _holds(value):
                first_met.add(id(value))
        for node in page:
            value = snapshot.value(node["id"])
            if "mark" in node or "lazy" in node or not node.get("children", 0):
                continue
            if _holds(value):
                opened_once.append(id(value))
            walk(list(below(snapshot, node).values()), (*above, id(value)) if _holds(value) else above)

    walk(snapshot.page(0, 0, 100, Budget())["nodes"], ())
    assert len(opened_once) == len(set(opened_once))
    assert set(opened_once) == {id(value) for value in _reachable(nodes[0]) if _items(value)}


def _holds(value: object) -> bool:
    return isinstance(value, (list, dict, Thing, torch.nn.Module))


def _items(value: Any) -> list[Any]:
    if isinstance(value, (list, dict)):
        return list(value) if isinstance(value, list) else list(value.values())
    return [item for name, item in vars(value).items() if name[1:].isdigit() or name == "link"]


def _reachable(top: object) -> list[Any]:
    found: dict[int, Any] = {}
    waiting = [top]
    while waiting:
        value = waiting.pop()
        if _holds(value) and id(value) not in found:
            found[id(value)] = value
            waiting.extend(_items(value))
    return list(found.values())


def test_a_value_that_can_not_be_described_says_why_in_its_own_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: object) -> str:
        raise ValueError("the library broke")

    monkeypatch.setattr("tensor_inspector.kinds.python.containers.Set.parts", broken)
    _, rows = opened(good=[1], bad={1}, also_good=2)
    assert rows["bad"]["line"] == "not read: ValueError: the library broke"
    assert rows["bad"]["badges"] == ["error"]
    assert rows["good"]["line"] == "list · 1: 1"


def test_where_rows_end_in_a_failure_those_before_it_are_shown() -> None:
    def rows(start: int, count: int) -> Iterator[Child]:
        yield Child("first", 1)
        raise ValueError("the library broke")

    page = Snapshot(Rows("", 9, rows)).page(0, 0, 100, Budget())
    assert [node["line"] for node in page["nodes"]] == ["1", "not read: ValueError: the library broke"]


def test_of_a_value_that_fails_half_way_nothing_is_said_but_that(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> Any:
        raise RuntimeError("no badges")

    from tensor_inspector.kinds.torch.tensor import Tensor

    monkeypatch.setattr(Tensor, "badges", fail)
    snapshot = Snapshot(Rows.of("", []))
    node = snapshot.describe(Child("x", torch.ones(300), "x"), 0, Budget())
    assert (node["kind"], node["type"], node["line"]) == ("error", "Tensor", "not read: RuntimeError: no badges")
    assert "inline" not in node
    assert "short" not in node


def test_rows_whose_elements_can_not_be_read_together_are_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from tensor_inspector.kinds.torch import dense

    def fault(*_: Any) -> Any:
        raise RuntimeError("device-side assert")

    tensors = [torch.arange(6.0) + at for at in range(9)]
    with Untouched():
        snapshot, rows = opened(tensors=tensors)
        together = below(snapshot, rows["tensors"])
        monkeypatch.setattr(dense, "of_alike", fault)
        alone = below(snapshot, rows["tensors"])
    assert [row["line"] for row in together.values()] == [row["line"] for row in alone.values()]
    assert together["[1]"]["line"].startswith("float32[6] · 1…6 · μ 3.5 σ 1.87")
