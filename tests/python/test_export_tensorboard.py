"""The lens `export` with the format `tensorboard`: runs, read back by TensorBoard's own reader."""

from __future__ import annotations

import base64
import io
import os
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from asking import Paused
from torch import nn
from untouched import Watch

from tensor_inspector.kinds import Child
from tensor_inspector.lenses.export import tensorboard
from tensor_inspector.lenses.export.events import EventWriter
from tensor_inspector.lenses.export.graph import graph_of
from tensor_inspector.lenses.export.image import ImageAsPng
from tensor_inspector.lenses.export.new_run import NewRun
from tensor_inspector.measure.torch.graph import MAX_NODES
from tensor_inspector.safe.guard import module
from tensor_inspector.session import session

Frame = Callable[[Any], Paused]


def frame(value: Any) -> Any:
    x = value
    assert x is not None
    return sys._getframe()


@pytest.fixture
def paused(monkeypatch: pytest.MonkeyPatch) -> Iterator[Frame]:
    yield lambda value: Paused(frame(value), monkeypatch)
    session.reset()


@pytest.fixture
def installed() -> None:
    pytest.importorskip("tensorboard", reason="no tensorboard")


def asked(paused: Paused, path: Path | None, **options: Any) -> dict[str, Any]:
    where = {} if path is None else {"path": str(path)}
    return paused.lens("export", {"format": "tensorboard", "run": True, **where, **options}, value="x")


def offered(paused: Paused, **options: Any) -> dict[str, Any]:
    told = paused.lens("export", options, value="x")["found"]["formats"]
    (found,) = [one for one in told if one["format"] == "tensorboard"]
    return dict(found)


class Run:
    """What TensorBoard reads of a run."""

    def __init__(self, path: Path) -> None:
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        everything = {"scalars": 0, "histograms": 0, "images": 0}
        self._events = EventAccumulator(str(path), size_guidance=everything)
        self._events.Reload()
        self.tags = {kind: tags for kind, tags in self._events.Tags().items() if tags and type(tags) is list}

    def scalar(self, tag: str) -> list[tuple[int, float]]:
        return [(one.step, one.value) for one in self._events.Scalars(tag)]

    def times(self, tag: str) -> list[float]:
        return [one.wall_time for one in self._events.Scalars(tag)]

    def histogram(self, tag: str) -> Any:
        (event,) = self._events.Histograms(tag)
        return event.histogram_value

    def pixels(self, tag: str) -> np.ndarray[Any, Any]:
        from PIL import Image

        (event,) = self._events.Images(tag)
        image = Image.open(io.BytesIO(event.encoded_image_string))
        assert (event.width, event.height) == image.size
        return np.asarray(image.convert("RGBA" if image.mode == "RGBA" else "RGB"))


def written(paused: Frame, value: Any, path: Path, **options: Any) -> Run:
    answer = asked(paused(value), path, **options)
    assert answer["found"]["written"] == str(path)
    return Run(path)


def histories(path: Path) -> list[Run]:
    """The runs below one, a line each for TensorBoard."""
    return [Run(folder) for folder in sorted(path.glob("history-*"))]


# What is in it


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int64", "float64", "uint8"])
def test_a_histogram_counts_each_finite_element(paused: Frame, tmp_path: Path, dtype: str) -> None:
    value = (torch.arange(60_000) % 251).reshape(3, 4, 5000).to(getattr(torch, dtype))
    found = written(paused, value, tmp_path / "run").histogram("x")
    wide = value.double()
    assert (found.min, found.max, found.num) == (0, float(wide.max()), 60_000)
    assert (found.sum, found.sum_squares) == (float(wide.sum()), float((wide**2).sum()))
    limits = [-1.0, *found.bucket_limit]
    assert limits == sorted(limits)
    assert limits[-1] >= found.max
    assert sum(found.bucket) == found.num
    assert len(found.bucket) > 20


@pytest.mark.usefixtures("installed")
def test_the_histogram_of_what_is_expanded_is_of_all_that_it_shows(paused: Frame, tmp_path: Path) -> None:
    value = torch.tensor([[1.0], [2.0]]).expand(2, 1_000_000_000)
    found = written(paused, value, tmp_path / "run").histogram("x")
    assert (found.num, found.sum, found.sum_squares) == (2_000_000_000, 3e9, 5e9)


@pytest.mark.usefixtures("installed")
def test_what_is_not_finite_is_counted_beside_the_histogram(paused: Frame, tmp_path: Path) -> None:
    value = torch.ones(100)
    value[:7], value[7:9], value[9] = float("nan"), float("inf"), float("-inf")
    run = written(paused, value, tmp_path / "run", step=12)
    assert run.histogram("x").num == 90
    assert {tag: run.scalar(tag) for tag in run.tags["scalars"]} == {
        "x/nan": [(12, 7)], "x/inf": [(12, 2)], "x/-inf": [(12, 1)],
    }  # fmt: skip


@pytest.mark.usefixtures("installed")
def test_a_model_has_a_histogram_for_each_of_its_tensors(paused: Frame, tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    run = written(paused, model, tmp_path / "run")
    assert run.tags["histograms"] == [
        f"x/{name}" for name, one in model.state_dict().items() if one.dim()
    ]  # fmt: skip
    assert run.scalar("x/1.num_batches_tracked") == [(0, 0)]
    assert list(tmp_path.glob("run/*/")) == [], "no embedding of one of many"


SCALARS = {
    "a float": (2.5, 2.5),
    "an int": (7, 7.0),
    "a tensor": (torch.tensor(3.5), 3.5),
    "of numpy": (np.float32(4), 4.0),
}


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", SCALARS)
def test_a_number_is_a_scalar(paused: Frame, tmp_path: Path, name: str) -> None:
    value, number = SCALARS[name]
    assert written(paused, value, tmp_path / "run", step=3).scalar("x") == [(3, number)]


@pytest.mark.usefixtures("installed")
def test_the_history_is_scalars_at_their_steps_and_times(paused: Frame, tmp_path: Path) -> None:
    series = [
        {"tag": "mean_by_stop", "steps": [1, 2, 4], "times": [100.5, 101, 102], "values": [0.5, "#nan", "#-inf"]},
        {"tag": "lr_by_step", "steps": [10], "times": [100], "values": ["#9007199254740993"]},
    ]
    written(paused, torch.ones(3), tmp_path / "run", scalars=series, step=4)
    (run,) = histories(tmp_path / "run")
    assert str(run.scalar("x/mean_by_stop")) == "[(1, 0.5), (2, nan), (4, -inf)]"
    assert run.times("x/mean_by_stop") == [100.5, 101, 102]
    assert run.scalar("x/lr_by_step") == [(10, 2.0**53)]


@pytest.mark.usefixtures("installed")
def test_the_history_of_what_holds_no_numbers_is_written_alone(paused: Frame, tmp_path: Path) -> None:
    series = [{"tag": "lr_by_step", "steps": [1], "times": [5], "values": [0.25]}]
    optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.25)
    assert "refused" in offered(paused(optimizer))
    assert "refused" not in offered(paused(optimizer), scalars=[{"tag": "lr", "steps": [], "times": [], "values": []}])
    assert written(paused, optimizer, tmp_path / "run", scalars=series).tags == {}
    (run,) = histories(tmp_path / "run")
    assert run.tags == {"scalars": ["x/lr_by_step"]}
    assert not list(tmp_path.glob("run/events.*")), "no run of nothing"


@pytest.mark.usefixtures("installed")
def test_each_export_has_its_history_once(paused: Frame, tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_multiplexer import EventMultiplexer

    path = tmp_path / "run"
    for last in (2, 4):
        steps = list(range(1, last + 1))
        series = [{"tag": "mean_by_stop", "steps": steps, "times": steps, "values": steps}]
        written(paused, 0.5, path, scalars=series, step=last, overwrite=True)
    assert [run.scalar("x/mean_by_stop") for run in histories(path)] == [
        [(1, 1), (2, 2)],
        [(1, 1), (2, 2), (3, 3), (4, 4)],
    ]
    runs = EventMultiplexer().AddRunsFromDirectory(str(path)).Runs()
    assert sorted(name.partition("-")[0] for name in runs) == [".", "history", "history"]
    assert Run(path).tags == {"scalars": ["x"]}
    assert Run(path).scalar("x") == [(2, 0.5), (4, 0.5)]


def picture(*pixels: Any, dtype: str = "float32") -> torch.Tensor:
    """Eight rows of these pixels, again and again: HWC."""
    row = torch.tensor(pixels, dtype=torch.float64).to(getattr(torch, dtype))
    return row.repeat(8, 1).expand(8, -1, -1).clone()


NAN, INF = float("nan"), float("inf")
PICTURES: dict[str, tuple[Callable[[], Any], list[tuple[int, ...]]]] = {
    "CHW of bytes": (lambda: picture((0, 10, 30), (255, 20, 40), dtype="uint8").permute(2, 0, 1), [(0, 10, 30), (255, 20, 40)]),
    "dark bytes": (lambda: picture((0, 1, 1), dtype="uint8"), [(0, 1, 1)]),
    "HWC of numpy": (lambda: picture((0, 0.2, 1), (1, 0.4, 0)).numpy(), [(0, 51, 255), (255, 102, 0)]),
    "whole floats": (lambda: picture((0, 51, 255), dtype="bfloat16"), [(0, 51, 255)]),
    "a mask": (lambda: picture((0,), (1,), dtype="bool"), [(0, 0, 0), (255, 255, 255)]),
    "with opacity, of bytes": (lambda: picture((0, 51, 102, 255), (1, 2, 3, 4), dtype="uint8").permute(2, 0, 1), [(0, 51, 102, 255), (1, 2, 3, 4)]),
    "with opacity, of floats": (lambda: picture((0, 0.2, 1, 0.4)), [(0, 51, 255, 102)]),
    "with NaN and Inf": (lambda: picture((NAN, 0, 0), (1, -INF, 1), (0, 0, INF), (1, 1, 1)), [(255, 0, 255), (0, 0, 0), (0, 255, 0), (255, 255, 255)]),
    "transparent with NaN": (lambda: picture((0, 0, 0, NAN), (0, 0, 0, 0)), [(255, 0, 255, 255), (0, 0, 0, 0)]),
}  # fmt: skip


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", PICTURES)
def test_a_tensor_with_the_shape_and_the_values_of_a_picture_is_one(paused: Frame, tmp_path: Path, name: str) -> None:
    make, wanted = PICTURES[name]
    pixels = written(paused, make(), tmp_path / "run").pixels("x/image")
    assert [tuple(map(int, pixel)) for pixel in pixels[0]][: len(wanted)] == wanted


OTHERS: dict[str, Callable[[], Any]] = {
    "attention of four heads": lambda: torch.rand(2, 4, 16, 16).softmax(-1),
    "kernels of a convolution": lambda: torch.rand(16, 3, 3, 3),
    "large kernels": lambda: torch.randn(16, 3, 11, 11),
    "signed": lambda: picture((-1,), (1,)),
    "beyond a byte": lambda: picture((0,), (256,)),
    "no whole numbers": lambda: picture((0.5,), (200,)),
    "four channels of whole numbers": lambda: picture((0, 2, 255, 255), dtype="int64"),
    "nothing finite": lambda: torch.full((1, 16, 16), NAN),
}


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", OTHERS)
def test_what_has_not_the_values_of_a_picture_is_a_heatmap(paused: Frame, tmp_path: Path, name: str) -> None:
    assert written(paused, OTHERS[name](), tmp_path / "run").tags["images"] == ["x/heatmap"]


@pytest.mark.usefixtures("installed")
def test_of_a_large_picture_not_each_pixel_is_there(paused: Frame, tmp_path: Path) -> None:
    value = torch.zeros(1, 1025, 40)
    value[0, 1023] = 1
    assert "of pictures, each 3rd pixel along both sides" in offered(paused(value))["notes"]
    pixels = written(paused, value, tmp_path / "run").pixels("x/image")
    assert (pixels.shape, int(pixels[341, 0, 0])) == ((342, 14, 3), 255)


@pytest.mark.usefixtures("installed")
def test_of_a_batch_the_first_pictures_are_there(paused: Frame, tmp_path: Path) -> None:
    value = torch.arange(10.0)[:, None, None, None].expand(10, 3, 8, 9) * 20
    one = paused(value)
    assert "of pictures, the first 8 of 10" in offered(one)["notes"]
    run = written(paused, value, tmp_path / "run")
    assert run.tags["images"] == [f"x/image/{at}" for at in range(8)]
    assert [int(run.pixels(f"x/image/{at}")[0, 0, 0]) for at in range(8)] == [20 * at for at in range(8)]


@pytest.mark.usefixtures("installed")
def test_another_one_is_a_heatmap(paused: Frame, tmp_path: Path) -> None:
    value = torch.zeros(40, 30)
    value[3, 5] = float("nan")
    pixels = written(paused, value, tmp_path / "run").pixels("x/heatmap")
    side = pixels.shape[0] // 40
    assert pixels.shape == (40 * side, 30 * side, 3)
    assert tuple(pixels[3 * side, 5 * side]) == (255, 0, 255)


@pytest.mark.usefixtures("installed")
def test_a_table_of_floats_is_an_embedding_too(paused: Frame, tmp_path: Path) -> None:
    from google.protobuf import text_format
    from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig

    value = torch.randn(300, 40)
    written(paused, value, tmp_path / "run", step=5)
    (folder,) = tmp_path.glob("run/embedding-5-*")
    assert Run(folder).tags == {}, "an event file, by which TensorBoard knows the folder"
    config = text_format.Parse((folder / "projector_config.pbtxt").read_text("utf-8"), ProjectorConfig())
    (embedding,) = config.embeddings
    assert embedding.tensor_name == "x"
    back = np.loadtxt(folder / embedding.tensor_path, delimiter="\t", dtype=np.float32)
    assert np.array_equal(back, value.numpy())


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("value", "is_one"),
    [(torch.zeros(3, 4), True), (torch.zeros(3, 4, dtype=torch.int64), False), (torch.zeros(100_001, 1).expand(-1, 2), False)],
    ids=["floats", "integers", "too many rows"],
)  # fmt: skip
def test_only_what_the_projector_takes_is_an_embedding(paused: Frame, tmp_path: Path, value: Any, is_one: bool) -> None:
    written(paused, value, tmp_path / "run")
    assert bool(list(tmp_path.glob("run/embedding-*"))) is is_one
    assert any("an embedding is of up to" in note for note in offered(paused(value))["notes"]) is (len(value) > 1000)


# Its folder


@pytest.mark.usefixtures("installed")
def test_what_is_sent_is_what_the_program_writes(paused: Frame, tmp_path: Path) -> None:
    files: dict[str, bytes] = {}
    one = paused(torch.randn(300, 40))
    options = {"format": "tensorboard", "run": True}
    answer = one.ask("lens", lens="export", values={"value": {"expression": "x"}}, options=options, limits={"ms": 0})
    while True:
        if "data" in answer:
            files[answer["file"]] = files.get(answer["file"], b"") + base64.b64decode(answer["data"])
        if answer["done"]:
            break
        where = {"snapshot": answer["snapshot"], "resume": answer["resume"], "values": {}}
        answer = one.ask("lens", lens="export", **where, limits={"ms": 0})
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    assert sorted(name.rpartition("/")[2][:6] for name in files) == ["events", "events", "projec", "tensor"]
    assert list(files)[-1].startswith("events."), "TensorBoard looks once there are events"
    assert Run(tmp_path).histogram("x").num == 12_000


@pytest.mark.usefixtures("installed")
def test_folders_above_it_are_made(paused: Frame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = asked(paused(torch.ones(3)), Path("runs/tensor-inspector/x"))["found"]
    assert found["written"] == str(tmp_path / "runs/tensor-inspector/x")
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]


@pytest.mark.usefixtures("installed")
def test_a_run_is_added_to_only_where_that_is_said(paused: Frame, tmp_path: Path) -> None:
    path, one = tmp_path / "run", paused(torch.ones(3, 3))
    asked(one, path, step=1)
    before = sorted(path.iterdir())
    assert asked(one, path, step=2)["found"]["taken"] == str(path)
    assert sorted(path.iterdir()) == before
    asked(one, path, step=2, overwrite=True)
    assert set(before) < set(path.iterdir())
    assert [event.step for event in Run(path)._events.Histograms("x")] == [1, 2]
    assert len(list(path.glob("embedding-*"))) == 2
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.usefixtures("installed")
def test_two_additions_in_one_second_are_read_in_their_order(
    paused: Frame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter([10**18 + 20_000_000, 10**18 + 100_000_000])
    monkeypatch.setattr(tensorboard, "time_ns", lambda: next(moments))
    path, one = tmp_path / "run", paused(torch.ones(3, 3))
    for step in (1, 2):
        asked(one, path, step=step, overwrite=True)
    assert [event.step for event in Run(path)._events.Histograms("x")] == [1, 2]


@pytest.mark.parametrize(
    ("path", "reason"),
    [("file", "there is a file at"), ("file/run", "there is a file at"), ("link", "is a link, which is not followed"), ("", "path is the path of a folder")],
)  # fmt: skip
def test_a_path_where_no_folder_can_be_is_refused(paused: Frame, tmp_path: Path, path: str, reason: str) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path)
    options = {"format": "tensorboard", "run": True, "path": path and f"{tmp_path}/{path}"}
    answer = paused(torch.ones(2)).lens("export", options, value="x")
    assert answer["error"]["code"] == "bad_request"
    assert reason in answer["error"]["message"]


LARGE = torch.arange(20_000_000, dtype=torch.int32)


def half_written(one: Paused, folder: Path) -> dict[str, Any]:
    """The answer of a slice after which there is a part of a run."""
    options = {"format": "tensorboard", "run": True, "path": str(folder / "runs" / "x")}
    answer = one.ask("lens", lens="export", values={"value": {"expression": "x"}}, options=options, limits={"ms": 0})
    while not list(folder.iterdir()):
        assert not answer["done"]
        answer = gone_on(one, answer)
    assert [path.suffix for path in folder.iterdir()] == [".part"]
    return answer


def gone_on(one: Paused, before: dict[str, Any], **more: Any) -> dict[str, Any]:
    where = {"snapshot": before["snapshot"], "resume": before["resume"], "values": {}}
    return one.ask("lens", lens="export", **where, limits={"ms": 0}, **more)


@pytest.mark.usefixtures("installed")
def test_what_is_cancelled_or_ended_by_the_stop_leaves_nothing(paused: Frame, tmp_path: Path) -> None:
    one = paused(LARGE)
    gone_on(one, half_written(one, tmp_path), cancel=True)
    assert list(tmp_path.iterdir()) == []
    half_written(one, tmp_path)
    one.replies.clear()  # the debugger lets go of them as the program goes on
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("installed")
def test_a_tensor_that_changes_meanwhile_leaves_nothing(paused: Frame, tmp_path: Path) -> None:
    value = LARGE.clone()
    one = paused(value)
    answer = half_written(one, tmp_path)
    value[0] = 7
    assert gone_on(one, answer)["error"]["message"] == "x is not written: it was changed meanwhile"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("installed")
def test_tensorboard_does_not_see_a_run_that_is_not_whole(paused: Frame, tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.io_wrapper import GetLogdirSubdirectories

    def seen() -> list[str]:
        return list(GetLogdirSubdirectories(str(tmp_path)))

    one = paused(LARGE)
    answer = half_written(one, tmp_path)
    assert [file for _, _, files in os.walk(tmp_path) for file in files], "it is begun"
    assert seen() == []
    while not answer["done"]:
        answer = gone_on(one, answer)
    assert seen() == [str(tmp_path / "runs" / "x")]


def part_of(path: Path) -> NewRun:
    """A run that is to be at a path, with an event file and a folder with another one."""
    run = NewRun(str(path))
    for name in ("a/events.out.tfevents.1", "b", "events.out.tfevents.2"):
        run.begin(name)
        run.write(name.encode())
    return run


def files_below(path: Path) -> list[str]:
    return sorted(str(one.relative_to(path)) for one in path.rglob("*"))


WHOLE = ["a", "a/events.out.tfevents.1", "b", "events.out.tfevents.2"]


def test_a_run_has_its_files_by_their_names_once_it_is_whole(tmp_path: Path) -> None:
    run = part_of(tmp_path / "run")
    assert not [name for name in files_below(tmp_path) if "tfevents" in name]
    run.finish(overwrite=False)
    assert files_below(tmp_path / "run") == WHOLE
    assert (tmp_path / "run" / "a" / "events.out.tfevents.1").read_text() == "a/events.out.tfevents.1"


@pytest.mark.parametrize("at", range(1, 7))
@pytest.mark.parametrize("is_there", [True, False], ids=["added", "new"])
def test_a_disk_that_fails_while_a_run_gets_its_name_leaves_what_there_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, is_there: bool
) -> None:
    path = tmp_path / "p" / "q" / "run"
    if is_there:
        path.mkdir(parents=True)
        (path / "mine").write_text("mine")
    before = files_below(tmp_path)
    run, rename, asked_of = part_of(path), os.rename, []

    def failing(*names: Any) -> None:
        asked_of.append(names)
        if len(asked_of) == at:
            raise OSError(5, "the disk fails")
        rename(*names)

    monkeypatch.setattr(os, "rename", failing)
    if at > (5 if is_there else 3):
        run.finish(overwrite=is_there)
        assert set(files_below(path)) >= set(WHOLE)
        return
    with pytest.raises(OSError, match="the disk fails"):
        run.finish(overwrite=is_there)
    assert files_below(tmp_path) == before


@pytest.mark.parametrize("overwrite", [True, False])
def test_a_link_that_came_meanwhile_is_not_followed(tmp_path: Path, overwrite: bool) -> None:
    run = part_of(tmp_path / "run")
    (tmp_path / "other").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "other")
    with pytest.raises(ValueError, match="is a link, which is not followed"):
        run.finish(overwrite=overwrite)
    assert files_below(tmp_path) == ["other", "run"]


@pytest.mark.parametrize("name", ["b", "events.out.tfevents.2"])
def test_a_run_takes_the_place_of_no_file(tmp_path: Path, name: str) -> None:
    run = part_of(tmp_path / "run")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / name).write_text("mine")
    with pytest.raises(ValueError, match="there is a file at"):
        run.finish(overwrite=True)
    assert files_below(tmp_path) == ["run", f"run/{name}"]
    assert (tmp_path / "run" / name).read_text() == "mine"


def test_a_run_that_is_there_is_told_though_its_part_is_not_removed(tmp_path: Path) -> None:
    run = part_of(tmp_path / "run")
    (part,) = tmp_path.iterdir()
    (tmp_path / "run").mkdir()
    rename = os.rename

    def renamed(*names: Any) -> None:
        rename(*names)
        (part / "of another").write_text("") if part.exists() else None

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "rename", renamed)
        run.finish(overwrite=True)
    assert files_below(tmp_path / "run") == WHOLE


# Its steps


def answers(one: Paused, **options: Any) -> int:
    """How many there are where each step is more than a slice has time for."""
    wanted = {"format": "tensorboard", "run": True, **options}
    answer = one.ask("lens", lens="export", values={"value": {"expression": "x"}}, options=wanted, limits={"ms": 0})
    amount = 1
    while not answer["done"]:
        answer, amount = gone_on(one, answer), amount + 1
    return amount


@pytest.mark.usefixtures("installed")
def test_a_picture_is_read_and_painted_a_plane_at_a_time(paused: Frame) -> None:
    of_pictures = answers(paused(torch.rand(8, 3, 8, 8)))
    session.reset()
    assert of_pictures - answers(paused(torch.rand(8, 3, 8, 7))) >= 8 * 3 * 2


@pytest.mark.usefixtures("installed")
def test_a_long_history_is_written_a_thousand_numbers_at_a_time(paused: Frame) -> None:
    numbers = list(range(10_000))
    series = [{"tag": "mean_by_stop", "steps": numbers, "times": numbers, "values": numbers}]
    of_many = answers(paused(0.5), scalars=series)
    session.reset()
    assert of_many - answers(paused(0.5)) >= 10


@pytest.mark.usefixtures("installed")
def test_the_checksum_of_a_large_picture_is_made_in_pieces(tmp_path: Path) -> None:
    writer, png = EventWriter(None), bytes(range(256)) * 2500
    steps = list(writer.add_image("x", 3, ImageAsPng(png, 4, 5, 3)))
    assert len(steps) >= len(png) // (1 << 16)
    (tmp_path / "events.out.tfevents.1").write_bytes(writer.taken())
    (event,) = Run(tmp_path)._events.Images("x")
    assert (event.encoded_image_string, event.height, event.width, event.step) == (png, 4, 5, 3)


# What it runs


@pytest.mark.usefixtures("installed")
def test_nothing_is_imported_before_the_user_has_agreed(paused: Frame, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "tensorboard"]:
        monkeypatch.delitem(sys.modules, name)
    found = offered(paused(torch.ones(2)))
    assert found["runs"] is True
    assert found["notes"][0] == "imports tensorboard in the program"
    answer = paused(torch.ones(2)).lens("export", {"format": "tensorboard"}, value="x")
    assert answer["error"]["message"] == "tensorboard runs code of the program: it is asked with the option 'run'"
    assert module("tensorboard") is None


def test_a_program_without_tensorboard_is_told_how_it_comes_to_one(
    paused: Frame, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "tensorboard"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [os.path.dirname(os.__file__)])
    assert offered(paused(torch.ones(2)))["refused"] == (
        f"the program has no tensorboard, which makes the run: {sys.executable} -m pip install tensorboard"
    )


def test_a_tensorboard_that_does_not_import_is_told(
    paused: Frame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "tensorboard"]:
        monkeypatch.delitem(sys.modules, name)
    broken = tmp_path / "broken" / "tensorboard"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("import no_such_module_of_its_own")
    monkeypatch.syspath_prepend(str(tmp_path / "broken"))
    answer = asked(paused(torch.ones(2)), tmp_path / "run")
    assert answer["error"]["message"] == (
        "x is not written: tensorboard can't be imported: No module named 'no_such_module_of_its_own'"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["broken"]


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"step": -1}, "step is a whole number, as in 100"),
        ({"step": True}, "step is a whole number, as in 100"),
        ({"scalars": 5}, "scalars are tags with their steps, times and values"),
        ({"scalars": [5]}, "scalars are tags with their steps, times and values"),
        ({"scalars": [{"tag": "a", "steps": [1 << 63], "times": [1], "values": [1]}]}, "steps of scalars are whole numbers, as in 100"),
        ({"scalars": [{"tag": "a"}]}, "scalars are tags with their steps, times and values"),
        ({"scalars": [{"tag": "a", "steps": [1], "times": [], "values": [1]}]}, "scalars have a time and a value for each step"),
    ],
)  # fmt: skip
def test_options_that_make_no_sense_are_refused(paused: Frame, tmp_path: Path, options: Any, message: str) -> None:
    answer = asked(paused(torch.ones(2)), tmp_path / "run", **options)
    assert (answer["error"]["code"], answer["error"]["message"]) == ("bad_request", message)
    assert offered(paused(torch.ones(2)), **options)["refused"] == message
    formats = paused(torch.ones(2)).lens("export", options, value="x")["found"]["formats"]
    assert [one["format"] for one in formats if "refused" not in one] == ["npy", "safetensors", "csv", "pt"]


# What has no elements, and what is complex


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("value", [torch.zeros(0, 4), np.zeros((3, 0)), {"a": torch.zeros(0), "b": torch.zeros(2, 0)}])
def test_a_run_of_no_elements_is_refused_before_anything_is_written(paused: Frame, tmp_path: Path, value: Any) -> None:
    what = "these tensors have none" if type(value) is dict else f"shape {list(value.shape)} has none"
    assert offered(paused(value))["refused"] == f"a run is of elements: {what}"
    answer = asked(paused(value), tmp_path / "run")
    assert answer["error"]["message"] == f"a run is of elements: {what}"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("installed")
def test_the_history_of_what_is_empty_now_is_written(paused: Frame, tmp_path: Path) -> None:
    scalars = [{"tag": "mean", "steps": [1, 2], "times": [1.0, 2.0], "values": [0.5, 0.25]}]
    asked(paused(torch.zeros(0)), tmp_path / "run", scalars=scalars)
    (history,) = histories(tmp_path / "run")
    assert history.scalar("x/mean") == [(1, 0.5), (2, 0.25)]
    assert [path.name for path in (tmp_path / "run").iterdir() if path.is_file()] == []


@pytest.mark.usefixtures("installed")
def test_tensors_without_elements_are_named_beside_those_that_have_some(paused: Frame, tmp_path: Path) -> None:
    value = {"a": torch.zeros(0), "b": torch.ones(2)}
    assert "nothing is written of what has no elements: a" in offered(paused(value))["notes"]
    assert written(paused, value, tmp_path / "run").tags["histograms"] == ["x/b"]


@pytest.mark.usefixtures("installed")
def test_that_complex_numbers_are_written_by_magnitude_is_said(paused: Frame, tmp_path: Path) -> None:
    value = torch.tensor([[3 + 4j, 6 + 8j], [0j, 1j]])
    note = "complex numbers are written by their magnitudes"
    assert note in offered(paused(value))["notes"]
    assert note not in offered(paused(torch.ones(2)))["notes"]
    run = written(paused, value, tmp_path / "run")
    assert (run.tags["histograms"], run.tags["images"]) == (["x/magnitude"], ["x/magnitude/heatmap"])
    assert run.histogram("x/magnitude").max == 10
    assert written(paused, torch.tensor(3 + 4j), tmp_path / "one").scalar("x/magnitude") == [(0, 5.0)]


# The graph of a module


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm, self.linear = nn.LayerNorm(4), nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise AssertionError("the program's forward is not run")


def graph_written(paused: Paused, path: Path) -> dict[str, tuple[str, list[str]]]:
    """The nodes that TensorBoard's reader finds: the op of each, and what it takes."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    answer = asked(paused, path)
    assert "error" not in answer, answer
    events = EventAccumulator(str(path))
    events.Reload()
    found = {node.name: (node.op, list(node.input)) for node in events.Graph().node}
    assert len(found) == len(events.Graph().node), "names are different"
    assert all(name in found for _, inputs in found.values() for name in inputs), "edges lead to nodes"
    return found


@pytest.mark.usefixtures("installed")
def test_the_graph_of_a_module_is_of_the_operations_that_it_has_computed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def stop() -> Any:
        x = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 1))
        aside = (nn.Linear(4, 1)(torch.ones(2, 4)).exp().sum(),)
        loss = x(torch.ones(2, 4)).square().mean()
        assert aside
        return sys._getframe()

    found = graph_written(Paused(stop(), monkeypatch), tmp_path / "run")
    assert found["x/0/Addmm"] == ("Addmm", ["x/0/bias", "x/0/T"])
    assert found["x/0/T"] == ("T", ["x/0/weight"])
    assert found["x/0/weight"] == ("Parameter", [])
    assert found["x/Relu"] == ("Relu", ["x/0/Addmm"])
    assert found["x/2/Addmm"][1] == ["x/2/bias", "x/Relu", "x/2/T"]
    assert found["Pow"] == ("Pow", ["x/2/Addmm"])
    assert found["Mean"] == ("Mean", ["Pow"])
    assert len(found) == 11
    session.reset()


@pytest.mark.usefixtures("installed")
def test_the_nodes_of_a_graph_have_shapes_dtypes_and_variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    def stop() -> Any:
        x = nn.Linear(4, 3)
        y = x(torch.ones(2, 4))
        return sys._getframe()

    asked(Paused(stop(), monkeypatch), tmp_path / "run")
    events = EventAccumulator(str(tmp_path / "run"))
    events.Reload()
    (made,) = [node for node in events.Graph().node if node.op == "Addmm"]
    assert [dim.size for dim in made.attr["_output_shapes"].list.shape[0].dim] == [2, 3]
    assert (made.attr["dtype"].s, made.attr["variable"].s) == (b"float32", b"y")
    session.reset()


@pytest.mark.usefixtures("installed")
def test_a_module_that_has_computed_nothing_in_sight_has_its_tree(paused: Frame, tmp_path: Path) -> None:
    value = nn.Sequential(nn.Conv1d(1, 4, 1), Block(), nn.Sequential(nn.Linear(4, 2, bias=False), nn.ReLU()))
    found = graph_written(paused(value), tmp_path / "run")
    assert found["x/0/Conv1d"] == ("Conv1d", ["x/0/weight", "x/0/bias"])
    assert found["x/1/Block"] == ("Block", ["x/1/norm/LayerNorm", "x/1/linear/Linear", "x/0/Conv1d"])
    assert found["x/2/1/ReLU"] == ("ReLU", ["x/2/0/Linear"])
    assert found["x/2/Sequential"] == ("Sequential", ["x/2/1/ReLU", "x/1/Block"])
    assert found["x/Sequential"] == ("Sequential", ["x/2/Sequential"])


@pytest.mark.usefixtures("installed")
def test_a_module_in_two_places_and_odd_names_make_no_two_nodes_alike(paused: Frame, tmp_path: Path) -> None:
    shared = nn.Linear(2, 2)
    value = nn.ModuleDict({"a/b": shared, "a_b": nn.Linear(2, 2), "c:0": shared, "^d": nn.ModuleDict()})
    found = graph_written(paused(value), tmp_path / "run")
    assert found["x/ModuleDict"][1] == ["x/a_b/Linear", "x/a_b/Linear_1", "x/_d/ModuleDict"]


@pytest.mark.usefixtures("installed")
def test_operations_lie_in_the_innermost_module_around_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def stop() -> Any:
        x = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        loss = x(torch.randn(2, 3, 8)).sum()
        return sys._getframe()

    found = graph_written(Paused(stop(), monkeypatch), tmp_path / "run")
    assert any(name.startswith("x/self_attn/out_proj/Addmm") for name in found)
    assert "x/Relu" in found
    assert "x/linear1/Addmm" in found
    assert {name.partition("/")[0] for name in found} == {"x", "Sum"}
    session.reset()


@pytest.mark.usefixtures("installed")
def test_that_the_graph_is_of_autograd_or_of_modules_is_said(paused: Frame) -> None:
    note = "the graph is of the operations by which a tensor in sight was computed; else of the modules alone"
    assert note in offered(paused(nn.Linear(2, 2)))["notes"]
    assert note not in offered(paused(torch.ones(2)))["notes"]


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("calls", "is_said"), [(5, False), (MAX_NODES, True)])
def test_that_a_graph_is_written_in_part_is_said_before(
    monkeypatch: pytest.MonkeyPatch, calls: int, is_said: bool
) -> None:
    def stop() -> Any:
        x = nn.Linear(1, 1)
        y = x(torch.ones(1, 1))
        for _ in range(calls):
            y = y.tanh()
        return sys._getframe()

    notes = offered(Paused(stop(), monkeypatch))["notes"]
    note = f"of a graph of more than {MAX_NODES:,} nodes those are written that are nearest to the tensors in sight"
    assert (note in notes) == is_said
    session.reset()


@pytest.mark.usefixtures("installed")
def test_a_graph_of_thousands_of_nodes_comes_in_slices(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def stop() -> Any:
        x = nn.Linear(4, 4)
        y = torch.ones(1, 4)
        for _ in range(1500):
            y = x(y).tanh()
        return sys._getframe()

    found = graph_written(Paused(stop(), monkeypatch), tmp_path / "run")
    assert sum(op == "Tanh" for op, _ in found.values()) == 1500
    steps = graph_of(Child("x", nn.Sequential(*(nn.Linear(2, 2) for _ in range(1500)))), None)
    assert sum(1 for _ in steps) >= 5  # one for some hundred nodes, of which each module has three
    session.reset()


def made(steps: Generator[None, None, Any]) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def test_a_module_that_stands_twice_in_a_sequential_cuts_nothing_off() -> None:
    act = nn.ReLU()
    chain = nn.Sequential(nn.Linear(2, 2), act, nn.Linear(2, 2), act, nn.Linear(2, 2), act)
    nodes = {one.name: one for one in made(graph_of(Child("chain", chain), None))}
    taken = {name for one in nodes.values() for name in one.inputs}
    assert [name for name in nodes if name not in taken] == ["chain/Sequential"]


@pytest.mark.usefixtures("installed")
def test_writing_the_graph_changes_nothing_of_the_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def stop() -> Any:
        x = nn.Sequential(nn.Linear(4, 3), Block())
        loss = x[0](torch.ones(2, 4)).sum()
        assert loss.requires_grad
        return sys._getframe()

    around = stop()
    paused = Paused(around, monkeypatch)
    graph_written(paused, tmp_path / "first")
    with Watch(dict(around.f_locals)) as watch:
        asked(paused, tmp_path / "second")
    assert watch.changes() == []
    session.reset()
