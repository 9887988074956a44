"""Faults as they are met in practice: written in other ways than those of their rules' first programs."""

from __future__ import annotations

#: name: the rule that must find it, program
PROGRAMS: dict[str, tuple[str, str]] = {
    "second_conv_overwritten": (
        "unused-module",
        """
 class Stage(nn.Module):
     def __init__(self, width):
         super().__init__()
         self.first = nn.Conv1d(width, width, 3, padding=1)
         self.second = nn.Conv1d(width, width, 3, padding=1)
         self.norm = nn.BatchNorm1d(width)
     def forward(self, x):
         h = F.relu(self.first(x))
-        h = self.second(h)
-        h = self.norm(x)
+        h = self.second(h)
+        h = self.norm(h)
         return h + x
 class Tagger(nn.Module):
     def __init__(self):
         super().__init__()
         self.stem = nn.Conv1d(4, 8, 1)
         self.stages = nn.ModuleList([Stage(8), Stage(8)])
         self.head = nn.Linear(8, 3)
     def forward(self, x):
         h = self.stem(x)
         for stage in self.stages:
             h = stage(h)
         return self.head(h.mean(2))
 net = Tagger()
 opt = torch.optim.Adam(net.parameters(), lr=1e-3)
 for turn in range(3):
     x, y = torch.randn(8, 4, 12), torch.randint(0, 3, (8,))
     loss = F.cross_entropy(net(x), y)
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "second_block_overwritten_by_a_branch": (
        "unused-module",
        """
 class Enc(nn.Module):
     def __init__(self):
         super().__init__()
         self.lower = nn.Linear(6, 16)
         self.middle = nn.Linear(16, 16)
         self.upper = nn.Linear(16, 4)
     def forward(self, x):
         a = torch.tanh(self.lower(x))
         b = torch.tanh(self.middle(a))
-        return self.upper(a)
+        return self.upper(b)
 class Trainer:
     def __init__(self):
         self.net = Enc()
         self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def step(self, x, y):
         self.opt.zero_grad()
         loss = F.mse_loss(self.net(x), y)
         loss.backward()
         self.opt.step()
         stop()
         return loss.item()
 t = Trainer()
 for _ in range(3):
     t.step(torch.randn(9, 6), torch.randn(9, 4))
""",
    ),
    "minus_f_cross_entropy": (
        "loss-sign",
        """
 body = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 5))
 opt = torch.optim.AdamW(body.parameters(), lr=1e-3)
 def objective(logits, labels):
-    return -F.cross_entropy(logits, labels)
+    return F.cross_entropy(logits, labels)
 for i in range(3):
     x, labels = torch.randn(16, 10), torch.randint(0, 5, (16,))
     loss = objective(body(x), labels)
     opt.zero_grad()
     loss.backward()
     opt.step()
     stop()
""",
    ),
    "nll_of_minus_log_probs": (
        "loss-sign",
        """
 class Classifier(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(7, 12), nn.Linear(12, 4)
     def forward(self, x):
         return F.log_softmax(self.b(torch.relu(self.a(x))), dim=1)
 m = Classifier()
 o = torch.optim.SGD(m.parameters(), lr=0.05)
 for epoch in range(2):
     for _ in range(3):
         x, y = torch.randn(12, 7), torch.randint(0, 4, (12,))
         logp = m(x)
-        loss = F.nll_loss(-logp, y)
+        loss = F.nll_loss(logp, y)
         o.zero_grad()
         loss.backward()
         stop()
         o.step()
""",
    ),
    "log_likelihood_minimised_by_hand": (
        "loss-sign",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.Adam(net.parameters(), lr=1e-2)
 for _ in range(3):
     x, y = torch.randn(10, 6), torch.randint(0, 3, (10,))
     picked = F.log_softmax(net(x), 1)[torch.arange(10), y]
-    loss = picked.mean()
+    loss = -picked.mean()
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "normal_log_prob_n_by_n": (
        "loss-broadcast",
        """
 class Density(nn.Module):
     def __init__(self):
         super().__init__()
         self.body = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
         self.log_scale = nn.Parameter(torch.zeros(1))
     def forward(self, x):
         return torch.distributions.Normal(self.body(x), self.log_scale.exp())
 net = Density()
 opt = torch.optim.Adam(net.parameters(), lr=1e-3)
 table, goal = torch.randn(64, 5), torch.randn(64)
 for start in range(0, 64, 16):
     x, y = table[start:start + 16], goal[start:start + 16]
     dist = net(x)
-    loss = -dist.log_prob(y).mean()
+    loss = -dist.log_prob(y[:, None]).mean()
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "accuracy_all_pairs": (
        "loss-broadcast",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
 opt = torch.optim.Adam(net.parameters(), lr=1e-3)
 for _ in range(3):
     x, y = torch.randn(32, 6), (torch.rand(32) > 0.5).float()
     logits = net(x)
     loss = F.binary_cross_entropy_with_logits(logits, y[:, None])
     opt.zero_grad()
     loss.backward()
     opt.step()
     with torch.no_grad():
         guess = (logits > 0).float()
-        acc = (guess == y).float().mean()
+        acc = (guess == y[:, None]).float().mean()
     stop()
""",
    ),
    "discriminator_never_cleared": (
        "grads-accumulated",
        """
 gen = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
 dis = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
 og = torch.optim.Adam(gen.parameters(), lr=2e-4)
 od = torch.optim.Adam(dis.parameters(), lr=2e-4)
 bce = nn.BCEWithLogitsLoss()
 for i in range(4):
     real = torch.randn(8, 2)
     fake = gen(torch.randn(8, 4))
+    od.zero_grad()
     d_loss = bce(dis(real), torch.ones(8, 1)) + bce(dis(fake.detach()), torch.zeros(8, 1))
     d_loss.backward()
     od.step()
     og.zero_grad()
     g_loss = bce(dis(fake), torch.ones(8, 1))
     g_loss.backward()
     og.step()
     stop()
""",
    ),
    "log_of_outputs_in_a_dict": (
        "retained-graph",
        """
 class Journal:
     def __init__(self):
         self.data = {"loss": [], "out": []}
     def note(self, items):
         for k, v in items.items():
-            self.data[k].append(v)
+            self.data[k].append(v.detach())
 net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 2))
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 journal = Journal()
 for i in range(5):
     x, y = torch.randn(6, 5), torch.randint(0, 2, (6,))
     out = net(x)
     loss = F.cross_entropy(out, y)
     opt.zero_grad()
     loss.backward()
     opt.step()
     journal.note({"loss": loss, "out": out})
     stop()
""",
    ),
    "list_of_a_key_with_a_quote": (
        "retained-graph",
        """
 net = nn.Linear(5, 1)
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 history = {"it's": []}
 for i in range(4):
     loss = F.mse_loss(net(torch.randn(6, 5)), torch.randn(6, 1))
     opt.zero_grad()
     loss.backward()
     opt.step()
-    history["it's"].append(loss)
+    history["it's"].append(loss.item())
     stop()
""",
    ),
    "losses_beside_their_numbers": (
        "retained-graph",
        """
 net = nn.Linear(5, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 numbers, losses = [], []
 for _ in range(3):
     c = F.cross_entropy(net(torch.randn(6, 5)), torch.randint(0, 2, (6,)))
     o.zero_grad()
     c.backward()
     o.step()
     numbers.append(c.item())
-    losses.append(c)
+    losses.append(c.detach())
     stop()
""",
    ),
    "history_dict_setdefault": (
        "retained-graph",
        """
 net = nn.Linear(5, 1)
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 history = {}
 for epoch in range(2):
     for i in range(4):
         x, y = torch.randn(6, 5), torch.randn(6, 1)
         pred = net(x)
         loss = F.mse_loss(pred, y)
         opt.zero_grad()
         loss.backward()
         opt.step()
-        history.setdefault("loss", []).append(loss)
+        history.setdefault("loss", []).append(loss.item())
         stop()
""",
    ),
    "mean_begun_in_one_expression": (
        "retained-graph",
        """
 class Mean:
     def __init__(self): self.value = None
-    def add(self, c): self.value = c if self.value is None else 0.9 * self.value + 0.1 * c
+    def add(self, c): self.value = c.detach() if self.value is None else 0.9 * self.value + 0.1 * c.detach()
 net = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1))
 mean = Mean()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(4):
     c = F.mse_loss(net(torch.randn(6, 5)), torch.randn(6, 1))
     o.zero_grad()
     c.backward()
     o.step()
     mean.add(c)
     stop()
""",
    ),
    "sum_unless_it_is_not_begun": (
        "retained-graph",
        """
 net, total = nn.Linear(5, 1), None
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(4):
     c = F.l1_loss(net(torch.randn(6, 5)), torch.randn(6, 1))
     o.zero_grad()
     c.backward()
     o.step()
-    total = total + c if total is not None else c
+    total = total + c.item() if total is not None else c.item()
     stop()
""",
    ),
    "pictures_cut_off_for_both": (
        "missing-grad",
        """
 gen = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
 dis = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
 og, od = torch.optim.Adam(gen.parameters(), 2e-4), torch.optim.Adam(dis.parameters(), 2e-4)
 for _ in range(2):
     real = torch.randn(8, 2)
-    fake = gen(torch.randn(8, 3)).detach()
+    fake = gen(torch.randn(8, 3))
     of_dis = F.softplus(-dis(real)).mean() + F.softplus(dis(fake.detach())).mean()
     od.zero_grad()
     of_dis.backward()
     od.step()
     of_gen = F.softplus(-dis(fake)).mean()
     og.zero_grad()
     of_gen.backward()
     stop()
     og.step()
""",
    ),
}

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "an_extra_part_that_is_added_in_some_rounds": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.extra, self.adds = nn.Linear(6, 4), nn.Linear(6, 4), False
     def forward(self, x):
         h = self.a(x)
         more = self.extra(x)
         if self.adds:
             h = h + more
         return h
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for turn in range(4):
     net.adds = turn == 3
     c = net(torch.randn(8, 6)).pow(2).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_part_that_runs_for_its_hook": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.tap = nn.Linear(6, 4), nn.Linear(6, 4)
     def forward(self, x):
         seen = self.tap(x)
         return self.a(x)
 net, kept = Net(), []
 net.tap.register_forward_hook(lambda module, given, out: kept.append(out))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for turn in range(4):
     c = net(torch.randn(8, 6)).pow(2).mean()
     if turn == 3:
         c = c + kept[-1].pow(2).mean()
     kept.clear()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "likelihood_of_what_was_drawn": (
        "loss-sign",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.Adam(net.parameters(), lr=1e-2)
 for _ in range(3):
     p = F.log_softmax(net(torch.randn(10, 6)), 1)
     a = torch.distributions.Categorical(logits=p.detach()).sample()
     c = p[torch.arange(10), a].mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "kernels_around_each_point": (
        "loss-broadcast",
        """
 centres = nn.Parameter(torch.randn(12))
 points = torch.randn(12)
 o = torch.optim.SGD([centres], lr=0.1)
 for _ in range(3):
     spread = torch.distributions.Normal(centres[:, None], 1.0)
     c = -spread.log_prob(points).logsumexp(0).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "which_are_of_one_class": (
        "loss-broadcast",
        """
 net = nn.Linear(6, 4)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(12, 6), torch.randint(0, 3, (12,))
 column = y[:, None]
 for _ in range(3):
     z = F.normalize(net(x), dim=1)
     alike = (column == y).float()
     c = ((z @ z.t() - alike) ** 2).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "one_clears_for_two": (
        "grads-accumulated",
        """
 body, head = nn.Linear(6, 4), nn.Linear(4, 2)
 whole = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
 of_body, of_head = torch.optim.SGD(body.parameters(), lr=0.01), torch.optim.SGD(head.parameters(), lr=0.1)
 for _ in range(4):
     whole.zero_grad(set_to_none=False)
     c = F.cross_entropy(head(torch.relu(body(torch.randn(8, 6)))), torch.randint(0, 2, (8,)))
     c.backward()
     of_body.step()
     of_head.step()
     stop()
""",
    ),
    "journal_that_is_emptied_in_each_step": (
        "retained-graph",
        """
 class Journal:
     def __init__(self):
         self.data = {"loss": []}
     def note(self, value):
         self.data["loss"].append(value)
     def close(self):
         self.data["loss"].clear()
 net, journal = nn.Linear(5, 2), Journal()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(3):
     c, d = (F.cross_entropy(net(torch.randn(6, 5)), torch.randint(0, 2, (6,))) for _ in range(2))
     o.zero_grad()
     (c + d).backward()
     o.step()
     journal.note(c)
     journal.note(d)
     stop()
     journal.close()
""",
    ),
}
