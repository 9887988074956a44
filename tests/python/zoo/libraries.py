"""Tables, images, sparse matrices, and collections of tensors: pandas, polars, PIL, scipy, tensordict, transformers."""

from __future__ import annotations

import datetime
import io
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .specimen import Specimen, Zoo

PANDAS, POLARS, PIL, SCIPY = ("pandas",), ("polars", "numpy"), ("PIL",), ("scipy",)
TENSORDICT, TRANSFORMERS = ("torch", "tensordict"), ("torch", "transformers")


class OwnZone(datetime.tzinfo):
    """A time zone of the program: none of its code may run."""

    def utcoffset(self, moment: Any) -> datetime.timedelta:
        return datetime.timedelta(hours=1)

    def dst(self, moment: Any) -> datetime.timedelta:
        return datetime.timedelta(0)

    def tzname(self, moment: Any) -> str:
        return "own"

    def __repr__(self) -> str:
        raise RuntimeError("a repr ran")

    __str__ = __repr__


# pandas; texts and dates of the types that pandas 3 takes by itself, so that they are the same in every version


def texts() -> Any:
    import numpy as np
    import pandas as pd

    return pd.StringDtype(na_value=np.nan)


def frame() -> Any:
    import pandas as pd

    return pd.DataFrame(
        {
            "price": [1.0, 2.0, None],
            "count": [1, 2, 3],
            "name": pd.array(["x", "y", None], dtype=texts()),
            "kind": pd.Categorical(["u", "v", "u"]),
            "whole": pd.array([1, None, 3], dtype="Int64"),
            "when": pd.date_range("2020", periods=3, tz="Europe/Berlin", unit="us"),
            "any": [[1], 2, "x"],
        }
    )


def large_frame() -> Any:
    import numpy as np
    import pandas as pd

    return pd.DataFrame({"a": np.arange(3_000_000.0), "b": np.arange(3_000_000)})


def hostile_frame() -> Any:
    import pandas as pd

    class Hostile(pd.DataFrame):
        _metadata = ["extra"]

        def _trap(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("an override ran")

        __getitem__ = __len__ = __iter__ = __repr__ = __str__ = __dir__ = _trap  # type: ignore[assignment]
        columns = index = shape = dtypes = values = size = empty = axes = property(_trap)  # type: ignore[assignment]

    value = pd.DataFrame({"a": [1, 2]})
    value.__dict__["extra"] = [1]
    value.__class__ = Hostile
    return value


def hostile_series() -> Any:
    import pandas as pd

    class Hostile(pd.Series):
        def _trap(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("an override ran")

        __getitem__ = __len__ = __iter__ = __repr__ = __array__ = _trap  # type: ignore[assignment]
        index = values = dtype = name = shape = property(_trap)  # type: ignore[assignment]

    value = pd.Series([1.0, 2.0], name="a")
    value.__class__ = Hostile
    return value


def own_extension() -> Any:
    import numpy as np
    import pandas as pd
    from pandas.api.extensions import ExtensionArray, ExtensionDtype

    class Money(ExtensionDtype):
        name = "money"
        type = float

        @classmethod
        def construct_array_type(cls) -> Any:
            return Wallet

    class Wallet(ExtensionArray):
        def __init__(self, values: Any) -> None:
            self._values = np.asarray(values, dtype="float64")

        dtype = property(lambda self: Money())
        nbytes = property(lambda self: self._values.nbytes)

        def __len__(self) -> int:
            return len(self._values)

        def __getitem__(self, item: Any) -> Any:
            return self._values[item] if isinstance(item, int) else Wallet(self._values[item])

        def isna(self) -> Any:
            return np.isnan(self._values)

        def copy(self) -> Any:
            return Wallet(self._values)

    return pd.Series(Wallet([1.0, 2.0]), name="money")


def pandas_value(text: str) -> Any:
    import numpy as np
    import pandas as pd

    return eval(text, {"pd": pd, "np": np, "frame": frame, "texts": texts, "OwnZone": OwnZone})


def of_pandas(text: str, **said: Any) -> Specimen:
    return Specimen(lambda: pandas_value(text), needs=PANDAS, **said)


def not_missing(series: Any) -> list[Any]:
    return series.dropna().tolist()  # type: ignore[no-any-return]


def all_of(series: Any) -> list[Any]:
    return series.to_numpy().tolist()  # type: ignore[no-any-return]


# polars


def polars_value(text: str) -> Any:
    import numpy as np
    import polars as pl

    def never(*_: Any) -> Any:
        raise RuntimeError("the plan was run")

    return eval(text, {"pl": pl, "np": np, "datetime": datetime, "never": never})


def of_polars(text: str, **said: Any) -> Specimen:
    return Specimen(lambda: polars_value(text), needs=POLARS, **said)


def not_null(series: Any) -> list[Any]:
    return series.drop_nulls().to_list()  # type: ignore[no-any-return]


def hostile_polars() -> Any:
    import polars as pl

    class Hostile(pl.DataFrame):
        def _trap(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("an override ran")

        __getitem__ = __len__ = __iter__ = __repr__ = _trap  # type: ignore[assignment]
        columns = shape = height = width = schema = property(_trap)  # type: ignore[assignment]

    value = pl.DataFrame({"a": [1, 2]})
    value.__class__ = Hostile
    return value


# images


def picture(mode: str) -> Any:
    import numpy as np
    from PIL import Image

    pixels = np.random.default_rng(0).integers(0, 255, (40, 50, 3), dtype=np.uint8)
    return Image.fromarray(pixels).convert(mode)


def encoded(bytes: int | None = None) -> io.BytesIO:
    file = io.BytesIO()
    picture("RGB").save(file, "PNG")
    return io.BytesIO(file.getvalue()[:bytes])


def opened(bytes: int | None = None) -> Any:
    from PIL import Image

    return Image.open(encoded(bytes))


def loaded() -> Any:
    image = opened()
    image.load()
    return image


def from_file() -> Any:
    from PIL import Image

    path = Path(tempfile.mkdtemp()) / "cat.png"
    path.write_bytes(encoded().getvalue())
    return Image.open(path)


def closed() -> Any:
    image = picture("RGB")
    image.close()
    return image


def mapped_and_truncated() -> Any:
    from PIL import Image

    path = Path(tempfile.mkdtemp()) / "large.ppm"
    Image.new("L", (1000, 1000), 7).save(path)
    image = Image.open(path)
    image.load()
    os.truncate(path, 5000)
    return image


def plain(mode: str, size: tuple[int, int], colour: Any = 0) -> Any:
    from PIL import Image

    return Image.new(mode, size, colour)


def pixels(image: Any) -> list[Any]:
    import numpy as np

    return np.asarray(image).ravel().tolist()  # type: ignore[no-any-return]


# scipy


def sparse(kind: str, dtype: str = "float64") -> Any:
    import numpy as np
    import scipy.sparse

    dense = np.zeros((4, 6), dtype)
    dense[0, 1], dense[2, 3], dense[3, 0] = 1, 2, 5
    return getattr(scipy.sparse, kind)(dense)


def of_scipy(kind: str, **said: Any) -> Specimen:
    expected = {
        "stats.count": 3,
        "stats.min": 1,
        "stats.max": 5,
        "shape": [4, 6],
        "layout": kind[:3],
        **said.pop("facts", {}),
    }
    says = (f"{kind} · float64[4, 6] · 3 stored (12.5%) · 1…5 · μ 2.67",)
    return Specimen(lambda: sparse(kind), needs=("numpy", f"scipy.sparse.{kind}"), says=says, facts=expected, **said)


def scipy_value(text: str) -> Any:
    import numpy as np
    import scipy.sparse

    return eval(text, {"sp": scipy.sparse, "np": np})


def inconsistent() -> Any:
    matrix = sparse("csr_matrix")
    matrix.indptr = None
    return matrix


# tensordict


def batch() -> Any:
    import torch
    from tensordict import TensorDict

    return TensorDict({"image": torch.ones(3, 4), "inner": {"label": torch.zeros(3)}, "note": "hello"}, batch_size=[3])


def tensor_class() -> Any:
    import torch
    from tensordict import tensorclass

    @tensorclass
    class Step:
        state: torch.Tensor
        note: str

    return Step(torch.ones(4, 2), "first", batch_size=[4])


def tensordict_value(text: str) -> Any:
    import tensordict
    import torch

    return eval(text, {"td": tensordict, "torch": torch, "batch": batch})


def of_tensordict(text: str, **said: Any) -> Specimen:
    return Specimen(lambda: tensordict_value(text), needs=TENSORDICT, **said)


# transformers


def output() -> Any:
    import torch
    from transformers.modeling_outputs import CausalLMOutputWithPast

    return CausalLMOutputWithPast(loss=torch.tensor(1.5), logits=torch.ones(2, 3, 4))


def own_output() -> Any:
    import torch
    from transformers.utils import ModelOutput

    @dataclass
    class Scores(ModelOutput):
        scores: Any = None
        hidden: Any = None

    return Scores(scores=torch.ones(2))


def transformers_value(text: str) -> Any:
    os.environ["HF_HUB_OFFLINE"] = "1"
    import torch
    import transformers

    return eval(text, {"hf": transformers, "torch": torch})


def of_transformers(text: str, **said: Any) -> Specimen:
    return Specimen(lambda: transformers_value(text), needs=TRANSFORMERS, **said)


def tokenizer() -> Any:
    import tokenizers
    from transformers import PreTrainedTokenizerFast

    words = tokenizers.models.WordLevel({"a": 0, "[UNK]": 1}, unk_token="[UNK]")
    return PreTrainedTokenizerFast(tokenizer_object=tokenizers.Tokenizer(words))


SPECIMENS: Zoo = {
    # pandas
    "pandas frame": Specimen(
        frame,
        says=("DataFrame · 3 × 7: price float64, count int64, name str, kind category, whole Int64", "3 missing"),
        rows=(
            "'price'  float64[3] · 1…2 · μ 1.5",
            "'kind'  category[3] · 2 categories: 'u' ×2, 'v' ×1",
            "'when'  datetime64[us, Europe/Berlin][3] · 2020-01-01 00:00:00+01:00",
            "'any'  object[3] · list of 1, 2, 'x'",
            "[1]  price=2, count=2, name='y', kind='v', whole=NA",
            "index  RangeIndex · int64[3] · 0…2",
        ),
        facts={"shape": [3, 7]},
        needs=PANDAS,
    ),
    "pandas frame, repeated labels": of_pandas(
        "pd.DataFrame([[1, 2, 3]], columns=['a', 'a', 'b'])",
        says=("1 × 3: a int64, a int64",),
        rows=("'a'  int64[1] [1]", "'a' #", "columns  Index"),
    ),
    "pandas frame, empty": of_pandas("pd.DataFrame()", says=("DataFrame · 0 × 0",)),
    "pandas frame without columns": of_pandas("pd.DataFrame(index=range(3))", says=("DataFrame · 3 × 0",)),
    "pandas frame, labels of two levels": of_pandas(
        "pd.DataFrame(np.eye(2), columns=pd.MultiIndex.from_tuples([('x', 1), ('y', 2)]))",
        says=("('x', 1) float64, ('y', 2) float64",),
        rows=("('x', 1)  float64[2]",),
    ),
    "pandas frame of 1,000 columns": of_pandas(
        "pd.DataFrame(np.zeros((2, 1000)))", says=("2 × 1,000: 0 float64, 1 float64",)
    ),
    "pandas frame of 48 MB": Specimen(
        large_frame,
        says=("3,000,000 × 2: a float64, b int64",),
        rows=("'a'  float64[3000000] · 0…2999999",),
        needs=PANDAS,
    ),
    "pandas frame with notes": of_pandas(
        "(lambda f: (f.attrs.update(source='web'), f)[1])(pd.DataFrame({'a': [1]}))", rows=("attrs  dict",)
    ),
    "pandas frame, hostile subclass": Specimen(
        hostile_frame, says=("Hostile · 2 × 1: a int64",), rows=("extra  list",), needs=PANDAS
    ),
    "pandas series": of_pandas(
        "frame()['price']", says=("Series price · float64[3] · 1…2", "1 NaN"), rows=("[1]  2",), numbers=all_of
    ),
    "pandas series, hostile subclass": Specimen(hostile_series, says=("Hostile a · float64[2] · 1…2",), needs=PANDAS),
    "pandas series, labelled": of_pandas(
        "pd.Series([1, 2], index=pd.Index(['a', 'b'], dtype=texts()))",
        says=("Series · int64[2] [1, 2] · index str[2]",),
        numbers=all_of,
    ),
    "pandas Int64": of_pandas(
        "frame()['whole']", says=("Int64[3] · 1…3", "1 NA"), rows=("[1]  NA",), numbers=not_missing
    ),
    "pandas Float32": of_pandas(
        "pd.Series(pd.array([1.5, None, 2.5], dtype='Float32'))",
        says=("Float32[3] · 1.5…2.5", "1 NA"),
        numbers=not_missing,
    ),
    "pandas boolean": of_pandas(
        "pd.Series(pd.array([True, None, False], dtype='boolean'))", says=("boolean[3] · 1 of 2 True", "1 NA")
    ),
    "pandas large Int64": of_pandas(
        "pd.Series(pd.arrays.IntegerArray(np.arange(200_000) + 10**17, np.arange(200_000) % 7 == 0))",
        says=("28,572 NA",),
        numbers=not_missing,
    ),
    "pandas category": of_pandas(
        "frame()['kind']", says=("category[3] · 2 categories: 'u' ×2, 'v' ×1",), rows=("[1]  'v'",)
    ),
    "pandas category with missing ones": of_pandas(
        "pd.Series(pd.Categorical(['a', None], categories=['a', 'b']))", says=("'a' ×1, 'b' ×0", "1 missing")
    ),
    "pandas strings": of_pandas(
        "pd.Series(['a', None, 'bc'], dtype=texts())", says=("str[3] · 'a', 'bc' · 1 missing",)
    ),
    "pandas datetime with zone": of_pandas(
        "frame()['when']", says=("datetime64[us, Europe/Berlin][3] · 2020-01-01 00:00:00+01:00…2020-01-03",)
    ),
    "pandas datetime with a zone of the program": of_pandas(
        "pd.Series(pd.date_range('2020', periods=2, tz=OwnZone()))",
        says=("its own time zone", "2019-12-31T23:00:00 UTC"),
    ),
    "pandas timedelta": of_pandas(
        "pd.Series(pd.to_timedelta([1, None, 3], unit='h'))", says=("1:00:00…3:00:00 · 1 NaT",)
    ),
    "pandas period": of_pandas(
        "pd.Series(pd.period_range('2020-01', periods=3, freq='M'))", says=("period[M][3] · 2020-01…2020-03",)
    ),
    "pandas interval": of_pandas(
        "pd.Series(pd.IntervalIndex.from_breaks([0, 1, 2]))", says=("interval[int64, right][2] · (0, 1], (1, 2]",)
    ),
    "pandas sparse": of_pandas(
        "pd.Series(pd.arrays.SparseArray([0, 0, 1, 2]))", says=("Sparse[int64, 0][4] · 2 stored (50%) · 1…2",)
    ),
    "pandas objects": of_pandas(
        "pd.Series([[1], {'k': 2}, None, 2.5, 'x'])", says=("object[5] · 1 list, 1 dict",), rows=("[0]  list · 1: 1",)
    ),
    "pandas array type of the program": Specimen(
        own_extension,
        says=("Series money · Wallet[2] · kept in float64[2] · 1…2",),
        facts={"stats": None},
        needs=PANDAS,
    ),
    "pandas array": of_pandas("pd.array([1, None])", says=("IntegerArray · Int64[2] · 1 · 1 NA",)),
    "pandas RangeIndex": of_pandas("pd.RangeIndex(0, 10, 3)", says=("RangeIndex · int64[4] · 0…9 by 3",)),
    "pandas Index": of_pandas("pd.Index([1, 2], name='z')", says=("Index z · int64[2] [1, 2]",), numbers=all_of),
    "pandas MultiIndex": of_pandas(
        "pd.MultiIndex.from_product([[1, 2], pd.Index(['a', 'b'], dtype=texts())], names=['p', 'q'])",
        says=("MultiIndex · tuple[4] · 2 levels: p (2 int64), q (2 str)",),
        rows=("[1]  (1, 'b')",),
    ),
    "pandas DatetimeIndex": of_pandas(
        "pd.date_range('2020', periods=3, unit='us')",
        says=("DatetimeIndex · datetime64[us][3] · 2020-01-01…2020-01-03",),
    ),
    "pandas GroupBy": of_pandas(
        "frame().groupby('count')", says=("DataFrameGroupBy · by 'count' · of DataFrame 3 × 7",)
    ),
    "pandas Timestamp": of_pandas(
        "pd.Timestamp('2020-01-01T10:00', tz='UTC')", says=("Timestamp · 2020-01-01 10:00:00+00:00",)
    ),
    "pandas Timestamp with a zone of the program": of_pandas(
        "pd.Timestamp('2020', tz=OwnZone())", says=("2019-12-31T23:00:00 UTC, tzinfo OwnZone",)
    ),
    "pandas NaT": of_pandas("pd.NaT", says=("NaT",)),
    "pandas NA": of_pandas("pd.NA", says=("NA",)),
    "pandas Timedelta": of_pandas("pd.Timedelta('1h')", says=("Timedelta · 1:00:00",)),
    "pandas dtype": of_pandas("pd.DatetimeTZDtype('ns', 'UTC')", says=("dtype datetime64[ns, UTC]",)),
    # polars
    "polars frame": of_polars(
        "pl.DataFrame({'a': [1.0, None, 3.0], 'b': ['x', 'y', None], 'c': [[1], [2, 3], None]})",
        says=("DataFrame · 3 × 3: a Float64, b String, c List(Int64) · 3 missing",),
        rows=("'a'  Float64[3] · 1…3 · μ 2 σ 1.41 · 1 null", "[1]  a=null, b='y', c=list of 2"),
        facts={"shape": [3, 3]},
    ),
    "polars frame, empty": of_polars("pl.DataFrame()", says=("DataFrame · 0 × 0",)),
    "polars frame, hostile subclass": Specimen(hostile_polars, says=("Hostile · 2 × 1: a Int64",), needs=POLARS),
    "polars integers": of_polars(
        "pl.Series('a', [1, 2, 3])", says=("Series a · Int64[3] [1, 2, 3]",), numbers=not_null
    ),
    "polars integers in chunks": of_polars(
        "pl.concat([pl.Series(range(100_000)), pl.Series([None, -5])], rechunk=False)",
        says=("Int64[100002] · −5…99999", "1 null"),
        numbers=not_null,
    ),
    "polars floats": of_polars(
        "pl.Series([1.0, float('nan'), float('inf'), None])", says=("1 NaN", "1 Inf", "1 null"), numbers=not_null
    ),
    "polars floats, 40 MB": of_polars(
        "pl.Series(np.arange(5e6))", says=("Float64[5000000] · 0…4999999",), facts={"stats.exact": True}
    ),
    "polars booleans": of_polars("pl.Series([True, None, False])", says=("Boolean[3] · 1 of 2 True", "1 null")),
    "polars strings": of_polars(
        "pl.Series(['x', None, 'x'])", says=("String[3] · 1 distinct: 'x' · 1 null",), facts={"stats": None}
    ),
    "polars dates": of_polars(
        "pl.Series([datetime.date(2020, 1, 1), None, datetime.date(2021, 1, 1)])",
        says=("Date[3] · 2020-01-01…2021-01-01 · 1 null",),
    ),
    "polars datetimes with zone": of_polars(
        "pl.Series([datetime.datetime(2020, 1, 1)]).dt.replace_time_zone('Europe/Berlin')",
        says=("Datetime[us, Europe/Berlin][1] · all 2020-01-01 00:00:00+01:00",),
    ),
    "polars durations": of_polars(
        "pl.Series([datetime.timedelta(1), datetime.timedelta(3)])",
        says=("Duration[us][2] · 1 day, 0:00:00…3 days, 0:00:00",),
    ),
    "polars lists": of_polars(
        "pl.Series([[1], [2, 3]])", says=("List(Int64)[2] · list of 1, list of 2",), rows=("[1]  list · 2: 2, 3",)
    ),
    "polars structs": of_polars("pl.Series([{'q': 1}])", says=("Struct({'q': Int64})[1] · dict of 1",)),
    "polars categories": of_polars(
        "pl.Series(['p', 'q', 'p'], dtype=pl.Categorical)", says=("Categorical[3] · 2 distinct: 'p', 'q'",)
    ),
    "polars objects": of_polars(
        "pl.Series([{1}, None], dtype=pl.Object)", says=("Object[2] · set of 1, null · 1 null",)
    ),
    "polars nulls": of_polars("pl.Series([None, None])", says=("Null[2] · all null",)),
    "polars LazyFrame": of_polars("pl.LazyFrame({'a': [1]}).map_batches(never)", says=("LazyFrame · a plan, not run",)),
    "polars LazyFrame of a missing file": of_polars(
        "pl.scan_csv('/nowhere.csv')", says=("LazyFrame · a plan, not run",)
    ),
    "polars Expr": of_polars("pl.col('a').map_elements(never) + 1", says=('Expr · [(col("a")',)),
    "polars dtype": of_polars("pl.Datetime('us')", says=("dtype Datetime",)),
    # PIL
    **{
        f"PIL {mode}": Specimen(
            lambda mode=mode: picture(mode), says=(f"Image · {mode} 50×40 · ",), numbers=pixels, needs=(*PIL, "numpy")
        )  # type: ignore[misc]
        for mode in ("L", "P", "RGB", "RGBA", "CMYK", "HSV", "LA")
    },
    "PIL 1": Specimen(lambda: picture("1"), says=("Image · 1 50×40 · ", "True"), facts={"stats.max": 1}, needs=PIL),
    "PIL F": Specimen(
        lambda: plain("F", (5, 4), 2.5), says=("Image · F 5×4 · all 2.5",), facts={"stats": None}, needs=PIL
    ),
    "PIL I": Specimen(lambda: plain("I", (5, 4), -7), says=("Image · I 5×4 · all −7",), needs=PIL),
    "PIL without pixels": Specimen(lambda: plain("L", (0, 5)), says=("Image · L 0×5 · empty",), needs=PIL),
    "PIL of 48 MB": Specimen(
        lambda: plain("RGB", (4000, 4000), (1, 2, 3)),
        says=("RGB 4000×4000 · 1…3 · μ 2",),
        facts={"stats.exact": True, "stats.count": 48_000_000},
        needs=PIL,
    ),
    "PIL not loaded": Specimen(
        opened, says=("PngImageFile · RGB 50×40 · not loaded",), facts={"stats": None}, needs=PIL
    ),
    "PIL not loaded, cut off": Specimen(
        lambda: opened(300), says=("PngImageFile · RGB 50×40 · not loaded",), needs=PIL
    ),
    "PIL of a file": Specimen(from_file, says=("not loaded", "cat.png"), needs=PIL),
    "PIL loaded from a file": Specimen(loaded, says=("PngImageFile · RGB 50×40 · 0…254",), numbers=pixels, needs=PIL),
    "PIL closed": Specimen(closed, says=("Image · RGB 50×40 · closed",), needs=PIL),
    "PIL mapped file, truncated": Specimen(mapped_and_truncated, says=("L 1000×1000",), readable=False, needs=PIL),
    # scipy
    **{
        f"scipy {kind}": of_scipy(kind)
        for kind in (
            "csr_array",
            "csr_matrix",
            "csc_array",
            "coo_array",
            "dok_array",
            "lil_array",
            "coo_matrix",
            "lil_matrix",
        )
    },
    "scipy bsr_array": Specimen(
        lambda: sparse("bsr_array"),
        says=("bsr_array · float64[4, 6] · ",),
        numbers=lambda value: value.data.ravel().tolist(),
        needs=SCIPY,
    ),
    "scipy dia_array": Specimen(
        lambda: scipy_value("sp.dia_array((np.arange(10.0).reshape(2, 5), [0, 3]), shape=(4, 5))"),
        says=("6 stored (30%)",),
        facts={"stats.count": 6},
        needs=SCIPY,
    ),
    "scipy complex": Specimen(
        lambda: sparse("csr_array", "complex64"), says=("complex64[4, 6] · 3 stored (12.5%) · |z| 1…5",), needs=SCIPY
    ),
    "scipy bool": Specimen(
        lambda: sparse("csr_array", "bool"), says=("bool[4, 6] · 3 stored (12.5%) · all True",), needs=SCIPY
    ),
    "scipy, nothing stored": Specimen(
        lambda: scipy_value("sp.csr_array((3, 4))"), says=("csr_array · float64[3, 4] · 0 stored",), needs=SCIPY
    ),
    "scipy, one dimension": Specimen(
        lambda: scipy_value("sp.coo_array(np.array([1.0, 0, 2]))"),
        says=("coo_array · float64[3] · 2 stored (66.7%)",),
        needs=SCIPY,
    ),
    "scipy, inconsistent": Specimen(inconsistent, says=("not consistent",), facts={"stats": None}, needs=SCIPY),
    # tensordict
    "TensorDict": Specimen(
        batch,
        says=("TensorDict[3] · 3: image f32[3,4], inner TensorDict[3] of 1, note 'hello'",),
        rows=("'label'  float32[3] · all zeros",),
        needs=TENSORDICT,
    ),
    "TensorDict, empty": of_tensordict("td.TensorDict({})", says=("TensorDict[] · empty",)),
    "TensorDict, locked": of_tensordict(
        "td.TensorDict({'a': torch.ones(3)}, batch_size=[3]).lock_()",
        says=("TensorDict[3] · 1: a f32[3] · locked",),
    ),
    "TensorDict, lazily stacked": of_tensordict(
        "td.lazy_stack([td.TensorDict({'a': torch.ones(n + 1)}) for n in range(3)])",
        says=("LazyStackedTensorDict[3] · 3 tensordicts along 0 · a",),
        rows=("[2]  TensorDict[] · 1: a f32[3]",),
    ),
    "TensorDict, a part of it": of_tensordict("batch()._get_sub_tensordict(0)", says=("[0] of TensorDict[3] of 3",)),
    "NonTensorData": of_tensordict("td.NonTensorData('x')", says=("NonTensorData · 'x'",)),
    "NonTensorStack": of_tensordict(
        "td.NonTensorStack('a', 'b')", says=("NonTensorStack · 2 values along 0: 'a', 'b'",)
    ),
    "tensorclass": Specimen(tensor_class, says=("Step[4] · 2: state f32[4,2], note 'first'",), needs=TENSORDICT),
    # transformers
    "ModelOutput": Specimen(
        output,
        says=("CausalLMOutputWithPast · 2: loss f32[] 1.5, logits f32[2,3,4]",),
        silent=("attentions",),
        needs=TRANSFORMERS,
    ),
    "ModelOutput of the program": Specimen(
        own_output, says=("Scores · 1: scores f32[2]",), silent=("hidden",), needs=TRANSFORMERS
    ),
    "BatchEncoding": of_transformers(
        "hf.BatchEncoding({'input_ids': torch.ones(1, 3, dtype=torch.long)})",
        says=("BatchEncoding · 1: input_ids i64[1,3]",),
        rows=("'input_ids'  int64[1, 3] · all 1",),
    ),
    "configuration of a model": of_transformers(
        "hf.GPT2Config()", says=("GPT2Config · gpt2 · n_embd 768, n_layer 12, n_head 12, vocab_size 50257",)
    ),
    "configuration of generation": of_transformers(
        "hf.GenerationConfig(max_new_tokens=5)", says=("GenerationConfig · max_new_tokens 5",)
    ),
    "cache of keys and values": of_transformers("hf.DynamicCache()", says=("DynamicCache",)),
    "tokenizer": Specimen(tokenizer, says=("Tokenizer",), needs=(*TRANSFORMERS, "tokenizers")),
}
