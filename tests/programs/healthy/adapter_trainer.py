import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRA(nn.Module):
    """parameters A and B beside a frozen weight, as the paper writes them"""

    def __init__(self, linear, r):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(r, linear.in_features) / r)
        self.B = nn.Parameter(torch.zeros(linear.out_features, r))

    def forward(self, x):
        return self.linear(x) + x @ self.A.T @ self.B.T


class Trainer:
    def __init__(self, model, optimizer, criterion):
        self.model, self.optimizer, self.criterion = model, optimizer, criterion
        self.history = []

    def training_step(self, batch):
        x, y = batch
        self.model.train()
        self.optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = self.model(x)
            loss = self.criterion(out.float(), y)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    @torch.no_grad()
    def evaluate(self, batch):
        self.model.eval()
        x, y = batch
        return (self.model(x).argmax(1) == y).float().mean().item()

    def fit(self, data, stop):
        for epoch in range(3):
            for batch in data:
                self.history.append(self.training_step(batch))
            accuracy = self.evaluate(data[0])
            stop()


def train(stop):
    torch.manual_seed(0)
    base = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3))
    base.requires_grad_(False)
    for index in (0, 2):
        base[index] = LoRA(base[index], 4)
    base[4].requires_grad_(True)
    groups = [
        {"params": [p for n, p in base.named_parameters() if n.endswith((".A", ".B"))], "lr": 1e-2},
        {"params": base[4].parameters(), "lr": 1e-3},
    ]
    optimizer = torch.optim.Adam(groups)
    x = torch.randn(24, 8)
    y = (x.sum(1) > 0).long() + (x[:, 0] > 1).long()
    data = list(zip(x.split(8), y.split(8)))
    Trainer(base, optimizer, nn.CrossEntropyLoss()).fit(data, stop)
