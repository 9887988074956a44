"""Objects of libraries of which a few fields say what they are: quantities, graphs, shardings, configurations, runs."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any

from .declared import of
from .specimen import Specimen, Zoo

# quantities


def pint_quantity(value: Any, unit: str) -> Any:
    return import_module("pint").Quantity(value, unit)


def astropy_quantity(value: Any, unit: str) -> Any:
    return import_module("astropy.units").Quantity(value, unit)


def unyt_array(values: Any, unit: str) -> Any:
    return import_module("unyt").unyt_array(values, unit)


def numbers(*values: float) -> Any:
    return import_module("numpy").array(values)


QUANTITIES: Zoo = {
    "pint quantity": Specimen(
        lambda: pint_quantity(3.2, "m/s"), says=("Quantity · 3.2 m/s",), silent=("_magnitude",), needs=("pint",),
        changed=lambda: pint_quantity(3.2, "km/s"),
    ),
    "pint quantity of powers": Specimen(
        lambda: pint_quantity(2, "kg * m**2 / s**0.5"), says=("Quantity · 2 kg·m²/s^0.5",), needs=("pint",),
        changed=lambda: pint_quantity(3, "kg * m**2 / s**0.5"),
    ),
    "pint quantity without a unit": Specimen(
        lambda: pint_quantity(2.5, ""), says=("Quantity · 2.5 dimensionless",), needs=("pint",), changed=lambda: pint_quantity(2.5, "m"),
    ),
    "pint quantity of an array": Specimen(
        lambda: pint_quantity(numbers(1.0, 2, 3), "kilometer"), says=("Quantity · float64[3] · 1…3", " · km"), needs=("pint", "numpy"),
        facts={"shape": [3], "dtype": "float64", "stats.max": 3.0, "rows": [["unit", "km"]]},
        changed=lambda: pint_quantity(numbers(1.0, 2, 4), "kilometer"),
    ),
    "pint quantity of NaN": Specimen(
        lambda: pint_quantity(numbers(1, float("nan")), "m"), says=("1 NaN",), needs=("pint", "numpy"), changed=lambda: pint_quantity(numbers(1, 2), "m"),
    ),
    "pint unit": Specimen(
        lambda: of("pint", "Unit", "N*m"), says=("Unit · N·m",), needs=("pint",), changed=lambda: of("pint", "Unit", "N/m"),
    ),
    "astropy quantity of a number": Specimen(
        lambda: astropy_quantity(3.2, "m/s"), says=("Quantity · 3.2 m / s",), facts={"shape": [], "dtype": "float64"}, needs=("astropy",),
        changed=lambda: astropy_quantity(3.2, "km/s"),
    ),
    "astropy quantity of an array": Specimen(
        lambda: astropy_quantity([1.0, 2.0], "km"), says=("Quantity · float64[2] · 1…2", " · km"), facts={"shape": [2]}, needs=("astropy",),
        changed=lambda: astropy_quantity([1.0, 3.0], "km"),
    ),
    "astropy unit": Specimen(
        lambda: of("astropy.units", "Unit", "m/s"), says=("CompositeUnit · m / s",), needs=("astropy",), changed=lambda: of("astropy.units", "Unit", "m*s"),
    ),
    "unyt array": Specimen(
        lambda: unyt_array([1.0, 2.0, 3.0], "km"), says=("unyt_array · float64[3] · 1…3", " · km"), facts={"shape": [3], "dtype": "float64"}, needs=("unyt",),
        changed=lambda: unyt_array([1.0, 2.0, 3.0], "m"),
    ),
    "unyt quantity": Specimen(
        lambda: of("unyt", "unyt_quantity", 3.2, "m/s"), says=("unyt_quantity · 3.2 m/s",), needs=("unyt",),
        changed=lambda: of("unyt", "unyt_quantity", 3.3, "m/s"),
    ),
    "unyt unit": Specimen(
        lambda: import_module("unyt").km, says=("Unit · km",), needs=("unyt",), changed=lambda: import_module("unyt").mile,
    ),
}  # fmt: skip

# graphs


def edges(amount: int) -> Any:
    import torch

    return torch.arange(2 * amount).reshape(2, -1) % 4


def data(**items: Any) -> Any:
    import torch
    from torch_geometric.data import Data

    return Data(**{"x": torch.zeros(4, 3), "edge_index": edges(6), **items})


def typed_graph(nodes: int) -> Any:
    import torch
    from torch_geometric.data import HeteroData

    found = HeteroData()
    found["user"].x, found["film"].x = torch.zeros(nodes, 2), torch.zeros(3, 2)
    found["user", "rates", "film"].edge_index = torch.tensor([[0, 1], [1, 2]])
    return found


def graphs(amount: int) -> Any:
    from torch_geometric.data import Batch

    return Batch.from_data_list([data() for _ in range(amount)])


def edge_index(order: str | None, **settings: Any) -> Any:
    from torch_geometric import EdgeIndex

    return EdgeIndex([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]], sort_order=order, **settings)


def node_index(size: int) -> Any:
    from torch_geometric import Index

    return Index([0, 1, 1, 2], dim_size=size)


def nan_features() -> Any:
    import torch

    return torch.full((4, 3), float("nan"))


GRAPHS: Zoo = {
    "graph": Specimen(
        data, says=("Data · 4 nodes, 6 edges · x f32[4,3], edge_index i64[2,6]",), rows=("float32[4, 3]",), silent=("_store",),
        needs=("torch_geometric",), changed=lambda: data(x=edges(6)),
    ),
    "graph without features": Specimen(
        lambda: data(x=None), says=("Data · 4 nodes, 6 edges · edge_index i64[2,6]",), needs=("torch_geometric",), changed=lambda: data(x=None, edge_index=edges(5)),
    ),
    "graph with a number of nodes": Specimen(
        lambda: data(x=None, num_nodes=9), says=("Data · 9 nodes, 6 edges",), needs=("torch_geometric",), changed=lambda: data(x=None, num_nodes=8),
    ),
    "graph with NaN": Specimen(
        lambda: data(x=nan_features()), says=("NaN in x · 4 nodes",), needs=("torch_geometric",), changed=data,
    ),
    "graph without anything": Specimen(
        lambda: of("torch_geometric.data", "Data"), says=("Data · empty",), needs=("torch_geometric",), changed=data,
    ),
    "graph with types": Specimen(
        lambda: typed_graph(4), says=("HeteroData · nodes: user 4, film 3 · edges: user rates film 2",), needs=("torch_geometric",),
        changed=lambda: typed_graph(5),
    ),
    "nodes of a type": Specimen(
        lambda: typed_graph(4)["user"], says=("NodeStorage · x f32[4,2]",), needs=("torch_geometric",), changed=lambda: typed_graph(5)["user"],
    ),
    "batch of graphs": Specimen(
        lambda: graphs(2), says=("DataBatch · 2 graphs · 8 nodes, 12 edges · x f32[8,3]",), needs=("torch_geometric",), changed=lambda: graphs(3),
    ),
    "edge index": Specimen(
        lambda: edge_index("row", sparse_size=(4, 4)), says=("EdgeIndex · 6 edges · 4 × 4 nodes · sorted by row",), facts={"shape": [2, 6], "dtype": "int64"},
        needs=("torch_geometric",), changed=lambda: edge_index("row", sparse_size=(5, 5)),
    ),
    "edge index of an unknown size": Specimen(
        lambda: edge_index(None), says=("EdgeIndex · 6 edges · int64[2, 6]",), silent=("sorted", "nodes"), needs=("torch_geometric",),
        changed=lambda: edge_index("row"),
    ),
    "node index": Specimen(
        lambda: node_index(3), says=("Index · of 3 · int64[4]",), needs=("torch_geometric",), changed=lambda: node_index(4),
    ),
}  # fmt: skip

# layers and representations


def einops_layer(name: str, *args: Any, **settings: Any) -> Any:
    import_module("torch").manual_seed(0)  # of its weight, if it has one
    return of("einops.layers.torch", name, *args, **settings)


LAYERS: Zoo = {
    "irreps": Specimen(
        lambda: of("e3nn.o3", "Irreps", "8x0e+4x1o"), says=("Irreps · 8x0e + 4x1o · dim 20",), needs=("e3nn",), changed=lambda: of("e3nn.o3", "Irreps", "8x0e+4x1e"),
    ),
    "no irreps": Specimen(lambda: of("e3nn.o3", "Irreps", ""), says=("Irreps · empty · dim 0",), needs=("e3nn",), changed=lambda: of("e3nn.o3", "Irreps", "1e")),
    "irrep": Specimen(lambda: of("e3nn.o3", "Irrep", "2e"), says=("Irrep · 2e · dim 5",), needs=("e3nn",), changed=lambda: of("e3nn.o3", "Irrep", "2o")),
    "irreps in a dict": Specimen(
        lambda: {"irreps": of("e3nn.o3", "Irreps", "2x0e+1o")}, says=("irreps 2x0e + 1x1o",), needs=("e3nn",), changed=lambda: {"irreps": of("e3nn.o3", "Irreps", "1o")},
    ),
    "equivariant layer": Specimen(
        lambda: of("e3nn.o3", "Linear", "8x0e", "4x0e"), says=("Linear · 8x0e → 4x0e · 32 params",), needs=("e3nn",), memory=64,  # another made alike is of another class: torch.fx makes one each time
    ),
    "rearranging layer": Specimen(
        lambda: einops_layer("Rearrange", "b (h w) c -> b c h w", h=2), says=("Rearrange · b (h w) c -> b c h w · h 2",), needs=("einops", "torch"),
        changed=lambda: einops_layer("Rearrange", "b (h w) c -> b c h w", h=4),
    ),
    "reducing layer": Specimen(
        lambda: einops_layer("Reduce", "b c h w -> b c", "mean"), says=("Reduce · b c h w -> b c · mean",), needs=("einops", "torch"),
        changed=lambda: einops_layer("Reduce", "b c h w -> b c", "max"),
    ),
    "mixing layer": Specimen(
        lambda: einops_layer("EinMix", "b c -> b d", weight_shape="c d", c=2, d=3), says=("EinMix · b c -> b d · weight c d · c 2, d 3",), needs=("einops", "torch"),
        changed=lambda: einops_layer("EinMix", "b c -> b d", weight_shape="c d", c=2, d=4),
    ),
}  # fmt: skip

# shardings and references of jax


def mesh(*names: str) -> Any:
    import jax
    import numpy as np

    return jax.sharding.Mesh(np.array(jax.devices()[:1]).reshape([1] * len(names)), names)


def spec(*axes: Any) -> Any:
    return of("jax.sharding", "PartitionSpec", *axes)


def sharding(*axes: Any) -> Any:
    return of("jax.sharding", "NamedSharding", mesh("data", "model"), spec(*axes))


def reference(*values: float) -> Any:
    import jax

    return jax.new_ref(jax.numpy.array(values))


SHARDINGS: Zoo = {
    "jax partition spec": Specimen(
        lambda: spec("data", None, ("model", "x")), says=(" · 'data', None, ('model', 'x')",), silent=("frozenset",), needs=("jax",), changed=lambda: spec("data", None, "x"),
    ),
    "jax mesh": Specimen(lambda: mesh("data", "model"), says=("Mesh · data 1 × model 1 · 1 device",), needs=("jax",), changed=lambda: mesh("data", "x")),
    "jax abstract mesh": Specimen(
        lambda: mesh("data").abstract_mesh, says=("AbstractMesh · data 1 · abstract",), needs=("jax.new_ref",), changed=lambda: mesh("x").abstract_mesh,
    ),
    "jax sharding": Specimen(
        lambda: sharding("data"), says=("NamedSharding · 'data' over data 1 × model 1",), needs=("jax",), changed=lambda: sharding("model"),
    ),
    "jax sharding that divides nothing": Specimen(
        sharding, says=("NamedSharding · replicated over data 1 × model 1",), needs=("jax",), changed=lambda: sharding("model"),
    ),
    "jax sharding on one device": Specimen(
        lambda: of("jax.sharding", "SingleDeviceSharding", import_module("jax").devices()[0]), says=("SingleDeviceSharding · ",), needs=("jax",), changed=sharding,
    ),
    "jax reference": Specimen(
        lambda: reference(0.0, 1.0, 2.0), says=("Ref · float32[3] · 0…2",), silent=("_aval",), needs=("jax.new_ref",),
        facts={"shape": [3], "dtype": "float32", "stats.max": 2.0}, changed=lambda: reference(0.0, 1.0, 3.0),
    ),
    "jax reference with NaN": Specimen(
        lambda: reference(1.0, float("nan")), says=("1 NaN",), needs=("jax.new_ref",), changed=lambda: reference(1.0, 2.0),
    ),
}  # fmt: skip

# images of MONAI


@lru_cache(None)
def rotation() -> Any:
    """One transform: MONAI notes its ``id`` among what is pending."""
    return of("monai.transforms", "Rotate90", lazy=True)


def meta_tensor(path: str = "a.nii", lazy: bool = False) -> Any:
    import torch
    from monai.data import MetaTensor

    found = MetaTensor(torch.arange(64.0).reshape(1, 4, 4, 4), affine=torch.eye(4), meta={"filename_or_obj": path})
    return rotation()(found) if lazy else found


IMAGES: Zoo = {
    "image with metadata": Specimen(
        meta_tensor, says=("MetaTensor · float32[1, 4, 4, 4] · 0…63", "filename_or_obj 'a.nii', affine f64[4,4]"), silent=("pending",), facts={"shape": [1, 4, 4, 4]},
        needs=("monai",), changed=lambda: meta_tensor("b.nii"), memory=64,
    ),
    "image with a pending transform": Specimen(
        lambda: meta_tensor(lazy=True), says=("MetaTensor · pending: Rotate90 · float32[1, 4, 4, 4]",), needs=("monai",), changed=meta_tensor, memory=64,
    ),
}  # fmt: skip

# configurations


@lru_cache(None)
def settings_of_pydantic() -> Any:
    import pydantic

    class Settings(pydantic.BaseModel):
        model_config = {"extra": "allow"}
        rate: float = 0.1
        _seen: int = pydantic.PrivateAttr(1)

    return Settings


def pydantic_model(seen: int = 1, **extra: Any) -> Any:
    found = settings_of_pydantic()(**extra)
    found._seen = seen
    return found


@lru_cache(None)
def settings_of_attrs() -> Any:
    return of("attrs", "make_class", "Settings", ["rate", "_hidden"])


def attrs_object(hidden: int = 3) -> Any:
    return settings_of_attrs()(0.1, hidden)


def namespace(**items: Any) -> Any:
    return of("argparse", "Namespace", _run="a", rate=0.1, **items)


CONFIGURATIONS: Zoo = {
    "pydantic model": Specimen(pydantic_model, says=("Settings · rate 0.1, _seen 1",), needs=("pydantic",), changed=lambda: pydantic_model(2)),
    "pydantic model with more than its fields": Specimen(
        lambda: pydantic_model(name="x"), says=("Settings · rate 0.1, name 'x', _seen 1",), rows=("_seen  1",), needs=("pydantic",),
        changed=lambda: pydantic_model(name="y"),
    ),
    "attrs object": Specimen(attrs_object, says=("Settings · rate 0.1, _hidden 3",), needs=("attrs",), changed=lambda: attrs_object(4)),
    "namespace with a private name": Specimen(namespace, says=("Namespace · rate 0.1, _run 'a'",), changed=lambda: namespace(steps=3)),
    "LoRA configuration": Specimen(
        lambda: of("peft", "LoraConfig", r=4, task_type="CAUSAL_LM"), says=("LoraConfig · r 4 · alpha 8 · dropout 0",), needs=("peft",), memory=64,
        changed=lambda: of("peft", "LoraConfig", r=8, task_type="CAUSAL_LM"),
    ),
}  # fmt: skip

# runs, and what is to be run


def mlflow_run(loss: float = 0.5) -> Any:
    from mlflow.entities import Metric, Param, Run, RunData, RunInfo

    info = RunInfo("abc123", "0", "me", "RUNNING", 1, None, "active", run_name="nice")
    return Run(info, RunData([Metric("loss", loss, 1, 0)], [Param("lr", "0.1")], []))


def wandb_config(**items: Any) -> Any:
    found = of("wandb.sdk.wandb_config", "Config")
    found.update({"_wandb": {}, **items})
    return found


def trainer(epochs: int) -> Any:
    return of(
        "lightning",
        "Trainer",
        accelerator="cpu",
        max_epochs=epochs,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
    )


def dask_array(*chunks: int) -> Any:
    return of("dask.array", "ones", (8, 10), chunks=chunks)


@lru_cache(None)
def logs() -> str:
    import tempfile

    return tempfile.mkdtemp(prefix="logs")


def writer(queue: int = 10) -> Any:
    found = of("torch.utils.tensorboard", "SummaryWriter", logs(), max_queue=queue)
    found.close()
    return found


RUNS: Zoo = {
    "mlflow run": Specimen(
        mlflow_run, says=("Run · abc123 · nice · RUNNING · loss 0.5 · lr '0.1'",), needs=("mlflow.entities",), memory=64, changed=lambda: mlflow_run(0.4),
    ),
    "mlflow metric": Specimen(
        lambda: mlflow_run().data._metric_objs[0], says=("Metric · loss 0.5 · step 0",), needs=("mlflow.entities",), memory=64,
        changed=lambda: mlflow_run(0.4).data._metric_objs[0],
    ),
    "wandb configuration": Specimen(
        lambda: wandb_config(lr=0.1), says=("Config · 1: lr 0.1",), silent=("_wandb", "_items"), needs=("wandb",), memory=64, changed=lambda: wandb_config(lr=0.2),
    ),
    "trainer": Specimen(lambda: trainer(3), says=("Trainer · initializing · step 0 · epoch 0 of 3 · batch 0 · cpu · 32-true",), needs=("lightning",), memory=64, changed=lambda: trainer(4)),
    "fabric": Specimen(
        lambda: of("lightning", "Fabric", accelerator="cpu", devices=1), says=("Fabric · cpu · SingleDeviceStrategy · 32-true",), needs=("lightning",), memory=64,
        changed=lambda: of("lightning", "Fabric", accelerator="cpu", devices=1, precision="bf16-true"),
    ),
    "profiler": Specimen(
        lambda: of("torch.profiler", "profile", activities=[import_module("torch").profiler.ProfilerActivity.CPU]), says=("profile · step 0 · RECORD",), needs=("torch",),
        changed=lambda: of("torch.profiler", "profile", activities=[import_module("torch").profiler.ProfilerActivity.CPU], record_shapes=True),
    ),
    "tensorboard writer, closed": Specimen(writer, says=("SummaryWriter · ", " · closed"), needs=("tensorboard",), memory=64, changed=lambda: writer(5)),
    "dask array": Specimen(
        lambda: dask_array(4, 5), says=("Array · float64[8, 10] · 4 chunks of [4, 5] · not computed",), facts={"shape": [8, 10], "dtype": "float64", "stats": None},
        needs=("dask.array",), changed=lambda: dask_array(8, 5),
    ),
    "duckdb relation": Specimen(
        lambda: of("duckdb", "sql", "select 1 as a, 'x' as b"), says=("DuckDBPyRelation · a, b · not run",), needs=("duckdb",),  # another made alike has another name, by chance
    ),
    "augmentations": Specimen(
        lambda: of("albumentations", "Compose", [of("albumentations", "HorizontalFlip")], seed=0), says=("Compose · HorizontalFlip",), needs=("albumentations",), memory=64,
        changed=lambda: of("albumentations", "Compose", [of("albumentations", "VerticalFlip")], seed=0),
    ),
}  # fmt: skip

SPECIMENS: Zoo = {**CONFIGURATIONS, **RUNS, **QUANTITIES, **GRAPHS, **LAYERS, **SHARDINGS, **IMAGES}
