"""Faults of the loss: what it is given, over which dimension, in which shape."""

from __future__ import annotations

PROGRAMS: dict[str, tuple[str, str]] = {
    "probabilities_from_forward": (
        "double-softmax",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 3)
     def forward(self, x):
-        return F.softmax(self.b(F.relu(self.a(x))), dim=-1)
+        return self.b(F.relu(self.a(x)))
 class Engine:
     def __init__(self):
         self.net, self.rule = Net(), nn.CrossEntropyLoss()
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, x, y):
         self.o.zero_grad()
         c = self.rule(self.net(x), y)
         c.backward()
         stop()
         self.o.step()
 Engine().fit_one(torch.randn(8, 6), torch.randint(0, 3, (8,)))
""",
    ),
    "sigmoid_in_trainer": (
        "double-sigmoid",
        """
 class Engine:
     def __init__(self):
         self.net, self.rule = nn.Linear(6, 1), nn.BCEWithLogitsLoss()
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, x, y):
         self.o.zero_grad()
-        q = torch.sigmoid(self.net(x)).squeeze(1)
+        q = self.net(x).squeeze(1)
         c = self.rule(q, y)
         c.backward()
         stop()
         self.o.step()
 Engine().fit_one(torch.randn(8, 6), torch.randint(0, 2, (8,)).float())
""",
    ),
    "bce_of_scores": (
        "logits-to-prob-loss",
        """
 class Engine:
     def __init__(self):
         self.net, self.rule = nn.Linear(6, 1), nn.BCELoss()
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, x, y):
-        q = self.net(x)
+        q = self.net(x).sigmoid()
         stop()
         c = self.rule(q, y)
         c.backward()
 Engine().fit_one(torch.randn(8, 6), torch.randint(0, 2, (8, 1)).float())
""",
    ),
    "nll_in_trainer": (
        "nll-input-not-log",
        """
 class Engine:
     def __init__(self):
         self.net, self.rule = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3)), nn.NLLLoss()
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, x, y):
-        c = self.rule(self.net(x), y)
+        c = self.rule(self.net(x).log_softmax(-1), y)
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
 Engine().fit_one(torch.randn(8, 6), torch.randint(0, 3, (8,)))
""",
    ),
    "kl_in_a_loss_of_ones_own": (
        "kl-input-not-log",
        """
 class Imitation(object):
     def __init__(self, old, t):
         self.old, self.t = old, t
     def __call__(self, z, x):
         with torch.no_grad():
             want = (self.old(x) / self.t).softmax(1)
         return self.apart(z / self.t, want) + 0.1 * z.pow(2).mean()
     def apart(self, z, want):
-        have = z.softmax(1) + 1e-8
+        have = z.log_softmax(1)
         return F.kl_div(have, want, reduction="sum") / len(want)
 old, net = nn.Linear(6, 4), nn.Linear(6, 4)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 rule = Imitation(old, 2.0)
 for _ in range(2):
     x = torch.randn(8, 6)
     c = rule(net(x), x)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "gate_over_the_batch": (
        "softmax-wrong-dim",
        """
 class Mixture(nn.Module):
     def __init__(self, k):
         super().__init__()
         self.gate, self.parts = nn.Linear(5, k), nn.ModuleList(nn.Linear(5, 2) for _ in range(k))
     def forward(self, x):
-        share = F.softmax(self.gate(x), dim=0)
+        share = F.softmax(self.gate(x), dim=-1)
         return torch.einsum("bk,bkd->bd", share, torch.stack([part(x) for part in self.parts], 1))
 net = Mixture(3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 5)
     c = (net(x) - x[:, :2]).pow(2).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "shares_summed_by_hand": (
        "softmax-wrong-dim",
        """
 class Mixture(nn.Module):
     def __init__(self, k):
         super().__init__()
         self.gate, self.parts = nn.Linear(5, k, bias=False), nn.ModuleList(nn.Linear(5, 2) for _ in range(k))
     def forward(self, x):
         each = torch.stack([part(x) for part in self.parts], 1)
-        return (self.gate(x).softmax(0)[:, :, None] * each).sum(dim=1)
+        return (self.gate(x).softmax(1)[:, :, None] * each).sum(dim=1)
 net = Mixture(3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 5)
     c = (net(x) - x[:, :2]).pow(2).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "rows_of_targets_by_hand": (
        "loss-broadcast",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 X, Y = torch.randn(24, 6), torch.randn(24)
 def apart(want, have):
     return torch.log(torch.cosh(want - have)).mean()
 order = torch.randperm(24)
 for i in range(2):
-    c = apart(Y[order[8 * i : 8 * i + 8]], net(X[order[8 * i : 8 * i + 8]]))
+    c = apart(Y[order[8 * i : 8 * i + 8]], net(X[order[8 * i : 8 * i + 8]]).view(-1))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "rows_of_targets_in_mse": (
        "loss-broadcast",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 X, Y = torch.randn(24, 6), torch.randn(24, 2)
 for rows in torch.arange(24).split(8):
-    q = net(X[rows])
+    q = net(X[rows])[:, 0]
     c = F.mse_loss(q, Y[rows, 0].float())
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "rows_of_targets_in_a_line": (
        "loss-broadcast",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 X, Y, keep = torch.randn(24, 6), torch.randn(24), torch.arange(24) % 3 > 0
 for _ in range(2):
     q = net(X[keep])
-    c = (q - Y[keep]).pow(2).mean()
+    c = (q - Y[keep][:, None]).pow(2).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "kl_in_module": (
        "kl-input-not-log",
        """
 class Engine:
     def __init__(self):
         self.a, self.b = nn.Linear(6, 3), nn.Linear(6, 3).requires_grad_(False)
         self.rule = nn.KLDivLoss(reduction="batchmean")
         self.o = torch.optim.SGD(self.a.parameters(), lr=0.1)
     def fit_one(self, x):
         p = self.b(x).softmax(-1)
-        q = self.a(x).softmax(-1)
+        q = self.a(x).log_softmax(-1)
         c = self.rule(q, p)
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
 Engine().fit_one(torch.randn(8, 6))
""",
    ),
    "column_against_row": (
        "loss-broadcast",
        """
 class Engine:
     def __init__(self):
         self.net, self.rule = nn.Linear(6, 1), nn.SmoothL1Loss()
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, x, y):
-        c = self.rule(self.net(x), y)
+        c = self.rule(self.net(x).flatten(), y)
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
 Engine().fit_one(torch.randn(8, 6), torch.randn(8))
""",
    ),
    "absolute_by_hand": (
        "loss-broadcast",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def cost(q, y):
     return (q - y).abs().mean()
 x, y = torch.randn(8, 6), torch.randn(8)
-c = cost(net(x), y)
+c = cost(net(x)[:, 0], y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "over_the_batch": (
        "softmax-wrong-dim",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
-        self.body = nn.Sequential(nn.Linear(6, 3), nn.LogSoftmax(dim=0))
+        self.body = nn.Sequential(nn.Linear(6, 3), nn.LogSoftmax(dim=1))
     def forward(self, x):
         return self.body(x)
 net, rule = Net(), nn.NLLLoss()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 q = net(torch.randn(8, 6))
 c = rule(q, torch.randint(0, 3, (8,)))
 o.zero_grad()
 c.backward()
 stop()
""",
    ),
    "one_unit": (
        "softmax-singleton",
        """
 class Engine:
     def __init__(self):
-        self.net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1), nn.Softmax(dim=1))
+        self.net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid())
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, x, y):
         c = F.binary_cross_entropy(self.net(x), y)
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
 Engine().fit_one(torch.randn(8, 6), torch.randint(0, 2, (8, 1)).float())
""",
    ),
    "nothing_to_predict": (
        "all-targets-ignored",
        """
 class Engine:
     def __init__(self):
         self.net, self.rule = nn.Linear(6, 3), nn.CrossEntropyLoss(ignore_index=0)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, x, y):
         c = self.rule(self.net(x), y)
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
-Engine().fit_one(torch.randn(8, 6), torch.zeros(8, dtype=torch.long))
+Engine().fit_one(torch.randn(8, 6), torch.arange(8) % 3)
""",
    ),
    "one_class_too_many": (
        "label-out-of-range",
        """
 class Engine:
     def __init__(self):
         self.net, self.rule = nn.Linear(6, 3), nn.CrossEntropyLoss()
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, x, y):
         q = self.net(x)
         stop()
         c = self.rule(q, y)
         c.backward()
-Engine().fit_one(torch.randn(8, 6), torch.arange(8) % 4)
+Engine().fit_one(torch.randn(8, 6), torch.arange(8) % 3)
""",
    ),
    "not_reduced": (
        "loss-not-scalar",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Linear(6, 3)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, x, y):
-        c = F.cross_entropy(self.net(x), y, reduction="none")
+        c = F.cross_entropy(self.net(x), y)
         self.o.zero_grad()
         stop()
         c.backward()
 Engine().fit_one(torch.randn(8, 6), torch.randint(0, 3, (8,)))
""",
    ),
    "frozen_copy_with_gradient": (
        "target-requires-grad",
        """
 one = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
 two = copy.deepcopy(one)
 o = torch.optim.Adam(one.parameters())
 x = torch.randn(8, 6)
-goal = two(x)
+goal = two(x).detach()
 c = F.mse_loss(one(x), goal)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "bootstrapped_value": (
        "target-requires-grad",
        """
 class Engine:
     def __init__(self):
         self.v = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
         self.o = torch.optim.Adam(self.v.parameters())
     def fit_one(self, s, r, n):
-        aim = r + 0.99 * self.v(n)
+        aim = r + 0.99 * self.v(n).detach()
         c = F.mse_loss(self.v(s), aim)
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
 Engine().fit_one(torch.randn(8, 4), torch.randn(8, 1), torch.randn(8, 4))
""",
    ),
    "two_views_and_nothing_else": (
        "target-requires-grad",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))
         self.o = torch.optim.Adam(self.net.parameters())
     def fit_one(self, x):
         one = self.net(x + 0.1 * torch.randn_like(x))
-        two = self.net(x + 0.1 * torch.randn_like(x))
+        with torch.no_grad(): two = self.net(x + 0.1 * torch.randn_like(x))
         c = 0.5 * F.mse_loss(one, two)
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
 Engine().fit_one(torch.randn(8, 6))
""",
    ),
    "compared_with_itself": (
        "target-is-prediction",
        """
 class Engine:
     def __init__(self):
         self.net, self.rule = nn.Linear(6, 6), nn.MSELoss()
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, x, y):
         q = self.net(x)
-        c = self.rule(q, q.detach())
+        c = self.rule(q, y)
         self.o.zero_grad()
         stop()
         c.backward()
 Engine().fit_one(torch.randn(8, 6), torch.randn(8, 6))
""",
    ),
    "minus_in_the_end": (
        "loss-sign",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Linear(6, 3)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, x, y):
-        c = -1 * F.mse_loss(self.net(x), y)
+        c = 1 * F.mse_loss(self.net(x), y)
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
 Engine().fit_one(torch.randn(8, 6), torch.randn(8, 3))
""",
    ),
    "minus_in_a_loop_over_batches": (
        "loss-sign",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
 pairs = torch.utils.data.TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,)))
 o = torch.optim.SGD(net.parameters(), lr=0.02)
 for _ in range(2):
     for x, y in torch.utils.data.DataLoader(pairs, 8):
-        c = -F.cross_entropy(net(x), y)
+        c = F.cross_entropy(net(x), y)
         o.zero_grad()
         c.backward()
         stop()
         o.step()
""",
    ),
    "divergence_of_columns": (
        "softmax-wrong-dim",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
 o = torch.optim.AdamW(net.parameters(), lr=1e-3)
 for _ in range(2):
     x, wanted = torch.randn(16, 6), torch.randn(16, 3).softmax(1)
-    p = F.log_softmax(net(x), dim=0)
+    p = F.log_softmax(net(x), dim=1)
     c = F.kl_div(p, wanted, reduction="batchmean")
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "classes_last": (
        "class-dim",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Linear(6, 5)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, x, y):
         q = self.net(x)
-        c = F.cross_entropy(q.view(4, 5, 7), y)
+        c = F.cross_entropy(q.permute(0, 2, 1), y)
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
 Engine().fit_one(torch.randn(4, 7, 6), torch.randint(0, 5, (4, 7)))
""",
    ),
    "satisfied_by_nothing": (
        "zero-grad-values",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), torch.rand(8, 2)
-q = net(x).clamp(5, 6)
+q = net(x).clamp(-6, 6)
 c = F.mse_loss(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "bootstrapped_target": (
        "target-requires-grad",
        """
 class Agent:
     def __init__(self):
         self.online = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
         self.target = copy.deepcopy(self.online)
         self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-3)
     def update(self):
         s, a, r, n = torch.randn(32, 4), torch.randint(0, 2, (32, 1)), torch.randn(32), torch.randn(32, 4)
         q = self.online(s).gather(1, a).squeeze(1)
-        nq = self.target(n).max(1)[0]
+        with torch.no_grad(): nq = self.target(n).max(1)[0]
         loss = F.smooth_l1_loss(q, r + 0.9 * nq)
         self.optimizer.zero_grad()
         loss.backward()
         stop()
         self.optimizer.step()
 agent = Agent()
 agent.update()
""",
    ),
    "double_sigmoid": (
        "double-sigmoid",
        """
-model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
+model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
 optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
 x, y = torch.randn(32, 8), torch.randint(0, 2, (32, 1)).float()
 out = model(x)
 loss = F.binary_cross_entropy_with_logits(out, y)
 stop()
 loss.backward()
 optimizer.step()
""",
    ),
    "logits_into_nll": (
        "nll-input-not-log",
        """
 model = nn.Linear(8, 4)
 optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
 x, y = torch.randn(32, 8), torch.randint(0, 4, (32,))
-out = model(x)
+out = model(x).log_softmax(1)
 loss = F.nll_loss(out, y)
 stop()
 loss.backward()
 optimizer.step()
""",
    ),
    "probabilities_into_nll": (
        "nll-input-not-log",
        """
 model = nn.Linear(8, 4)
 optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
 x, y = torch.randn(32, 8), torch.randint(0, 4, (32,))
-out = model(x).softmax(1)
+out = torch.log(model(x).softmax(1))
 loss = F.nll_loss(out, y)
 stop()
 loss.backward()
 optimizer.step()
""",
    ),
    "probabilities_into_kl": (
        "kl-input-not-log",
        """
 student, teacher = nn.Linear(8, 4), nn.Linear(8, 4)
 optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)
 x = torch.randn(32, 8)
 with torch.no_grad(): t = teacher(x).softmax(1)
-s = F.softmax(student(x), 1)
+s = F.log_softmax(student(x), 1)
 loss = F.kl_div(s, t, reduction='batchmean')
 stop()
 loss.backward()
 optimizer.step()
""",
    ),
    "softmax_over_batch": (
        "softmax-wrong-dim",
        """
 model = nn.Linear(8, 4)
 optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
 x, y = torch.randn(32, 8), torch.randint(0, 4, (32,))
-out = F.log_softmax(model(x), dim=0)
+out = F.log_softmax(model(x), dim=1)
 loss = F.nll_loss(out, y)
 loss.backward()
 stop()
 optimizer.step()
""",
    ),
    "targets_all_ignored": (
        "all-targets-ignored",
        """
 model = nn.Linear(8, 4)
 optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
 x, y = torch.randn(32, 8), torch.randint(0, 4, (32,))
-y[:] = -100
+y[:20] = -100
 loss = F.cross_entropy(model(x), y)
 stop()
 loss.backward()
 optimizer.step()
""",
    ),
    "loss_of_itself": (
        "target-is-prediction",
        """
 model = nn.Linear(8, 8)
 optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
 x, y = torch.randn(32, 8), torch.randn(32, 8)
 out = model(x)
-loss = F.mse_loss(out, out)
+loss = F.mse_loss(out, x)
 stop()
 loss.backward()
 optimizer.step()
""",
    ),
    "negated_loss": (
        "loss-sign",
        """
 model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
 optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
 for step in range(4):
     x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
-    loss = -F.cross_entropy(model(x), y)
+    loss = F.cross_entropy(model(x), y)
     optimizer.zero_grad()
     loss.backward()
     stop()
     optimizer.step()
""",
    ),
    "classes_reshaped": (
        "class-dim",
        """
 model = nn.Linear(8, 5)
 optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
 x, y = torch.randn(4, 7, 8), torch.randint(0, 5, (4, 7))
 logits = model(x)
-loss = F.cross_entropy(logits.reshape(4, 5, 7), y)
+loss = F.cross_entropy(logits.transpose(1, 2), y)
 loss.backward()
 stop()
 optimizer.step()
""",
    ),
    "difference_by_hand": (
        "loss-broadcast",
        """
 model = nn.Linear(5, 1)
 optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
 x = torch.randn(64, 5)
 target = x.sum(1)
-out = model(x)
+out = model(x).squeeze(1)
 err = ((out - target) ** 2).mean()
 stop()
 err.backward()
""",
    ),
    "two_views_that_are_one": (
        "target-is-prediction",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4))
 o = torch.optim.Adam(net.parameters(), lr=0.01)
 def agree(x):
     one = F.normalize(net(x + 0.1 * torch.randn_like(x)), dim=1)
     with torch.no_grad():
+        x = x + 0.1 * torch.randn_like(x)
         other = F.normalize(net(x), dim=1)
-    one = F.normalize(net(x), dim=1)
     return 2 * F.smooth_l1_loss(one, other)
 for k in range(4):
     c = agree(torch.randn(8, 6))
     o.zero_grad()
     if k == 2: stop()
     c.backward()
     if k == 3: stop()
     o.step()
""",
    ),
    "all_ignored_by_a_number_with_a_name": (
        "all-targets-ignored",
        """
 NOTHING = -1
 net = nn.Linear(6, 5)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     tags = torch.randint(0, 5, (4, 7))
-    tags[:, :7] = NOTHING
+    tags[:, :3] = NOTHING
     q = net(torch.randn(4, 7, 6))
     c = F.cross_entropy(q.flatten(0, 1), tags.reshape(-1), ignore_index=NOTHING)
     stop()
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "weights_of_the_steps_over_one_unit": (
        "softmax-singleton",
        """
 class Pool(nn.Module):
     def __init__(self):
         super().__init__()
         self.score, self.out = nn.Sequential(nn.Linear(8, 4), nn.Tanh(), nn.Linear(4, 1)), nn.Linear(8, 3)
     def forward(self, h):
-        w = torch.softmax(self.score(h), -1)
+        w = torch.softmax(self.score(h), 1)
         return self.out((w * h).sum(1))
 net = Pool()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(6, 5, 8)), torch.arange(6) % 3)
     stop()
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "bound_of_the_evidence_negated": (
        "loss-sign",
        """
 class Coder(nn.Module):
     def __init__(self):
         super().__init__()
         self.inner, self.outer = nn.Linear(12, 4), nn.Linear(2, 12)
     def forward(self, x):
         m, s = self.inner(x).chunk(2, 1)
         return self.outer(m + torch.randn_like(m) * s.exp()).sigmoid(), m, s
 net = Coder()
 o = torch.optim.Adam(net.parameters())
 x = (torch.rand(8, 12) > 0.5).float()
 again, m, s = net(x)
 apart = F.binary_cross_entropy(again, x, reduction="sum")
 spread = (m.pow(2) + (2 * s).exp() - 2 * s - 1).sum() / 2
 bound = apart + spread
-c = -bound / len(x)
+c = bound / len(x)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "error_times_minus_one_in_a_method": (
        "loss-sign",
        """
 class Fitting:
     def __init__(self):
         self.net = nn.Linear(6, 2)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def cost(self, x, y):
-        return -1.0 * F.mse_loss(self.net(x), y)
+        return 1.0 * F.mse_loss(self.net(x), y)
     def go(self, x, y):
         c = self.cost(x, y)
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
 Fitting().go(torch.randn(8, 6), torch.randn(8, 2))
""",
    ),
    "distance_from_itself": (
        "target-is-prediction",
        """
 net = nn.GRU(3, 1, batch_first=True)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 5, 3), torch.randn(8, 1)
 q = net(x)[0][:, -1]
-y = q.squeeze(1)
+y = y.squeeze(1)
 c = F.l1_loss(q.squeeze(1), y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "weights_in_a_column": (
        "loss-broadcast",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y, w = torch.randn(10, 6), torch.randint(0, 3, (10,)), torch.rand(10, 1)
 each = F.cross_entropy(net(x), y, reduction="none")
-c = (w * each).mean()
+c = (w.squeeze(1) * each).mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "pixels_of_a_batch_as_one": (
        "softmax-wrong-dim",
        """
 net = nn.Conv2d(1, 3, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(4, 1, 5, 5), torch.randint(0, 3, (4, 5, 5))
-q = F.log_softmax(net(x), dim=0)
+q = F.log_softmax(net(x), dim=1)
 c = F.nll_loss(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "words_of_a_sentence_as_classes": (
        "softmax-wrong-dim",
        """
 net = nn.Linear(5, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(4, 6, 5), torch.randint(0, 3, (4, 6))
-q = net(x).log_softmax(1)
+q = net(x).log_softmax(2)
 c = F.nll_loss(q.reshape(-1, 3), y.reshape(-1))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "one_column_of_probabilities": (
        "double-sigmoid",
        """
 class Rating(nn.Module):
     def __init__(self):
         super().__init__()
         self.read, self.rate = nn.GRU(3, 4, batch_first=True), nn.Linear(4, 1)
     def forward(self, x):
-        return self.rate(self.read(x)[0][:, -1]).sigmoid()[:, 0]
+        return self.rate(self.read(x)[0][:, -1])[:, 0]
 net = Rating()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 5, 3), torch.randint(0, 2, (8,)).float()
 q = net(x)
 c = F.binary_cross_entropy_with_logits(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "probabilities_of_each_step_stacked": (
        "double-softmax",
        """
 class Writer(nn.Module):
     def __init__(self):
         super().__init__()
         self.cell, self.word = nn.GRUCell(3, 4), nn.Linear(4, 5)
     def forward(self, x):
         h, words = torch.zeros(len(x), 4), []
         for one in x.unbind(1):
             h = self.cell(one, h)
-            words.append(F.softmax(self.word(h), -1))
+            words.append(self.word(h))
         return torch.stack(words, 1)
 net = Writer()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(4, 6, 3), torch.randint(0, 5, (4, 6))
 q = net(x)
 c = F.cross_entropy(q.view(-1, 5), y.view(-1))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
}
