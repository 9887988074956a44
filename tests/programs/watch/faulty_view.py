"""In place, in rows of what is used as a whole."""

import torch

table = torch.zeros(2, 3)
for row in table:
    row /= row.sum()  # BUG: div_, forward, 0
print(table.sum().item())
