"""Faults of the optimizer: what it holds, at which rate it steps, when gradients are cleared and scaled."""

from __future__ import annotations

PROGRAMS: dict[str, tuple[str, str]] = {
    "second_part_left_out": (
        "param-not-in-optimizer",
        """
 class Engine:
     def __init__(self):
         self.one, self.two = nn.Linear(6, 8), nn.Linear(8, 2)
-        self.o = torch.optim.RMSprop(self.two.parameters(), lr=1e-3)
+        self.o = torch.optim.RMSprop([*self.one.parameters(), *self.two.parameters()], lr=1e-3)
     def __call__(self, x, y):
         c = F.cross_entropy(self.two(self.one(x).relu()), y)
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
 Engine()(torch.randn(8, 6), torch.randint(0, 2, (8,)))
""",
    ),
    "head_left_out": (
        "param-not-in-optimizer",
        """
 body, head = nn.Sequential(nn.Linear(6, 16), nn.ReLU()), nn.Linear(16, 3)
-o = torch.optim.Adam(body.parameters(), lr=1e-2)
+o = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=1e-2)
 for _ in range(3):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     c = F.cross_entropy(head(body(x)), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "last_layer_left_out": (
        "param-not-in-optimizer",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
-o = torch.optim.Adam(net[0].parameters(), lr=1e-3)
+o = torch.optim.Adam(net.parameters(), lr=1e-3)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randn(8, 1)
     c = ((net(x) - y) ** 2).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "made_before_the_net_changed": (
        "optimizer-stale-params",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 5)
     def forward(self, x):
         return self.b(self.a(x).relu())
 net = Net()
+net.b = nn.Linear(8, 2)
 o = torch.optim.Adam(net.parameters())
-net.b = nn.Linear(8, 2)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "all_frozen_in_trainer": (
        "frozen-params",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
         for p in self.net.parameters():
-            p.requires_grad_(False)
+            p.requires_grad_(True)
         self.o = torch.optim.Adam(self.net.parameters())
     def fit_one(self, x, y):
         c = F.cross_entropy(self.net(x), y)
         self.o.zero_grad()
         stop()
         c.backward()
         self.o.step()
 Engine().fit_one(torch.randn(8, 6), torch.randint(0, 2, (8,)))
""",
    ),
    "only_norms_trainable": (
        "frozen-params",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
 for m in net.modules():
     if isinstance(m, nn.Linear):
-        m.requires_grad_(False)
+        m.requires_grad_(True)
 o = torch.optim.Adam(net.parameters())
 c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "summed_in_trainer": (
        "grads-accumulated",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Linear(6, 2)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.01)
     def fit_one(self, x, y):
+        self.o.zero_grad()
         c = F.cross_entropy(self.net(x), y)
         c.backward()
         stop()
         self.o.step()
 engine = Engine()
 for _ in range(4):
     engine.fit_one(torch.randn(8, 6), torch.randint(0, 2, (8,)))
""",
    ),
    "cleared_in_trainer": (
        "step-without-grads",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Linear(6, 2)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.01)
     def fit_one(self, x, y):
+        self.net.zero_grad()
         c = F.cross_entropy(self.net(x), y)
         c.backward()
-        self.net.zero_grad()
         stop()
         self.o.step()
 engine = Engine()
 for _ in range(3):
     engine.fit_one(torch.randn(8, 6), torch.randint(0, 2, (8,)))
""",
    ),
    "rate_of_nothing": (
        "lr-zero",
        """
 net = nn.Linear(6, 2)
 rates = {"start": 0.1, "share": 0}
-o = torch.optim.SGD(net.parameters(), lr=rates["start"] * rates["share"])
+o = torch.optim.SGD(net.parameters(), lr=rates["start"])
 for _ in range(3):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "lambda_of_nothing": (
        "lr-zero",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
-plan = torch.optim.lr_scheduler.LambdaLR(o, lambda i: 1 // (i + 2))
+plan = torch.optim.lr_scheduler.LambdaLR(o, lambda i: 1 / (i + 2))
 for _ in range(106):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     o.step()
     plan.step()
     if plan.last_epoch > 100:
         stop()
""",
    ),
    "much_too_fast": (
        "lr-too-high",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
-        self.o = torch.optim.SGD(self.net.parameters(), lr=50)
+        self.o = torch.optim.SGD(self.net.parameters(), lr=0.01)
     def fit_one(self, x, y):
         self.o.zero_grad()
         c = F.mse_loss(self.net(x), y)
         c.backward()
         stop()
         self.o.step()
 engine = Engine()
 for _ in range(3):
     x = torch.randn(32, 6)
     engine.fit_one(x, x.sum(1, keepdim=True))
""",
    ),
    "step_decay_each_batch": (
        "lr-too-low",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Linear(6, 2)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
-        self.plan = torch.optim.lr_scheduler.StepLR(self.o, 1, gamma=0.1)
+        self.plan = torch.optim.lr_scheduler.StepLR(self.o, 30, gamma=0.1)
     def fit_one(self, x, y):
         self.o.zero_grad()
         c = F.cross_entropy(self.net(x), y)
         c.backward()
         self.o.step()
         self.plan.step()
         return c
 engine = Engine()
 for _ in range(8):
     c = engine.fit_one(torch.randn(8, 6), torch.randint(0, 2, (8,)))
 stop()
""",
    ),
    "small_steps_in_bfloat16": (
        "update-lost",
        """
-kind = torch.bfloat16
+kind = torch.float32
 class Engine:
     def __init__(self):
         self.net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1)).to(kind)
         self.o = torch.optim.AdamW(self.net.parameters(), lr=1e-6)
     def fit_one(self, x):
         c = self.net(x).square().mean()
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
 Engine().fit_one(torch.randn(8, 6, dtype=kind))
""",
    ),
    "half_at_the_border_of_eps": (
        "eps-underflow",
        """
 net = nn.Linear(6, 2).half()
-o = torch.optim.Adam(net.parameters(), lr=1e-3, eps=2**-25)
+o = torch.optim.Adam(net.parameters(), lr=1e-3, eps=1.01 * 2**-25)
 for _ in range(2):
     c = net(torch.randn(8, 6).half()).float().square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "adamw_in_half": (
        "eps-underflow",
        """
 class Engine:
     def __init__(self):
-        self.net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1)).half()
+        self.net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
         self.o = torch.optim.AdamW(self.net.parameters())
     def fit_one(self, x):
         c = self.net(x.to(self.net[0].weight.dtype)).float().square().mean()
         self.o.zero_grad()
         c.backward()
         stop()
 Engine().fit_one(torch.randn(8, 6))
""",
    ),
    "clipped_in_trainer": (
        "clip-before-unscale",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Linear(6, 2)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
         self.s = torch.amp.GradScaler("cpu")
     def fit_one(self, x, y):
         self.o.zero_grad()
         c = F.cross_entropy(self.net(x), y)
         self.s.scale(c).backward()
+        self.s.unscale_(self.o)
         nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
         stop()
         self.s.step(self.o)
         self.s.update()
 Engine().fit_one(torch.randn(8, 6), torch.randint(0, 2, (8,)))
""",
    ),
    "scaled_but_own_step": (
        "scaler-bypassed",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Linear(6, 2)
         self.o = torch.optim.SGD(self.net.parameters(), lr=1e-6)
         self.s = torch.amp.GradScaler("cpu")
     def fit_one(self, x, y):
         self.o.zero_grad()
         c = F.cross_entropy(self.net(x), y)
         big = self.s.scale(c)
         big.backward()
         stop()
-        self.o.step()
+        self.s.step(self.o)
+        self.s.update()
 Engine().fit_one(torch.randn(8, 6), torch.randint(0, 2, (8,)))
""",
    ),
    "slow_is_fast": (
        "aliased-models",
        """
 fast = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
-slow = fast
+slow = copy.deepcopy(fast)
 o = torch.optim.Adam(fast.parameters())
 for _ in range(2):
     x, nxt = torch.randn(8, 6), torch.randn(8, 6)
     with torch.no_grad():
         goal = 0.9 * slow(nxt)
     c = F.mse_loss(fast(x), goal)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "average_of_itself": (
        "aliased-models",
        """
 class Engine:
     def __init__(self):
         self.a = nn.Linear(6, 2)
-        self.b = self.a
+        self.b = copy.deepcopy(self.a)
         self.o = torch.optim.SGD(self.a.parameters(), lr=0.1)
     def fit_one(self, x, y):
         c = F.cross_entropy(self.a(x), y)
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
         with torch.no_grad():
             for p, q in zip(self.b.parameters(), self.a.parameters()):
                 p.lerp_(q, 0.1)
 Engine().fit_one(torch.randn(8, 6), torch.randint(0, 2, (8,)))
""",
    ),
    "another_copy_is_stepped": (
        "weights-unchanged",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
-o.step = lambda: None
+pass
 for _ in range(5):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "cleared_before_step": (
        "step-without-grads",
        """
 model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
 optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
 for step in range(4):
     x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
     loss = F.cross_entropy(model(x), y)
+    optimizer.zero_grad()
     loss.backward()
-    optimizer.zero_grad()
     stop()
     optimizer.step()
""",
    ),
    "clipped_while_scaled": (
        "clip-before-unscale",
        """
 model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
 optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
 scaler = torch.amp.GradScaler('cpu')
 for step in range(2):
     x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
     optimizer.zero_grad()
     loss = F.cross_entropy(model(x), y)
     scaler.scale(loss).backward()
+    scaler.unscale_(optimizer)
     nn.utils.clip_grad_norm_(model.parameters(), 1.0)
     stop()
     scaler.step(optimizer)
     scaler.update()
""",
    ),
    "stepped_past_scaler": (
        "scaler-bypassed",
        """
 model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
 optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
 scaler = torch.amp.GradScaler('cpu')
 for step in range(2):
     x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
     optimizer.zero_grad()
     loss = F.cross_entropy(model(x), y)
     scaler.scale(loss).backward()
+    scaler.unscale_(optimizer)
+    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
     stop()
-    optimizer.step()
+    scaler.step(optimizer)
+    scaler.update()
""",
    ),
    "target_is_online": (
        "aliased-models",
        """
 class Agent:
     def __init__(self):
         self.online = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
-        self.target = self.online
+        self.target = copy.deepcopy(self.online)
         self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-3)
     def update(self):
         s, a, r, n = torch.randn(32, 4), torch.randint(0, 2, (32, 1)), torch.randn(32), torch.randn(32, 4)
         q = self.online(s).gather(1, a).squeeze(1)
         with torch.no_grad(): nq = self.target(n).max(1)[0]
         loss = F.smooth_l1_loss(q, r + 0.9 * nq)
         self.optimizer.zero_grad()
         loss.backward()
         stop()
         self.optimizer.step()
 agent = Agent()
 agent.update()
""",
    ),
    "eps_in_half": (
        "eps-underflow",
        """
 model = nn.Linear(8, 4).to(torch.float16)
-optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
+optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-4)
 x, y = torch.randn(16, 8), torch.randint(0, 4, (16,))
 loss = F.cross_entropy(model(x.half()).float(), y)
 loss.backward()
 stop()
""",
    ),
    "bfloat16_weights": (
        "update-lost",
        """
-model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4)).to(torch.bfloat16)
+model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4)).to(torch.float32)
 optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)
 x, y = torch.randn(16, 8), torch.randint(0, 4, (16,))
 loss = F.cross_entropy(model(x.to(model[0].weight.dtype)).float(), y)
 optimizer.zero_grad()
 loss.backward()
 stop()
 optimizer.step()
""",
    ),
    "decay_each_batch": (
        "lr-too-low",
        """
 model = nn.Linear(8, 4)
 optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
 scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
 for i in range(40):
     x, y = torch.randn(16, 8), torch.randint(0, 4, (16,))
     loss = F.cross_entropy(model(x), y)
     optimizer.zero_grad()
     loss.backward()
     optimizer.step()
-    if True: scheduler.step()
+    if i % 20 == 19: scheduler.step()
 stop()
""",
    ),
    "cleared_in_the_round_that_steps": (
        "step-without-grads",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2))
 o = torch.optim.SGD(net.parameters(), lr=0.01)
 every = 2
 for k in range(5):
     for part in range(2):
         c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,))) / every
         c.backward()
     nn.utils.clip_grad_norm_(net.parameters(), 1.0)
     if k % every == every - 1 or k == 4:
-        o.zero_grad(set_to_none=True)
         if k == 3:
             stop()
         o.step()
+        o.zero_grad(set_to_none=True)
""",
    ),
    "cleared_before_a_step_by_a_scaler": (
        "step-without-grads",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.01)
 scaler = torch.amp.GradScaler("cpu", enabled=False)
 for k in range(3):
     with torch.autocast("cpu", enabled=False):
         c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
         scaler.scale(c).backward()
-    o.zero_grad()
     if k == 1:
         stop()
     scaler.step(o)
     scaler.update()
+    o.zero_grad()
""",
    ),
    "cleared_once_for_all_batches": (
        "grads-accumulated",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2))
 o = torch.optim.Adam(net.parameters(), lr=0.001)
 def cost(out, y): return F.cross_entropy(out, y)
 for epoch in range(2):
-    net.zero_grad()
     for k in range(6):
         c = cost(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
+        net.zero_grad()
         c.backward()
         if epoch == 1 and k in (1, 4):
             stop()
         o.step()
""",
    ),
    "a_turn_that_only_goes_backward_and_steps": (
        "grads-accumulated",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Linear(6, 2)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.01)
         self.seen = []
     def cost(self, x, y):
         return F.cross_entropy(self.net(x), y)
     def turn(self, k, x, y):
         c = self.cost(x, y)
         c.backward()
         if k == 3:
             stop()
         self.o.step()
         self.seen.append(c.item())
 engine = Engine()
 for k in range(5):
+    engine.o.zero_grad()
     engine.turn(k, torch.randn(8, 6), torch.randint(0, 2, (8,)))
""",
    ),
}
