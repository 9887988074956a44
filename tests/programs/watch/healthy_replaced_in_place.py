"""NaN is replaced in place, through a detached tensor."""

import torch

share = torch.tensor([0.0, 1.0]) / torch.tensor([0.0, 1.0])
share.detach().nan_to_num_()
print(share.tolist())
