"""TypedDict twins of ``protocol.schema.json``, the one wire contract.

A test compares them with the schema, field by field. Python 3.9 knows no ``Required``: what a message must have stands
in a base class, what it may have in the subclass with ``total=False``.
"""

from __future__ import annotations

from typing import Literal, TypedDict, Union, final

Number = Union[int, float]  #: on the wire a tagged string where JSON can't carry it, see `tagged`
Filter = Literal["all", "tensors"]
FailureCode = Literal[
    "bad_request", "stale_helper", "gone", "no_frame", "not_static", "not_found", "raised", "internal"
]
NodeKind = Literal[
    "tensor", "array", "module", "graph", "mapping", "sequence", "set", "object", "number", "string", "none",
    "callable", "class", "package", "group", "property", "error",
]  # fmt: skip
Badge = Literal["nan", "inf", "zeros", "constant", "no_grad", "sampled", "unread", "freed", "error"]


class At(TypedDict):
    thread: int
    frame: int


class Limits(TypedDict, total=False):
    ms: float
    nodes: int
    bytes: int


class Preferences(TypedDict, total=False):
    statistics: Literal["auto", "off"]
    digits: int
    pace: float
    tensors_first: bool
    stock_views: bool
    inline_values: bool


class ExpandedRow(TypedDict, total=False):
    count: int
    rows: dict[str, ExpandedRow]


Expanded = dict[str, ExpandedRow]


class _Pin(TypedDict):
    expression: str


class Pin(_Pin, total=False):
    count: int
    rows: Expanded


class _FrameRequest(TypedDict):
    op: Literal["frame"]
    version: str


class FrameRequest(_FrameRequest, total=False):
    at: At
    preferences: Preferences
    count: int
    expanded: Expanded
    pins: list[Pin]
    filter: Filter
    page_size: int
    limits: Limits


class _ChildrenRequest(TypedDict):
    op: Literal["children"]
    version: str
    snapshot: int
    node: int
    start: int
    count: int


class ChildrenRequest(_ChildrenRequest, total=False):
    at: At
    id: int
    preferences: Preferences
    limits: Limits


class _InspectRequest(TypedDict):
    op: Literal["inspect"]
    version: str
    expression: str


class InspectRequest(_InspectRequest, total=False):
    at: At
    preferences: Preferences
    snapshot: int
    limits: Limits


class _EvaluateRequest(TypedDict):
    op: Literal["evaluate"]
    version: str
    expression: str


class EvaluateRequest(_EvaluateRequest, total=False):
    at: At
    id: int
    preferences: Preferences
    snapshot: int
    page_size: int
    limits: Limits


class InterruptRequest(TypedDict):
    op: Literal["interrupt"]
    version: str
    request: int


Request = Union[FrameRequest, ChildrenRequest, InspectRequest, EvaluateRequest, InterruptRequest]


class Failure(TypedDict):
    code: FailureCode
    message: str


class Mark(TypedDict):
    kind: Literal["cycle", "shared"]
    path: str


@final
class Stats(TypedDict):
    """Statistics of ``count`` real numbers: counts over all of them, min, max, mean and std over the finite ones.

    When ``exact`` is false only ``read`` of them were seen: the counts, min and max are then of those, mean and std are
    estimates. ``std`` is unbiased (n - 1), None where it is beyond float64, and right to 1e-5 of itself when exact;
    ``mean_error`` bounds |mean - true mean| (with 4 standard errors when sampled).
    """

    count: int
    min: int | float | None
    max: int | float | None
    mean: float | None
    std: float | None
    nan: int
    pos_inf: int
    neg_inf: int
    zeros: int
    exact: bool
    read: int
    mean_error: float


@final
class ComplexStats(TypedDict):
    """Statistics of complex numbers by their parts and their magnitude, which float64 may not hold: then it has counts
    only."""

    real: Stats
    imag: Stats
    abs: Stats


@final
class Quantiles(TypedDict):
    """``values[i]`` is the number below which the share ``at[i]`` of the finite elements lies (of the magnitudes of
    complex ones), by linear interpolation; None where there are none. Over ``read`` elements: all when ``exact``.
    """

    at: list[float]
    values: list[int | float | None]
    exact: bool
    read: int


@final
class Histogram(TypedDict):
    """How many finite elements lie in bins of equal width: ``counts[i]`` from ``edges[i]`` up to, not including, the
    next edge, which only the last bin of floats includes. Bins of integers hold whole numbers.
    """

    edges: list[int | float]
    counts: list[int]
    exact: bool
    read: int


class _Facts(TypedDict):
    type: str


class Facts(_Facts, total=False):
    shape: list[Number | str | None]
    dtype: str
    device: str
    layout: str
    strides: list[Number | str]
    bytes: Number
    requires_grad: bool
    is_leaf: bool
    grad_fn: str | None
    view_of: str | None
    stats: Stats | ComplexStats | None
    unread: str
    first_nan: list[int]
    first_inf: list[int]
    quantiles: Quantiles
    histogram: Histogram
    values: str
    notes: list[str]
    rows: list[list[str]]


class _Node(TypedDict):
    id: int
    name: str
    kind: NodeKind
    type: str
    line: str


class Node(_Node, total=False):
    short: str
    inline: str
    badges: list[Badge]
    children: int | None
    path: str
    mark: Mark
    lazy: Literal[True]
    page: Page
    facts: Facts


class _Page(TypedDict):
    start: int
    total: int | None
    nodes: list[Node]


class Page(_Page, total=False):
    cut: str


class _PinAnswer(TypedDict):
    expression: str


class PinAnswer(_PinAnswer, total=False):
    node: Node
    error: Failure


class InlineValue(TypedDict):
    name: str
    kind: NodeKind
    text: str


class _FrameAnswer(TypedDict):
    op: Literal["frame"]
    snapshot: int
    ms: float
    function: str
    first_line: int
    line: int
    libraries: dict[str, str]
    rows: Page
    pins: list[PinAnswer]
    types: list[str]


class FrameAnswer(_FrameAnswer, total=False):
    inline: list[InlineValue]
    process: str
    frameless: Literal[True]
    cut: str


class ChildrenAnswer(TypedDict):
    op: Literal["children"]
    snapshot: int
    ms: float
    node: int
    page: Page
    types: list[str]


class NodeAnswer(TypedDict):
    op: Literal["inspect", "evaluate"]
    snapshot: int
    ms: float
    node: Node
    types: list[str]


class ErrorAnswer(TypedDict):
    op: Literal["error"]
    error: Failure


class InterruptAnswer(TypedDict):
    op: Literal["interrupt"]
    interrupted: bool


Answer = Union[InterruptAnswer, FrameAnswer, ChildrenAnswer, NodeAnswer, ErrorAnswer]

_SAFE_INTEGER = 2**53 - 1


def tagged(value: object) -> object:
    """``value`` as JSON can carry it to JavaScript: big integers and non-finite floats become tagged strings.

    Only plain dicts, lists, strings and numbers come here: they are our own answers, never a user's value.
    """
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if -_SAFE_INTEGER <= value <= _SAFE_INTEGER else f"#{value}"
    if isinstance(value, float):
        if value != value:
            return "#nan"
        if value in (float("inf"), float("-inf")):
            return "#inf" if value > 0 else "#-inf"
        return value
    if isinstance(value, dict):
        return {key: tagged(item) for key, item in value.items()}
    if isinstance(value, list):
        return [tagged(item) for item in value]
    raise TypeError(f"no JSON for {type(value).__name__}")
