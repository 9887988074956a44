"""Values that have something beside their content: flags, steps, units, attributes. The changed value differs in that."""

from __future__ import annotations

import functools
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from .specimen import Specimen, Zoo


def of(make: Callable[[Any], Any], one: Any, other: Any, *says: str, needs: tuple[str, ...]) -> Specimen:
    """What is made with the first, beside what is made with the second."""
    return Specimen(lambda: make(one), says=says, changed=lambda: make(other), needs=needs)


def series(allowed: bool) -> Any:
    import pandas as pd

    return pd.Series([1, 2]).set_flags(allows_duplicate_labels=allowed)


def days(step: str) -> Any:
    import pandas as pd

    return pd.date_range("2020", periods=1, freq=step)


def moment(unit: str) -> Any:
    import pandas as pd

    return pd.Timestamp("2020-01-01").as_unit(unit)


def workday(holiday: str) -> Any:
    import pandas as pd

    return pd.offsets.CustomBusinessDay(holidays=[holiday])


def masked(**given: Any) -> Any:
    import numpy as np

    return np.ma.array([1.0, 2.0], mask=[False, True], **given)


def array(writeable: bool) -> Any:
    import numpy as np

    made = np.ones(2)
    made.flags.writeable = writeable
    return made


@functools.cache
def model() -> Any:
    import pydantic

    return pydantic.create_model("Settings", rate=(float, 0.1))


def paddle_gradient(value: float) -> Any:
    import paddle

    made = paddle.ones([2])
    made.stop_gradient = False
    made.grad = paddle.full([2], value)
    return made


def onnx_note(note: str) -> Any:
    import onnx

    made = onnx.helper.make_tensor("w", onnx.TensorProto.FLOAT, [2], [1.0, 2.0])
    entry = made.metadata_props.add()
    entry.key, entry.value = "k", note
    return made


def config(flag: str) -> Any:
    import omegaconf

    made = omegaconf.OmegaConf.create({"a": 1})
    made._set_flag(flag, True)
    return made


def referring(number: int) -> Any:
    """A part of a config that refers to another part."""
    import omegaconf

    return omegaconf.OmegaConf.create({"r": number, "a": {"b": "${r}"}}).a


def node_config(cls: str) -> Any:
    import omegaconf

    return omegaconf.OmegaConf.create({"a": getattr(omegaconf, cls)(1)})


def quantity(tag: int) -> Any:
    import pint

    made = pint.Quantity(1.0, "m")
    made.tag = tag
    return made


def arrow(*values: Any) -> Any:
    import pandas as pd

    return pd.Series(values, dtype="int64[pyarrow]")


def jagged(tag: int) -> Any:
    import torch

    made = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
    made.tag = tag  # type: ignore[attr-defined]
    return made


def tensordict(tag: int) -> Any:
    import tensordict
    import torch

    made = tensordict.TensorDict({"a": torch.ones(2)}, batch_size=[2])
    object.__setattr__(made, "tag", tag)
    return made


PANDAS = ("pandas",)
SPECIMENS: Zoo = {
    "decimal with a zero": of(Decimal, "1.0", "1.00", "Decimal('1.0')", needs=()),
    "series without repeated labels": of(series, False, True, "Series · int64[2]", needs=PANDAS),
    "table without repeated labels": of(lambda allowed: series(allowed).to_frame(), False, True, "DataFrame · 2 × 1", needs=PANDAS),
    "index with a step": of(days, "D", "2D", "DatetimeIndex · ", needs=PANDAS),
    "timestamp in seconds": of(moment, "s", "ns", "Timestamp · 2020-01-01 00:00:00", needs=("pandas.Timestamp.as_unit",)),
    "step between workdays": of(workday, "2020-01-01", "2020-01-02", "CustomBusinessDay · C", needs=PANDAS),
    "masked array with a fill value": of(lambda fill: masked(fill_value=fill), 1, 2, "MaskedArray · ", "1 masked", needs=("numpy",)),
    "masked array with a hard mask": of(lambda hard: masked(hard_mask=hard), True, False, "MaskedArray · ", needs=("numpy",)),
    "array that is read-only": of(array, False, True, "float64[2]", "read-only", needs=("numpy",)),
    "model with a field that was not given": of(lambda given: model()(**given), {}, {"rate": 0.1}, "Settings · rate 0.1", needs=("pydantic.create_model",)),
    "paddle tensor with a gradient": of(paddle_gradient, 1.0, 2.0, "Tensor · float32[2]", "grad", needs=("paddle",)),
    "onnx tensor with metadata": of(onnx_note, "1", "2", "TensorProto · float32[2]", "w", needs=("onnx",)),
    "config with a flag": of(config, "allow_objects", "no_deepcopy_set_parent", "DictConfig · 1: a 1", needs=("omegaconf",)),
    "config with a reference outwards": of(referring, 1, 2, "DictConfig · 1: b '${r}'", needs=("omegaconf",)),
    "config with a node of integers": of(node_config, "IntegerNode", "AnyNode", "DictConfig · 1: a 1", needs=("omegaconf",)),
    "quantity with an attribute": of(quantity, 1, 2, "Quantity · 1 m", needs=("pint",)),
    "column of Arrow": of(lambda last: arrow(1, last), 2, 3, "Series · int64[pyarrow][2]", needs=("pandas", "pyarrow")),
    "column of Arrow with a gap": of(lambda last: arrow(1, None, last), 2, 3, "Series · int64[pyarrow][3]", "1 NA", needs=("pandas", "pyarrow")),
    "jagged with an attribute": of(jagged, 1, 2, "2 components: [2], [3]", needs=("torch.jagged",)),
    "tensordict with an attribute": of(tensordict, 1, 2, "TensorDict[2] · 1: a", needs=("tensordict",)),
}  # fmt: skip
