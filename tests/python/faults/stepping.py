"""Programs about what comes between a backward and its step: scales, rates, roundings."""

from __future__ import annotations

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
    "cleared_by_filling": ("grads-accumulated", _CLEARED.format("p.grad.fill_(0)")),
    "cleared_by_an_item": ("grads-accumulated", _CLEARED.format("p.grad[:] = 0")),
    "cleared_by_a_factor": ("grads-accumulated", _CLEARED.format("p.grad.mul_(0)")),
    "cleared_by_another_name": ("grads-accumulated", _CLEARED.format("g = p.grad; g[...] = 0")),
    "cleared_by_itself": ("grads-accumulated", _CLEARED.format("p.grad.sub_(p.grad)")),
}
