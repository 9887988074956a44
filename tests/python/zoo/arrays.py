"""Arrays of numpy and jax, and what those libraries have besides: scalars, records, generators, tracers."""

from __future__ import annotations

import importlib
import os
import tempfile
from pathlib import Path
from typing import Any

from .specimen import Show, Specimen, Zoo

NUMPY, JAX = ("numpy",), ("jax",)


def numbers(value: Any) -> list[Any]:
    return value.ravel().tolist()  # type: ignore[no-any-return]


def present(value: Any) -> list[Any]:
    return value.compressed().tolist()  # type: ignore[no-any-return]


def doubled(value: Any) -> list[Any]:
    """Of a dtype that Python has no number for: each as a float64."""
    import numpy as np

    return np.asarray(value).astype(np.float64).ravel().tolist()  # type: ignore[no-any-return]


def normal(*shape: int, dtype: str = "float64") -> Any:
    import numpy as np

    return np.random.default_rng(0).normal(size=shape).astype(dtype)


def records() -> Any:
    import numpy as np

    return np.array(
        [(1.5, 2, "ab", (1, 2, 3)), (2.5, 3, "c", (4, 5, 6))],
        dtype=[("weight", "f8"), ("count", ">i4"), ("name", "U3"), ("at", "f4", (3,))],
    )


def nested_records() -> Any:
    import numpy as np

    return np.zeros(3, dtype=[("box", [("low", "f4"), ("high", "f4")]), ("label", "i2")])


def hostile_array() -> Any:
    import numpy as np

    class Hostile(np.ndarray):
        def __array_finalize__(self, made_from: Any) -> None:
            self.finalized = True

        def _trap(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("an override ran")

        __getitem__ = __len__ = __iter__ = __repr__ = __str__ = __array__ = __array_ufunc__ = __array_function__ = _trap
        view = item = tolist = min = max = mean = sum = __eq__ = __hash__ = __getattr__ = _trap  # type: ignore[assignment]
        shape = strides = flags = base = size = ndim = property(_trap)  # type: ignore[assignment]

    return np.ndarray.view(np.arange(6.0), Hostile)


def named_array() -> Any:
    import numpy as np

    class Named(np.ndarray):
        name: str

    array = np.arange(6).reshape(2, 3).view(Named)
    array.name = "mine"
    return array


def mapped(mode: str, **layout: Any) -> Any:
    import numpy as np

    path = Path(tempfile.mkdtemp()) / "weights.bin"
    np.arange(100, dtype="float32").tofile(path)
    return np.memmap(path, dtype="float32", mode=mode, **layout)  # type: ignore[call-overload]


def truncated_map() -> Any:
    import numpy as np

    path = Path(tempfile.mkdtemp()) / "weights.bin"
    np.zeros(1 << 20, dtype="uint8").tofile(path)
    array = np.memmap(path, dtype="uint8", mode="r+")
    os.truncate(path, 5000)
    return array


def opened_file() -> Any:
    import numpy as np

    path = Path(tempfile.mkdtemp()) / "data.npz"
    np.savez(path, x=np.ones(3), y=np.zeros(2))
    return np.load(path)


def read_only() -> Any:
    array = normal(4)
    array.flags.writeable = False
    return array


def masked(**rest: Any) -> Any:
    import numpy as np

    return np.ma.masked_array(np.array([1.0, 2.0, np.nan, 99.0, 5.0]), [False, False, False, True, False], **rest)


def large_masked() -> Any:
    import numpy as np

    values = normal(700, 500)
    return np.ma.masked_array(values + 1e6, values > 0.5)


def huge_masked() -> Any:
    import numpy as np

    return np.ma.masked_array(np.arange(5e6), np.arange(5_000_000) % 3 == 0)


def large_masked_integers() -> Any:
    import numpy as np

    values = np.arange(200_000) + 10**18
    return np.ma.masked_array(values, values % 3 == 0)


def masked_records() -> Any:
    import numpy as np

    return np.ma.array([(1, 2.0), (3, 4.0)], mask=[(False, True), (False, False)], dtype="i4,f4")


def windows() -> Any:
    import numpy as np

    return np.lib.stride_tricks.sliding_window_view(np.arange(10.0), 3)


def as_ml(name: str) -> Any:
    import ml_dtypes
    import numpy as np

    return np.arange(6).astype(getattr(ml_dtypes, name))


def large_bfloat16() -> Any:
    import ml_dtypes

    return normal(300, 500, dtype="float32").astype(ml_dtypes.bfloat16)


def partly_drawn() -> Any:
    import numpy as np

    generator = np.random.default_rng(42)
    generator.normal()
    return generator


def walked() -> Any:
    import numpy as np

    iterator = np.arange(6.0).reshape(2, 3).flat
    next(iterator)
    return iterator


def fragments() -> Any:
    import numpy as np

    return np.array([[1], {"k": 2}, "text", None, 2.5] * 300, dtype=object)


def as_object(item: object) -> Any:
    import numpy as np

    array = np.empty((), dtype=object)
    array[()] = item
    return array


def a(text: str) -> Any:
    """An array by an expression, for those that need no function of their own."""
    import numpy as np

    return eval(text, {"np": np, "ml_dtypes": importlib.import_module("ml_dtypes") if "ml_dtypes" in text else None})


def of_numpy(text: str, *needs: str, **said: Any) -> Specimen:
    return Specimen(lambda: a(text), needs=needs or NUMPY, **said)


def jax_array(text: str) -> Any:
    import jax
    import jax.numpy as jnp

    return eval(text, {"jax": jax, "jnp": jnp})


def of_jax(text: str, **said: Any) -> Specimen:
    return Specimen(lambda: jax_array(text), needs=JAX, **said)


def deleted() -> Any:
    import jax
    import jax.numpy as jnp

    value = jnp.arange(6.0) * 2
    jax.jit(lambda x: x + 1, donate_argnums=0)(value)
    return value


def sharded(*spec: Any) -> Any:
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("x", "y"))
    return jax.device_put(jnp.arange(32.0).reshape(8, 4), NamedSharding(mesh, PartitionSpec(*spec)))


def inside(transform: str) -> Any:
    """``show`` called on the argument of a function under a transformation."""

    def run(show: Show) -> None:
        import jax
        import jax.numpy as jnp

        def shown(x: Any) -> Any:
            show(x)
            return (x * x).sum()

        with jax.checking_leaks():
            eval(transform, {"jax": jax, "jnp": jnp, "f": shown, "x": jnp.arange(6.0).reshape(2, 3)})

    return run


def of_trace(transform: str, **said: Any) -> Specimen:
    return Specimen(inside=inside(transform), needs=JAX, facts={"stats": None}, **said)


SPECIMENS: Zoo = {
    # numbers
    "float64": Specimen(lambda: normal(300, 500), says=("float64[300, 500] · −",), numbers=numbers, needs=NUMPY),
    "float16 near its end": of_numpy(
        "np.full(1000, 6e4, 'float16')", says=("float16[1000] · all 60000",), numbers=numbers
    ),
    "longdouble": of_numpy("np.array([1, 2], 'longdouble') / 4", says=("[2] · 0.25…0.5 · μ 0.375",), numbers=doubled),
    "complex256": of_numpy(
        "np.array([3 + 4j, 0, 1], 'clongdouble')", "numpy.clongdouble", says=("|z| 0…5",), facts={"stats.real.max": 3}
    ),
    "complex64 with NaN": of_numpy(
        "np.array([1 + 2j, complex('nan'), 3j], 'complex64')", says=("complex64[3] · |z|", "1 NaN"), numbers=numbers
    ),
    "few integers": of_numpy("np.array([3, -1, 2])", says=("int64[3] [3, −1, 2]",), numbers=numbers),
    "uint64 to its end": of_numpy(
        "np.array([0, 2**64 - 1] * 20, 'uint64')", says=("0…18446744073709551615",), numbers=numbers
    ),
    "bool": of_numpy("np.arange(8) < 2", says=("bool[8] · 2 of 8 True (25%)",), facts={"stats.max": 1}),
    "0-d": of_numpy("np.array(2.5)", says=("float64[] 2.5",), facts={"shape": []}, numbers=numbers),
    "no elements": of_numpy("np.zeros((0, 3))", says=("float64[0, 3] · empty",), facts={"stats.count": 0}),
    "NaN and infinities": of_numpy(
        "np.array([1, np.nan, np.inf, -np.inf, 0])", says=("1 NaN", "1 Inf", "1 −Inf"), numbers=numbers
    ),
    "bfloat16": Specimen(
        large_bfloat16, says=("bfloat16[300, 500] · −",), numbers=doubled, needs=("numpy", "ml_dtypes")
    ),
    "bfloat16, 40 MB": of_numpy(
        "np.ones((4000, 5000), ml_dtypes.bfloat16)", "ml_dtypes", says=("all 1",), facts={"stats.count": 20_000_000}
    ),
    "float8": Specimen(
        lambda: as_ml("float8_e4m3fn"), says=("float8_e4m3fn[6] · 0…5",), numbers=doubled, needs=("ml_dtypes",)
    ),
    "int4": Specimen(lambda: as_ml("int4"), says=("int4[6]", "0…5"), needs=("ml_dtypes",), facts={"stats.mean": 2.5}),
    # memory and layout
    "big-endian": of_numpy(
        "np.array([1, 2, 3], '>f4')", says=("float32[3] · 1…3", "big-endian"), rows=("[1]  2",), numbers=numbers
    ),
    "Fortran order": of_numpy(
        "np.asfortranarray(np.arange(6.0).reshape(2, 3))", says=("Fortran order",), silent=("view",), numbers=numbers
    ),
    "negative strides": of_numpy(
        "np.arange(12.0)[::-2]",
        says=("float64[6]", "view", "not contiguous"),
        facts={"strides": [-2]},
        numbers=numbers,
    ),
    "strides that are no whole number of elements": of_numpy(
        "np.zeros(3, 'f8, i4')['f0']", says=("float64[3]", "not contiguous"), facts={"strides": [1.5]}, numbers=numbers
    ),
    "strides of elements without bytes": of_numpy("np.zeros((2, 3), 'V0')", facts={"strides": [0, 0]}),
    "overlapping windows": Specimen(
        windows, says=("overlaps itself in 80 B",), facts={"bytes": 80, "stats.count": 24}, numbers=numbers, needs=NUMPY
    ),
    "expanded to 10¹²": of_numpy(
        "np.broadcast_to(np.array([1.5]), (10**12,))",
        says=("all 1.5", "expanded from 8 B"),
        facts={"stats.count": 10**12, "bytes": 8},
    ),
    "read-only": Specimen(read_only, says=("read-only",), numbers=numbers, needs=NUMPY),
    "memory map": Specimen(
        lambda: mapped("r+", shape=(10, 10)),
        says=("memmap · float32[10, 10]", "weights.bin · r+"),
        numbers=numbers,
        needs=NUMPY,
    ),
    "read-only memory map with an offset": Specimen(
        lambda: mapped("r", offset=40),
        says=("float32[90] · 10…99", "weights.bin · read-only"),
        numbers=numbers,
        needs=NUMPY,
    ),
    "truncated memory map": Specimen(
        truncated_map,
        says=("memmap · uint8[1048576] · file truncated: 5000 of 1048576 bytes",),
        facts={"stats": None},
        readable=False,
        needs=NUMPY,
    ),
    "NpzFile": Specimen(opened_file, says=("NpzFile · 2 arrays in the file: 'x', 'y'",), needs=NUMPY),
    # other elements
    "structured": Specimen(
        records,
        says=("structured[2] · weight float64, count int32, name U3, at float32[3]",),
        rows=(
            "'weight'  float64[2] · 1.5…2.5 · μ 2",
            "'name'  U3[2] · 'ab', 'c'",
            "[0]  structured[] weight=1.5, count=2",
        ),
        facts={"stats": None},
        needs=NUMPY,
    ),
    "structured, nested": Specimen(
        nested_records,
        says=("box structured, label int16",),
        rows=("'box'  structured[3] · low float32, high float32",),
        needs=NUMPY,
    ),
    "structured, 0-d": Specimen(
        lambda: records()[0:1].reshape(()),
        says=("structured[] weight=1.5, count=2, name='ab'",),
        needs=NUMPY,
    ),
    "recarray": Specimen(
        lambda: records().view(a("np.recarray")), says=("recarray · structured[2] · weight",), needs=NUMPY
    ),
    "void scalar": Specimen(
        lambda: records()[0], says=("void · weight=1.5, count=2, name='ab'",), rows=("'count'  int32 2",), needs=NUMPY
    ),
    "raw bytes": of_numpy("np.zeros(3, 'V8')", says=("V8[3] · raw bytes",), facts={"stats": None}),
    "objects": Specimen(
        fragments,
        says=("object[1500] · first 1,000: 200 list, 200 dict, 200 str",),
        rows=("[0]  list · 1: 1",),
        needs=NUMPY,
    ),
    "objects, 0-d": Specimen(lambda: as_object({"k": 1}), says=("object[] dict",), rows=("item  dict",), needs=NUMPY),
    "objects that are strings": of_numpy(
        "np.array(['a', None, 'bc', 'a'], object)", says=("object[4] · 2 distinct: 'a', 'bc' · 1 missing",)
    ),
    "datetime64": of_numpy(
        "np.array(['2020-01-01', 'NaT', '2021-05-06T10:00'], 'M8[ns]')",
        says=("datetime64[ns][3] · 2020-01-01…2021-05-06T10:00:00 · 1 NaT",),
        rows=("[1]  NaT",),
        facts={"stats": None},
    ),
    "datetime64, 40 MB": of_numpy(
        "np.arange(5_000_000).astype('M8[s]')",
        says=("1970-01-01…1970-02-27T20:53:19",),
        rows=("[1]  1970-01-01T00:00:01",),
    ),
    "datetime64, big-endian": of_numpy(
        "np.arange('2020-01', '2020-03', dtype='M8[D]').astype('>M8[D]')", says=("2020-01-01…2020-02-29", "big-endian")
    ),
    "datetime64, all NaT": of_numpy("np.full(3, np.datetime64('NaT', 'D'))", says=("all NaT",)),
    "datetime64, expanded to 10¹²": of_numpy(
        "np.broadcast_to(np.datetime64('2020', 'D'), (10**12,))", says=("all 2020-01-01", "expanded from 8 B")
    ),
    "timedelta64": of_numpy("np.array([1, 5400, 3 * 86400], 'm8[s]')", says=("timedelta64[s][3] · 0:00:01…3 days",)),
    "strings": of_numpy(
        "np.array(['cat', 'dog', 'cat'] * 500)", says=("U3[1500] · first 1,000: 2 distinct: 'cat', 'dog'",)
    ),
    "byte strings": of_numpy("np.array([b'x', b'yy'])", says=("S2[2] · b'x', b'yy'",), rows=("[1]  b'yy'",)),
    "very long strings": of_numpy("np.array(['a' * 10**6, 'b'])", says=("U1000000[2] · 'aaaa", "…', 'b'")),
    "StringDType": of_numpy(
        "np.array(['a', None, 'bb'], np.dtypes.StringDType(na_object=None))",
        "numpy.dtypes.StringDType",
        says=("StringDType[3] · 'a', 'bb' · 1 missing",),
    ),
    # subclasses
    "masked": Specimen(
        lambda: masked(fill_value=-1),
        says=("MaskedArray · float64[5] · 1…5", "1 NaN", "1 masked"),
        rows=("[3]  masked", "mask  bool[5]"),
        facts={"stats.count": 4, "rows": [["masked", "1"], ["fill value", "−1"]]},
        numbers=present,
        needs=NUMPY,
    ),
    "masked, large": Specimen(large_masked, says=("masked",), numbers=present, needs=NUMPY),
    "masked, large integers": Specimen(large_masked_integers, says=("66,6",), numbers=present, needs=NUMPY),
    "masked, 45 MB": Specimen(huge_masked, says=("masked",), facts={"stats.exact": True}, needs=NUMPY),
    "masked, nothing": of_numpy("np.ma.array([1, 2])", says=("MaskedArray · int64[2] [1, 2]",), numbers=present),
    "masked, all": of_numpy("np.ma.masked_all(3)", says=("all masked",), facts={"stats.count": 0}),
    "masked dates": of_numpy(
        "np.ma.array(np.array(['2020', '2021'], 'M8[Y]'), mask=[0, 1])", says=("datetime64[Y][2] · 2020 · 1 masked",)
    ),
    "masked records": Specimen(
        masked_records, says=("1 masked",), rows=("'f1'  float32[2] · 4 · 1 masked", "f1=masked"), needs=NUMPY
    ),
    "masked record": Specimen(lambda: masked_records()[0], says=("mvoid · structured[] f0=1, f1=masked",), needs=NUMPY),
    "masked constant": of_numpy("np.ma.masked", says=("MaskedConstant · float64[] masked",)),
    "matrix": of_numpy(
        "np.matrix([[1, 2], [3, 4]])",
        says=("matrix · int64[2, 2] · 1…4",),
        rows=("[0]  int64[2] [1, 2]",),
        numbers=lambda value: value.A.ravel().tolist(),
    ),
    "chararray": of_numpy("np.char.array(['a ', 'b'])", says=("chararray · U2[2] · 'a",)),
    "hostile subclass": Specimen(
        hostile_array, says=("Hostile · float64[6] · 0…5 · μ 2.5",), rows=("finalized  True",), needs=NUMPY
    ),
    "subclass with an attribute": Specimen(
        named_array, says=("Named · int64[2, 3] · 0…5",), rows=("name  'mine'",), numbers=numbers, needs=NUMPY
    ),
    # what is no array
    "float32 scalar": of_numpy("np.float32(0.5)", says=("float32 0.5",), facts={"dtype": "float32"}),
    "NaN scalar": of_numpy("np.float64('nan')", says=("float64 NaN",)),
    "longdouble scalar": of_numpy("np.longdouble(1) / 3", says=(" 0.33333333333333333",)),
    "complex scalar": of_numpy("np.complex64(1 - 2j)", says=("complex64 1 − 2i",)),
    "bool scalar": of_numpy("np.True_", says=("bool True",)),
    "datetime64 scalar": of_numpy(
        "np.datetime64('2020-01-01T10:00', 's')", says=("datetime64[s] 2020-01-01T10:00:00",)
    ),
    "timedelta64 scalar": of_numpy("np.timedelta64(5400, 's')", says=("timedelta64[s] 1:30:00",)),
    "str_ scalar": of_numpy("np.str_('abc')", says=("'abc'",)),
    "bytes_ scalar": of_numpy("np.bytes_(b'abc')", says=("b'abc'",)),
    "bfloat16 scalar": of_numpy("ml_dtypes.bfloat16(1.5)", "ml_dtypes", says=("bfloat16 1.5",)),
    "dtype": of_numpy("np.dtype('>f4')", says=("dtype float32 big-endian",)),
    "structured dtype": Specimen(
        lambda: records().dtype, says=("dtype structured · weight float64, count int32",), needs=NUMPY
    ),
    "Generator": Specimen(
        partly_drawn, says=("Generator · PCG64",), rows=("bit_generator  PCG64 · seed 42",), needs=NUMPY
    ),
    "RandomState": of_numpy("np.random.RandomState(0)", says=("RandomState · MT19937",)),
    "BitGenerator": of_numpy("np.random.Philox(3)", says=("Philox · seed 3",)),
    "SeedSequence": of_numpy("np.random.SeedSequence(5)", says=("SeedSequence · seed 5",)),
    "ufunc": of_numpy("np.add", says=("ufunc add · 2 in, 1 out",)),
    "function of numpy": of_numpy("np.sum", says=("sum(",), silent=("_ArrayFunctionDispatcher",)),
    "flatiter": Specimen(walked, says=("flatiter · at 1 of float64[2, 3]",), needs=NUMPY),
    "nditer": of_numpy("np.nditer(np.arange(3.0))", says=("nditer",)),
    "broadcast": of_numpy("np.broadcast(np.ones(2), 1)", says=("broadcast",)),
    "polynomial": of_numpy("np.polynomial.Polynomial([1, 2])", says=("Polynomial · coef f64[2]",)),
    # jax
    "jax float32": of_jax(
        "jnp.arange(6.0).reshape(2, 3)",
        says=("float32[2, 3] · 0…5 · μ 2.5",),
        rows=("[0]  float32[3]",),
        numbers=numbers,
    ),
    "jax bfloat16": of_jax(
        "jnp.linspace(-1, 1, 1000).astype(jnp.bfloat16)", says=("bfloat16[1000] · −1…1",), numbers=doubled
    ),
    "jax int4": of_jax("jnp.arange(4, dtype=jnp.int4)", says=("int4[4] · 0…3",), facts={"stats.max": 3}),
    "jax complex64": of_jax("jnp.array([3 + 4j, 0])", says=("complex64[2] · |z| 0…5",), numbers=numbers),
    "jax bool": of_jax("jnp.arange(4) > 0", says=("bool[4] · 3 of 4 True",), facts={"stats.zeros": 1}),
    "jax scalar, weakly typed": of_jax("jnp.asarray(3.0)", says=("float32[] 3 · weakly typed",), numbers=numbers),
    "jax, no elements": of_jax("jnp.zeros((0, 3))", says=("float32[0, 3] · empty",)),
    "jax, deleted": Specimen(deleted, says=("float32[6] · deleted",), facts={"stats": None, "shape": [6]}, needs=JAX),
    "jax, sharded": Specimen(
        lambda: sharded("x", None),
        says=("float32[8, 4]", "sharded P('x', None) on 4 devices"),
        rows=("[0] cpu:0  float32[4, 4] · 0…15",),
        facts={"stats": None},
        needs=JAX,
    ),
    "jax, replicated": Specimen(
        sharded, says=("float32[8, 4] · 0…31", "replicated on 4 devices"), numbers=numbers, needs=JAX
    ),
    "jax random keys": of_jax(
        "jax.random.split(jax.random.key(0), 3)", says=("key<fry>[3] · threefry2x32",), rows=("key data  uint32[3, 2]",)
    ),
    "jax, shape and dtype": of_jax(
        "jax.ShapeDtypeStruct((2, 3), jnp.float32)", says=("float32[2, 3] · shape and dtype only",)
    ),
    "jax.jit": of_jax("jax.jit(lambda x, y: x)", says=("jit <lambda>(x, y)",)),
    "jax device": of_jax("jax.devices()[0]", says=("Device cpu:0",)),
    "jax traced by jit": of_trace("jax.jit(f)(x)", says=("float32[2, 3] · traced by jit",)),
    "jax traced by grad": of_trace(
        "jax.grad(f)(x)",
        says=("float32[2, 3] · traced by grad", "0…5"),
        rows=("tangent  float32[2, 3] · traced by jit",),
    ),
    "jax traced by vmap": of_trace(
        "jax.vmap(f)(x)", says=("float32[3] · traced by vmap · val float32[2, 3]",), rows=("batch_dim  0",)
    ),
    "jax traced by jvp": of_trace("jax.jvp(f, (x,), (x,))", says=("float32[2, 3] · traced by jvp",)),
    "jax traced by vmap of grad": of_trace("jax.vmap(jax.grad(f))(x)", says=("float32[3] · traced by grad",)),
    "jax traced by eval_shape": of_trace("jax.eval_shape(f, x)", says=("float32[2, 3] · traced by jit",)),
    "jax traced with a symbolic size": of_trace(
        "__import__('jax.export') and jax.export.export(jax.jit(f))("
        "jax.ShapeDtypeStruct(jax.export.symbolic_shape('b, 4'), jnp.float32))",
        says=("float32[b, 4] · traced by jit",),
    ),
}
