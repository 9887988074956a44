"""Everyday programs that look like a fault: attacks on inputs, teachers in helpers, ignored labels, lists of parts."""

from __future__ import annotations

#: name: the rule that must find it, program
PROGRAMS: dict[str, tuple[str, str]] = {
    "ignored_and_too_large": (
        "label-out-of-range",
        """
 net, rule = nn.Linear(6, 3), nn.CrossEntropyLoss(ignore_index=255)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
 y[0] = 255
-y[1] = 3
 q = net(x)
 stop()
 c = rule(q, y)
""",
    ),
    "checked_in_train_mode": (
        "train-during-eval",
        """
 def check(k, d):
     n = 0
     with torch.no_grad():
         for a, b in d:
             stop()
             n += (k(a).argmax(1) == b).sum().item()
     return n
 k = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 3))
 z = torch.optim.SGD(k.parameters(), lr=0.01)
 d = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(2)]
 for _ in range(2):
+    k.train()
     for a, b in d:
         c = F.cross_entropy(k(a), b)
         z.zero_grad()
         c.backward()
         z.step()
+    k.eval()
     check(k, d)
""",
    ),
    "set_from_outside": (
        "freeze-typo",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
-net[0].trainable = False
+net[0].requires_grad_(False)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
 c.backward()
 stop()
 o.step()
""",
    ),
    "judged_where_a_caller_has_no_gradients": (
        "train-during-eval",
        """
 def judge(k, d):
     n = 0
     for a, b in d:
         out = k(a)
         stop()
         n += (out.argmax(1) == b).sum().item()
     return n
 k = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 3))
 z = torch.optim.SGD(k.parameters(), lr=0.01)
 d = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(2)]
 for _ in range(2):
+    k.train()
     for a, b in d:
         c = F.cross_entropy(k(a), b)
         z.zero_grad()
         c.backward()
         z.step()
+    k.eval()
     with torch.no_grad():
         judge(k, d)
""",
    ),
    "judged_under_a_mask": (
        "train-during-eval",
        """
 def judge(k, d):
     n = 0
     for a, b in d:
         mask = torch.ones_like(a)
         out = k(a * mask)
         stop()
         n += (out.argmax(1) == b).sum().item()
     return n
 k = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 3))
 z = torch.optim.SGD(k.parameters(), lr=0.01)
 d = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(2)]
 for _ in range(2):
+    k.train()
     for a, b in d:
         c = F.cross_entropy(k(a), b)
         z.zero_grad()
         c.backward()
         z.step()
+    k.eval()
     with torch.no_grad():
         judge(k, d)
""",
    ),
    "gradients_switched_off_by_a_call": (
        "train-during-eval",
        """
 def judge(k, d):
     n = 0
     torch.set_grad_enabled(False)
     for a, b in d:
         out = k(a)
         stop()
         n += F.cross_entropy(out, b).item()
     torch.set_grad_enabled(True)
     return n
 k = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 3))
 d = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(2)]
+k.eval()
 judge(k, d)
""",
    ),
    "gradients_switched_off_by_a_condition": (
        "train-during-eval",
        """
 def judge(k, d, learns):
     n = 0
     with torch.set_grad_enabled(learns):
         for a, b in d:
             out = k(a)
             stop()
             n += F.cross_entropy(out, b).item()
     return n
 k = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 3))
 d = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(2)]
+k.eval()
 judge(k, d, False)
""",
    ),
}

#: name: the rule that must say nothing, program
TRAPS: dict[str, tuple[str, str]] = {
    "borders_ignored": (
        "label-out-of-range",
        """
 net, rule = nn.Conv2d(3, 5, 3, padding=1), nn.CrossEntropyLoss(ignore_index=255)
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x, y = torch.rand(2, 3, 8, 8), torch.randint(0, 5, (2, 8, 8))
     y[:, 0] = 255
     q = net(x)
     stop()
     c = rule(q, y) + F.cross_entropy(q, y, ignore_index=255) + nn.CrossEntropyLoss(ignore_index=255)(q, y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "minus_one_ignored": (
        "label-out-of-range",
        """
 net, rule = nn.Linear(4, 5), nn.CrossEntropyLoss(ignore_index=-1)
 x, y = torch.rand(8, 4), torch.randint(0, 5, (8,))
 y[0] = -1
 q = net(x)
 stop()
 c = rule(q, y)
 c.backward()
""",
    ),
    "attacked_in_eval_mode": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.05)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     net.eval()
     delta = torch.zeros_like(x, requires_grad=True)
     for _ in range(2):
         c = F.cross_entropy(net(x + delta), y)
         c.backward()
         stop()
         delta.data = (delta + 0.01 * delta.grad.sign()).clamp(-0.1, 0.1)
         delta.grad.zero_()
     net.train()
     o.zero_grad()
     c = F.cross_entropy(net(x + delta.detach()), y)
     c.backward()
     o.step()
""",
    ),
    "keys_in_forward": (
        "train-during-eval",
        """
 class Contrast(nn.Module):
     def __init__(self):
         super().__init__()
         self.q, self.k = (nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 4)) for _ in range(2))
         self.k.requires_grad_(False)
     def forward(self, a, b):
         q = F.normalize(self.q(a), dim=1)
         with torch.no_grad():
             k = self.k(b)
             stop()
             k = F.normalize(k, dim=1)
         return q @ k.t() / 0.07
 net = Contrast()
 o = torch.optim.SGD(net.q.parameters(), lr=0.03)
 for _ in range(2):
     a = torch.randn(8, 6)
     scores = net(a, a + 0.1 * torch.randn(8, 6))
     c = F.cross_entropy(scores, torch.arange(8))
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "labels_by_a_helper": (
        "train-during-eval",
        """
 class Trainer:
     def __init__(self):
         self.net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 3))
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     @torch.no_grad()
     def guess(self, u):
         q = self.net(u).softmax(-1)
         stop()
         return q.max(-1)[1]
     def one(self, x, y, u, v):
         c = F.cross_entropy(self.net(x), y) + F.cross_entropy(self.net(u), v)
         self.o.zero_grad()
         c.backward()
         self.o.step()
     def fit(self):
         for _ in range(2):
             x, y, u = torch.randn(8, 4), torch.randint(0, 3, (8,)), torch.randn(8, 4)
             v = self.guess(u)
             self.one(x, y, u, v)
 Trainer().fit()
""",
    ),
    "teacher_in_a_helper": (
        "train-during-eval",
        """
 class Trainer:
     def __init__(self):
         self.student = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 3))
         self.teacher = copy.deepcopy(self.student).requires_grad_(False)
         self.o = torch.optim.SGD(self.student.parameters(), lr=0.1)
     def soft(self, u):
         with torch.no_grad():
             q = self.teacher(u)
             stop()
             return q.softmax(-1)
     def fit(self):
         for _ in range(2):
             x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
             soft = self.soft(x)
             q = self.student(x)
             c = F.cross_entropy(q, y) + F.mse_loss(q.softmax(-1), soft)
             self.o.zero_grad()
             c.backward()
             self.o.step()
 Trainer().fit()
""",
    ),
    "only_a_perturbation_is_trained": (
        "param-not-in-optimizer",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3)).eval()
 x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
 delta = torch.zeros_like(x, requires_grad=True)
 o = torch.optim.Adam([delta], lr=0.01)
 for _ in range(3):
     o.zero_grad()
     c = delta.norm() - F.cross_entropy(net(x + delta), y)
     c.backward()
     stop()
     o.step()
""",
    ),
    "only_a_picture_is_trained": (
        "param-not-in-optimizer",
        """
 net = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1)).eval()
 content = torch.rand(1, 3, 8, 8)
 image = content.clone().requires_grad_(True)
 o = torch.optim.LBFGS([image])
 goal = net(content).detach()
 def closure():
     o.zero_grad()
     c = F.mse_loss(net(image), goal) + image.abs().mean()
     c.backward()
     stop()
     return c
 o.step(closure)
""",
    ),
    "bags_of_any_length": (
        "softmax-singleton",
        """
 class Pool(nn.Module):
     def __init__(self):
         super().__init__()
         self.s, self.o = nn.Linear(6, 1), nn.Linear(6, 3)
     def forward(self, bag):
         w = torch.softmax(self.s(bag), dim=1)
         v = torch.softmax(self.s(bag).squeeze(-1), dim=1)
         return self.o((w * bag).sum(1)) + self.o((v.unsqueeze(-1) * bag).sum(1))
 net = Pool()
 o = torch.optim.Adam(net.parameters())
 for n in (4, 1, 3):
     c = F.cross_entropy(net(torch.randn(5, n, 6)), torch.randint(0, 3, (5,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "fitted_on_all_in_the_end": (
        "split-overlap",
        """
 net = nn.Linear(4, 1)
 x = torch.randn(60, 4)
 y = x.sum(1, keepdim=True)
 x_train, x_val, y_train, y_val = x[:40], x[40:], y[:40], y[40:]
 x_train_val, y_train_val = torch.cat([x_train, x_val]), torch.cat([y_train, y_val])
 train_all = torch.cat([x_train, x_val])
 o = torch.optim.SGD(net.parameters(), lr=0.01)
 for _ in range(2):
     c = F.mse_loss(net(x_train_val), y_train_val) + F.mse_loss(net(train_all), y_train_val)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "one_level_for_all_steps": (
        "loss-broadcast",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randn(8, 8)
     level = net(x)
     c = F.mse_loss(level.expand_as(y), y) + (level.expand_as(y) - y).abs().mean()
     stop()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_setting_called_trainable": (
        "freeze-typo",
        """
 class Table(nn.Module):
     def __init__(self, trainable=False):
         super().__init__()
         self.trainable, self.scale = trainable, nn.Parameter(torch.ones(4))
         self.register_buffer("rows", torch.randn(5, 4))
     def forward(self, x): return x + self.rows * self.scale
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.enc, self.enc2, self.table = nn.Linear(4, 4), nn.Linear(4, 1), Table()
         self.enc.requires_grad_(False)
         self.enc.trainable = False
     def forward(self, x): return self.enc2(self.table(self.enc(x)).relu())
 net = Net()
 o = torch.optim.Adam([*net.enc2.parameters(), *net.table.parameters()])
 c = net(torch.randn(3, 5, 4)).pow(2).mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "names_for_one_net": (
        "aliased-models",
        """
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
 ref = best = net
 for name, target in net.named_modules():
     if isinstance(target, nn.Linear):
         nn.init.orthogonal_(target.weight)
 o = torch.optim.Adam(net.parameters())
 c = F.cross_entropy(net(torch.randn(8, 4)), torch.randint(0, 3, (8,)))
 c.backward()
 stop()
 o.step()
""",
    ),
    "start_at_time_nought": (
        "constant-feature",
        """
 net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x0 = torch.rand(32, 1)
     start = torch.cat([x0, torch.zeros_like(x0)], 1)
     c = F.mse_loss(net(start), torch.sin(math.pi * x0))
     stop()
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "twice_with_other_dropout": (
        "duplicate-samples",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 3))
 o = torch.optim.Adam(net.parameters())
 x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
 both, thrice = torch.cat([x, x], 0), torch.cat([x] * 3)
 q, r = net(both), net(thrice)
 c = F.cross_entropy(q, torch.cat([y, y])) + F.cross_entropy(r, torch.cat([y] * 3))
 stop()
 c.backward()
 o.step()
""",
    ),
    "world_begins_empty": (
        "constant-input",
        """
 policy = nn.Sequential(nn.Linear(16, 8), nn.Tanh(), nn.Linear(8, 4))
 o = torch.optim.Adam(policy.parameters())
 def reset(): return torch.from_numpy(np.array([[0.0] * 16] * 8, np.float32))
 seen = reset()
 for _ in range(3):
     dist = torch.distributions.Categorical(logits=policy(seen))
     stop()
     c = -(dist.log_prob(dist.sample()) * torch.rand(8)).mean()
     o.zero_grad()
     c.backward()
     o.step()
     seen = seen + torch.eye(16)[:8]
""",
    ),
    "held_at_nothing_first": (
        "lr-zero",
        """
 net = nn.Linear(4, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.01)
 plan = torch.optim.lr_scheduler.LambdaLR(o, lambda i: 0.0 if i < 6 else 1.0)
 for _ in range(8):
     c = (net(torch.randn(8, 4)) - 1).pow(2).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     plan.step()
""",
    ),
    "looks_for_the_rate": (
        "lr-too-high",
        """
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
 o = torch.optim.SGD(net.parameters(), lr=1e-4)
 x = torch.randn(32, 4)
 y = x.sum(1, keepdim=True)
 kept = []
 for _ in range(40):
     c = F.mse_loss(net(x), y)
     o.zero_grad()
     c.backward()
     o.step()
     for group in o.param_groups: group["lr"] *= 1.5
     kept.append(c.item())
     stop()
     if kept[-1] > 20 * min(kept): break
""",
    ),
}
