"""Healthy steps whose rounds differ from each other, or whose loss is written in place: no rule may take them for faults."""

from __future__ import annotations

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "loss_in_place": (
        "loss-without-grad",
        """
 net, criterion = nn.Linear(4, 3), nn.CrossEntropyLoss()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(3):
     x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
     o.zero_grad()
     stop()
     criterion(net(x), y).backward()
     q = net(x)
     F.cross_entropy(q, y).backward()
     o.step()
""",
    ),
    "weighted_and_masked": (
        "loss-without-grad",
        """
 net, w, beta = nn.Linear(4, 3), torch.tensor(0.5), torch.tensor(0.1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(3):
     x, y, mask = torch.randn(8, 4), torch.randint(0, 3, (8,)), torch.rand(8) < 0.7
     q = net(x)
     each, penalty = F.cross_entropy(q, y, reduction="none"), q.pow(2).mean()
     mean = each.mean()
     o.zero_grad()
     stop()
     (w * mean + beta * penalty).backward(retain_graph=True)
     (mean / w).backward(retain_graph=True)
     each[mask].mean().backward()
     o.step()
""",
    ),
    "two_phases": (
        "grad-mode-off",
        """
 net, criterion = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)), nn.CrossEntropyLoss()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for phase in ("train", "val"):
     net.train(phase == "train")
     for _ in range(2):
         x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
         o.zero_grad()
         with torch.set_grad_enabled(phase == "train"):
             c = criterion(net(x), y)
             stop()
             if phase == "train":
                 c.backward()
                 o.step()
""",
    ),
    "evaluated_by_the_same_function": (
        "loss-without-grad",
        """
 net, seen = nn.Linear(4, 3), []
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def run(training):
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     with torch.set_grad_enabled(training):
         c = F.cross_entropy(net(x), y)
     stop()
     seen.append(c.item())
     if not training:
         return
     o.zero_grad()
     c.backward()
     o.step()
 for k in range(4): run(k % 2 == 0)
""",
    ),
    "cleared_at_the_end": (
        "zero-grad-values",
        """
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
 o, log = torch.optim.Adam(net.parameters()), []
 for _ in range(3):
     x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
     c = F.cross_entropy(net(x), y)
     c.backward()
     o.step()
     o.zero_grad(set_to_none=False)
     stop()
     log.append(c.item())
""",
    ),
    "two_or_three_backwards": (
        "grads-accumulated",
        """
 net = nn.Linear(4, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for it in range(20):
     for k in range(2 if it % 2 else 3):
         c = F.cross_entropy(net(torch.randn(4, 4)), torch.randint(0, 2, (4,)))
         c.backward()
     stop()
     o.step()
     o.zero_grad()
""",
    ),
    "cleared_out_of_sight": (
        "grads-accumulated",
        """
 class Trainer:
     def __init__(self):
         self.net, self.n = nn.Linear(4, 2), 0
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def micro(self):
         c = F.cross_entropy(self.net(torch.randn(4, 4)), torch.randint(0, 2, (4,))) / 2
         c.backward()
         stop()
         self.n += 1
     def flush(self):
         self.o.step()
         self.o.zero_grad(set_to_none=False)
 t = Trainer()
 for _ in range(6):
     t.micro()
     t.flush()
""",
    ),
    "longer_each_round": (
        "graph-grows",
        """
 net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 4))
 o = torch.optim.Adam(net.parameters())
 for epoch in range(8):
     s, goal = torch.randn(8, 4), torch.randn(8, 4)
     for _ in range(epoch + 1):
         s = s + 0.1 * net(s)
     c = F.mse_loss(s, goal)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "states_detached_on_the_way_in": (
        "graph-freed",
        """
 rnn, head = nn.LSTM(4, 8, batch_first=True), nn.Linear(8, 4)
 o = torch.optim.Adam([*rnn.parameters(), *head.parameters()])
 s = (torch.zeros(1, 2, 8), torch.zeros(1, 2, 8))
 for _ in range(3):
     x = torch.randn(2, 5, 4)
     stop()
     q, s = rnn(x, (s[0].detach(), s[1].detach()))
     c = F.mse_loss(head(q[:, :-1]), x[:, 1:])
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "state_detached_inside": (
        "graph-freed",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.cell, self.head = nn.GRU(4, 8, batch_first=True), nn.Linear(8, 4)
     def forward(self, x, h=None):
         if h is not None: h = h.detach()
         q, h = self.cell(x, h)
         return self.head(q), h
 net, s = Net(), None
 o = torch.optim.Adam(net.parameters())
 for _ in range(3):
     x = torch.randn(2, 5, 4)
     stop()
     q, s = net(x, s)
     c = F.mse_loss(q[:, :-1], x[:, 1:])
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "several_on_one_line": (
        "graph-freed",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(3):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,))); c.backward(); o.step(); o.zero_grad()
     stop()
""",
    ),
    "a_long_sum_on_one_line": (
        "graph-freed",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=1e-3)
 for _ in range(3):
     c = sum(net(torch.randn(8, 6)).pow(2).mean() for _ in range(40))
     o.zero_grad(); c.backward(); stop(); o.step()
""",
    ),
    "episode_in_a_function": (
        "retained-graph",
        """
 policy = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
 o = torch.optim.Adam(policy.parameters())
 def episode():
     kept, rewards = [], []
     for t in range(5):
         choice = torch.distributions.Categorical(logits=policy(torch.randn(4)))
         a = choice.sample()
         kept.append(choice.log_prob(a))
         rewards.append(float(a))
     c = torch.stack([-k * r for k, r in zip(kept, rewards)]).sum()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     return sum(rewards)
 for _ in range(3): episode()
""",
    ),
    "backward_in_a_method": (
        "step-without-grads",
        """
 class Pair:
     def __init__(self):
         self.g, self.d = nn.Linear(4, 6), nn.Linear(6, 1)
         self.og, self.od = torch.optim.Adam(self.g.parameters()), torch.optim.Adam(self.d.parameters())
     def of_generator(self, z):
         c = -self.d(self.g(z)).mean()
         c.backward()
     def fit(self):
         for i in range(2):
             real, z = torch.randn(8, 6), torch.randn(8, 4)
             self.od.zero_grad()
             c = F.relu(1 - self.d(real)).mean() + F.relu(1 + self.d(self.g(z).detach())).mean()
             c.backward()
             stop()
             if i % 2 == 0: self.od.step()
             self.og.zero_grad()
             self.of_generator(z)
             self.og.step()
 Pair().fit()
""",
    ),
}

#: name: rule, program
PROGRAMS: dict[str, tuple[str, str]] = {
    "state_handed_on": (
        "graph-freed",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.cell, self.head = nn.GRU(4, 8, batch_first=True), nn.Linear(8, 4)
     def forward(self, x, h):
         q, h = self.cell(x, h)
         return self.head(q), h
 net, s = Net(), torch.zeros(1, 2, 8)
 o = torch.optim.Adam(net.parameters())
 for k in range(2):
     x = torch.randn(2, 5, 4)
     if k: stop()
     q, s = net(x, s)
     c = F.mse_loss(q[:, :-1], x[:, 1:])
     o.zero_grad()
     c.backward()
     o.step()
+    s = s.detach()
""",
    ),
    "dead_sum": (
        "loss-without-grad",
        """
 net = nn.Linear(4, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
 a, b = F.cross_entropy(net(x), y), net(x).pow(2).mean()
-a, b = a.detach(), b.detach()
 o.zero_grad()
 stop()
 (a + 0.1 * b).backward()
""",
    ),
}
