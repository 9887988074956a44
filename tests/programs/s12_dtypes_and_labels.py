"""Scenario 12: pairs of dtypes that disagree, labels that no class has, and float16 that overflows.

What fails does so in a thread of its own, so that the program goes on after it.
"""

import threading

import torch
from torch import nn


def doubles() -> None:
    model = nn.Linear(8, 2)
    x = torch.linspace(0, 1, 32, dtype=torch.float64).reshape(4, 8)
    print(model(x))  # STOP


def int_labels() -> None:
    logits, labels = nn.Linear(8, 1)(torch.randn(4, 8)).squeeze(1), torch.tensor([0, 1, 1, 0])
    loss = nn.functional.binary_cross_entropy_with_logits(logits, labels)  # STOP
    loss.backward()


def float_labels() -> None:
    logits, labels = nn.Linear(8, 3)(torch.randn(4, 8)), torch.tensor([0.0, 1.0, 2.0, 0.0])
    loss = nn.functional.cross_entropy(logits, labels)  # STOP
    loss.backward()


def labels_from_one() -> None:
    logits, labels = nn.Linear(8, 3)(torch.randn(6, 8)), torch.tensor([1, 2, 3, 1, 3, 2])
    loss = nn.functional.cross_entropy(logits, labels)  # STOP
    loss.backward()


def overflow() -> None:
    wide, narrow = nn.Linear(64, 64).half(), nn.Linear(64, 1).half()
    x = (torch.randn(8, 64) * 3e4).half()
    hidden = wide(x).abs() * 4
    loss = narrow(hidden).float().mean()
    loss.backward()  # STOP


def main() -> None:
    torch.manual_seed(0)
    for case in (doubles, int_labels, float_labels, labels_from_one, overflow):
        thread = threading.Thread(target=case)
        thread.start()
        thread.join()


if __name__ == "__main__":
    main()
