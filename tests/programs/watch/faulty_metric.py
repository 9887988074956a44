"""A metric without gradients: no sample was counted."""

import torch

with torch.no_grad():
    right, seen = torch.zeros(()), torch.zeros(())
    accuracy = right / seen  # BUG: div, forward, 0
print(f"accuracy {accuracy:.2f}")
