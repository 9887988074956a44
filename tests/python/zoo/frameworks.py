"""Arrays, files and models of libraries beside torch and numpy, by their shape and dtype."""

from __future__ import annotations

from itertools import count
from typing import Any

from .specimen import Specimen, Zoo

TRANSFORMERS = ("torch", "transformers.cache_utils.DynamicLayer")


def cache(tokens: int = 5, value: float = 1.0, last: int | None = None) -> Any:
    import torch
    from transformers import DynamicCache

    found = DynamicCache()
    for layer in range(3):
        length = tokens if last is None or layer < 2 else last
        found.update(torch.full((1, 12, length, 64), value), torch.ones(1, 12, length, 64), layer)
    return found


def fixed_cache(tokens: int, value: float = 1.0) -> Any:
    import torch
    from transformers import GPT2Config, StaticCache

    found = StaticCache(config=GPT2Config(n_layer=2, n_embd=32, n_head=4), max_cache_len=16)
    if tokens:
        for layer in range(2):
            found.update(torch.full((1, 4, tokens, 8), value), torch.ones(1, 4, tokens, 8), layer)
    return found


def old_cache(tokens: int) -> Any:
    """A cache as transformers kept it before there were objects for layers."""
    import torch
    from transformers import DynamicCache

    found = DynamicCache()
    found.__dict__.clear()
    found.__dict__["key_cache"] = [torch.ones(1, 12, tokens, 64) for _ in range(3)]
    found.__dict__["value_cache"] = [torch.ones(1, 12, tokens, 64) for _ in range(3)]
    return found


def two_caches(tokens: int) -> Any:
    from transformers import DynamicCache, EncoderDecoderCache

    return EncoderDecoderCache(cache(tokens), DynamicCache())


def pairs(value: float) -> Any:
    import torch

    return tuple((torch.full((1, 12, 5, 64), value), torch.ones(1, 12, 5, 64)) for _ in range(3))


CACHES: Zoo = {
    "cache": Specimen(cache, says=("DynamicCache · 3 layers × 5 tokens · float32[1, 12, 5, 64]",), needs=TRANSFORMERS, changed=lambda: cache(value=2)),
    "cache with NaN": Specimen(lambda: cache(value=float("nan")), says=("DynamicCache · NaN in layers[0].keys, layers[1].keys and 1 more · 3 layers",), needs=TRANSFORMERS, changed=cache),
    "cache of unlike layers": Specimen(lambda: cache(last=4), says=("3 layers × 4…5 tokens · float32[1, 12, 5, 64] · 1 other shape",), needs=TRANSFORMERS, changed=cache),
    "cache of old": Specimen(lambda: old_cache(5), says=("DynamicCache · 3 layers × 5 tokens · float32[1, 12, 5, 64]",), needs=TRANSFORMERS, changed=lambda: old_cache(6)),
    "static cache": Specimen(lambda: fixed_cache(5), says=("StaticCache · 2 layers × 5 of 16 tokens · float32[1, 4, 16, 8]",), needs=TRANSFORMERS, changed=lambda: fixed_cache(5, 2)),
    "static cache, empty": Specimen(lambda: fixed_cache(0), says=("StaticCache · 2 layers, empty",), needs=TRANSFORMERS, changed=lambda: fixed_cache(1)),
    "two caches": Specimen(lambda: two_caches(5), says=("EncoderDecoderCache · self-attention 3 layers × 5 tokens · float32[1, 12, 5, 64]", "cross-attention empty"), needs=TRANSFORMERS, changed=lambda: two_caches(6)),
    "keys and values in tuples": Specimen(lambda: pairs(1.0), says=("tuple · 3: (tuple of 2 f32[1,12,5,64]) ×3",), needs=("torch",), changed=lambda: pairs(2.0)),
}  # fmt: skip


def module_of(name: str) -> Any:
    from importlib import import_module

    return import_module(name)


def ones(*sizes: int, value: float = 1.0, dtype: str = "f4") -> Any:
    import numpy as np

    return np.full(sizes, value, dtype)


# mlx, paddle, tensorflow, SimpleITK


def mlx_array(*sizes: int) -> Any:
    mx = module_of("mlx.core")
    return mx.ones(sizes) + 1


def paddle_tensor(value: float = 1.0, dtype: str = "float32", **settings: Any) -> Any:
    found = module_of("paddle").full([2, 3], value, dtype=dtype)
    for name, setting in settings.items():
        setattr(found, name, setting)
    return found


def tensorflow_tensor(value: float = 1.0, dtype: str = "float32") -> Any:
    tf = module_of("tensorflow")
    return tf.fill((2, 3), tf.constant(value, dtype))


def tensorflow_variable(value: float = 1.0) -> Any:
    return module_of("tensorflow").Variable([value, 2.0], name="w")


def image(value: float = 0.0, spacing: float = 1.0, **settings: Any) -> Any:
    """An image; ``settings`` are what its methods ``SetDirection``, ``SetMetaData`` … are given."""
    sitk = module_of("SimpleITK")
    found = sitk.Image(4, 5, 6, sitk.sitkFloat32) + value
    found.SetSpacing((spacing, 1.0, 2.5))
    for name, given in settings.items():
        getattr(found, f"Set{name}")(*given)
    return found


_TURNED = ((0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0),)


def shared_image(value: float) -> Any:
    """An image that shares its pixels with a copy until one of them is written to, or read as an array."""
    found = image(value)
    _OPEN.append(module_of("SimpleITK").Image(found))
    return found


# Files


def h5(ask: str, value: float = 1.0, close: bool = False) -> Any:
    """A part of a file in memory."""
    h5py = module_of("h5py")
    file = h5py.File(f"run{next(_NUMBERS)}.h5", "w", driver="core", backing_store=False)
    group = file.create_group("g")
    group.create_dataset("x", data=ones(3, 4, value=value)).attrs["unit"] = "m"
    if value == 2.0:
        group.create_dataset("y", data=[1])
    found = {
        "file": file,
        "group": group,
        "x": group["x"],
        "attributes": group["x"].attrs,
        "reference": group["x"].ref,
    }[ask]
    if close:
        file.close()
    elif ask in ("x", "attributes", "reference"):
        _OPEN.append(file)
    return found


_NUMBERS = count()  #: of files in memory
_ROOTS: dict[int, str] = {}  #: files of ROOT by their entries
_OPEN: list[Any] = []  #: files that would be closed with their last reference


def netcdf(ask: str, length: int = 2, close: bool = False) -> Any:
    netCDF4 = module_of("netCDF4")
    file = netCDF4.Dataset(f"run{next(_NUMBERS)}.nc", "w", diskless=True)
    file.createDimension("time", None)
    file.createDimension("x", 3)
    variable = file.createVariable("heat", "f4", ("time", "x"))
    variable[:] = ones(length, 3)
    found = {"file": file, "variable": variable, "dimension": file.dimensions["time"]}[ask]
    _OPEN.append(file)
    if close:
        file.close()
    return found


def tensorstore(*sizes: int) -> Any:
    ts = module_of("tensorstore")
    return ts.open(
        {"driver": "zarr", "kvstore": {"driver": "memory"}}, create=True, dtype=ts.float32, shape=sizes
    ).result()


def root(ask: str, entries: int = 5, close: bool = False) -> Any:
    import os
    import tempfile

    import numpy as np

    uproot = module_of("uproot")
    if entries not in _ROOTS:
        _ROOTS[entries] = os.path.join(tempfile.mkdtemp(), "run.root")
        with uproot.recreate(_ROOTS[entries]) as file:
            file.mktree("t", {"x": "f8", "y": "i8"})
            file["t"].extend({"x": np.arange(float(entries)), "y": np.arange(entries)})
    file = uproot.open(_ROOTS[entries])
    found = {"file": lambda: file, "tree": lambda: file["t"], "branch": lambda: file["t"]["x"]}[ask]()
    if close:
        file.close()
    return found


# Models and their data


def onnx_tensor(value: float = 1.0, **settings: Any) -> Any:
    return module_of("onnx.numpy_helper").from_array(ones(2, 3, value=value), "w")


def onnx_value(sizes: tuple[Any, ...] = ("N", 3)) -> Any:
    return module_of("onnx.helper").make_tensor_value_info("x", 1, sizes)


def onnx_graph(operation: str = "Add", value: float = 1.0) -> Any:
    helper = module_of("onnx.helper")
    node = helper.make_node(operation, ["x", "w"], ["y"], name="sum")
    end = helper.make_tensor_value_info("y", 1, [None, 3])
    return helper.make_graph([node], "g", [onnx_value()], [end], [onnx_tensor(value)])


def onnx_model(operation: str = "Add", value: float = 1.0) -> Any:
    helper = module_of("onnx.helper")
    return helper.make_model(onnx_graph(operation, value), opset_imports=[helper.make_opsetid("", 17)])


def onnx_node(value: float = 1.0) -> Any:
    return module_of("onnx.helper").make_node("Elu", ["x"], ["y"], alpha=value)


def onnx_constant(value: float) -> Any:
    return module_of("onnx.helper").make_node("Constant", [], ["y"], value=onnx_tensor(value))


def proto_map(value: float = 1.0) -> Any:
    found = module_of("google.protobuf.struct_pb2").Struct()
    found["a"] = value
    return found


def xgboost_matrix(rows: int = 5, value: float = 1.0) -> Any:
    return module_of("xgboost").DMatrix(ones(rows, 3, value=value), label=ones(rows))


def xgboost_model(rounds: int = 2) -> Any:
    return module_of("xgboost").train({"max_depth": 2, "nthread": 1}, xgboost_matrix(), num_boost_round=rounds)


def lightgbm_data(rows: int = 50, construct: bool = True) -> Any:
    import numpy as np

    found = module_of("lightgbm").Dataset(
        np.arange(3.0 * rows).reshape(rows, 3), label=np.arange(rows) % 2, params={"verbose": -1, "num_threads": 1}
    )
    return found.construct() if construct else found


def lightgbm_model(rounds: int = 2) -> Any:
    return module_of("lightgbm").train(
        {"verbose": -1, "num_threads": 1, "objective": "binary"}, lightgbm_data(), rounds
    )


def annotated(value: float = 1.0) -> Any:
    import pandas as pd

    table = pd.DataFrame({"kind": list("aabb")}, index=list("wxyz"))
    return module_of("anndata").AnnData(ones(4, 3, value=value), obs=table, layers={"counts": ones(4, 3)})


MLX, PADDLE, TENSORFLOW, ITK = ("mlx.core",), ("paddle",), ("tensorflow",), ("SimpleITK",)
ARRAYS: Zoo = {
    "mlx array": Specimen(lambda: mlx_array(2, 3), says=("array · float32[2, 3] · not read: reading would evaluate it",), facts={"shape": [2, 3], "dtype": "float32"}, needs=MLX, changed=lambda: mlx_array(2, 4)),
    "mlx array of other values": Specimen(lambda: mlx_array(2, 3), needs=MLX, changed=lambda: mlx_array(2, 3) + 1),
    "paddle tensor": Specimen(paddle_tensor, says=("Tensor · float32[2, 3] · all 1",), facts={"shape": [2, 3], "dtype": "float32"}, needs=PADDLE, changed=lambda: paddle_tensor(2.0)),
    "paddle tensor with gradient": Specimen(lambda: paddle_tensor(stop_gradient=False), says=("· stop_gradient False",), needs=PADDLE, changed=paddle_tensor),
    "paddle tensor of bfloat16": Specimen(lambda: paddle_tensor(dtype="bfloat16"), says=("Tensor · bfloat16[2, 3] · bfloat16 values are not read",), needs=PADDLE, changed=paddle_tensor),
    "paddle tensor with NaN": Specimen(lambda: [paddle_tensor(float("nan"))], says=("NaN in [0]",), needs=PADDLE, changed=lambda: [paddle_tensor()]),
    "tensorflow tensor": Specimen(tensorflow_tensor, says=("EagerTensor · float32[2, 3] · all 1",), facts={"shape": [2, 3], "dtype": "float32"}, needs=TENSORFLOW, changed=lambda: tensorflow_tensor(2.0)),
    "tensorflow tensor of bfloat16": Specimen(lambda: tensorflow_tensor(dtype="bfloat16"), says=("bfloat16[2, 3] · bfloat16 values are not read",), needs=TENSORFLOW, changed=tensorflow_tensor),
    "tensorflow variable": Specimen(tensorflow_variable, says=("ResourceVariable · float32[2] · w · not read: that would run an operation",), needs=TENSORFLOW, changed=lambda: tensorflow_variable(3.0)),
    "image of SimpleITK": Specimen(image, says=("Image · float32[4, 5, 6] · all zeros · spacing 1 × 1 × 2.5",), facts={"shape": [4, 5, 6], "dtype": "float32"}, needs=ITK, changed=lambda: image(1.0)),
    "image of SimpleITK, shared": Specimen(lambda: shared_image(0.0), says=("Image · float32[4, 5, 6] · spacing 1 × 1 × 2.5 · not read: it shares its pixels",), needs=ITK, changed=lambda: shared_image(1.0)),
    "image of SimpleITK, turned": Specimen(image, needs=ITK, changed=lambda: image(Direction=_TURNED)),
    "image of SimpleITK, moved a little": Specimen(image, needs=ITK, changed=lambda: image(Origin=((1e-9, 0.0, 0.0),))),
    "image of SimpleITK, named": Specimen(lambda: image(MetaData=("name", "a")), needs=ITK, changed=lambda: image(MetaData=("name", "b"))),
    "image of SimpleITK, spaced": Specimen(lambda: image(1.0), says=("· all 1 ·",), needs=ITK, changed=lambda: image(1.0, 3.0)),
}  # fmt: skip
H5, NETCDF, UPROOT = ("h5py",), ("netCDF4",), ("uproot", "awkward")
FILES: Zoo = {
    "h5py dataset": Specimen(lambda: h5("x"), says=("Dataset · float32[3, 4] · /g/x · not read from disk",), facts={"shape": [3, 4], "dtype": "float32"}, needs=H5, changed=lambda: h5("x", 3.0)),
    "h5py dataset, closed": Specimen(lambda: h5("x", close=True), says=("Dataset · closed",), facts={"shape": "absent"}, needs=H5, changed=lambda: h5("x")),
    "h5py group": Specimen(lambda: h5("group"), says=("Group · /g · items: x",), needs=H5, changed=lambda: h5("group", 2.0)),
    "h5py file": Specimen(lambda: h5("file"), says=("File · run", ".h5 · items: g"), needs=H5, changed=lambda: h5("file", 3.0)),
    "h5py file, closed": Specimen(lambda: h5("file", close=True), says=("File · closed",), needs=H5, changed=lambda: h5("file")),
    "h5py attributes": Specimen(lambda: h5("attributes"), says=("AttributeManager · 1 attribute",), needs=H5, changed=lambda: h5("attributes", 3.0)),
    "h5py reference": Specimen(lambda: h5("reference"), says=("Reference · to an object of a file, not followed",), needs=H5, changed=lambda: h5("reference", 3.0)),
    "netCDF4 variable": Specimen(lambda: netcdf("variable"), says=("Variable · float32[2, 3] · heat · dims time, x · not read from disk",), facts={"shape": [2, 3], "dtype": "float32"}, needs=NETCDF, changed=lambda: netcdf("variable", 3)),
    "netCDF4 variable, closed": Specimen(lambda: netcdf("variable", close=True), says=("Variable · float32 · heat · closed",), needs=NETCDF, changed=lambda: netcdf("variable")),
    "netCDF4 file": Specimen(lambda: netcdf("file"), says=("Dataset · dims time 2, x 3 · 1 variable: heat",), rows=("heat",), needs=NETCDF, changed=lambda: netcdf("file", 3)),
    "netCDF4 file, closed": Specimen(lambda: netcdf("file", close=True), says=("Dataset · closed",), needs=NETCDF, changed=lambda: netcdf("file")),
    "netCDF4 dimension": Specimen(lambda: netcdf("dimension"), says=("Dimension · time · 2",), needs=NETCDF, changed=lambda: netcdf("dimension", 3)),
    "tensorstore": Specimen(lambda: tensorstore(3, 4), says=("TensorStore · float32[3, 4] · not read from its store",), facts={"shape": [3, 4], "dtype": "float32"}, needs=("tensorstore",), changed=lambda: tensorstore(3, 5)),
    "uproot file": Specimen(lambda: root("file"), says=("ReadOnlyDirectory · /", "1 key: t"), needs=UPROOT, changed=lambda: root("file", 6)),
    "uproot file, closed": Specimen(lambda: root("file", close=True), says=("ReadOnlyDirectory · closed · /",), needs=UPROOT, changed=lambda: root("file")),
    "uproot tree": Specimen(lambda: root("tree"), says=("Model_TTree_v20 · t · 5 entries · 2 branches: x, y",), needs=UPROOT, changed=lambda: root("tree", 6)),
    "uproot branch": Specimen(lambda: root("branch"), says=(" · x · 5 entries · ", "not read from its file"), needs=UPROOT, changed=lambda: root("branch", 6)),
}  # fmt: skip
ONNX, PROTOBUF, XGBOOST, LIGHTGBM = ("onnx",), ("google.protobuf.struct_pb2", "numpy"), ("xgboost",), ("lightgbm",)
MODELS: Zoo = {
    "onnx tensor": Specimen(onnx_tensor, says=("TensorProto · float32[2, 3] · all 1 · w",), facts={"shape": [2, 3], "dtype": "float32"}, needs=ONNX, changed=lambda: onnx_tensor(2.0)),
    "onnx value": Specimen(onnx_value, says=("ValueInfoProto · x · float32[N, 3]",), needs=ONNX, changed=lambda: onnx_value(("N", 4))),
    "onnx graph": Specimen(onnx_graph, says=("GraphProto · g · 1 node · 1 initializer · in x f32[N,3] · out y f32[?,3]",), rows=("NodeProto · Add · x, w → y · sum",), needs=ONNX, changed=lambda: onnx_graph(value=2.0)),
    "onnx model": Specimen(onnx_model, says=("ModelProto · opset 17 · 1 node · 1 initializer · in x f32[N,3]",), needs=ONNX, changed=lambda: onnx_model("Mul")),
    "onnx model with NaN": Specimen(lambda: onnx_model(value=float("nan")), says=("ModelProto · NaN in graph.initializer[0] · opset 17",), needs=ONNX, changed=onnx_model),
    "onnx node": Specimen(onnx_node, says=("NodeProto · Elu · x → y",), needs=ONNX, changed=lambda: onnx_node(2.0)),
    "onnx node with NaN": Specimen(lambda: onnx_node(float("nan")), says=("NodeProto · NaN in attribute[0].f · Elu · x → y",), needs=ONNX, changed=onnx_node),
    "onnx node of a tensor with NaN": Specimen(lambda: onnx_constant(float("nan")), says=("NodeProto · NaN in attribute[0].t · Constant · → y",), needs=ONNX, changed=lambda: onnx_constant(1.0)),
    "map of protobuf": Specimen(lambda: proto_map().fields, says=("map · 1: a Value",), rows=("'a'  Value · number_value 1",), needs=PROTOBUF, changed=lambda: proto_map(2.0).fields),
    "message of protobuf with NaN": Specimen(lambda: proto_map(float("nan")), says=("Struct · NaN in fields.a.number_value · fields map of 1",), needs=PROTOBUF, changed=proto_map),
    "xgboost matrix": Specimen(xgboost_matrix, says=("DMatrix · 5 × 3 · missing NaN",), silent=("handle",), needs=XGBOOST, changed=lambda: xgboost_matrix(6)),
    "xgboost matrix of other values": Specimen(xgboost_matrix, needs=XGBOOST, changed=lambda: xgboost_matrix(value=2.0)),
    "xgboost model": Specimen(xgboost_model, says=("Booster · not read: that would configure it",), needs=XGBOOST, changed=lambda: xgboost_model(3)),
    "lightgbm data": Specimen(lightgbm_data, says=("Dataset · 50 × 3 · ",), needs=LIGHTGBM, changed=lambda: lightgbm_data(60)),
    "lightgbm data, not constructed": Specimen(lambda: lightgbm_data(construct=False), says=("Dataset · not constructed · data f64[50,3]",), needs=LIGHTGBM, changed=lambda: lightgbm_data(60, construct=False)),
    "lightgbm model": Specimen(lightgbm_model, says=("Booster · 2 rounds · 3 features",), needs=LIGHTGBM, changed=lambda: lightgbm_model(3)),
    "annotated data": Specimen(annotated, says=("AnnData · 4 obs × 3 vars · X float32[4, 3] · layers counts",), needs=("anndata",), changed=lambda: annotated(2.0)),
    "annotated data, a view": Specimen(lambda: annotated()[:2], says=("AnnData · 2 obs × 3 vars · view",), needs=("anndata",), changed=lambda: annotated(2.0)[:2]),
    "annotated data with NaN": Specimen(lambda: annotated(float("nan")), says=("AnnData · NaN in X · 4 obs",), needs=("anndata",), changed=annotated),
}  # fmt: skip

SPECIMENS: Zoo = {**CACHES, **ARRAYS, **FILES, **MODELS}
