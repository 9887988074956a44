"""Scenario 1: two objects that point at each other, as an encoder and a decoder that share weights do."""

from __future__ import annotations

import torch


class Half:
    """One half of an autoencoder; `partner` is the other one."""

    def __init__(self, name: str, weight: torch.Tensor) -> None:
        self.name = name
        self.weight = weight
        self.partner: Half | None = None


def main() -> None:
    weight = torch.linspace(-1, 1, 12).reshape(3, 4)
    encoder = Half("encoder", weight)
    decoder = Half("decoder", weight.t())
    encoder.partner, decoder.partner = decoder, encoder
    code = torch.ones(2, 4) @ encoder.weight.t()
    print("code:", tuple(code.shape))  # STOP


if __name__ == "__main__":
    main()
