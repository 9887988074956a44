"""Summaries for objects of other libraries: a table from a class to the attributes that its line shows.

A summary is what the object's line says after its type's name, in parts separated by `` · ``. In braces stands the way
from the object to a value, by attributes and items alone, and after a colon what of it is said:

- nothing: the value in a few words; ``len``: how many are in it; ``keys``: a dict's keys
- ``items``: what is in it, of a dict with its keys; of two ways, separated by a comma: what is in both, in pairs
- ``positive``: the value, a number above 0; for anything else the part is left out
- ``str``, ``repr``: its text by the library's own method; a way may end in a method of the library's in C: ``keys()``

``{*}`` are the object's public attributes, ``{*_}`` those whose names end with ``_``. ``node(s)`` is one node, or
several. A part whose value is not there, None or empty is left out, or its next alternative, after `` | ``, is said. A
summary that begins with ``= `` stands for the object in the lines of others, without its type. Users declare classes of
theirs likewise, but nothing is run for that.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..safe.guard import class_name, full_name, instance_dict, module, top_package

#: Transforms of torchvision that have no base of their own.
TRANSFORMS = (
    *("CenterCrop", "ColorJitter", "GaussianBlur", "Grayscale", "Normalize", "Pad", "RandomAffine", "RandomCrop"),
    *("RandomErasing", "RandomHorizontalFlip", "RandomResizedCrop", "RandomRotation", "RandomVerticalFlip", "Resize"),
)
#: Under which names Lightning is installed.
LIGHTNINGS = ("lightning.pytorch", "pytorch_lightning")
#: The steps of the optimizer that Lightning has made, or the program by hand, and of how many.
_STEP = " | ".join(
    f"step {{fit_loop.epoch_loop.{done}}}{most}"
    for done in (
        "manual_optimization.optim_step_progress.total.completed:positive",
        "automatic_optimization.optim_progress.optimizer.step.total.completed",
    )
    for most in (" of {fit_loop.epoch_loop.max_steps:positive}", "")
)
FABRICS = ("lightning.fabric", "lightning_fabric")
SUMMARIES = {
    "accelerate.Accelerator": "{state.device} · {state._mixed_precision} precision · {state.num_processes} process(es)",
    "albumentations.BaseCompose": "{transforms:items}",
    "astropy.table.Table": "{columns:items}",
    "astropy.units.UnitBase": "= {:str}",
    "dask.dataframe.dask_expr._collection.FrameBase": "{_expr} · not computed",
    "dask.delayed.Delayed": "{_key} · not computed",
    "datasets.Dataset": (
        "{_indices.table.num_rows} row(s) | {_data.table.num_rows} row(s) · {_data.table.column_names:items}"
    ),
    "datasets.IterableDataset": "{_info.features:keys}",
    "duckdb.DuckDBPyRelation": "{_schema[0]:items} · not run",
    "e3nn.o3.Linear": "{irreps_in} → {irreps_out}",
    "e3nn.o3.TensorProduct": "{irreps_in1} × {irreps_in2} → {irreps_out}",
    "einops.layers.RearrangeMixin": "{pattern} · {axes_lengths:items}",
    "einops.layers.ReduceMixin": "{pattern} · {reduction} · {axes_lengths:items}",
    "einops.layers._einmix._EinmixMixin": "{pattern} · weight {weight_shape} · {axes_lengths:items}",
    "flax.nnx.State": "{_mapping:items}",
    "flax.nnx.Variable": "{_raw_value}",
    "gymnasium.spaces.Box": "shape ({_shape:items}) · {dtype} · {low_repr} to {high_repr}",
    "gymnasium.spaces.Discrete": "{n} from {start}",
    "ibis.expr.types.core.Expr": "{_arg} · not run",
    "ipaddress._BaseAddress": "= {:str}",
    "ipaddress._BaseNetwork": "= {:str}",
    "keras.Variable": "{_value} · {_name}",
    **{f"{name}.Fabric": "{_strategy._root_device} · {_strategy} · {_precision.precision}" for name in FABRICS},
    **{
        f"{name}.Trainer": (
            f"{{state.stage._value_}} | {{state.status._value_}} · {_STEP} · "
            "epoch {fit_loop.epoch_progress.current.completed} of {fit_loop.max_epochs:positive}"
            " | epoch {fit_loop.epoch_progress.current.completed}"
            " · batch {fit_loop.epoch_loop.batch_progress.current.ready} · "
            "{_accelerator_connector._accelerator_flag} · {_accelerator_connector._precision_flag}"
        )
        for name in LIGHTNINGS
    },
    "logging.Logger": "{name} · level {level} · {handlers:len} handler(s)",
    "mlflow.entities.Metric": "{_key} {_value} · step {_step}",
    "mlflow.entities.Run": (
        "{_info._run_id} · {_info._run_name} · {_info._status} · {_data._metrics:items} · {_data._params:items}"
    ),
    "mlflow.entities.RunData": "{_metrics:items} · {_params:items}",
    "mlflow.entities.RunInfo": "{_run_id} · {_run_name} · {_status}",
    "monai.transforms.Compose": "{transforms:items}",
    "networkx.Graph": "{_node:len} node(s) · {graph:items}",
    "networkx.classes.coreviews.AtlasView": "{_atlas:len} node(s): {_atlas:keys}",
    "networkx.classes.reportviews.DiDegreeView": "of {_graph}",
    "networkx.classes.reportviews.NodeView": "{_nodes:len} node(s): {_nodes:keys}",
    "networkx.classes.reportviews.OutEdgeView": "of {_graph}",
    "os._Environ": "{_data:len} variable(s)",
    "peft.LoraConfig": (
        "r {r} · alpha {lora_alpha} · dropout {lora_dropout} · {target_modules:items} | {target_modules} · {task_type}"
    ),
    "pint.UnitRegistry": "{_units:len} unit(s)",
    "pyarrow.Array": "{:len} × {type:str} · {null_count} null",
    "pyarrow.ChunkedArray": "{:len} × {type:str} · {null_count} null · {num_chunks} chunk(s)",
    "pyarrow.DataType": "= {:str}",
    "pyarrow.Buffer": "{size} byte(s)",
    "pyarrow.Field": "= {name} {type:str}",
    "pyarrow.RecordBatch": "{num_rows} × {num_columns}",
    "pyarrow.ExtensionScalar": "{value}",
    "pyarrow.Scalar": "= {:str}",
    "pyarrow.RecordBatchReader": "{schema.names,schema.types:items} · not read",
    "pyarrow.Schema": "{names,types:items}",
    "pyarrow.Tensor": "{type:str} · shape ({shape:items})",
    "pyarrow.dataset.Dataset": "{schema.names,schema.types:items} · not read",
    "pyarrow.Table": "{num_rows} × {num_columns}: {schema.names,schema.types:items}",
    "pydantic_core.ValidationError": "{error_count()} error(s) in {title}",
    "requests.Response": "{status_code} · {url} · {_content:len} byte(s)",
    "sklearn.base.BaseEstimator": (
        "{n_features_in_} feature(s) in | fitted: {*_} | not fitted · {classes_:len} class(es) · {*}"
    ),
    "sklearn.feature_extraction.text.HashingVectorizer": "{n_features} feature(s) out",
    "sklearn.model_selection._search.BaseSearchCV": (
        "best {best_score_}: {best_params_:items} | fitted: {*_} | not fitted · {estimator}"
    ),
    "sklearn.pipeline.Pipeline": "{steps:items}",
    "sklearn.preprocessing.FunctionTransformer": "{func} · {*}",
    "sqlalchemy.engine.Engine": "{url.drivername} · {url.host} · {url.database}",
    "sqlalchemy.engine.Row": "{_key_to_index,_data:items}",
    "sqlalchemy.engine.RowMapping": "{_key_to_index,_data:items}",
    "sqlite3.Row": "{keys(),:items}",
    "statsmodels.base.wrapper.ResultsWrapper": "{_results.model} · {_results.nobs} observations",
    "sympy.Basic": "{_args:items}",
    "sympy.Integer": "= {p}",
    "sympy.MatrixBase": "{rows} × {cols}",
    "sympy.Number": "= {:str}",
    "sympy.Rational": "= {p}/{q}",
    "sympy.Symbol": "= {name}",
    "sympy.core.numbers.NumberSymbol": "= {:str}",
    "tokenizers.Encoding": "{ids:len} token(s) · {tokens:items}",
    "tokenizers.Tokenizer": "{get_vocab_size()} token(s) · {model}",
    "threading.Condition": "{_waiters:len} thread(s) waiting",
    "threading.Semaphore": "{_value} free of {_initial_value} | {_value} free",
    "torch._ops.OpOverload": "{_name}",
    "torch._ops.OpOverloadPacket": "{_qualified_op_name}",
    "torch.profiler.profile": "step {step_num} · {current_action._name_}",
    "torch.utils.tensorboard.SummaryWriter": "{log_dir} · {all_writers:len} open | closed",
    "torch_geometric.EdgeIndex": (
        "{_data.shape[1]} edge(s) · {_sparse_size[0]} × {_sparse_size[1]} nodes · sorted by {_sort_order._value_}"
    ),
    "torch_geometric.Index": "of {_dim_size}",
    "torch_geometric.data.storage.BaseStorage": "{_mapping:items}",
    "tensorboardX.SummaryWriter": "{logdir} · {all_writers:len} open | closed",
    "torchmetrics.Metric": "{_update_count} update(s) · {_defaults:keys}",
    "torchvision.transforms.Compose": "{transforms:items}",
    **{f"torchvision.transforms.{name}": "{*}" for name in TRANSFORMS},
    "torchvision.transforms.v2.Compose": "{transforms:items}",
    "torchvision.transforms.v2.Transform": "{*}",
    "torchvision.tv_tensors.BoundingBoxes": "{format._value_} in {canvas_size[0]} × {canvas_size[1]}",
    "tqdm.std.tqdm": "{desc} · {n} of {total}",
    "types.GenericAlias": "= {__origin__}[{__args__:items}]",
    "transformers.trainer.Trainer": (
        "step {state.global_step} of {state.max_steps:positive} | step {state.global_step} · "
        "epoch {state.epoch} · {model}"
    ),
    "transformers.trainer_callback.TrainerState": (
        "step {global_step} of {max_steps:positive} | step {global_step} · epoch {epoch}"
    ),
    "transformers.tokenization_utils_base.PreTrainedTokenizerBase": (
        "{_tokenizer.get_vocab_size()} token(s) · {_tokenizer.model}"
    ),
    "types.UnionType": "= Union[{__args__:items}]",
    "typing.NewType": "= {__name__} · of {__supertype__}",
    "typing.ParamSpec": "= {__name__}",
    "typing.TypeVar": "= {__name__} · bound {__bound__} · {__constraints__:items}",
    "typing.Union": "= Union[{__args__:items}]",
    "typing._AnnotatedAlias": "{__origin__} with {__metadata__:items}",
    "typing._GenericAlias": (
        "= {_name}[{__args__:items}] | {__origin__._name}[{__args__:items}] | {__origin__}[{__args__:items}]"
    ),
    "typing._CallableGenericAlias": "{_name} of {__args__:items}",
    "typing._LiteralGenericAlias": "{__args__:len} value(s): {__args__:items}",
    "typing._UnionGenericAlias": "= Union[{__args__:items}]",
    "unyt.Unit": "= {:str}",
    "wandb.Artifact": "{_name} · {_type} · {_version} · {_state._value_}",
    "wandb.Image": "{_width} × {_height} · {format} · {_caption}",
    "wandb.Settings": "{run_id} · {mode} · {project}",
    "wandb.Table": "{data:len} row(s) · {columns:items}",
    "wandb.sdk.wandb_run.Run": (
        "{_settings.run_id} · {_settings.run_name} · {_settings.mode} · {_settings.project} · "
        "finished with {_exit_code}"
    ),
    "xarray.Coordinates": "{_data._coords:keys} | {_data._coord_names:items}",
    "xarray.DataArray": "{_variable._data} · dims {_variable._dims:items} · {_name}",
    "xarray.Dataset": "{_dims:items} · {_variables:keys}",
    "xarray.core.indexes.PandasIndex": "= {index}",
    "xarray.core.indexing.PandasIndexingAdapter": "= {array}",
    "xarray.Variable": "{_data} · dims {_dims:items}",
    "xml.etree.ElementTree.Element": "<{tag}> · {:len} child(ren) · {items():items} · {text}",
    "xml.etree.ElementTree.ElementTree": "<{_root.tag}>",
    "zarr.Array": "shape ({_async_array.metadata.shape:items}) · {_async_array.metadata.data_type}",
}


def packages(summaries: Mapping[str, str]) -> dict[str, list[str]]:
    """The declared classes by their package."""
    found: dict[str, list[str]] = {}
    for name in summaries:
        found.setdefault(top_package(name), []).append(name)
    return found


def declared_name(cls: type, names: list[str]) -> str | None:
    """Under which of these names the class can be reached: its own, or that of a module that holds it."""
    full = full_name(cls)
    if full in names:
        return full
    for name in names:
        home, _, last = name.rpartition(".")
        if last == class_name(cls) and instance_dict(module(home)).get(last) is cls:
            return name
    return None
