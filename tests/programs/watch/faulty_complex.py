"""Complex numbers of which some are zero."""

import torch

signal = torch.fft.rfft(torch.nn.Parameter(torch.ones(4)))
phase = signal / signal.abs()  # BUG: div, forward, 0
phase.real.sum().backward()
