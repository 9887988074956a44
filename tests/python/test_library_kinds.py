"""Values of other libraries: what must hold beyond what is said of each in the zoo."""

from __future__ import annotations

import io
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from test_loader import run
from test_paths import walked

from tensor_inspector import compare, facts, summarize, tree
from tensor_inspector.kinds import Elements, Property, Rows, TextRow
from tensor_inspector.kinds import as_kind as kind_of
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched


def as_kind(value: Any) -> None:
    summarize(value)
    facts(value)
    tree(value, depth=4)


def alone(code: str) -> str:
    """What a process of its own prints, where it writes nothing else."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.stderr == ""
    return done.stdout.strip()


SAYS = "from tensor_inspector import summarize, facts, tree\ndef say(v):\n    facts(v), tree(v, depth=3)\n    return summarize(v)\n"


# Which libraries are there


def test_kinds_of_a_library_are_loaded_only_with_it() -> None:
    code = SAYS + (
        "import sys; say([1, {'a': object()}]); say(type('Own', (), {})())\n"
        "ours = {name.rpartition('.')[2] for name in sys.modules if name.startswith('tensor_inspector.kinds.')}\n"
        "print(sorted(ours & {'contents', 'numpy_array', 'jax_array', 'tables', 'pandas_tables', 'polars_tables', 'images',"
        " 'scipy_sparse', 'tensordicts', 'transformers_values'}))"
    )
    assert alone(code) == "[]"


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (
            "import polars as pl; print(say(pl.Series('a', [1.5, None, 2.5])))",
            "Series a · Float64[3] · 1.5…2.5 · μ 2 · 1 null",
        ),
        ("import polars as pl; print(say(pl.DataFrame({'a': [1, 2]})))", "DataFrame · 2 × 1: a Int64"),
        ("from PIL import Image; print(say(Image.new('L', (4, 2), 7)))", "Image · L 4×2 · all 7"),
    ],
)
def test_without_numpy_and_torch(code: str, line: str) -> None:
    pytest.importorskip(code.split()[1])
    unloaded = "import sys; assert not {'numpy', 'torch'} & set(sys.modules)\n"
    assert alone(SAYS + code.replace("; print", "\n" + unloaded + "print") + "\n" + unloaded) == line


def test_numpy_that_comes_after_the_first_look() -> None:
    pytest.importorskip("polars")
    code = SAYS + (
        "import polars as pl; s = pl.Series([1.0, 2.0]); say(s)\nimport numpy as np\n"
        "print(say(s), say(np.array(['a'])), say(np.arange(3).astype('M8[D]')), say(np.ma.array([1, 2], mask=[0, 1])), sep='; ')"
    )
    assert alone(code) == (
        "Series · Float64[2] · 1…2 · μ 1.5 σ 0.707; U1[1] · 'a'; datetime64[D][3] · 1970-01-01…1970-01-03; "
        "MaskedArray · int64[2] · 1 · 1 masked"
    )


FAKES = ["numpy", "jax", "pandas", "pandas.core.frame", "polars", "PIL", "PIL.Image", "scipy", "scipy.sparse", "tensordict",
         "transformers", "transformers.utils.generic", "torch"]  # fmt: skip


@pytest.mark.parametrize("held", ["3", "type(attribute, (), {'__module__': name})", "property(lambda self: 1 / 0)"])
def test_modules_of_the_program_that_bear_a_library_s_name(held: str) -> None:
    names = "('ndarray', 'DataFrame', 'Series', 'Array', 'Image', 'TensorDict', 'Tensor', 'ModelOutput', 'csr_matrix', 'generic')"
    code = (
        f"import sys, types\nmade = []\nfor name in {FAKES!r}:\n    module = sys.modules[name] = types.ModuleType(name)\n"
        f"    for attribute in {names}:\n        setattr(module, attribute, {held})\n        made.append(getattr(module, attribute))\n"
        + SAYS
        + "own = type('Own', (), {'__module__': 'pandas'})()\nown.x = [1]\n"
        "for value in (own, {'a': 1}, [2.5], 'text', *made, *(one() for one in made if isinstance(one, type))):\n"
        "    assert 'not read' not in say(value), say(value)\nprint(say(own), say({'a': 1}))"
    )
    assert alone(code) == "Own · x list of 1 dict · 1: a 1"


def test_an_injected_helper_says_the_same() -> None:
    for library in ("jax", "pandas", "polars", "PIL", "scipy"):
        pytest.importorskip(library)
    before = (
        "import jax.numpy, numpy, pandas, polars, scipy.sparse, sys\nfrom PIL import Image\n"
        "def paused():\n"
        "    a = numpy.ma.array([1.0, 2.0], mask=[0, 1])\n"
        "    b = jax.numpy.arange(3.0)\n"
        "    c = pandas.DataFrame({'a': [1.0, None]})\n"
        "    d = polars.Series([1, None])\n"
        "    e = Image.new('L', (2, 1), 7)\n"
        "    f = scipy.sparse.csr_array(numpy.eye(2))\n"
        "    g = numpy.array([(1, 'x')], dtype='i4,U1')\n"
        "    return sys._getframe()\n"
    )
    nodes = run("print(json.dumps(frame(paused)))", before)["rows"]["nodes"]
    assert {node["name"]: node["line"] for node in nodes if len(node["name"]) == 1} == {
        "a": "MaskedArray · float64[2] · 1 · 1 masked",
        "b": "float32[3] · 0…2 · μ 1 σ 1",
        "c": "DataFrame · 2 × 1: a float64 · 1 missing",
        "d": "Series · Int64[2] · 1 · 1 null",
        "e": "Image · L 2×1 · all 7",
        "f": "csr_array · float64[2, 2] · 2 stored (50%) · all 1",
        "g": "structured[1] · f0 int32, f1 U1",
    }


# Paths


def pandas_values() -> dict[str, Any]:
    import pandas as pd

    frame = pd.DataFrame(
        {
            "a": [1.0, 2.0],
            "b": ["x", None],
            3: pd.array([1, None], dtype="Int64"),
            "it's": pd.date_range("2020", periods=2, tz="UTC"),
        }
    )
    two = pd.DataFrame([[1, 2], [3, 4]], columns=pd.MultiIndex.from_tuples([("x", 1), ("y", 2)]))
    return {
        "frame": frame,
        "repeated": pd.DataFrame([[1, 2.5]], columns=["a", "a"]),
        "two levels": two,
        "mixed blocks": pd.DataFrame({"a": [1], "b": [2.5], "c": [3], "d": [4.5]})[["d", "c", "a", "b"]],
        "series": frame["a"],
        "objects": pd.Series([[1], {"k": 2}]),
        "index": two.columns,
    }


def polars_values() -> dict[str, Any]:
    import polars as pl

    frame = pl.DataFrame({"a": [1.0, None], "it's": [[1], [2]]})
    return {"frame": frame, "series": frame["a"], "lists": frame["it's"]}


def jax_values() -> dict[str, Any]:
    import jax
    import jax.numpy as jnp

    return {
        "array": jnp.arange(6.0).reshape(2, 3),
        "keys": jax.random.split(jax.random.key(0), 2),
        "scalar": jnp.asarray(2),
    }


def scipy_values() -> dict[str, Any]:
    import numpy as np
    import scipy.sparse

    return {name: getattr(scipy.sparse, f"{name}_array")(np.eye(3)) for name in ("csr", "coo", "dia", "lil", "dok")}


def tensordict_values() -> dict[str, Any]:
    import tensordict
    import torch

    batch = tensordict.TensorDict(
        {"a": torch.ones(3), "in": {"b": torch.ones(3)}, "note": "x", "it's": torch.ones(3)}, [3]
    )
    return {
        "batch": batch,
        "stack": tensordict.lazy_stack([batch, batch.clone()]),
        "part": batch._get_sub_tensordict(0),
    }


def transformers_values() -> dict[str, Any]:
    import torch
    import transformers
    from transformers.modeling_outputs import BaseModelOutput

    return {
        "output": BaseModelOutput(last_hidden_state=torch.ones(2), hidden_states=(torch.ones(1),)),
        "encoding": transformers.BatchEncoding({"input_ids": torch.ones(2)}),
    }


def pil_values() -> dict[str, Any]:
    from PIL import Image

    image = Image.new("P", (2, 2))
    image.info["dpi"] = (72, 72)
    return {"palette": image}


VALUES: dict[str, Callable[[], dict[str, Any]]] = {
    "jax": jax_values, "pandas": pandas_values, "polars": polars_values, "PIL": pil_values, "scipy": scipy_values,
    "tensordict": tensordict_values, "transformers": transformers_values,
}  # fmt: skip


def same(shown: Any, reached: Any) -> bool:
    """Whether two are the same object, or hold the same: `shown` may be what a library keeps for `reached`."""
    import numpy as np

    if shown is reached:
        return True
    shown = shown.value if isinstance(shown, Elements) else shown
    if type(shown).__name__ == "PySeries":
        import polars as pl

        return bool(pl.Series._from_pyseries(shown).equals(reached))
    if hasattr(reached, "iloc") or type(reached).__module__.startswith("pandas"):
        import pandas as pd

        return bool(pd.Series(shown).equals(pd.Series(reached).reset_index(drop=True)))
    if type(shown) is type(reached) and isinstance(shown, (list, tuple, dict)):
        return repr(shown) == repr(reached)
    return bool(np.array_equal(np.asarray(shown), np.asarray(reached)))


@pytest.mark.parametrize("library", VALUES)
def test_a_path_reaches_the_value_that_is_shown(library: str) -> None:
    pytest.importorskip(library)
    for name, value in VALUES[library]().items():
        reached, wrong = 0, []
        with Untouched():
            for snapshot, node, _ in walked(value, depth=2):
                shown = snapshot.value(node["id"])
                if "path" in node and not isinstance(shown, (Rows, TextRow, Property)):
                    reached += 1
                    if not same(shown, eval(node["path"], {"value": value})):
                        wrong.append(node["path"])
        assert (name, wrong) == (name, [])
        assert reached > 0, name


@pytest.mark.parametrize("library", VALUES)
def test_siblings_have_names_of_their_own(library: str) -> None:
    pytest.importorskip(library)
    for value in VALUES[library]().values():
        for _, _, siblings in walked(value, depth=2):
            names = [node["name"] for node in siblings]
            assert len(names) == len(set(names))


# What must not happen


def test_a_file_that_is_not_loaded_stays_so() -> None:
    image = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    image.new("RGB", (9, 9)).save(file, "PNG")
    opened = image.open(file)
    place, tile = file.tell(), list(opened.tile)
    as_kind(opened)
    assert opened._im is None
    assert (file.tell(), opened.tile) == (place, tile)
    opened.load()
    assert "all zeros" in summarize(opened)


def test_a_plan_is_not_run() -> None:
    pl = pytest.importorskip("polars")
    ran = []
    plan = pl.LazyFrame({"a": [1]}).map_batches(lambda frame: (ran.append(1), frame)[1])
    as_kind(
        {
            "plan": plan,
            "expression": pl.col("a").map_elements(ran.append),
            "group": pl.DataFrame({"a": [1]}).group_by("a"),
        }
    )
    assert ran == []


@pytest.mark.parametrize(
    ("make", "key", "line"),
    [
        ("jnp.array([0.5, 1.5])", 1, "float32[] 1.5"),
        ("jnp.array([0.5, 1.5])", -1, "float32[] 1.5"),
        ("jnp.array([True, False])", 0, "bool[] True"),
        ("jnp.array([0.5, 1.5], jnp.bfloat16)", 1, "bfloat16[] 1.5"),
        ("jnp.arange(6.0).reshape(2, 3)", (1, 2), "float32[] 5"),
        ("jnp.arange(6.0).reshape(2, 3)", (..., 2), "float32[2] · 2…5 · μ 3.5 σ 2.12"),
        ("jnp.arange(6).reshape(2, 3)", 1, "int32[3] [3, 4, 5]"),
    ],
)
def test_an_element_of_a_jax_array_is_an_array_without_dimensions(make: str, key: Any, line: str) -> None:
    jnp = pytest.importorskip("jax").numpy
    assert kind_of(kind_of(eval(make, {"jnp": jnp}), Budget()).item(key), Budget()).line() == line


def test_a_bool_array_of_jax_tells_its_share_of_true_at_the_end_of_a_line() -> None:
    jnp = pytest.importorskip("jax").numpy
    assert kind_of(jnp.array([True, False]), Budget()).inline() == "bool[2] 1 of 2 True (50%)"


def test_an_array_of_jax_can_be_given_away_after_a_look() -> None:
    jax = pytest.importorskip("jax")
    value = jax.numpy.arange(1000.0) * 2
    as_kind(value)
    assert value._npy_value is None
    place = value.unsafe_buffer_pointer()
    result = jax.jit(lambda x: x + 1, donate_argnums=0)(value)
    assert result.unsafe_buffer_pointer() == place
    assert value.is_deleted()


def test_nothing_is_compiled_for_a_look(caplog: pytest.LogCaptureFixture) -> None:
    jax = pytest.importorskip("jax")
    values = [jax.numpy.arange(6.0).reshape(2, 3).astype(jax.numpy.bfloat16), jax.random.split(jax.random.key(0), 3)]
    with jax.log_compiles(), caplog.at_level("DEBUG"):
        as_kind(values)
    assert caplog.text == ""


def test_a_computation_that_is_under_way_is_not_waited_for() -> None:
    """It may wait for the paused program itself."""
    jax = pytest.importorskip("jax")
    value = jax.numpy.full((1500, 1500), 1 / 1500)
    for _ in range(10):
        value = value @ value
    assert not value.is_ready()
    assert "float32[1500, 1500] · still being computed" in summarize(value, budget_ms=40)
    value.block_until_ready()
    assert "still" not in summarize(value)


def test_a_traced_value_leaves_no_trace() -> None:
    jax = pytest.importorskip("jax")
    lines = []

    def f(x: Any) -> Any:
        as_kind(x)
        lines.append(summarize(x))
        return x * 2

    before = str(jax.make_jaxpr(lambda x: x * 2)(1.0))
    with jax.checking_leaks():
        assert str(jax.make_jaxpr(f)(1.0)) == before
    assert lines == ["float32[] · traced by jit"]


# What is told


def rows(value: Any) -> dict[str, str]:
    return dict(facts(value)["rows"])


def columns(frame: Any) -> dict[str, str]:
    lines = (line.strip().partition("  ") for line in tree(frame, depth=1, rows=100).splitlines())
    return {label: line for label, _, line in lines}


def test_columns_are_told_lazily_and_by_page() -> None:
    pd, np = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    frame = pd.DataFrame(np.zeros((3, 5000)))
    shown = tree(frame, depth=1, rows=5).splitlines()
    assert [line.split()[0] for line in shown[1:]] == ["rows", "index", "0", "1", "2", "…"]
    assert shown[-1] == "  … 4,997 more"


def test_facts_of_a_table_do_not_repeat_its_columns() -> None:
    pd = pytest.importorskip("pandas")
    told = facts(pd.DataFrame({"a": [1, 2]}))
    assert (told["shape"], told["bytes"]) == ([2, 1], 16)
    assert not {"rows", "stats", "unread"} & told.keys()


LINE_ENDS = [
    ("pandas", "v.DataFrame({'a': [1.0, None], 'b': [1, 2]})", "1 missing DataFrame 2 × 2"),
    ("pandas", "v.date_range('2024', periods=2, unit='us')", "datetime64[us][2] 2024-01-01…2024-01-02"),
    ("pandas", "v.Series(['x', 2, 'y'])", "object[3] 'x', 2, 'y'"),
    (
        "pandas",
        "v.MultiIndex.from_product([[1, 2], [3]], names=['p', 'q'])",
        "tuple[2] 2 levels: p (2 int64), q (1 int64)",
    ),
    ("polars", "v.Series(['a', 'b'])", "String[2] 'a', 'b'"),
    ("polars", "v.DataFrame({'a': [1, 2]})", "DataFrame 2 × 1"),
    ("PIL.Image", "v.new('RGB', (3, 2))", "all zeros Image RGB 3×2"),
]


@pytest.mark.parametrize(("library", "make", "said"), LINE_ENDS, ids=[make for _, make, _ in LINE_ENDS])
def test_at_a_line_end(library: str, make: str, said: str) -> None:
    value = eval(make, {"v": pytest.importorskip(library)})
    assert kind_of(value, Budget()).inline() == said


def test_missing_values_of_a_table_are_counted() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"a": [1.0, None], "b": ["x", None], "c": pd.to_datetime(["2020", None]), "d": pd.Categorical(["u", None])}
    )
    assert summarize(frame).endswith("4 missing")


def test_categories_are_counted_with_those_that_do_not_occur() -> None:
    pd = pytest.importorskip("pandas")
    value = pd.Series(pd.Categorical(["b", "b", None], categories=["a", "b"]))
    assert rows(value) == {"a": "0", "b": "2", "missing": "1", "index": "int64[3] · 0…2"}


def test_pixels_are_told_band_by_band() -> None:
    image = pytest.importorskip("PIL.Image")
    assert rows(image.new("RGB", (3, 2), (1, 2, 3))) == {"size": "3 × 2", "R": "all 1", "G": "all 2", "B": "all 3"}


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "CMYK", "YCbCr", "LAB", "HSV", "LA", "PA", "RGBX"])
def test_pixels_are_those_that_the_library_gives(mode: str) -> None:
    image, np = pytest.importorskip("PIL.Image"), pytest.importorskip("numpy")
    value = image.effect_noise((70, 41), 90).convert("RGB").convert("L" if mode in ("LA", "PA", "1") else "RGB")
    value = image.new(mode, value.size) if mode in ("LAB", "PA", "RGBX") else value.convert(mode)
    elements: Any = kind_of(value, Budget()).elements()
    assert np.array_equal(elements, np.asarray(value))


def test_percentiles_of_an_image_import_nothing() -> None:
    code = (
        "from PIL import Image; import numpy, sys, tensor_inspector; v = Image.new('L', (4, 2), 7); before = set(sys.modules);"
        "print(tensor_inspector.facts(v, quantiles=[0.5])['quantiles']['values'],"
        " [name for name in set(sys.modules) - before if name.startswith('PIL')])"
    )
    pytest.importorskip("PIL.Image")
    assert alone(code) == "[7] []"


@pytest.mark.parametrize("size", [(1, 1), (700, 900), (3, 300_000), (300_000, 3)])
def test_an_image_read_in_strips_is_read_whole(size: tuple[int, int]) -> None:
    image, np = pytest.importorskip("PIL.Image"), pytest.importorskip("numpy")
    pixels = np.random.default_rng(0).integers(0, 256, (size[1], size[0]), dtype=np.uint8)
    stats: Any = facts(image.fromarray(pixels))["stats"]
    assert stats["exact"]
    assert (stats["count"], stats["min"], stats["max"]) == (pixels.size, int(pixels.min()), int(pixels.max()))
    assert stats["mean"] == pytest.approx(float(pixels.mean()), rel=1e-12)
    if pixels.size > 1:
        assert stats["std"] == pytest.approx(float(pixels.std(ddof=1)), rel=1e-9)


def test_an_image_that_there_is_no_time_for_is_read_all_over() -> None:
    image, np = pytest.importorskip("PIL.Image"), pytest.importorskip("numpy")
    half = np.zeros((8000, 8000), np.uint8)
    half[4000:] = 200
    facts(image.fromarray(half[:1]))  # by now the helper's modules for images are loaded
    stats: Any = facts(image.fromarray(half), budget_ms=20)["stats"]
    if not stats["exact"]:
        assert (stats["min"], stats["max"]) == (0, 200)
        assert 0 < stats["mean"] < 200  # neither half alone was read


def test_all_of_it_is_said_only_where_all_is_stored() -> None:
    sparse, np, pd = (pytest.importorskip(name) for name in ("scipy.sparse", "numpy", "pandas"))
    dense = np.ones((1000, 1000))
    dense[3, 4] = 0
    assert "· 999,999 stored (>99.9%) ·" in summarize(sparse.csr_matrix(dense))
    assert "· 999,999 stored (>99.9%) ·" in summarize(pd.arrays.SparseArray(dense.ravel(), fill_value=0.0))


def test_one_label_is_no_range() -> None:
    pd = pytest.importorskip("pandas")
    assert summarize(pd.RangeIndex(7, 8)) == "RangeIndex · int64[1] · 7"


@pytest.mark.parametrize("name", ["csr", "csc", "coo", "bsr", "dia", "dok", "lil"])
def test_stored_values_of_every_sparse_format(name: str) -> None:
    sparse, np = pytest.importorskip("scipy.sparse"), pytest.importorskip("numpy")
    dense = np.zeros((6, 8))
    dense[0, 0], dense[5, 7], dense[2, 3] = 1.5, -2.5, 4.0
    value = getattr(sparse, f"{name}_matrix")(dense)
    stats: Any = facts(value)["stats"]
    assert stats["count"] == value.nnz if name != "bsr" else value.data.size
    assert (stats["min"], stats["max"]) == (-2.5, 4.0)
    assert rows(value)["stored"] == f"{stats['count']} of 48"


def test_the_class_of_an_array_in_a_sparse_matrix_is_not_asked() -> None:
    sparse, np = pytest.importorskip("scipy.sparse"), pytest.importorskip("numpy")
    ran = []

    class Trapped(np.ndarray):  # type: ignore[misc, name-defined]
        shape = size = dtype = __array_interface__ = property(ran.append)  # type: ignore[assignment]
        __array_finalize__ = __getitem__ = __array_function__ = lambda *given: ran.append(given)

    value = sparse.csr_matrix(np.eye(3))
    value.data = np.frombuffer(bytearray(value.data))
    plain = facts(value)
    value.data = np.ndarray.view(value.data, Trapped)
    ran.clear()
    assert facts(value)["stats"] == plain["stats"]
    assert ran == []


def test_fields_that_are_none_are_told_apart_from_items() -> None:
    pytest.importorskip("transformers")
    value = transformers_values()["output"]
    assert rows(value) == {"length": "2", "fields None": "attentions"}
    assert "other attributes" not in tree(value)


def changed(value: Any) -> Any:
    """A copy in which one element is another."""
    if hasattr(value, "putpixel"):
        copy = value.copy()
        copy.putpixel((1, 1), (9, 9, 9))
        return copy
    if hasattr(value, "iloc"):
        copy = value.copy()
        copy.iloc[1, 0] += 1e-9
        return copy
    if hasattr(value, "with_columns"):
        return value.with_columns(a=value["a"] + 1e-9)
    if hasattr(value, "indptr"):
        copy = value.copy()
        copy.data[0] = 7
        return copy
    return value.at[1].add(1)


def compared() -> dict[str, Any]:
    jax, pd, pl = pytest.importorskip("jax"), pytest.importorskip("pandas"), pytest.importorskip("polars")
    image, sparse = pytest.importorskip("PIL.Image"), pytest.importorskip("scipy.sparse")
    return {
        "jax": jax.numpy.arange(3.0),
        "pandas": pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}),
        "polars": pl.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}),
        "PIL": image.new("RGB", (3, 3), (1, 2, 3)),
        "scipy": sparse.csr_array([[1.0, 0.0], [0.0, 2.0]]),
    }


@pytest.mark.parametrize("name", ["jax", "pandas", "polars", "PIL", "scipy"])
def test_one_different_element_is_found_and_said_once(name: str) -> None:
    value = compared()[name]
    assert compare(value, value).same
    found = compare(value, changed(value))
    assert [difference["what"] for difference in found.differences] == ["values"]


def test_what_a_mask_hides_is_not_compared() -> None:
    pd = pytest.importorskip("pandas")
    value = pd.Series([1, None], dtype="Int64")
    assert compare(value, value.copy()).same
    assert not compare(value, pd.Series([1, 2], dtype="Int64")).same
    assert not compare(value, pd.Series([2, None], dtype="Int64")).same


def test_a_large_index_does_not_keep_a_comparison_from_the_columns() -> None:
    pd, np = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    frame = pd.DataFrame(np.zeros((500_000, 2)))
    other = frame.copy()
    other.iloc[7, 1] = 1
    found = compare(frame, other)
    assert (len(found.differences), found.complete) == (1, True)


# What exists is not what is paid for


def test_columns_over_a_memory_map_are_read(tmp_path: Any) -> None:
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    mapped = numpy.memmap(tmp_path / "numbers", dtype="float32", mode="w+", shape=(4,))
    mapped[:] = range(4)
    series = pandas.Series(mapped, copy=False)
    assert type(series._mgr.blocks[0].values) is numpy.memmap
    assert summarize(series) == "Series · float32[4] · 0…3 · μ 1.5 σ 1.29"
    assert columns(series.to_frame("a"))["'a'"] == "float32[4] · 0…3 · μ 1.5 σ 1.29"


def test_an_array_class_of_the_program_is_read_without_its_code() -> None:
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    ran = []

    class Own(numpy.ndarray):
        def __getitem__(self, key: Any) -> Any:
            ran.append(key)
            return super().__getitem__(key)

        def __array_finalize__(self, of: Any) -> None:
            ran.append(of)

    series = pandas.Series(numpy.arange(4.0), copy=False)
    object.__getattribute__(series, "_mgr").blocks[0].values = numpy.arange(4.0).view(Own)
    ran.clear()
    assert summarize(series) == "Series · float64[4] · 0…3 · μ 1.5 σ 1.29"
    assert ran == []


def test_whole_numbers_wider_than_numpy_s_are_told_to_the_last_digit() -> None:
    polars = pytest.importorskip("polars")
    if not hasattr(polars, "Int128"):
        pytest.skip("needs polars.Int128")
    found = facts(polars.Series([1, None, -(2**100)], dtype=polars.Int128))
    assert found["unread"] == "128-bit integers: only their range is read"
    assert dict(found["rows"]) == {"range": f"−{2**100}…1", "null": "1"}


def work(as_kind: Callable[[], object]) -> tuple[int, int]:
    """How many calls a look makes, and by how many bytes the memory of Python rises: time that no slow machine changes."""
    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += 1

    as_kind()
    tracemalloc.start()
    sys.setprofile(count)
    try:
        as_kind()
        return calls, tracemalloc.get_traced_memory()[1]
    finally:
        sys.setprofile(None)
        tracemalloc.stop()


def many_extension_columns() -> Any:
    pandas = pytest.importorskip("pandas")
    one = pandas.array([1, 2, None], dtype="Int64")
    return pandas.DataFrame({f"c{number}": one for number in range(20_000)})


def long_strings(kind: type) -> Any:
    text: Any = "x" * 50_000_000 if kind is str else b"x" * 50_000_000
    return pytest.importorskip("polars").Series([text, text[:-1], text[:3], None])


HUGE: dict[str, Callable[[], Any]] = {
    "lil": lambda: pytest.importorskip("scipy.sparse").lil_matrix((2_000_000, 10)),
    "dia": lambda: pytest.importorskip("scipy.sparse").dia_matrix(([[0.0]] * 200_000, range(200_000)), (200_001, 200_001)),
    "pandas columns": many_extension_columns,
    "polars columns": lambda: pytest.importorskip("polars").DataFrame({f"c{number}": [1] for number in range(20_000)}),
    "polars strings": lambda: long_strings(str),
    "polars bytes": lambda: long_strings(bytes),
    "polars lists": lambda: pytest.importorskip("polars").Series([list(range(3_000_000))] * 3),
}  # fmt: skip


@pytest.mark.parametrize("name", HUGE)
def test_a_first_look_costs_what_it_shows(name: str) -> None:
    value = HUGE[name]()
    for as_kind in (summarize, facts, lambda value: tree(value, 2, rows=20)):
        calls, memory = work(lambda as_kind=as_kind: as_kind(value))
        assert calls < 5 * 20_000
        assert memory < 8 << 20


def test_what_was_counted_of_many_lists_is_said() -> None:
    value = pytest.importorskip("scipy.sparse").lil_matrix((100_000, 10))
    value[5, 3] = 1.5
    assert summarize(value) == "lil_matrix · float64[100000, 10] · ≥1 stored: 32.8K of 100K rows counted"
    assert ["stored", "1 in the first 32,768 rows, of 100,000"] in facts(value)["rows"]


def test_strings_that_take_much_memory_are_told_by_that() -> None:
    series = long_strings(str)
    assert summarize(series) == "Series · String[4] · String of 47.7 MiB, String of 47.7 MiB, 'xxx', … · 1 null"
    assert rows(series) == {"null": "1"}
    shown = [line.strip() for line in tree(series, 2).splitlines()]
    assert shown[-4:] == ["[0]  String of 47.7 MiB", "[1]  String of 47.7 MiB", "[2]  'xxx'", "[3]  null"]
    many = pytest.importorskip("polars").Series(["x"] * 5000 + ["x" * 50_000_000])
    assert summarize(many).endswith("first 1,000: 1 distinct: 'x'")
    assert tree(many, 2, rows=9000).splitlines()[-1].endswith("String of 47.7 MiB")


@pytest.mark.parametrize("layout", ["alone", "mixed", "in turn", "gathered"])
def test_every_column_is_found_in_its_block(layout: str) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({f"c{number}": [number] for number in range(90)})
    if layout == "alone":
        frame = frame.astype("Int64")
    elif layout == "mixed":
        frame = frame.astype(
            {f"c{number}": "Int64" for number in range(30)} | {f"c{number}": "float64" for number in range(50, 60)}
        )
    elif layout == "in turn":
        frame = frame.astype({f"c{number}": "Int64" for number in range(0, 90, 3)})
    else:
        frame = frame[[f"c{number}" for number in (*range(1, 90, 2), *range(88, -1, -2))]]
    told = columns(frame)
    for number in range(90):
        assert told[f"'c{number}'"].partition("[1]")[2].strip(" ·[]") == str(number)


@pytest.mark.parametrize("keeps", ["property", "slot"])
def test_an_array_of_dask_asks_no_class_of_the_program_for_its_dtype(
    keeps: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Dtype:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError("code of the program ran")

    class Computing:
        @property
        def dtype(self) -> Any:
            raise RuntimeError("code of the program ran")

    class Slotted:
        __slots__ = ("dtype",)

    meta: Any = Computing() if keeps == "property" else Slotted()
    if keeps == "slot":
        meta.dtype = Dtype()
    library = ModuleType("dask.array")
    monkeypatch.setitem(sys.modules, "dask", ModuleType("dask"))
    monkeypatch.setitem(sys.modules, "dask.array", library)
    library.Array = type("Array", (), {"__module__": "dask.array"})  # type: ignore[attr-defined]
    array = library.Array()
    vars(array).update(_Array__chunks=((2, 1),), _meta=meta)
    assert summarize(array) == "Array · [3] · 2 chunks of [2] · not computed"
