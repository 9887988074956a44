"""Objects of libraries, and of the standard one, of whose classes a summary was declared."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .specimen import Specimen, Zoo


def of(module: str, name: str, /, *args: Any, **settings: Any) -> Any:
    """A function of a module, called."""
    return getattr(import_module(module), name)(*args, **settings)


def row() -> Any:
    import sqlite3

    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    return connection.execute("select 1 as a, 'x' as b").fetchone()


def sqlalchemy_row() -> Any:
    import sqlalchemy

    with sqlalchemy.create_engine("sqlite://").connect() as connection:
        return connection.execute(sqlalchemy.text("select 1 as a, 2 as b")).fetchone()


def wrong() -> Any:
    import pydantic

    try:
        pydantic.create_model("Settings", rate=(float, ...))(rate="fast")
    except pydantic.ValidationError as error:
        return error


def expression() -> Any:
    import sympy

    x, y = sympy.symbols("x y")
    return sympy.Eq(x, y)


def array(dims: tuple[str, ...] = ("x", "y")) -> Any:
    import numpy as np
    import xarray

    return xarray.DataArray(np.zeros((2, 3)), dims=dims, name="t")


def classifier(fitted: bool) -> Any:
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=2.0)
    return model.fit(np.arange(30.0).reshape(10, 3), np.arange(10) % 2) if fitted else model


def search(fitted: bool) -> Any:
    import numpy as np
    from sklearn.model_selection import GridSearchCV

    found = GridSearchCV(classifier(False), {"C": [1.0]}, cv=2)
    return found.fit(np.arange(30.0).reshape(10, 3), np.arange(10) // 5) if fitted else found


def vectorizer() -> Any:
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer().fit(["some words"])


def resize(version: str) -> Any:
    return of(f"torchvision.transforms{version}", "Resize", 32)


def boxes() -> Any:
    import torch

    return of("torchvision.tv_tensors", "BoundingBoxes", torch.zeros(1, 4), format="XYXY", canvas_size=(10, 12))


def tokenizer() -> Any:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer(WordLevel({"a": 0, "b": 1}, unk_token="a")))


def pipeline() -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), classifier(False))


def accuracy() -> Any:
    import torch
    from torchmetrics.classification import MulticlassAccuracy

    metric = MulticlassAccuracy(num_classes=3)
    metric.update(torch.eye(3), torch.tensor([0, 1, 2]))
    return metric


def parameter() -> Any:
    import numpy as np
    from flax import nnx

    return nnx.Param(np.ones(3))


def quantity() -> Any:
    import astropy.units

    return 3 * astropy.units.m


def response() -> Any:
    import requests

    found = requests.Response()
    found.status_code, found.url, found._content = 404, "https://example.org/a", b"abc"
    return found


STANDARD: Zoo = {
    "address": Specimen(lambda: of("ipaddress", "ip_address", "10.0.0.1"), says=("IPv4Address · 10.0.0.1",)),
    "network": Specimen(lambda: of("ipaddress", "ip_network", "10.0.0.0/8"), says=("IPv4Network · 10.0.0.0/8",)),
    "addresses in a list": Specimen(lambda: [of("ipaddress", "ip_address", "::1")], says=("list · 1: ::1",)),
    "environment": Specimen(
        lambda: import_module("os").environ, says=("_Environ · ", " variables"), silent=("encode",)
    ),
    "generic": Specimen(lambda: dict[str, int], says=("GenericAlias · dict[str, int]",)),
    "typing generic": Specimen(lambda: import_module("typing").List[int], says=("List[int]",)),
    "logger": Specimen(lambda: of("logging", "getLogger", "train"), says=("Logger · train · level 0 · 0 handlers",)),
    "generic of a class": Specimen(
        lambda: import_module("typing").Generic[import_module("typing").TypeVar("T")], says=("Generic[T]",)
    ),
    "literals": Specimen(lambda: import_module("typing").Literal["a", 1], says=("2 values: a, 1",)),
    "union": Specimen(lambda: import_module("typing").Union[int, str], says=("Union[int, str]",)),
    "database row": Specimen(row, says=("Row · a 1, b 'x'",)),
    "element": Specimen(
        lambda: of("xml.etree.ElementTree", "fromstring", '<a x="1"><b/>t</a>'),
        says=("Element · <a> · 1 child · x '1'",),
    ),
    "document": Specimen(
        lambda: of("xml.etree.ElementTree", "ElementTree", of("xml.etree.ElementTree", "Element", "a")),
        says=("ElementTree · <a>",),
    ),
}
LIBRARIES: Zoo = {
    "networkx graph": Specimen(lambda: of("networkx", "path_graph", 4), says=("Graph · 4 nodes",), needs=("networkx",)),
    "networkx directed graph": Specimen(
        lambda: of("networkx", "DiGraph", [(1, 2)], name="net"), says=("DiGraph · 2 nodes · name 'net'",), needs=("networkx",)
    ),
    "networkx nodes": Specimen(lambda: of("networkx", "path_graph", 2).nodes, says=("NodeView · 2 nodes: 0, 1",), needs=("networkx",)),
    "networkx neighbours": Specimen(
        lambda: of("networkx", "path_graph", 2).adj, says=("AdjacencyView · 2 nodes: 0, 1",), needs=("networkx",)
    ),
    "sympy equation": Specimen(expression, says=("Equality · x, y",), needs=("sympy",)),
    "sympy number": Specimen(lambda: of("sympy", "Rational", 1, 3), says=("Rational · 1/3",), needs=("sympy",)),
    "sympy constant": Specimen(lambda: import_module("sympy").pi, says=("Pi · pi",), needs=("sympy",)),
    "sympy float": Specimen(lambda: of("sympy", "Float", 1.5), says=("Float · 1.50",), needs=("sympy",)),
    "sympy matrix": Specimen(lambda: of("sympy", "eye", 2), says=("MutableDenseMatrix · 2 × 2",), needs=("sympy",)),
    "pydantic error": Specimen(wrong, says=("ValidationError · 1 error in Settings", "declared.py"), needs=("pydantic",)),
    "tokenizer": Specimen(
        lambda: of("tokenizers", "Tokenizer", of("tokenizers.models", "BPE")), says=("Tokenizer · 0 tokens · BPE",), needs=("tokenizers",)
    ),
    "progress bar": Specimen(
        lambda: of("tqdm", "tqdm", range(3), disable=True), says=("tqdm · 0 of 3",), needs=("tqdm",)
    ),
    "arrow table": Specimen(
        lambda: of("pyarrow", "table", {"a": [1, 2], "s": ["x", "y"]}), says=("Table · 2 × 2: a int64, s string",), needs=("pyarrow",)
    ),
    "arrow array": Specimen(lambda: of("pyarrow", "array", [1, None]), says=("Int64Array · 2 × int64 · 1 null",), needs=("pyarrow",)),
    "arrow field": Specimen(lambda: of("pyarrow", "field", "a", "int8"), says=("Field · a int8",), needs=("pyarrow",)),
    "datasets dataset": Specimen(
        lambda: import_module("datasets").Dataset.from_dict({"text": ["a", "b"], "label": [0, 1]}),
        says=("Dataset · 2 rows · text, label",), needs=("datasets",),
    ),
    "xarray array": Specimen(array, says=("DataArray · f64[2,3] · dims x, y · t",), needs=("xarray",)),
    "xarray dataset": Specimen(lambda: array().to_dataset(), says=("Dataset · x 2, y 3 · t",), needs=("xarray",)),
    "xarray variable": Specimen(lambda: array().variable, says=("Variable · f64[2,3] · dims x, y",), needs=("xarray",)),
    "xarray coordinates": Specimen(lambda: array().assign_coords(x=[1, 2]).coords, says=("DataArrayCoordinates · x",), needs=("xarray",)),
    "sklearn classifier": Specimen(
        lambda: classifier(False), says=("LogisticRegression · not fitted", "C 2"), needs=("sklearn",)
    ),
    "sklearn classifier, fitted": Specimen(
        lambda: classifier(True), says=("LogisticRegression · 3 features in · 2 classes", "C 2"), needs=("sklearn",)
    ),
    "sklearn pipeline": Specimen(
        pipeline, says=("Pipeline · standardscaler StandardScaler, logisticregression LogisticRegression",), needs=("sklearn",)
    ),
    "sklearn search": Specimen(
        lambda: search(False), says=("GridSearchCV · not fitted · LogisticRegression",), silent=("NaN",), needs=("sklearn",)
    ),
    "sklearn search, fitted": Specimen(lambda: search(True), says=("GridSearchCV · best 0.8: C 1",), needs=("sklearn",)),
    "sklearn vectorizer that learns nothing": Specimen(
        lambda: of("sklearn.feature_extraction.text", "HashingVectorizer", n_features=64), says=("· 64 features out",),
        silent=("fitted",), needs=("sklearn",),
    ),
    "sklearn function": Specimen(
        lambda: of("sklearn.preprocessing", "FunctionTransformer", len), says=("FunctionTransformer · len()",), silent=("fitted",), needs=("sklearn",)
    ),
    "sklearn vectorizer, fitted": Specimen(
        vectorizer, says=("CountVectorizer · fitted: ", "vocabulary_ dict of 2"), needs=("sklearn",)
    ),
    "torchvision transform": Specimen(lambda: resize(""), says=("Resize · size 32, ",), silent=("training",), needs=("torchvision",)),
    "torchvision transform, v2": Specimen(lambda: resize(".v2"), says=("Resize · size list of 1, ",), needs=("torchvision",)),
    "torchvision boxes": Specimen(boxes, says=("BoundingBoxes · XYXY in 10 × 12 · float32[1, 4]",), needs=("torchvision",)),
    "transformers tokenizer": Specimen(tokenizer, says=(" · 2 tokens · WordLevel",), needs=("transformers", "tokenizers")),
    "torchmetrics metric": Specimen(accuracy, says=("MulticlassAccuracy · 1 update · tp, fp, tn, fn",), needs=("torchmetrics",)),
    "flax parameter": Specimen(parameter, says=("Param · f64[3]",), needs=("flax",)),
    "sqlalchemy row": Specimen(sqlalchemy_row, says=("Row · a 1, b 2",), needs=("sqlalchemy",)),
    "astropy quantity": Specimen(quantity, says=("Quantity · 3 m",), needs=("astropy",)),
    "shapely point": Specimen(lambda: of("shapely", "Point", 1, 2), says=("Point · <POINT (1 2)>",), needs=("shapely",)),
    "response": Specimen(response, says=("Response · 404 · https://example.org/a · 3 bytes",), needs=("requests",)),
    "zarr array": Specimen(lambda: of("zarr", "zeros", (2, 3)), says=("Array · shape (2, 3) · Float64",), needs=("zarr",)),
}  # fmt: skip

SPECIMENS: Zoo = {**STANDARD, **LIBRARIES}
