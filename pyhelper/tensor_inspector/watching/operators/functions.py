"""What a function of torch does to values, as a watch must know: whether it computes, moves, asks or makes them."""

from __future__ import annotations

from typing import Any, Literal

#: computes: new values; moves: values that were there; makes: values that the program writes down or memory that is not
#: filled; asks: none; judges: whether they are finite; reads: gives them to Python; backward: runs the graph; fills:
#: changes running statistics too.
Deed = Literal["computes", "moves", "makes", "asks", "judges", "reads", "backward", "fills"]

_MOVES = frozenset(
    "alias as_strided as_subclass atleast_1d atleast_2d atleast_3d broadcast_tensors broadcast_to cat chunk clone"
    " column_stack concat concatenate contiguous copy_ cpu cuda detach detach_ diagonal double dsplit dstack expand"
    " expand_as flatten flip float gather half hsplit hstack index_select masked_select movedim moveaxis narrow"
    " permute pin_memory ravel repeat repeat_interleave reshape reshape_as roll rot90 select set_ split"
    " split_with_sizes squeeze squeeze_ stack swapaxes swapdims t t_ take take_along_dim tensor_split tile to to_dense"
    " transpose transpose_ tril triu type type_as unbind unflatten unfold unsqueeze unsqueeze_ view view_as"
    " view_as_complex view_as_real vsplit vstack bfloat16 __getitem__ __get__ requires_grad_ retain_grad meshgrid"
    " where masked_fill masked_fill_ masked_scatter scatter scatter_ index_put index_put_ index_copy index_copy_"
    " index_fill index_fill_ fill_ __setitem__ pad resolve_conj resolve_neg real imag adjoint block_diag"
    " cartesian_prod combinations sort topk msort unique kthvalue".split()
)
_MAKES = frozenset(
    "arange as_tensor asarray empty empty_like empty_permuted empty_strided eye frombuffer from_numpy full full_like"
    " linspace logspace new_empty new_full new_ones new_tensor new_zeros ones ones_like rand rand_like randn"
    " randn_like scalar_tensor sparse_coo_tensor tensor tril_indices triu_indices zeros zeros_like new_empty_strided"
    " normal uniform_ normal_ zero_ _make_subclass _make_wrapper_subclass from_file load".split()
)
_JUDGES = frozenset(("isnan", "isinf", "isfinite", "isposinf", "isneginf"))
_READS = frozenset("item tolist numpy __float__ __int__ __format__ __array__".split())
_ASKS = frozenset(
    "size dim numel stride storage_offset is_contiguous is_floating_point is_complex element_size nelement"
    " isreal signbit __bool__ __len__ __repr__ __hash__ get_device is_same_size"
    " is_signed is_inference is_pinned is_shared register_hook register_post_accumulate_grad_hook"
    " _record_function_enter_new _set_grad_enabled __set__ __delete__ untyped_storage storage resize_ resize_as_"
    " share_memory_ __deepcopy__ set_data result_type can_cast is_nonzero allclose equal isclose is_storage _is_view"
    " __reduce_ex__ manual_seed _is_zerotensor _record_function_exit._RecordFunction".split()
)
_GET = "__get__"
#: Attributes of a tensor that are views of it, or itself; the others are facts about it, or another tensor: `.grad`.
_VIEWED = frozenset(("T", "mT", "H", "mH", "real", "imag", "data"))
_BACKWARD = frozenset(("backward", "grad"))
_FILLS = frozenset(("batch_norm", "instance_norm", "native_batch_norm", "_native_batch_norm_legit", "cudnn_batch_norm"))
_GROUPS: tuple[tuple[frozenset[str], Deed], ...] = (
    (_MOVES, "moves"),
    (_MAKES, "makes"),
    (_READS, "reads"),
    (_JUDGES, "judges"),
    (_ASKS, "asks"),
    (_FILLS, "fills"),
)
known_deeds: dict[Any, tuple[Deed, str]] = {}  #: what functions do that were seen, and their names


def name_of(function: Any) -> str:
    """The name by which a program calls a function of torch: ``log``, ``__truediv__``."""
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) else str(function)


def deed_and_name(function: Any) -> tuple[Deed, str]:
    try:
        found = known_deeds.get(function)
        if found is None:
            name = name_of(function)
            found = known_deeds[function] = _deed(function, name), name
    except Exception:  # a function of the program that torch was asked to call, and that has no hash
        return "computes", name_of(function)
    return found


def _deed(function: Any, name: str) -> Deed:
    if name in _BACKWARD and getattr(function, "__module__", "") in ("torch._tensor", "torch.autograd"):
        return "backward"
    if name == _GET:
        return "moves" if getattr(getattr(function, "__self__", None), "__name__", None) in _VIEWED else "asks"
    return next((deed for names, deed in _GROUPS if name in names), "computes")
