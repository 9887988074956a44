"""Faults that stand behind a call: in a function or an object between the model and the loss; and what only looks like them."""

from __future__ import annotations

#: name: the rule that must find it, program
PROGRAMS: dict[str, tuple[str, str]] = {
    "mean_kept_by_a_meter_of_a_function": (
        "retained-graph",
        """
 class Mean(object):
     def __init__(self):
         self.total, self.amount = 0.0, 0
     def add(self, value, amount):
         self.total = self.total + value * amount
         self.amount += amount
         return self.total / self.amount
 net = nn.Sequential(nn.Linear(6, 3), nn.Tanh(), nn.Linear(3, 6))
 opt = torch.optim.Adam(net.parameters())
 meter = Mean()
 def turn(x):
     c = F.mse_loss(net(x), x)
     opt.zero_grad()
     c.backward()
     opt.step()
-    seen = meter.add(c, len(x))
+    seen = meter.add(c.item(), len(x))
     stop()
     return seen
 for k in range(4):
     turn(torch.randn(8, 6))
""",
    ),
    "reentrant_while_it_trains": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Deep(nn.Module):
     def __init__(self, saves):
         super().__init__()
         self.saves = saves
         self.words = nn.Embedding(20, 8).requires_grad_(False)
         self.parts = nn.ModuleList(nn.Linear(8, 8) for _ in range(2))
         self.top = nn.Linear(8, 1)
     def part_of(self, part, h):
         if self.training and self.saves:
-            return checkpoint(part, h, use_reentrant=True)
+            return checkpoint(part, h, use_reentrant=False)
         return part(h)
     def forward(self, x):
         h = self.words(x).mean(1)
         for part in self.parts:
             h = self.part_of(part, h).relu()
         return self.top(h)
 net = Deep(True)
 o = torch.optim.Adam((p for p in net.parameters() if p.requires_grad), 0.01)
 for _ in range(3):
     x = torch.randint(0, 20, (8, 4))
     c = F.mse_loss(net(x), x.float().mean(1, keepdim=True))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "reentrant_by_a_setting": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Deep(nn.Module):
     def __init__(self, settings):
         super().__init__()
         self.settings = settings
         self.first, self.second, self.top = nn.Linear(6, 8), nn.Linear(8, 8), nn.Linear(8, 2)
     def saving(self, part, h):
         return checkpoint(part, h, use_reentrant=self.settings["reentrant"]).relu()
     def forward(self, x):
         h = self.saving(self.first, x)
         return self.top(self.saving(self.second, h))
-net = Deep({"reentrant": True})
+net = Deep({"reentrant": False})
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
     opt.zero_grad()
     c = F.cross_entropy(net(x), y)
     c.backward()
     stop()
     opt.step()
""",
    ),
    "chances_given_back_with_others": (
        "loss-rewrapped",
        """
 class Rounds(object):
     def __init__(self):
         self.chances, self.gains = [], []
     def note(self, chance, gain):
-        self.chances.append(chance.item())
+        self.chances.append(chance)
         self.gains.append(gain)
     def all(self):
         gains = torch.tensor(self.gains)
-        chances = torch.tensor(self.chances, requires_grad=True)
+        chances = torch.stack(self.chances)
         return chances, gains - gains.mean()
 actor = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
 opt = torch.optim.Adam(actor.parameters())
 for k in range(2):
     rounds = Rounds()
     for _ in range(6):
         rounds.note(actor(torch.randn(4)).log_softmax(-1)[1], torch.rand(()).item())
     chances, gains = rounds.all()
     cost = -(chances * gains).mean()
     opt.zero_grad()
     cost.backward()
     stop()
     opt.step()
""",
    ),
    "scores_kept_as_numbers_by_a_trace": (
        "loss-rewrapped",
        """
 class Trace(object):
     def __init__(self):
         self.scores, self.gains = [], []
     def keep(self, score, gain):
-        self.scores.append(float(score))
+        self.scores.append(score)
         self.gains.append(gain)
     def joined(self):
-        return torch.tensor(self.scores).requires_grad_()
+        return torch.stack(self.scores)
 def play(actor):
     trace = Trace()
     for _ in range(3):
         chances = actor(torch.randn(4)).log_softmax(-1)
         trace.keep(chances[torch.randint(0, 3, ())], torch.rand(()))
     return trace
 actor = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
 opt = torch.optim.Adam(actor.parameters())
 for k in range(3):
     traces = [play(actor) for _ in range(2)]
     cost = 0.0
     for trace in traces:
         cost = cost - (trace.joined() * torch.stack(trace.gains)).sum()
     opt.zero_grad()
     cost.backward()
     opt.step()
     stop()
""",
    ),
    "summary_made_of_numbers": (
        "graph-cut",
        """
 class Pool(object):
     def __init__(self, rate):
         self.rate = rate
     def squeeze(self, parts):
         weights = (parts * self.rate).softmax(1)
-        return torch.as_tensor((weights * parts).sum(1).tolist())
+        return (weights * parts).sum(1)
 def read(reader, pool, x):
     parts = reader(x)
     return pool.squeeze(parts)
 class Reader(nn.Module):
     def __init__(self):
         super().__init__()
         self.cell = nn.Linear(5, 6)
     def forward(self, x):
         return self.cell(x).tanh()
 reader, judge, pool = Reader(), nn.Linear(6, 2), Pool(2.0)
 opt = torch.optim.SGD([*reader.parameters(), *judge.parameters()], lr=0.1)
 for k in range(3):
     x, y = torch.randn(8, 4, 5), torch.randint(0, 2, (8,))
     h = read(reader, pool, x)
     c = F.cross_entropy(judge(h), y)
     opt.zero_grad()
     c.backward()
     if k == 1:
         stop()
     opt.step()
""",
    ),
}

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "meter_of_a_function_that_each_round_resets": (
        "retained-graph",
        """
 class Mean(object):
     def __init__(self):
         self.reset()
     def reset(self):
         self.total = torch.zeros(())
     def add(self, value):
         self.total = self.total + value
 net, meter = nn.Linear(6, 1), Mean()
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 def turn(x):
     c = net(x).square().mean()
     opt.zero_grad()
     c.backward()
     opt.step()
     meter.add(c)
     stop()
 for k in range(2):
     meter.reset()
     turn(torch.randn(8, 6))
     turn(torch.randn(8, 6))
     turn(torch.randn(8, 6))
""",
    ),
    "meter_of_a_function_that_is_made_anew": (
        "retained-graph",
        """
 class Mean(object):
     def __init__(self):
         self.total = 0.0
     def add(self, value):
         self.total = 0.5 * self.total + 0.5 * value
 net = nn.Linear(6, 1)
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 def turn(meter):
     meter.add(net(torch.randn(8, 6)).square().mean())
     c = net(torch.randn(8, 6)).square().mean()
     meter.add(c)
     opt.zero_grad()
     c.backward()
     opt.step()
     stop()
 for k in range(3):
     mean = Mean()
     turn(mean)
     turn(mean)
     turn(mean)
""",
    ),
    "meter_of_a_function_that_keeps_no_graph": (
        "retained-graph",
        """
 class Mean(object):
     def __init__(self):
         self.total = torch.zeros(())
     def add(self, value):
         self.total = self.total.detach() + value
 net, meter = nn.Linear(6, 1), Mean()
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 def turn(x):
     c = net(x).square().mean()
     opt.zero_grad()
     c.backward()
     opt.step()
     meter.add(c)
     stop()
 for k in range(4): turn(torch.randn(8, 6))
""",
    ),
    "layers_that_join_later": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Tower(nn.Module):
     def __init__(self):
         super().__init__()
         self.layers = nn.ModuleList([nn.Linear(6, 6), nn.Linear(6, 6)])
         self.last, self.joined, self.saves = nn.Linear(6, 2), 0, True
     def run(self, layer, h):
         return checkpoint(layer, h, use_reentrant=self.saves).relu()
     def forward(self, x):
         for layer in self.layers[:self.joined]:
             x = self.run(layer, x)
         return self.last(x)
 net = Tower()
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     if k == 2:
         net.joined = 1
     x = torch.randn(8, 6, requires_grad=True)
     c = F.cross_entropy(net(x), torch.randint(0, 2, (8,)))
     opt.zero_grad()
     c.backward()
     stop()
     opt.step()
""",
    ),
    "reentrant_of_what_needs_gradients": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Tower(nn.Module):
     def __init__(self, options):
         super().__init__()
         self.options, self.words = options, nn.Embedding(9, 6)
         self.first, self.last, self.spare = nn.Linear(6, 6), nn.Linear(6, 2), nn.Linear(6, 6)
         self.words.requires_grad_(False)
     def run(self, layer, h):
         return checkpoint(layer, h, use_reentrant=self.options["saving"]["reentrant"]).relu()
     def forward(self, x):
         h = self.words(x).mean(1)
         return self.last(self.run(self.first, h.requires_grad_()))
     def guess(self, x):
         return self.run(self.spare, self.words(x).mean(1))
 net = Tower({"saving": {"reentrant": True}})
 opt = torch.optim.SGD([one for one in net.parameters() if one.requires_grad], lr=0.1)
 for k in range(2):
     c = F.cross_entropy(net(torch.randint(0, 9, (8, 4))), torch.randint(0, 2, (8,)))
     opt.zero_grad()
     c.backward()
     stop()
     opt.step()
""",
    ),
    "trace_kept_with_its_graph_beside_numbers": (
        "loss-rewrapped",
        """
 class Trace(object):
     def __init__(self):
         self.scores, self.seen = [], []
     def keep(self, score):
         self.scores.append(score)
         self.seen.append(score.item())
     def joined(self):
         return torch.stack(self.scores)
     def shares(self):
         return torch.tensor(self.seen, requires_grad=True)
 actor = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
 opt = torch.optim.Adam(actor.parameters())
 for k in range(3):
     traces = [Trace() for _ in range(2)]
     for trace in traces:
         for _ in range(3): trace.keep(actor(torch.randn(4)).log_softmax(-1)[0])
     cost = -torch.stack([one.joined().sum() * one.shares().exp().sum() for one in traces]).mean()
     opt.zero_grad()
     cost.backward()
     opt.step()
     stop()
""",
    ),
    "places_from_which_slopes_are_asked": (
        "loss-rewrapped",
        """
 class Route(object):
     def __init__(self, places):
         self.places = places
     def start(self):
         return torch.tensor(self.places, requires_grad=True)
 net, guide = nn.Linear(2, 1), nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
 guide.requires_grad_(False)
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 routes = [Route([[0.1, 0.2]]), Route([[0.3, 0.4]])]
 for k in range(3):
     height = sum(guide(route.start()).sum() for route in routes)
     height.backward()
     stop()
     c = net(torch.randn(8, 2)).square().mean()
     opt.zero_grad()
     c.backward()
     opt.step()
""",
    ),
    "summary_cut_off_at_first_in_a_function": (
        "graph-cut",
        """
 class Pool(object):
     def __init__(self, first):
         self.first, self.turn = first, 0
     def squeeze(self, parts):
         self.turn += 1
         if self.turn <= self.first:
             parts = parts.detach()
         return parts.tanh().sum(1)
 class Reader(nn.Module):
     def __init__(self):
         super().__init__()
         self.cell = nn.Linear(5, 6)
     def forward(self, x): return self.cell(x).tanh()
 reader, judge, pool = Reader(), nn.Linear(6, 2), Pool(2)
 opt = torch.optim.SGD([*reader.parameters(), *judge.parameters()], lr=0.1)
 for k in range(4):
     x, y = torch.randn(8, 4, 5), torch.randint(0, 2, (8,))
     c = F.cross_entropy(judge(pool.squeeze(reader(x))), y)
     opt.zero_grad()
     c.backward()
     stop()
     opt.step()
""",
    ),
    "body_cut_off_that_another_function_trains": (
        "graph-cut",
        """
 def kept(values):
     return values.detach()
 class Body(nn.Module):
     def __init__(self):
         super().__init__()
         self.layer = nn.Linear(5, 6)
     def forward(self, x): return self.layer(x).tanh()
 body, head = Body(), nn.Linear(6, 2)
 opt = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
 def rebuild(net, x):
     (net(x)[:, :5] - x).square().mean().backward()
     opt.step()
     opt.zero_grad()
 for k in range(3):
     x, y = torch.randn(8, 5), torch.randint(0, 2, (8,))
     rebuild(body, x)
     c = F.cross_entropy(head(kept(body(x))), y)
     opt.zero_grad()
     c.backward()
     stop()
     opt.step()
""",
    ),
    "second_body_asked_by_turns": (
        "graph-cut",
        """
 def as_data(values):
     return torch.tensor(values.tolist())
 first, second, head = nn.Linear(5, 6), nn.Linear(5, 6), nn.Linear(6, 2)
 opt = torch.optim.SGD([*first.parameters(), *second.parameters(), *head.parameters()], lr=0.1)
 for k in range(3):
     x, y = torch.randn(8, 5), torch.randint(0, 2, (8,))
     if k == 1:
         h = first(x).tanh() + as_data(second(x))
     else:
         h = first(x).tanh() + second(x)
     c = F.cross_entropy(head(h), y)
     opt.zero_grad()
     c.backward()
     stop()
     opt.step()
""",
    ),
    "follower_in_the_same_optimizer": (
        "graph-cut",
        """
 def aim(values):
     return F.normalize(values.detach(), dim=-1)
 def follow(slow, fast):
     with torch.no_grad():
         for a, b in zip(slow.parameters(), fast.parameters()):
             a.lerp_(b, 0.1)
 fast = nn.Sequential(nn.Linear(5, 6), nn.Tanh(), nn.Linear(6, 3))
 slow = copy.deepcopy(fast)
 opt = torch.optim.SGD([*fast.parameters(), *slow.parameters()], lr=0.1)
 for k in range(3):
     x = torch.randn(8, 5)
     c = -(F.normalize(fast(x + 0.1), dim=-1) * aim(slow(x))).sum(-1).mean()
     opt.zero_grad()
     c.backward()
     stop()
     opt.step()
     follow(slow, fast)
""",
    ),
    "stop_gradient_on_one_side_by_a_function": (
        "graph-cut",
        """
 def agreement(p, z):
     return -F.cosine_similarity(p, z.detach(), dim=-1).mean()
 net, guess = nn.Sequential(nn.Linear(5, 6), nn.Tanh()), nn.Linear(6, 6)
 opt = torch.optim.SGD([*net.parameters(), *guess.parameters()], lr=0.1)
 for k in range(2):
     x = torch.randn(8, 5)
     a, b = net(x), net(x + 0.1 * torch.randn(8, 5))
     c = 0.5 * agreement(guess(a), b) + 0.5 * agreement(guess(b), a)
     opt.zero_grad()
     c.backward()
     stop()
     opt.step()
""",
    ),
}
