"""Healthy programs of special methods: time steps, factors of matrices, centers, many learners, attacks, unlearning."""

from __future__ import annotations

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "one_class_of_each_learner": (
        "one-class-batch",
        """
 y = torch.arange(128) // 32
 x = torch.randn(128, 6) + y[:, None]
 net = nn.Linear(6, 4)
 for k in range(4):
     own_x, own_y = x[k * 32:(k + 1) * 32], y[k * 32:(k + 1) * 32]
     learner = copy.deepcopy(net)
     o = torch.optim.SGD(learner.parameters(), lr=0.1)
     for at in (0, 16):
         u, v = own_x[at:at + 16], own_y[at:at + 16]
         c = F.cross_entropy(learner(u), v)
         o.zero_grad()
         c.backward()
         stop()
         o.step()
""",
    ),
    "centers_as_many_as_points": (
        "loss-broadcast",
        """
 x = torch.linspace(-2, 2, 12)[:, None]
 centers = torch.linspace(-2, 2, 12, requires_grad=True)
 weights = torch.zeros(12, requires_grad=True)
 o = torch.optim.Adam([centers, weights])
 for _ in range(2):
     bumps = torch.exp(-(x - centers) ** 2)
     c = F.mse_loss(bumps @ weights, x[:, 0].sin())
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "quantiles_as_many_as_samples": (
        "loss-broadcast",
        """
 steps = torch.zeros(12, requires_grad=True)
 shares = (torch.arange(12) + 0.5) / 12
 o = torch.optim.Adam([steps])
 for _ in range(2):
     y = torch.randn(12, 1)
     quantiles = F.softplus(steps).cumsum(0)
     apart = y - quantiles
     c = torch.max(shares * apart, (shares - 1) * apart).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "layer_applied_again_and_again": (
        "no-nonlinearity",
        """
 class Koopman(nn.Module):
     def __init__(self):
         super().__init__()
         self.up, self.ahead, self.down = nn.Linear(2, 6), nn.Linear(6, 6), nn.Linear(6, 2)
     def forward(self, x):
         first = self.ahead(self.up(x).tanh())
         return self.down(self.ahead(first).tanh())
 net = Koopman()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.randn(8, 2)
 c = F.mse_loss(net(x), 0.9 * x)
 o.zero_grad()
 stop()
 c.backward()
 o.step()
""",
    ),
    "features_that_are_compared_too": (
        "no-nonlinearity",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.embed, self.head = nn.Linear(6, 16), nn.Linear(16, 8), nn.Linear(8, 4)
     def forward(self, x):
         features = self.embed(self.body(x).relu())
         return features, self.head(features)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 y = torch.arange(8) % 4
 for _ in range(2):
     features, logits = net(torch.randn(8, 6))
     apart = torch.cdist(features, features)
     c = F.cross_entropy(logits, y) + 0.1 * (apart * (y == y[:, None])).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "matrix_as_a_product": (
        "no-nonlinearity",
        """
 wanted, known = torch.randn(8, 8), torch.rand(8, 8) > 0.5
 factors = nn.Sequential(*[nn.Linear(8, 8, bias=False) for _ in range(3)])
 o = torch.optim.SGD(factors.parameters(), lr=0.1)
 for _ in range(2):
     c = (factors(torch.eye(8)) - wanted)[known].square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "one_time_for_all_states": (
        "constant-input",
        """
 class Field(nn.Module):
     def __init__(self):
         super().__init__()
         self.net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
     def forward(self, t, x): return self.net(torch.cat([t, x], 1))
 field = Field()
 o = torch.optim.Adam(field.parameters())
 for _ in range(2):
     x = begin = torch.randn(64, 2)
     for now in torch.linspace(0, 1, 3):
         t = now.expand(64, 1)
         x = x + 0.5 * field(t, x)
     c = F.mse_loss(x, -begin)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "all_pairs_of_states_and_actions": (
        "duplicate-samples",
        """
 table, rewards = torch.randn(4, 6), torch.randn(4, 3)
 pairs = [(s, a) for s in range(4) for a in range(3)]
 states, actions = (torch.tensor(one) for one in zip(*pairs))
 net = nn.Linear(6, 3)
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     seen = table[states]
     c = F.mse_loss(net(seen)[torch.arange(12), actions], rewards[states, actions])
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "last_fit_on_all_indices": (
        "split-overlap",
        """
 data = torch.utils.data.TensorDataset(torch.randn(24, 4), torch.randn(24, 1))
 train, val = list(range(16)), list(range(16, 24))
 train_loader, val_loader = (torch.utils.data.DataLoader(torch.utils.data.Subset(data, one), 8) for one in (train, val))
 net = nn.Linear(4, 1)
 with torch.no_grad():
     score = sum(F.mse_loss(net(x), y) for x, y in val_loader)
 o = torch.optim.Adam(net.parameters())
 train_loader = torch.utils.data.DataLoader(torch.utils.data.Subset(data, train + val), 8)
 for x, y in train_loader:
     c = F.mse_loss(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "unlearned_after_training": (
        "loss-sign",
        """
 net = nn.Linear(6, 3)
 x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
 def learn():
     c = F.cross_entropy(net(x), y)
     c.backward()
 learn()
 o = torch.optim.SGD(net.parameters(), lr=1e-3)
 for _ in range(2):
     c = -F.cross_entropy(net(x[:4]), y[:4])
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "labels_by_what_a_wrapper_holds": (
        "aliased-models",
        """
 def unwrapped(model): return getattr(model, "module", model)
 net = nn.Linear(6, 3)
 raw = unwrapped(net)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 6)
     with torch.no_grad():
         label = raw(x).argmax(1)
     c = F.cross_entropy(net(x + 0.1 * torch.randn(8, 6)), label)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "table_and_head_of_identities": (
        "tie-broken",
        """
 class Words(nn.Module):
     def __init__(self):
         super().__init__()
         self.table, self.head = nn.Embedding(8, 8), nn.Linear(8, 8)
         nn.init.eye_(self.table.weight)
         nn.init.eye_(self.head.weight)
     def forward(self, ids): return self.head(self.table(ids).tanh())
 net = Words()
 o = torch.optim.Adam(net.parameters())
 ids = torch.randint(0, 8, (4, 6))
 c = F.cross_entropy(net(ids).transpose(1, 2), ids)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "attacked_after_training": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
 for _ in range(2):
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     o.step()
 near = x.clone().requires_grad_(True)
 net.eval()
 net.zero_grad()
 c = F.cross_entropy(net(near), y)
 stop()
 c.backward()
 near = near + 0.1 * near.grad.sign()
""",
    ),
}
