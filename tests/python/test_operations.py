"""The table of operations (`lenses/flow/ops.py`) says of torch what torch does."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tensor_inspector.lenses.flow import ops

ONE, OTHER = [0.3, 0.7, 1.2], [0.3, 0.2, 1.5]
#: What such a name takes beside the tensor.
GIVEN: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(
        ("eq", "ne", "gt", "lt", "ge", "le", "isclose", "logical_and", "logical_or", "logical_xor"),
        (torch.tensor(OTHER),),
    ),
    **dict.fromkeys(("bucketize", "searchsorted"), (torch.tensor(OTHER).sort().values,)),
    **dict.fromkeys(("floor_divide", "heaviside"), (torch.tensor(OTHER),)),
    "multinomial": (1,),
}
#: What takes whole numbers only, or is no function of a tensor.
APART = {"bincount", "one_hot", "sample", "topk"}


def called(name: str, tensor: torch.Tensor) -> Any:
    """What a method of a tensor, or a function of torch's, makes of it."""
    given = GIVEN.get(name, ())
    if name == "searchsorted":
        return torch.searchsorted(given[0], tensor)
    return getattr(tensor, name)(*given) if hasattr(tensor, name) else getattr(torch, name)(tensor, *given)


@pytest.mark.parametrize("name", sorted(ops.WITHOUT_GRAPH - APART))
def test_what_has_no_graph_has_none(name: str) -> None:
    assert not called(name, torch.tensor(ONE, requires_grad=True)).requires_grad


@pytest.mark.parametrize(
    ("node", "name"), [(node, name) for node, names in ops.ZERO_GRADIENT.items() for name in names]
)
def test_what_has_a_gradient_of_zero_has_one(node: str, name: str) -> None:
    leaf = torch.tensor(ONE, requires_grad=True)
    made = called(name, leaf)
    made.sum().backward()
    assert type(made.grad_fn).__name__ == f"{node}Backward0"
    assert leaf.grad.tolist() == [0.0] * 3


@pytest.mark.parametrize("name", ["floor_divide", "heaviside"])
def test_what_refuses_a_backward_does(name: str) -> None:
    with pytest.raises(RuntimeError, match="not implemented"):
        called(name, torch.tensor(ONE, requires_grad=True)).sum().backward()


def test_of_what_is_chosen_by_its_size_the_values_have_a_graph_and_the_indices_none() -> None:
    values, indices = torch.tensor(ONE, requires_grad=True).topk(2)
    assert values.requires_grad
    assert not indices.requires_grad


@pytest.mark.parametrize("name", sorted(ops.METADATA - {"type"}))
def test_what_describes_a_tensor_is_the_same_for_other_elements(name: str) -> None:
    found = [getattr(torch.tensor(elements), name) for elements in (ONE, OTHER)]
    first, second = [value() if callable(value) else value for value in found]
    assert first == second
    assert not torch.is_tensor(first)


@pytest.mark.parametrize("name", [name for name in ops.DETACHING_METHODS if name not in ("item", "numpy", "tolist")])
def test_what_detaches_leaves_the_elements(name: str) -> None:
    leaf = torch.tensor(ONE, requires_grad=True)
    made = getattr(leaf * 1, name)
    made = made() if callable(made) else made
    assert not made.requires_grad
    assert torch.equal(made, leaf)


@pytest.mark.parametrize("name", sorted(ops.CONSTANT))
def test_what_makes_a_constant_makes_one(name: str) -> None:
    size = torch.zeros(2, 3) if name.endswith("_like") else (2, 3)
    given = (size, 7.0) if "full" in name else (size,)
    make = getattr(torch.zeros(1), name) if name.startswith("new_") else getattr(torch, name)
    assert len(make(*given).unique()) == 1


@pytest.mark.parametrize("name", sorted(ops.RANDOM))
def test_what_is_random_differs_from_time_to_time(name: str) -> None:
    tensor = torch.full((64,), 0.5)
    if name.endswith("_"):
        drawn = [getattr(tensor.clone(), name)() for _ in range(2)]
    elif name.endswith("_like"):
        drawn = [getattr(torch, name)(tensor, *([9] if "randint" in name else [])) for _ in range(2)]
    else:
        given = {"normal": (tensor, tensor), "randint": (9, (64,))}
        drawn = [getattr(torch, name)(*given.get(name, (64,))) for _ in range(2)]
    assert not torch.equal(*drawn)


@pytest.mark.parametrize(("of_class", "function"), ops.LOSS_CLASSES.items())
def test_a_class_of_a_loss_computes_its_function(of_class: str, function: str) -> None:
    called_by = getattr(torch.nn, of_class).forward.__code__.co_names
    assert function in called_by
    assert hasattr(torch.nn.functional, function)


#: Of images, and of a torch that has no node of its own for it any more: it is a mean of `Abs`.
ELSEWHERE = {"NllLoss2D", "L1Loss"}


@pytest.mark.parametrize(
    ("node", "name"), [(node, name) for node, names in ops.ERRORS.items() for name in names if node not in ELSEWHERE]
)
def test_an_error_against_a_target_has_its_node(node: str, name: str) -> None:
    made = torch.tensor([ONE], requires_grad=True).sigmoid()
    target = (
        torch.tensor([1])
        if "nll" in name or ("entropy" in name and "binary" not in name)
        else torch.tensor([OTHER]) / 2
    )
    loss = getattr(torch.nn.functional, name)(made, target)
    assert type(loss.grad_fn).__name__.startswith(f"{node}Backward")


@pytest.mark.parametrize("node", sorted({*ops.LINEAR} - {"Linear"}))
def test_a_product_has_its_node(node: str) -> None:
    weight, data = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2)
    made = {
        "Addmm": lambda: torch.nn.functional.linear(data, weight, torch.ones(2)),
        "Bmm": lambda: torch.bmm(data[None], weight[None]),
        "Convolution": lambda: torch.nn.functional.conv1d(data[None], weight[..., None]),
        "Mm": lambda: data @ weight,
    }[node]()
    assert type(made.grad_fn).__name__ == f"{node}Backward0"


@pytest.mark.parametrize("name", sorted(ops.REARRANGING))
def test_what_rearranges_a_tensor_keeps_its_elements(name: str) -> None:
    if name == "cuda":
        pytest.skip("no test here sees a GPU")
    tensor = torch.tensor([[1, 2, 3]])
    given = {"reshape": (3, 1), "view": (3, 1), "transpose": (0, 1), "unsqueeze": (0,), "to": (torch.float64,)}
    assert getattr(tensor, name)(*given.get(name, ())).flatten().tolist() == [1, 2, 3]
