"""Which parts of a batch count as samples, and what containers of other libraries hold."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import tensor_inspector


@pytest.mark.parametrize(
    ("batch", "problems"),
    [
        ({"image": torch.ones(1, 4, 4, 4), "affine": torch.eye(4)}, []),
        ({"image": torch.ones(8, 1, 6, 6).cumsum(0), "affine": torch.eye(4), "label": torch.arange(8)}, []),
        ({"image": torch.rand(2, 3, 8, 8), "intrinsics": torch.eye(3), "pose": torch.eye(4).expand(2, 4, 4)}, []),
        (
            {"image": torch.ones(1, 3, 4, 4), "spacing": torch.rand(7)},
            ["first dimensions differ: ['image'] has 1, ['spacing'] has 7"],
        ),
        (
            {"a": torch.rand(8, 2), "b": torch.rand(8, 2), "c": torch.rand(5, 2)},
            ["['c'] has 5, the others 8"],
        ),
        ({"x": torch.rand(32, 3), "y": torch.rand(31, 2)}, ["['y'] has 31, the others 32"]),
        ({"nodes": torch.rand(5, 2), "edge_index": torch.zeros(2, 9, dtype=torch.int64), "y": torch.rand(1)}, []),
    ],
)
def test_which_parts_count_as_samples_is_what_most_agree_in(batch: dict[str, Any], problems: list[str]) -> None:
    found: Any = tensor_inspector.batch(batch)
    assert [one["text"] for one in found["problems"] if one["code"] == "batch_size"] == problems


@pytest.mark.parametrize("count", [1, 2, 6])
def test_a_list_of_graphs_has_as_many_samples(count: int) -> None:
    def graph(nodes: int) -> dict[str, Any]:
        return {"x": torch.rand(nodes, 4), "edge_index": torch.zeros(2, 3, dtype=torch.int64)}

    data = pytest.importorskip("torch_geometric.data")
    for made in (graph, lambda nodes: data.Data(**graph(nodes))):
        found: Any = tensor_inspector.batch([made(2 + at) for at in range(count)])
        assert (found["size"], found["problems"]) == (count, [])


IMAGE, CAMERA = torch.rand(3, 16, 16), {"K": torch.eye(3), "pose": torch.eye(4)}


@pytest.mark.parametrize(
    ("batch", "size"),
    [
        ({"image": IMAGE, **CAMERA}, 1),
        ({"image": IMAGE, **CAMERA, "label": 3}, 1),
        ({"image": IMAGE, "K": torch.eye(3), "index": 5}, 1),
        ({"image": torch.rand(3, 16, 16), "index": 5}, 3),
        ({"image": IMAGE, "label": torch.tensor(3)}, 1),
        ({"image": (IMAGE * 255).byte().permute(1, 2, 0), **CAMERA}, 1),
        ({"image": torch.rand(8, 3, 16, 16), **CAMERA}, 8),
        ({"image": torch.rand(3, 16, 16), "label": torch.arange(3)}, 3),
        ({"points": torch.rand(100, 3), **CAMERA}, 100),
        ([{"image": IMAGE, **CAMERA} for _ in range(5)], 5),
    ],
)
def test_an_image_with_its_camera_or_its_only_label_is_one_sample(batch: Any, size: int) -> None:
    found: Any = tensor_inspector.batch(batch)
    assert found["size"] == size
    assert not any(one["code"] == "batch_size" for one in found["problems"])


class Kept:
    """An object of the program that keeps a batch."""

    def __init__(self) -> None:
        self.x, self.y, self.count = torch.rand(4, 3), torch.arange(4), 9


def test_what_any_object_holds_is_described() -> None:
    found: Any = tensor_inspector.batch(Kept())
    assert (found["size"], [part["path"] for part in found["parts"]]) == (4, [".x", ".y"])


class Sample:
    """What a dataset of the program gives. None of its code runs."""

    def __init__(self, at: int) -> None:
        self.image, self.label, self.file = torch.full((3, 4), at * 1.0), at, f"{at}.png"

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was asked")

    def __eq__(self, other: object) -> bool:
        raise AssertionError("compared")

    def __len__(self) -> int:
        raise AssertionError("counted")

    __hash__ = None  # type: ignore[assignment]


class Slotted:
    __slots__ = ("label", "x")

    def __init__(self, at: int) -> None:
        self.x, self.label = torch.ones(2) * at, at


class Named:
    def __init__(self, at: int) -> None:
        self.name = f"sample {at}"


@pytest.mark.parametrize(
    ("make", "paths"),
    [
        (Sample, ["[i].image", "[i].label", "[i].file"]),
        (Slotted, ["[i].label", "[i].x"]),
        (Named, ["[i].name"]),
    ],
)
def test_objects_of_the_program_in_a_list_are_samples(make: Any, paths: list[str]) -> None:
    found: Any = tensor_inspector.batch([make(at) for at in range(4)])
    assert (found["size"], [part["path"] for part in found["parts"]], found["problems"]) == (4, paths, [])


def test_objects_that_are_not_alike_are_named() -> None:
    with pytest.raises(TypeError, match=r"holds objects \(Sample, Named\), no parts of a batch: ask about one"):
        tensor_inspector.batch([Sample(0), Named(1)])


def graph_list() -> Any:
    data = pytest.importorskip("torch_geometric.data")
    return [
        data.Data(x=torch.rand(3 + at, 4), edge_index=torch.zeros(2, 5 + at).long(), y=torch.tensor([at]))
        for at in range(3)
    ]


def lazy_stack() -> Any:
    tensordict = pytest.importorskip("tensordict")
    return tensordict.lazy_stack(
        [tensordict.TensorDict({"x": torch.ones(2 + at), "y": torch.tensor(at)}, []) for at in range(3)]
    )


@pytest.mark.parametrize(
    ("make", "paths"),
    [
        (graph_list, ["[i]['x']", "[i]['edge_index']", "[i]['y']"]),
        (lazy_stack, ["[i]['x']", "[i]['y']"]),
    ],
)
def test_what_a_library_holds_for_each_sample_is_one_part(make: Any, paths: list[str]) -> None:
    found: Any = tensor_inspector.batch(make())
    assert (found["size"], [part["path"] for part in found["parts"]], found["problems"]) == (3, paths, [])


def graphs() -> Any:
    data = pytest.importorskip("torch_geometric.data")
    made = [
        data.Data(x=torch.rand(3, 4), edge_index=torch.tensor([[0, 1], [1, 2]]), y=torch.tensor([at]))
        for at in range(2)
    ]
    return data.Batch.from_data_list(made)


def data_set() -> Any:
    xarray = pytest.importorskip("xarray")
    return xarray.Dataset({"t": (("time", "x"), [[1.0, 2.0], [3.0, 4.0]]), "p": (("time",), [1.0, 2.0])})


def data_array() -> Any:
    return data_set()["t"]


def star_table() -> Any:
    return pytest.importorskip("astropy.table").Table({"a": [1, 2], "b": [1.0, 2.0]})


@pytest.mark.parametrize(
    ("make", "paths"),
    [
        (graphs, ["['x']", "['edge_index']", "['y']", "['batch']", "['ptr']"]),
        (data_set, ["['t']", "['p']"]),
        (data_array, [""]),
        (star_table, ["['a']", "['b']"]),
    ],
)
def test_containers_of_libraries_are_described(make: Any, paths: list[str]) -> None:
    found: Any = tensor_inspector.batch(make())
    assert (found["size"], [part["path"] for part in found["parts"]], found["problems"]) == (2, paths, [])


@pytest.mark.parametrize("around", [lambda array: array, lambda array: {"jets": array, "y": torch.arange(3)}])
def test_of_what_only_its_library_can_take_apart_the_entries_are_counted(around: Any) -> None:
    awkward = pytest.importorskip("awkward")
    found: Any = tensor_inspector.batch(around(awkward.Array([[1.0, 2.0], [], [3.0]])))
    part = found["parts"][0]
    assert (found["size"], part["type"], part["exact"], found["problems"]) == (3, "Array", False, [])
    assert part["unread"] == "only awkward's own code tells its items apart: ask about ak.to_numpy of it, or of a field"
    assert "3 * var * float64" in str(found)


def test_what_it_counts_has_to_fit_the_rest() -> None:
    awkward = pytest.importorskip("awkward")
    found: Any = tensor_inspector.batch({"jets": awkward.Array([[1.0], []]), "y": torch.arange(3), "z": torch.ones(3)})
    assert [one["text"] for one in found["problems"]] == ["['jets'] has 2, the others 3"]
