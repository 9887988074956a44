"""Programs about what comes between a backward and its step: scales, rates, roundings."""

from __future__ import annotations

#: A part of a model that one optimizer holds, beside another; ``{}``: the plan of the first one's rate.
_TWO_RATES = """
 body, head = nn.Linear(6, 8), nn.Linear(8, 3)
 one, other = torch.optim.SGD(body.parameters(), lr=0.1), torch.optim.SGD(head.parameters(), lr=0.1)
 plan = torch.optim.lr_scheduler.{}
 for k in range(14):
     c = F.cross_entropy(head(body(torch.randn(8, 6)).tanh()), torch.randint(0, 3, (8,)))
     one.zero_grad()
     other.zero_grad()
     c.backward()
     one.step()
     other.step()
     plan.step()
     if k > 10: stop()
"""

#: A rate that begins with 0, and that the program itself raises; ``{}``: by which statement.
_WARMED_UP = """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.0, momentum=0.9)
 for k in range(6):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     for group in o.param_groups:
         {}
"""

#: Gradients that are cleared by what ``{}`` does to each.
_CLEARED = """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(5):
     for p in net.parameters():
         if p.grad is not None:
             {}
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     c.backward()
     stop()
     o.step()
"""

#: name: the rule that must find it, program
PROGRAMS: dict[str, tuple[str, str]] = {
    "scaled_in_one_method_and_stepped_in_another": (
        "scaler-bypassed",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Linear(6, 3)
         self.o = torch.optim.SGD(self.net.parameters(), lr=1e-6)
         self.scaler = torch.amp.GradScaler("cpu")
     def back(self, c):
         self.scaler.scale(c).backward()
     def update(self):
-        self.o.step()
+        self.scaler.step(self.o)
+        self.scaler.update()
         self.o.zero_grad()
     def fit(self):
         for _ in range(3):
             c = F.cross_entropy(self.net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
             self.back(c)
             stop()
             self.update()
 Engine().fit()
""",
    ),
    "the_last_of_two_schedules_is_over": (
        "lr-zero",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 rise = torch.optim.lr_scheduler.LinearLR(o, 0.1, total_iters=2)
-fall = torch.optim.lr_scheduler.PolynomialLR(o, total_iters=4)
+fall = torch.optim.lr_scheduler.PolynomialLR(o, total_iters=40)
 plan = torch.optim.lr_scheduler.SequentialLR(o, [rise, fall], [2])
 for k in range(12):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     o.step()
     plan.step()
     if k > 9: stop()
""",
    ),
    "falls_within_the_first_epoch": (
        "lr-too-low",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 plan = torch.optim.lr_scheduler.ExponentialLR(o, gamma=0.9)
 for epoch in range(2):
     for k in range(150):
         c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
         o.zero_grad()
         c.backward()
         o.step()
         if k == 149 and epoch == 0: stop()
-        plan.step()
+    plan.step()
""",
    ),
    "the_second_group_falls": (
        "lr-too-low",
        """
 body, head = nn.Linear(6, 8), nn.Linear(8, 3)
 o = torch.optim.SGD([{"params": body.parameters(), "lr": 0.1}, {"params": head.parameters(), "lr": 0.01}])
-plan = torch.optim.lr_scheduler.ExponentialLR(o, 0.5)
+plan = torch.optim.lr_scheduler.ExponentialLR(o, 0.99)
 for _ in range(25):
     c = F.cross_entropy(head(body(torch.randn(8, 6)).relu()), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     o.step()
     plan.step()
     o.param_groups[0]["lr"] = 0.1
 stop()
""",
    ),
    "cleared_by_a_helper_that_answers": (
        "step-without-grads",
        """
 def prepare(model, k):
     model.zero_grad()
     return f"step {k}"
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
+    text = prepare(net, k)
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     c.backward()
-    text = prepare(net, k)
     stop()
     o.step()
""",
    ),
    "lost_by_a_mean_of_squares": (
        "update-lost",
        """
-few = torch.bfloat16
+few = torch.float32
 net = nn.ModuleList([nn.LayerNorm(6), nn.Linear(6, 32).to(few), nn.Linear(32, 3).to(few)])
 o = torch.optim.RMSprop(net.parameters(), lr=1e-6)
 for _ in range(3):
     h = net[0](torch.randn(8, 6)).to(few)
     c = F.cross_entropy(net[2](net[1](h).relu()).float(), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
}

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "scaled_or_not": (
        "graph-freed",
        """
 net, half = nn.Linear(6, 3), True
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 scaler = torch.amp.GradScaler("cpu", enabled=half)
 for _ in range(3):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     if half:
         scaler.scale(c).backward()
         scaler.unscale_(o)
         stop()
         scaler.step(o)
         scaler.update()
     else:
         c.backward()
         o.step()
""",
    ),
    "scaled_and_the_round_is_over": (
        "graph-freed",
        """
 net, half = nn.Linear(6, 3), True
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 scaler = torch.amp.GradScaler("cpu", enabled=half)
 for _ in range(3):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     if half:
         scaler.scale(c).backward()
         stop()
         scaler.step(o)
         scaler.update()
         continue
     c.backward()
     o.step()
""",
    ),
    "a_share_or_the_whole": (
        "graph-freed",
        """
 net, parts = nn.Linear(6, 3), 2
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(3):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     if parts > 1:
         (c / parts).backward()
         stop()
         o.step()
     else:
         c.backward()
         o.step()
""",
    ),
    "scaled_and_stepped_in_a_method": (
        "scaler-bypassed",
        """
 class Engine:
     def __init__(self, half):
         self.net, self.half = nn.Linear(6, 3), half
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
         self.scaler = torch.amp.GradScaler("cpu", enabled=half)
     def through(self):
         self.scaler.unscale_(self.o)
         nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
         self.scaler.step(self.o)
         self.scaler.update()
     def fit_one(self, x, y):
         self.o.zero_grad()
         c = F.cross_entropy(self.net(x), y)
         if self.half:
             self.scaler.scale(c).backward()
             stop()
             self.through()
         else:
             c.backward()
             self.o.step()
 engine = Engine(True)
 for _ in range(3):
     engine.fit_one(torch.randn(8, 6), torch.randint(0, 3, (8,)))
""",
    ),
    "a_second_model_without_a_scale": (
        "scaler-bypassed",
        """
 def through(scaler, o):
     scaler.step(o)
     scaler.update()
 net, probe = nn.Linear(6, 3), nn.Linear(3, 2)
 o, own = torch.optim.SGD(net.parameters(), lr=0.1), torch.optim.SGD(probe.parameters(), lr=0.1)
 scaler = torch.amp.GradScaler("cpu")
 for _ in range(3):
     h = net(torch.randn(8, 6))
     c = F.cross_entropy(h, torch.randint(0, 3, (8,)))
     o.zero_grad()
     scaler.scale(c).backward()
     through(scaler, o)
     q = F.cross_entropy(probe(h.detach()), torch.randint(0, 2, (8,)))
     own.zero_grad()
     q.backward()
     stop()
     own.step()
""",
    ),
    "a_probe_beside_a_scale_that_is_stepped_elsewhere": (
        "scaler-bypassed",
        """
 class Deep:
     def __init__(self, scaler, o): self.scaler, self.o = scaler, o
     def go(self): self.further()
     def further(self): self.last()
     def last(self):
         self.scaler.step(self.o)
         self.scaler.update()
 net, probe = nn.Linear(6, 3), nn.Linear(3, 2)
 o, own = torch.optim.SGD(net.parameters(), lr=0.1), torch.optim.SGD(probe.parameters(), lr=0.1)
 scaler = torch.amp.GradScaler("cpu")
 deep = Deep(scaler, o)
 for _ in range(3):
     h = net(torch.randn(8, 6))
     c = F.cross_entropy(h, torch.randint(0, 3, (8,)))
     o.zero_grad()
     scaler.scale(c).backward()
     deep.go()
     q = F.cross_entropy(probe(h.detach()), torch.randint(0, 2, (8,)))
     own.zero_grad()
     q.backward()
     stop()
     own.step()
""",
    ),
    "unscaled_by_hand_then_stepped": (
        "scaler-bypassed",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 scaler = torch.amp.GradScaler("cpu")
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     scaler.scale(c).backward()
     for p in net.parameters(): p.grad /= scaler.get_scale()
     stop()
     o.step()
""",
    ),
    "clips_at_the_scaled_limit": (
        "clip-before-unscale",
        """
 net, most = nn.Linear(6, 3), 1.0
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 scaler = torch.amp.GradScaler("cpu")
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     scaler.scale(c).backward()
     nn.utils.clip_grad_norm_(net.parameters(), most * scaler.get_scale())
     stop()
     scaler.step(o)
     scaler.update()
""",
    ),
    "clips_the_other_model": (
        "clip-before-unscale",
        """
 maker, judge = nn.Linear(4, 6), nn.Linear(6, 1)
 one, other = torch.optim.SGD(maker.parameters(), lr=0.01), torch.optim.SGD(judge.parameters(), lr=0.01)
 scaler = torch.amp.GradScaler("cpu")
 for _ in range(3):
     fake = maker(torch.randn(8, 4))
     one.zero_grad()
     scaler.scale(-judge(fake).mean()).backward()
     other.zero_grad()
     c = judge(fake.detach()).mean() - judge(torch.randn(8, 6)).mean()
     c.backward()
     nn.utils.clip_grad_norm_(judge.parameters(), 1.0)
     other.step()
     stop()
     scaler.step(one)
     scaler.update()
""",
    ),
    "half_that_is_kept_as_it_is": (
        "eps-underflow",
        """
 base, added = nn.Linear(6, 6).half().requires_grad_(False), nn.Linear(6, 6)
 net = nn.ModuleList([base, added, nn.Linear(6, 3)])
 o = torch.optim.AdamW(net.parameters(), lr=1e-3)
 for _ in range(3):
     x = torch.randn(8, 6)
     c = F.cross_entropy(net[2](base(x.half()).float() + added(x)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "frozen_by_its_rate_from_then_on": (
        "lr-zero",
        _TWO_RATES.format("LambdaLR(one, lambda k: 1.0 if k < 5 else 0.0)"),
    ),
    "faded_out_beside_another": (
        "lr-zero",
        _TWO_RATES.format("LinearLR(one, 1.0, 0.0, total_iters=6)"),
    ),
    "warmed_up_by_adding": ("lr-zero", _WARMED_UP.format('group["lr"] += 0.01')),
    "warmed_up_with_its_momentum": (
        "lr-zero",
        _WARMED_UP.format('group["lr"], group["momentum"] = 0.01 * k, 0.9 + 0.01 * k'),
    ),
    "warmed_up_by_an_update": ("lr-zero", _WARMED_UP.format('group.update({"lr": 0.01 * k})')),
    "warmed_up_by_an_update_with_a_name": (
        "lr-zero",
        _WARMED_UP.format("group.update(dict(momentum=0.9, lr=0.01 * k))"),
    ),
    "warmed_up_under_any_key": (
        "lr-zero",
        """
 class Plan:
     def __init__(self, o, key, most): self.o, self.key, self.most, self.at = o, key, most, 0
     def step(self):
         for group in self.o.param_groups:
             group[self.key] = self.most * self.at / 10
         self.at += 1
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.0)
 plan = Plan(o, "lr", 0.1)
 for _ in range(4):
     plan.step()
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "cleared_by_filling": ("grads-accumulated", _CLEARED.format("p.grad.fill_(0)")),
    "cleared_by_an_item": ("grads-accumulated", _CLEARED.format("p.grad[:] = 0")),
    "cleared_by_a_factor": ("grads-accumulated", _CLEARED.format("p.grad.mul_(0)")),
    "cleared_by_another_name": ("grads-accumulated", _CLEARED.format("g = p.grad; g[...] = 0")),
    "cleared_by_itself": ("grads-accumulated", _CLEARED.format("p.grad.sub_(p.grad)")),
    "few_bits_and_a_warm_up_by_hand": (
        "update-lost",
        """
 net = nn.Linear(16, 8).to(torch.bfloat16)
 o = torch.optim.AdamW(net.parameters(), lr=3e-3)
 for k in range(3):
     for group in o.param_groups: group["lr"] = 3e-3 * min(1.0, (k + 1) / 1000)
     c = net(torch.randn(8, 16).to(torch.bfloat16)).float().square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "few_bits_and_one_cycle": (
        "update-lost",
        """
 net = nn.Linear(16, 8).to(torch.bfloat16)
 o = torch.optim.AdamW(net.parameters())
 plan = torch.optim.lr_scheduler.OneCycleLR(o, max_lr=2e-3, total_steps=20, div_factor=1e4)
 for k in range(20):
     c = net(torch.randn(8, 16).to(torch.bfloat16)).float().square().mean()
     o.zero_grad()
     c.backward()
     o.step()
     if k in (0, 19): stop()
     plan.step()
""",
    ),
    "few_bits_that_have_learnt_all": (
        "update-lost",
        """
 net = nn.Linear(16, 8).to(torch.bfloat16)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.randn(64, 16).to(torch.bfloat16)
 with torch.no_grad(): y = net(x).float() + 1e-3 * torch.randn(64, 8)
 for _ in range(3):
     c = F.mse_loss(net(x).float(), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "falls_for_as_long_as_it_trains": (
        "lr-too-low",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.Adam(net.parameters(), lr=0.05)
 plan = torch.optim.lr_scheduler.ExponentialLR(o, gamma=0.95)
 for k in range(300):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     o.step()
     plan.step()
     if k > 297: stop()
""",
    ),
    "leaves_where_it_began": (
        "lr-too-high",
        """
 class Factors(nn.Module):
     def __init__(self):
         super().__init__()
         self.u, self.v = nn.Parameter(1e-3 * torch.randn(40, 3)), nn.Parameter(1e-3 * torch.randn(30, 3))
     def forward(self): return self.u @ self.v.T
 net = Factors()
 o = torch.optim.SGD(net.parameters(), lr=5e-3)
 y = torch.randn(40, 3) @ torch.randn(3, 30)
 def epoch():
     for _ in range(20):
         c = 0.5 * ((net() - y) ** 2).sum()
         o.zero_grad()
         c.backward()
         o.step()
     return c.item()
 for _ in range(6):
     mean = epoch()
     stop()
""",
    ),
    "one_sample_after_another_from_zero": (
        "lr-too-high",
        """
 net = nn.Linear(8, 1)
 nn.init.zeros_(net.weight)
 o = torch.optim.SGD(net.parameters(), lr=0.01)
 torch.manual_seed(2)
 w = torch.randn(8, 1)
 sizes = [0.02, 3.0, 1.0, 2.0, 0.5, 2.0]
 for size in sizes:
     x = size * torch.ones(1, 8)
     c = F.mse_loss(net(x), x @ w)
     o.zero_grad()
     c.backward()
     o.step()
     stop()
""",
    ),
}
