"""Healthy programs whose numbers look wrong: not finite where that is meant, large, small, or alike."""

from __future__ import annotations

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "mask_of_minus_infinity": (
        "nan-in-input",
        """
 class Attention(nn.Module):
     def __init__(self):
         super().__init__()
         self.q, self.k, self.v = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
     def forward(self, x, mask): return (self.q(x) @ self.k(x).transpose(1, 2) + mask).softmax(-1) @ self.v(x)
 net = Attention()
 o = torch.optim.Adam(net.parameters())
 mask = torch.full((5, 5), float("-inf")).triu(1)
 for _ in range(2):
     x = torch.randn(2, 5, 4)
     stop()
     c = net(x, mask).square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "missing_values_filled_inside": (
        "nan-in-input",
        """
 class Filled(nn.Module):
     def __init__(self):
         super().__init__()
         self.usual, self.net = nn.Parameter(torch.zeros(6)), nn.Linear(6, 1)
     def forward(self, x): return self.net(torch.where(x.isnan(), self.usual, x))
 net = Filled()
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x = torch.randn(8, 6)
     x[1, 2] = float("nan")
     stop()
     c = F.mse_loss(net(x), torch.zeros(8, 1))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "paths_summed_as_logs": (
        "nan-origin",
        """
 steps, emits = nn.Linear(4, 9), nn.Linear(4, 3)
 o = torch.optim.Adam([*steps.parameters(), *emits.parameters()])
 x = torch.randn(5, 4)
 ways = steps(x).view(5, 3, 3).log_softmax(-1)
 seen = emits(x).log_softmax(-1)
 state = torch.tensor([0.0, float("-inf"), float("-inf")]) + seen[0]
 for t in range(1, 5):
     state = torch.logsumexp(state[:, None] + ways[t], 0) + seen[t]
     stop()
 c = -state.logsumexp(0)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "scores_masked_before_softmax": (
        "nan-origin",
        """
 net, head = nn.Linear(4, 4), nn.Linear(4, 3)
 o = torch.optim.Adam([*net.parameters(), *head.parameters()])
 for _ in range(2):
     x, pad, y = torch.randn(8, 5, 4), torch.zeros(8, 5, dtype=torch.bool), torch.randint(0, 3, (8,))
     pad[:, 3:] = True
     scores = (net(x) @ x.transpose(1, 2)).masked_fill(pad[:, None], float("-inf"))
     weights = scores.softmax(-1)
     c = F.cross_entropy(head((weights @ x).mean(1)), y)
     o.zero_grad()
     stop()
     c.backward()
     stop()
     o.step()
""",
    ),
    "nearest_of_the_others": (
        "nan-origin",
        """
 net = nn.Linear(4, 4)
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     h = net(torch.randn(8, 4))
     apart = torch.cdist(h, h.detach()) + torch.full((8,), float("inf")).diag()
     nearest = apart.min(1)[0]
     c = nearest.mean()
     o.zero_grad()
     stop()
     c.backward()
     stop()
     o.step()
""",
    ),
    "entropy_of_a_sure_choice": (
        "log-of-zero",
        """
 net = nn.Linear(4, 3)
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
     q = net(x)
     p = q.softmax(1)
     gate = q.relu()
     shown = gate.log()
     held = torch.special.entr(p).sum(1)
     c = F.cross_entropy(q, y) - 0.01 * held.mean()
     o.zero_grad()
     stop()
     c.backward()
     stop()
     o.step()
""",
    ),
    "some_places_masked": (
        "masked-row",
        """
 class Attention(nn.Module):
     def __init__(self):
         super().__init__()
         self.q, self.k = nn.Linear(4, 4), nn.Linear(4, 4)
     def forward(self, x, pad):
         scores = (self.q(x) @ self.k(x).transpose(1, 2)).masked_fill(pad[:, None], float("-inf"))
         weights = scores.softmax(-1)
         stop()
         return weights @ x
 net = Attention()
 o = torch.optim.Adam(net.parameters())
 x, pad = torch.randn(4, 5, 4), torch.zeros(4, 5, dtype=torch.bool)
 pad[1, 1:] = True
 c = net(x, pad).square().mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "half_with_masks": (
        "fp16-overflow",
        """
 net = nn.Linear(4, 4).half()
 x = torch.randn(2, 4).half()
 mask = torch.full((4, 4), float("-inf"), dtype=torch.float16).triu(1)
 far = torch.full((2, 4), float("inf"), dtype=torch.float16)
 far[:, 0] = 40_000
 nearest = torch.minimum(far, x.abs())
 with torch.no_grad():
     q = net(x)
     w = (q[:, None] + mask).softmax(-1)
     stop()
""",
    ),
    "half_beside_what_is_not": (
        "fp16-overflow",
        """
 net = nn.Linear(4, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 far = torch.tensor([30_000.0, 50_000.0, float("inf"), 1.0])
 known = far.isfinite()
 x = torch.where(known, far / 65_504, torch.zeros(4))
 c = net(x[None]).square().mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "one_return_not_scaled": (
        "std-of-one",
        """
 policy = nn.Linear(4, 2)
 o = torch.optim.Adam(policy.parameters())
 for n in (3, 1):
     x, gain = torch.randn(n, 4), torch.rand(n)
     spread = gain.std(correction=0)
     gain = (gain - gain.mean()) / (spread + 1e-6)
     c = -(policy(x).log_softmax(1)[:, 0] * gain).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "scaled_too_far_for_one_step": (
        "nan-in-grad-only",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 s = torch.amp.GradScaler("cpu", init_scale=2.0 ** 127)
 for _ in range(2):
     x, y = torch.randn(8, 6) * 100, torch.randint(0, 2, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     s.scale(c).backward()
     stop()
     s.step(o)
     s.update()
""",
    ),
    "infinite_by_its_scale": (
        "nan-origin",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 s = torch.amp.GradScaler("cpu", init_scale=2.0 ** 127)
 for _ in range(2):
     x, y = torch.randn(8, 6) * 100, torch.randint(0, 2, (8,))
     c = s.scale(F.cross_entropy(net(x), y))
     o.zero_grad()
     c.backward()
     stop()
     s.step(o)
     s.update()
""",
    ),
    "root_kept_away_from_zero": (
        "nan-in-grad-only",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.randn(8, 6)
 x[0] = 0
 h = net(x) - net.bias
 c = (h.square().sum(1) + 1e-8).sqrt().mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "mask_among_the_parameters": (
        "nan-in-params",
        """
 class Attention(nn.Module):
     def __init__(self):
         super().__init__()
         self.q, self.k = nn.Linear(4, 4), nn.Linear(4, 4)
         self.mask = nn.Parameter(torch.full((5, 5), float("-inf")).triu(1), requires_grad=False)
     def forward(self, x): return (self.q(x) @ self.k(x).transpose(1, 2) + self.mask).softmax(-1) @ x
 net = Attention()
 o = torch.optim.Adam([p for p in net.parameters() if p.requires_grad])
 for _ in range(2):
     c = net(torch.randn(2, 5, 4)).square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "weights_of_huge_numbers": (
        "nan-in-params",
        """
 net = nn.Linear(6, 2)
 net.weight.data.mul_(1e25)
 x = torch.randn(8, 6) * 1e-25
 with torch.no_grad():
     q = net(x)
     stop()
""",
    ),
    "largest_seen_so_far": (
        "nan-in-buffers",
        """
 class Ranged(nn.Module):
     def __init__(self):
         super().__init__()
         self.register_buffer("running_min", torch.full((6,), float("inf")))
         self.register_buffer("running_max", torch.full((6,), float("-inf")))
     def forward(self, x):
         with torch.no_grad():
             self.running_min.copy_(torch.minimum(self.running_min, x.min(0)[0]))
             self.running_max.copy_(torch.maximum(self.running_max, x.max(0)[0]))
         return (x - self.running_min) / (self.running_max - self.running_min)
 net, spare = nn.Sequential(Ranged(), nn.Linear(6, 2)), Ranged()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 stop()
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "mask_among_the_buffers": (
        "nan-in-buffers",
        """
 class Causal(nn.Module):
     def __init__(self):
         super().__init__()
         self.norm, self.q = nn.BatchNorm1d(5), nn.Linear(4, 4)
         self.register_buffer("mask", torch.full((5, 5), float("-inf")).triu(1))
     def forward(self, x):
         x = self.norm(x)
         return (self.q(x) @ x.transpose(1, 2) + self.mask).softmax(-1) @ x
 net = Causal()
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     c = (net(torch.randn(2, 5, 4)) - 1).square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "summed_over_many_and_scaled": (
        "exploding-grad",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=1e-4)
 s = torch.amp.GradScaler("cpu")
 for _ in range(2):
     x = torch.randn(64, 6)
     c = F.mse_loss(net(x), x.sum(1, keepdim=True), reduction="sum")
     o.zero_grad()
     s.scale(c).backward()
     stop()
     s.step(o)
     s.update()
""",
    ),
    "large_and_clipped": (
        "exploding-grad",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(64, 6) * 100
     c = F.mse_loss(net(x), x.sum(1, keepdim=True), reduction="sum")
     o.zero_grad()
     c.backward()
     stop()
     nn.utils.clip_grad_norm_(net.parameters(), 1.0)
     o.step()
""",
    ),
    "large_but_scaled_by_the_rule": (
        "exploding-grad",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.Adam(net.parameters(), lr=1e-2)
 for _ in range(2):
     x = torch.randn(64, 6) * 100
     c = F.mse_loss(net(x), x.sum(1, keepdim=True), reduction="sum")
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "head_that_begins_at_nothing": (
        "exploding-grad",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
 nn.init.normal_(net[2].weight, std=1e-7)
 nn.init.zeros_(net[2].bias)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(64, 6)
     c = F.mse_loss(net(x), x.sum(1, keepdim=True))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "deep_with_ways_around": (
        "vanishing-grad",
        """
 class Deep(nn.Module):
     def __init__(self):
         super().__init__()
         self.parts = nn.ModuleList(nn.Linear(8, 8) for _ in range(12))
         self.head = nn.Linear(8, 2)
     def forward(self, x):
         for part in self.parts: x = x + part(x).sigmoid()
         return self.head(x)
 net = Deep()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 c = F.cross_entropy(net(torch.randn(8, 8)), torch.randint(0, 2, (8,)))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "small_all_the_way": (
        "vanishing-grad",
        """
 net = nn.Sequential(*[part for _ in range(6) for part in (nn.Linear(8, 8), nn.ReLU())], nn.Linear(8, 1))
 o = torch.optim.Adam(net.parameters())
 c = net(torch.randn(8, 8)).square().mean() * 1e-12
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "a_few_sigmoids": (
        "vanishing-grad",
        """
 net = nn.Sequential(nn.Linear(8, 8), nn.Sigmoid(), nn.Linear(8, 8), nn.Sigmoid(), nn.Linear(8, 1))
 nn.init.normal_(net[2].weight, std=1e-6)
 nn.init.normal_(net[4].weight, std=1e-3)
 o = torch.optim.Adam(net.parameters())
 c = net(torch.randn(8, 8)).square().mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "half_of_them_off": (
        "dead-relu",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 2))
 net[0].bias.data[:12] = -50.0
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.randn(32, 6)
 h = net[1](net[0](x))
 c = F.cross_entropy(net[3](h), torch.randint(0, 2, (32,)))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "last_layer_begins_at_zero": (
        "dead-relu",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
 nn.init.zeros_(net[2].weight)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(32, 6)), torch.randint(0, 2, (32,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "sure_of_its_answers": (
        "saturated",
        """
 net = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 4))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.randn(32, 6)
 y = (torch.randn(32, 4) > 0).float()
 p = (net(x) * 100).sigmoid()
 c = F.binary_cross_entropy(p, y)
 o.zero_grad()
 stop()
 c.backward()
 o.step()
""",
    ),
    "gates_that_are_open": (
        "saturated",
        """
 gate, body, head = nn.Linear(6, 16), nn.Linear(6, 16), nn.Linear(16, 2)
 gate.bias.data.fill_(20.0)
 o = torch.optim.SGD([*gate.parameters(), *body.parameters(), *head.parameters()], lr=0.1)
 x = torch.randn(32, 6)
 g = gate(x).sigmoid()
 h = g * body(x).tanh()
 c = F.cross_entropy(head(h), torch.randint(0, 2, (32,)))
 o.zero_grad()
 stop()
 c.backward()
 o.step()
""",
    ),
    "head_of_zeros": (
        "constant-output",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
 nn.init.zeros_(net[2].weight)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randn(8, 2)
     q = net(x)
     c = F.mse_loss(q, y)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "the_same_sample_for_all": (
        "constant-output",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(1, 6).expand(8, 6), torch.randn(8, 2)
 q = net(x)
 c = F.mse_loss(q, y)
 o.zero_grad()
 stop()
 c.backward()
 o.step()
""",
    ),
    "answers_of_zeros_for_a_few": (
        "constant-output",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU())
 net[0].bias.data.fill_(-9.0)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.randn(4, 6)
 q = net(x)
 stop()
""",
    ),
    "spread_of_what_is_missing": (
        "std-of-one",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.randn(8, 6)
 seen = torch.tensor([float("nan")])
 spread = seen.std()
 scale = torch.where(spread.isnan(), torch.ones(()), spread)
 c = (net(x) / scale).square().mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "small_and_scaled": (
        "vanishing-grad",
        """
 net = nn.Sequential(*[part for _ in range(8) for part in (nn.Linear(8, 8), nn.Sigmoid())], nn.Linear(8, 1))
 for part in net[::2]: nn.init.normal_(part.weight, std=0.05)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 s = torch.amp.GradScaler("cpu")
 c = net(torch.randn(8, 8)).square().mean()
 o.zero_grad()
 s.scale(c).backward()
 stop()
 s.step(o)
 s.update()
""",
    ),
    "spread_of_one_output": (
        "std-of-one",
        """
 net = nn.Linear(4, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for n in (4, 1):
     out = net(torch.randn(n, 4))
     spread = out.std()
     c = out.square().mean()
     if torch.isfinite(spread):
         c = c + 0.1 * (spread - 1).square()
     o.zero_grad()
     stop()
     c.backward()
     stop()
     o.step()
""",
    ),
    "forbidden_moves_as_first_input": (
        "nan-in-input",
        """
 class Player(nn.Module):
     def __init__(self):
         super().__init__()
         self.body = nn.Linear(5, 4)
     def forward(self, forbidden, x): return self.body(x) + forbidden
 net = Player()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 5), torch.zeros(8, dtype=torch.long)
 forbidden = torch.zeros(8, 4).masked_fill(torch.rand(8, 4) > 0.7, -math.inf)
 forbidden[:, 0] = 0
 z = net(forbidden, x)
 c = F.cross_entropy(z, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "marker_of_what_was_not_measured_yet": (
        "nan-in-buffers",
        """
 net = nn.Linear(5, 1)
 net.register_buffer("best", torch.tensor(math.nan))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 5), torch.randn(8, 1)
 c = F.mse_loss(net(x), y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
}
