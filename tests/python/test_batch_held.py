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


def test_an_image_beside_its_camera_is_one_sample() -> None:
    found: Any = tensor_inspector.batch({"image": torch.rand(3, 8, 8), "K": torch.eye(3), "pose": torch.eye(4)})
    assert (found["size"], found["problems"]) == (1, [])


class Kept:
    """An object of the program that keeps a batch."""

    def __init__(self) -> None:
        self.x, self.y, self.count = torch.rand(4, 3), torch.arange(4), 9


def test_what_any_object_holds_is_described() -> None:
    found: Any = tensor_inspector.batch(Kept())
    assert (found["size"], [part["path"] for part in found["parts"]]) == (4, [".x", ".y"])


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


def test_what_only_its_library_can_take_apart_is_said_to_be_so() -> None:
    awkward = pytest.importorskip("awkward")
    with pytest.raises(TypeError, match="is an awkward Array, whose items only its library's own code tells apart"):
        tensor_inspector.batch(awkward.Array([[1.0, 2.0], []]))
