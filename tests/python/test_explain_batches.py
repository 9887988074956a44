"""Exceptions of loaders, of functions that return nothing, of tokenizers; and what of them is not said."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from test_explain import HEAD, raised, said

from tensor_inspector import explain

LOADERS = f"""{HEAD}
from torch.utils.data import DataLoader, Dataset, TensorDataset
class Rows(Dataset):
    def __init__(self, make): self.make = make
    def __len__(self): return 8
    def __getitem__(self, index):
        return self.make(index)
def worker_init(number): torch.set_num_threads(1)
"""
#: The rule, the title, what runs.
CASES = {
    "a sample of another shape": (
        "shape-mismatch",
        "sample 0[0] is [3, 10] and sample 5[0] is [3, 11]: to stack them all must have one shape, they differ in dimension 1",
        "list(DataLoader(Rows(lambda i: (R(3, 10 + (i > 4)), i)), 6))",
    ),
    "a part of a sample, in a dict": (
        "shape-mismatch",
        'sample 0["image"] is [3, 10] and sample 5["image"] is [3, 11]: to stack them all must have one shape, they differ in dimension 1',
        'list(DataLoader(Rows(lambda i: {"image": R(3, 10 + (i > 4)), "label": i}), 6))',
    ),
    "samples are called by their numbers in the dataset": (
        "shape-mismatch",
        "sample 7 is [3, 11] and sample 1 is [3, 10]: to stack them all must have one shape, they differ in dimension 1",
        "list(DataLoader(Rows(lambda i: R(3, 10 + (i > 4))), sampler=[7, 1], batch_size=2))",
    ),
    "a sample that is None": (
        "not-a-tensor",
        "sample 3 is None: Rows.__getitem__ returns None for it",
        "list(DataLoader(Rows(lambda i: None if i == 3 else R(3)), 4))",
    ),
    "samples of two types": (
        "not-a-tensor",
        "sample 2[1] is a str, but sample 0[1] is an int",
        'list(DataLoader(Rows(lambda i: (R(3), 1 if i < 2 else "a")), 4))',
    ),
    "more names than a dataset has tensors": (
        "unpack-count",
        "each batch of loader has 1 part: float32[8, 3], but 2 names take it: x, y",
        "loader = DataLoader(TensorDataset(R(8, 3)), 4)\nfor x, y in loader:\n    pass",
    ),
    "the same of next": (
        "unpack-count",
        "next(iter(loader)) has 1 part: float32[8, 3], but 2 names take it: x, y",
        "loader = DataLoader(TensorDataset(R(8, 3)), 4)\nx, y = next(iter(loader))",
    ),
    "enumerate without brackets": (
        "unpack-count",
        "each turn of enumerate(loader) gives 2 values, its number and the element, but 3 names take it: i, x, y",
        "loader = DataLoader(TensorDataset(R(8, 3), R(8)), 4)\nfor i, x, y in enumerate(loader):\n    pass",
    ),
    "an error in a worker": (
        "worker-failed",
        "__getitem__, line 12, in a worker of the DataLoader: IndexError: list index out of range",
        "for batch in DataLoader(Rows([].__getitem__), 2, num_workers=1, worker_init_fn=worker_init): pass",
    ),
    "a key that is missing in a worker": (
        "worker-failed",
        "__getitem__, line 12, in a worker of the DataLoader: KeyError: 0",
        "for batch in DataLoader(Rows({}.__getitem__), 2, num_workers=1, worker_init_fn=worker_init): pass",
    ),
    "a forward that returns nothing": (
        "missing-attribute",
        "out is None, but mse_loss wants a value",
        "class Net(nn.Module):\n    def forward(self, x): x * 2\nout = Net()(R(2))\nloss = F.mse_loss(out, R(2))",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_of_a_batch_it_is_said_which_sample(case: str, tmp_path: Path) -> None:
    rule, title, text = CASES[case]
    found = explain(raised(f"{LOADERS}{text}\n", tmp_path))
    assert [(one["rule"], one["title"]) for one in found] == [(rule, title)]


def test_a_worker_is_told_by_the_line_of_the_program_that_ran_in_it(tmp_path: Path) -> None:
    _, _, text = CASES["an error in a worker"]
    (found,) = explain(raised(f"{LOADERS}{text}\n", tmp_path))
    assert found["source"] == {"file": str(tmp_path / "program.py"), "line": 12}
    assert "return self.make(index), line 12 of program.py" in said(found)


def test_what_returned_nothing_is_named(tmp_path: Path) -> None:
    _, _, text = CASES["a forward that returns nothing"]
    (found,) = explain(raised(f"{LOADERS}{text}\n", tmp_path))
    assert found["evidence"][0]["fact"] == "None: Net.forward returns nothing, from line 16"


TOKENIZER = f"""{HEAD}
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
made = Tokenizer(models.WordLevel({{"a": 0, "?": 1}}, unk_token="?"))
made.pre_tokenizer = pre_tokenizers.Whitespace()
tok = PreTrainedTokenizerFast(tokenizer_object=made)
texts = ["a a", "a"]
"""


@pytest.mark.parametrize(
    ("line", "rule", "title"),
    [
        ("tok(texts, padding=True)", "tokenizer-input", "tok.pad_token is None: tok has nothing to pad with"),
        (
            "some = ['a', None]; tok(some)",
            "tokenizer-input",
            "some[1] is None, but tok wants text",
        ),
        (
            "tok(texts, return_tensors='pt')",
            "tokenizer-input",
            "the texts of texts are of different lengths: without padding they are no tensor",
        ),
        (
            "torch.full((3,), tok.pad_token_id)",
            "not-a-tensor",
            "tok.pad_token_id is None, but full wants a number",
        ),
        (
            "batch = tok(texts, return_token_type_ids=False); batch['labels']",
            "missing-key",
            "batch has no key 'labels', only 'input_ids', 'attention_mask'",
        ),
    ],
)
def test_tokenizers(line: str, rule: str, title: str, tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    found = explain(raised(f"{TOKENIZER}{line}\n", tmp_path))
    assert [(one["rule"], one["title"]) for one in found] == [(rule, title)]


ASKED = f"""{HEAD}
asked = []
class Batch(dict):
    def __getitem__(self, key): asked.append(key); return dict.__getitem__(self, key)
    def __iter__(self): asked.append("iter"); return dict.__iter__(self)
    def __len__(self): asked.append("len"); return dict.__len__(self)
    keys = items = __contains__ = __iter__
class Config:
    def __getattr__(self, name): asked.append(name); raise AttributeError(f"'Config' object has no attribute '{{name}}'")
    @property
    def shape(self): asked.append("shape"); return None
class Name(str):
    def __eq__(self, other): asked.append("eq"); return str.__eq__(self, other)
    __hash__ = str.__hash__
batch, config = Batch({{Name("image"): R(3), "label": R(2)}}), Config()
"""


@pytest.mark.parametrize(
    "line", ["batch['imge']", "x, y, z = batch", "batch.shape", "config.shape.x", "config.shap", "config.x.y"]
)
def test_nothing_of_the_program_runs_to_explain_it(line: str, tmp_path: Path) -> None:
    error = raised(
        f"{ASKED}try:\n    {line}\nexcept Exception as error:\n    error.asked = asked\n    raise\n", tmp_path
    )
    before = list(error.asked)  # type: ignore[attr-defined]
    explain(error)
    assert error.asked == before  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "line",
    [
        'raise KeyError("image")',
        'import os; os.environ["NO_SUCH_NAME_HERE"]',
        '{"image": 1}["label"]',
        'getattr(np, "no_such_function")',
        "import torch.no_such_module",
        "object().name",
        'raise ValueError("too many values to unpack by us")',
        "raise AttributeError(\"'Net' object has no attribute 'x'\")",
    ],
)
def test_of_others_nothing_is_said(line: str, tmp_path: Path) -> None:
    assert list(explain(raised(f"{HEAD}{line}\n", tmp_path))) == []


def test_a_dict_of_many_keys_is_told_by_the_first_ones(tmp_path: Path) -> None:
    text = f'{HEAD}state = {{f"layer{{n}}.weight": n for n in range(100_000)}}\nstate["layer.weight"]\n'
    (found,) = explain(raised(text, tmp_path))
    assert found["title"].startswith("state has no key 'layer.weight', only 'layer0.weight', 'layer1.weight', ")
