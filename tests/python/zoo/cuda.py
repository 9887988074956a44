"""Values on a GPU, and those that stand for one: each child of the zoo begins CUDA itself."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from math import inf, nan
from typing import Any

import torch
from torch import nn

from .dense import DispatchMode, FunctionMode, counted, under
from .made_training import quiet, said
from .specimen import Show, Specimen, Zoo

_NEEDS = ("gpu.GPU",)
_LOADED = 100  #: MB of kernels that CUDA loads when they are first used
_BIG = 1 << 18  #: float32 elements: as many as are brought to the CPU


def drawn(*sizes: int, dtype: Any = torch.float32) -> Any:
    return torch.randn(sizes, generator=torch.Generator().manual_seed(5)).to(dtype).cuda()


def of(values: list[Any], dtype: Any) -> Any:
    return torch.tensor(values, dtype=dtype).cuda()


def parameter() -> Any:
    weight = nn.Parameter(drawn(4, 3))
    (weight * 2).sum().backward()
    return weight


def model() -> Any:
    """A model that has been trained by one step."""
    net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 2)).cuda()
    net(drawn(8, 4)).sum().backward()
    return net


def stepped(make: Callable[[Any], Any]) -> Any:
    net = model()
    optimizer = make(net.parameters())
    optimizer.step()
    return optimizer


def half_elsewhere() -> Any:
    return nn.Sequential(nn.Linear(4, 3).cuda(), nn.Linear(3, 2))


def scaler() -> Any:
    """A scaler that has scaled one loss."""
    found = torch.amp.GradScaler("cuda", init_scale=1024.0)
    found.scale(drawn(3).sum())
    return found


def recorded() -> Any:
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    torch.cuda.synchronize()
    return event


def default_generator() -> Any:
    torch.cuda.init()
    return torch.cuda.default_generators[0]


def graph() -> Any:
    torch.cuda.synchronize()
    x, made = drawn(4), torch.cuda.CUDAGraph()
    with torch.cuda.graph(made):
        x + 1
    return made


def nan_in_middle() -> Any:
    value = drawn(50, 20)
    value[7, 3], value[9, 0] = nan, -inf
    return value


def expanded() -> Any:
    return drawn(3, 1).expand(3, 1000)


def capturing(show: Show) -> None:
    """Looked at while a graph is captured, which must go on and play."""
    x, made = drawn(4), torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(made):
        y = x * 2
        show(y)
        z = y + 1
    made.replay()
    torch.cuda.synchronize()
    assert torch.equal(z.cpu(), x.cpu() * 2 + 1)


def loud(show: Show) -> None:
    value = drawn(4)
    torch.cuda.set_sync_debug_mode("error")
    try:
        show(value)
    finally:
        torch.cuda.set_sync_debug_mode("default")


def on_another_stream() -> AbstractContextManager[Any]:
    return torch.cuda.stream(torch.cuda.Stream())  # type: ignore[no-any-return, no-untyped-call]


def by_default() -> AbstractContextManager[Any]:
    return torch.device("cuda")


def deterministic(show: Show) -> None:
    values = {"labels": of([0, 1, 2, 1] * 9, torch.int64), "x": drawn(300, 5)[:, ::2], "counts": drawn(9).to_sparse()}
    torch.use_deterministic_algorithms(True)
    try:
        show(values)
    finally:
        torch.use_deterministic_algorithms(False)


TENSORS: Zoo = {
    **{
        f"{str(dtype)[6:]}": counted(partial(drawn, 7, 5, dtype=dtype), f"{str(dtype)[6:]}[7, 5] cuda:0 · ")
        for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16)
    },
    **{
        f"{str(dtype)[6:]}": counted(partial(of, [0, 1, 5, 100], dtype), f"{str(dtype)[6:]}[4] cuda:0")
        for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool)
    },
    **{
        name: counted(lambda name=name: drawn(40).to(getattr(torch, name)), f"{name}[40] cuda:0 · ", needs=(*_NEEDS, f"torch.{name}"))
        for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
    },
    "int64 beyond float64": counted(lambda: of([2**53, 2**53 + 1, -(2**63), 2**63 - 1], torch.int64), "[9007199254740992, 9007199254740993, −9223372036854775808, 9223372036854775807]"),
    "as many as are copied": counted(lambda: drawn(_BIG), "float32[262144] cuda:0 · "),
    "of no dimension": said(lambda: torch.tensor(3.5).cuda(), "float32[] cuda:0 3.5"),
    "few integers": counted(lambda: of([3, 1, 2], torch.int64), "[3, 1, 2]"),
    "empty": said(lambda: drawn(0, 3), "float32[0, 3] cuda:0 · empty"),
    "NaN and Inf": counted(nan_in_middle, "1 NaN", "1 −Inf", facts={"first_nan": [7, 3], "first_inf": [9, 0]}),
    "nothing but NaN": counted(lambda: of([nan] * 9, torch.float32), "all NaN"),
    "columns": counted(lambda: drawn(30, 8)[:, ::3], "not contiguous"),
    "transposed": counted(lambda: drawn(30, 8).t()),
    "channels last": counted(lambda: drawn(2, 3, 4, 5).to(memory_format=torch.channels_last), "channels_last"),
    "expanded": counted(expanded, "expanded from 12 B"),
    "complex": Specimen(lambda: drawn(9, dtype=torch.complex64), says=("complex64[9] cuda:0",)),
    "complex conjugate": Specimen(lambda: drawn(9, dtype=torch.complex64).conj(), says=("conjugated when read",)),
    "negated when read": counted(lambda: torch.complex(drawn(9), drawn(9)).conj().imag, "negated when read"),
    "complex32": Specimen(quiet(lambda: drawn(9).to(torch.complex32)), says=("complex32[9] cuda:0",)),
    "parameter": counted(parameter, "cuda:0", "leaf", "has grad"),
    "non-leaf": counted(lambda: parameter() * 2, "MulBackward0"),
    "sparse COO": Specimen(lambda: drawn(4, 4).relu().to_sparse(), says=("cuda:0",)),
    "sparse CSR": Specimen(quiet(lambda: drawn(4, 4).relu().to_sparse_csr()), says=("cuda:0",)),
    "nested, strided": Specimen(quiet(lambda: torch.nested.nested_tensor([drawn(2, 3), drawn(4, 3)])), says=("cuda:0",)),
    "nested, jagged": Specimen(
        quiet(lambda: torch.nested.nested_tensor([drawn(2, 3), drawn(4, 3)], layout=torch.jagged)), says=("cuda:0",), needs=(*_NEEDS, "torch.nested.nested_tensor_from_jagged"),
    ),
    "pinned, on the CPU": counted(lambda: torch.arange(9.0).pin_memory(), "float32[9] · 0…8"),
    "freed": Specimen(lambda: _freed(drawn(9)), says=("storage freed",)),
    "batch": Specimen(lambda: {"image": drawn(2, 3), "label": [of([1, 2], torch.int64)]}, says=("dict · 2: image f32[2,3] cuda:0",)),
    "in inference": under(torch.inference_mode, lambda: drawn(9), "float32[9] cuda:0"),
    "under autocast": under(lambda: torch.autocast("cuda", torch.bfloat16), parameter, "cuda:0"),
    "under a function mode": under(FunctionMode, lambda: drawn(9), "float32[9] cuda:0"),
    "under a dispatch mode": under(DispatchMode, lambda: drawn(9), "float32[9] cuda:0"),
    "under a default device": under(by_default, lambda: [torch.ones(3, device="cpu"), drawn(9)], "list · 2"),
    "under another stream": under(on_another_stream, lambda: drawn(9), "float32[9] cuda:0"),
    "under deterministic algorithms": Specimen(inside=deterministic, says=("dict · 3",)),
    "while a graph is captured": Specimen(inside=capturing, says=("values not read: CUDA graph capture",), garbage=10_000, readable=False),
    "where waiting is an error": Specimen(inside=loud, says=("values not read: sync debug mode",)),
}  # fmt: skip


def _freed(value: Any) -> Any:
    value.untyped_storage().resize_(0)
    return value


OTHERS: Zoo = {
    "model": Specimen(model, says=("Sequential(3)", "params", "cuda:0")),
    "model on two devices": Specimen(half_elsewhere, says=("cuda:0, cpu",)),
    "SGD": Specimen(lambda: stepped(lambda them: torch.optim.SGD(them, 0.1, momentum=0.9)), says=("SGD", "lr 0.1")),
    "Adam": Specimen(lambda: stepped(lambda them: torch.optim.Adam(them, 0.1)), says=("Adam", "lr 0.1", "step 1")),
    "Adam, foreach": Specimen(lambda: stepped(lambda them: torch.optim.Adam(them, 0.1, foreach=True)), says=("step 1",)),
    "Adam, fused": Specimen(lambda: stepped(lambda them: torch.optim.Adam(them, 0.1, fused=True)), says=("step 1", "fused")),
    "Adam, capturable": Specimen(
        lambda: stepped(lambda them: torch.optim.Adam(them, torch.tensor(0.1).cuda(), capturable=True)), says=("lr 0.1", "step 1"),
    ),
    "GradScaler not used": said(lambda: torch.amp.GradScaler("cuda"), "GradScaler · scale 65536 · not used yet"),
    "GradScaler in use": said(scaler, "GradScaler · scale 1024 · 0 good steps of 2,000 to growth"),
    "GradScaler of torch.cuda.amp": Specimen(quiet(lambda: torch.cuda.amp.GradScaler()), says=("GradScaler · scale 65536",)),
    "autocast": Specimen(lambda: torch.autocast("cuda", torch.bfloat16), says=("autocast · cuda · bfloat16",)),
    "stream": Specimen(lambda: torch.cuda.Stream(), says=("Stream · cuda:0 · id ", " · done")),
    "default stream": said(lambda: torch.cuda.default_stream(), "Stream · cuda:0 · default · done"),
    "stream of priority": Specimen(lambda: torch.cuda.Stream(priority=-1), says=("Stream · cuda:0 · id ", "priority −1")),
    "event, not recorded": said(lambda: torch.cuda.Event(), "Event · not recorded"),
    "event": Specimen(recorded, says=("Event · cuda:0", "done")),
    "generator": Specimen(lambda: torch.Generator("cuda").manual_seed(3), says=("Generator · cuda · seed 3",)),
    "default generator": Specimen(default_generator, says=("Generator · cuda:0 · seed ",)),
    "graph": Specimen(graph, says=("CUDAGraph",)),
    "graph, empty": Specimen(lambda: torch.cuda.CUDAGraph(), says=("CUDAGraph",)),
    "storage": Specimen(lambda: drawn(100).untyped_storage(), says=("UntypedStorage · 400 B · cuda:0",)),
    "device properties": Specimen(lambda: torch.cuda.get_device_properties(0), says=(" GiB · sm_", " processors")),
    "pool": Specimen(lambda: torch.cuda.graph_pool_handle(), says=("tuple",)),
    "stream context": Specimen(on_another_stream, says=("StreamContext",)),
    "device context": Specimen(lambda: torch.cuda.device(0), says=("device",)),
    "packed sequence": Specimen(lambda: nn.utils.rnn.pack_sequence([drawn(3, 2), drawn(2, 2)]), says=("PackedSequence",)),
    "loader of pinned batches": Specimen(
        lambda: torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(4, 2)), 2, pin_memory=True), says=("DataLoader", "2 batches"),
    ),
}  # fmt: skip

SPECIMENS: Zoo = {
    name: Specimen(
        **{**vars(one), "memory": _LOADED, "needs": one.needs if _NEEDS[0] in one.needs else (*_NEEDS, *one.needs)}
    )
    for table in (TENSORS, OTHERS)
    for name, one in table.items()
}
